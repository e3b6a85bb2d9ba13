"""Word documents as LibreOffice shows and writes them."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from numpy.typing import NDArray
from tests.formats.corpus import members_of, rich_docx, skeleton, spans_of, word_edits

from lexprint.formats.source import Source, open_source
from lexprint.text.editing import Edit, apply_edits

pypdfium2: Any = pytest.importorskip("pypdfium2", reason="pypdfium2 draws the pages")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed"),
]

SCALE = 2.0  # pixels per point
VISIBLE = 48  # of 255 shades
RICH = rich_docx()
BODY = "word/document.xml"


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for LibreOffice."""
    return tmp_path_factory.mktemp("office")


def converted(content: bytes, office: Path, *, to: str) -> bytes:
    """A Word document as LibreOffice writes it in a format."""
    source, target = office / "memo.docx", office / "converted"
    source.write_bytes(content)
    command = ["soffice", f"-env:UserInstallation={(office / 'profile').as_uri()}", "--headless"]
    subprocess.run(
        [*command, "--convert-to", to, "--outdir", str(target), str(source)],
        capture_output=True,
        check=True,
        timeout=300,
    )
    return (target / f"memo.{to}").read_bytes()


def free_spans(source: Source, word: str) -> list[Edit]:
    """Every place of a word that may change, to become another of the same letters."""
    return [
        Edit(span, "".join(sorted(word)))
        for span in spans_of(source.text, word)
        if not any(protected.overlaps(span) for protected in source.protected)
    ]


class Page:
    """A page as it looks, and where each of its letters stands."""

    def __init__(self, page: Any) -> None:
        self.shades: NDArray[np.int64] = page.render(scale=SCALE, grayscale=True).to_numpy().squeeze().astype(np.int64)
        letters = page.get_textpage()
        indices = range(letters.count_chars())
        self.text = "".join((letters.get_text_range(index, 1) or " ")[0] for index in indices)
        self.boxes = [letters.get_charbox(index) for index in indices]  # left, bottom, right, top

    def without(self, boxes: list[tuple[float, float, float, float]]) -> NDArray[np.int64]:
        """The picture with some places painted over."""
        shades = self.shades.copy()
        height = len(shades)
        for left, bottom, right, top in boxes:
            rows = slice(int(height - SCALE * top) - 3, int(height - SCALE * bottom) + 4)
            shades[rows, int(SCALE * left) - 3 : int(SCALE * right) + 4] = 255
        return shades


def differing(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where two pictures differ by more than a hair's breadth: a line set anew may move by part of a pixel."""
    return _outside(one, other) | _outside(other, one)


def _outside(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Pixels of one picture that are lighter or darker than all pixels of the other that are at most one away."""
    near = np.stack([np.roll(other, (down, right), (0, 1)) for down in (-1, 0, 1) for right in (-1, 0, 1)])
    outside: NDArray[np.bool_] = (one > near.max(axis=0) + VISIBLE) | (one < near.min(axis=0) - VISIBLE)
    return outside


def pages_of(pdf: bytes) -> list[Page]:
    return [Page(page) for page in pypdfium2.PdfDocument(pdf)]


def test_a_marked_document_looks_the_same(office: Path) -> None:
    """Where words of the same letters are exchanged, nothing beside them looks different."""
    source = open_source(RICH, name="memo.docx")
    edits = free_spans(source, "large")
    assert len(edits) >= 5
    before = pages_of(converted(RICH, office, to="pdf"))
    after = pages_of(converted(source.with_edits(edits), office, to="pdf"))
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        assert len(one.text) == len(other.text)
        changed = _in_other_words(one.text, other.text)
        assert 0 < len(changed) <= len(edits) * len("large")  # the rest of the page is not painted over
        words = [page.boxes[index] for page in (one, other) for index in changed]
        assert not differing(one.without(words), other.without(words)).any()
        assert differing(one.shades, other.shades).any()  # it can tell pages apart


def _in_other_words(one: str, other: str) -> list[int]:
    """Indices of the letters of all words that differ."""
    found: list[int] = []
    start = 0
    for end in range(len(one) + 1):
        if end == len(one) or not (one[end].isalpha() and other[end].isalpha()):
            if one[start:end] != other[start:end]:
                found += range(start, end)
            start = end + 1
    return found


def test_only_the_line_of_a_word_changes(office: Path) -> None:
    """A shorter word draws the rest of its line along, and nothing else."""
    source = open_source(RICH, name="memo.docx")
    last = spans_of(source.text, "large document")[-1]
    edited = source.with_edits([Edit(type(last)(last.start, last.start + len("large")), "big")])
    (before,) = pages_of(converted(RICH, office, to="pdf"))
    (after,) = pages_of(converted(edited, office, to="pdf"))
    start = before.text.index("End of the large document")
    line = before.boxes[start : start + len("End of the large document.")]
    left = before.boxes[start + len("End of the ")][0]
    rows, columns = np.nonzero(differing(before.shades, after.shades))
    height = len(before.shades)
    top, bottom = max(box[3] for box in line), min(box[1] for box in line)
    assert len(rows)
    assert rows.min() >= height - SCALE * top - 3
    assert rows.max() <= height - SCALE * bottom + 3
    assert columns.min() >= SCALE * left - 3


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_documents_of_libreoffice_are_edited_in_place(office: Path, data: st.DataObject) -> None:
    """What LibreOffice wrote comes back byte for byte without edits; with them, only chosen words differ."""
    kept = office / "written.docx"
    if not kept.exists():
        kept.write_bytes(converted(RICH, office, to="docx"))
    content = kept.read_bytes()
    source = open_source(content, name="memo.docx")
    assert source.with_edits([]) == content
    assert "He bought a unbelievable house near the river, bold & <large> words." in source.text
    edits = word_edits(data, source.text, source.protected)
    edited = source.with_edits(edits)
    assert open_source(edited, name="memo.docx").text == apply_edits(source.text, edits)
    old, new = members_of(content), members_of(edited)
    assert skeleton(new[BODY][0]) == skeleton(old[BODY][0])
    assert {name for name in old if old[name] != new[name]} <= {BODY, "word/footnotes.xml", "word/endnotes.xml"}
    assert list(old) == list(new)
