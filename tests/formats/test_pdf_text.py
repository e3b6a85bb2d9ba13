"""PDF files."""

import shutil
from pathlib import Path

import pytest
from tests.formats.corpus import make_pdf

from lexprint.errors import FormatError
from lexprint.formats.pdf_text import PdfText, as_running_text, read_pdf, read_scanned_pdf
from lexprint.formats.recognition import recognise
from lexprint.formats.source import open_source


def read(content: bytes, *, name: str = "leak.pdf") -> PdfText:
    source = read_pdf(content, name=name)
    assert source is not None
    return source


def test_text_is_read_whole() -> None:
    """Words that a line break cut are joined."""
    content = make_pdf([[(72, 700, "An unbeliev-"), (72, 688, "able house.")], [(72, 700, "Second page.")]])
    source = read(content)
    assert source.text.split() == "An unbelievable house. Second page.".split()
    assert (source.kind, source.is_writable, source.protected) == ("PDF", False, ())


def test_addresses_are_protected() -> None:
    """As in every other format, so that a copy and a PDF of it are read alike."""
    source = read(make_pdf([[(72, 700, "Write to large@example.com about it.")]]))
    assert [span.of(source.text) for span in source.protected] == ["large@example.com"]


def test_a_pdf_is_never_written() -> None:
    """Who wants to mark one is told what to mark instead."""
    source = read(make_pdf([[(72, 700, "One.")]]), name="memo.pdf")
    with pytest.raises(FormatError, match=r"memo\.pdf is a PDF; needed: the document it was made from"):
        source.with_edits([])


@pytest.mark.parametrize(
    ("found", "whole"),
    [
        ("exam-\nple", "example"),
        ("well-\nknown and well-known", "well-known and well-known"),
        ("Saxe-\nCoburg", "Saxe-Coburg"),
        ("1990-\n1995", "1990-\n1995"),
        ("oﬃce ﬂoor", "office floor"),
        ("soft\u00ad\nhyphen", "softhyphen"),
        ("a - b", "a - b"),
        ("lone \ud800 surrogate", "lone ? surrogate"),
    ],
)
def test_words_are_made_whole(found: str, whole: str) -> None:
    """Line breaks and ligatures of typesetters are undone; true hyphens stay where the text shows that they are."""
    assert as_running_text(found) == whole


@pytest.mark.parametrize(
    "content",
    [b"%PDF-1.7\n", b"%PDF-1.7\n%%EOF", make_pdf([[(72, 700, "One.")]])[:200], b"%PDF-1.4\n" + bytes(range(256)) * 9],
)
def test_damaged_files_are_refused(content: bytes) -> None:
    """A broken PDF gives one clear sentence."""
    with pytest.raises(FormatError, match=r"leak\.pdf is a damaged PDF"):
        read_pdf(content, name="leak.pdf")


def test_long_files_are_refused() -> None:
    """Ten thousand pages are too many."""
    with pytest.raises(FormatError, match="too long a PDF"):
        read_pdf(make_pdf([[]] * 10_000), name="leak.pdf")


def test_scans_without_tesseract_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without text need a reader of pictures."""
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(FormatError, match=r"a scanned PDF; needed: Tesseract.*apt-get install tesseract-ocr"):
        read_scanned_pdf(make_pdf([[]]), name="leak.pdf")


def test_nothing_of_the_working_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file called like a module of ours is not imported by the reader."""
    (tmp_path / "json.py").write_text("raise SystemExit(99)")
    monkeypatch.chdir(tmp_path)
    assert open_source(make_pdf([[(72, 700, "One.")]]), name="leak.pdf").text == "One."


def test_a_pdf_is_known_by_its_mark() -> None:
    """The mark may follow some junk, as readers allow; text about it is no PDF."""
    assert recognise(b"junk\n%PDF-1.4\n", name="leak") == "PDF"
    assert recognise(b"%PDF is a format", name="leak") == "plain text"
