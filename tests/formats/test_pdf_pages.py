"""The pages of a PDF, read in this process."""

import io
import shutil
import sys

import pypdf
import pytest
from tests.formats.corpus import make_pdf

from lexprint.errors import ExtraMissing, FormatError
from lexprint.formats import pdf_pages
from lexprint.formats.pdf_pages import MOST_PAGES, RESOLUTION, page_pictures, read_pages

LEFT = [
    "The first column begins here and",
    "goes on for a while, with several",
    "lines of ordinary words that fill it.",
]
RIGHT = ["The second column is read only", "after the first one has ended, as", "any reader of a journal would do."]


def texts(content: bytes) -> list[str]:
    return [page.text for page in read_pages(content, name="leak.pdf")]


def picture(content: bytes) -> bytes:
    """Of the first page."""
    (found,) = page_pictures(content, [0], name="leak.pdf")
    return found


def test_pages_are_read_in_order() -> None:
    """Each page gives its lines from top to bottom."""
    pages = texts(make_pdf([[(72, 700, "A large house"), (72, 688, "near the river")], [(72, 700, "Second (page)")]]))
    assert [page.split("\n") for page in pages] == [["A large house", "near the river"], ["Second (page)"]]


@pytest.mark.parametrize("order", ["columns", "rows"])
def test_columns_are_read_one_after_the_other(order: str) -> None:
    """Whether the file holds two columns one by one or line by line, their sentences stay together."""
    left = [(72.0, 700.0 - 12 * number, line) for number, line in enumerate(3 * LEFT)]
    right = [(320.0, 700.0 - 12 * number, line) for number, line in enumerate(3 * RIGHT)]
    lines = left + right if order == "columns" else [line for row in zip(left, right, strict=True) for line in row]
    (page,) = texts(make_pdf([lines]))
    assert page.split() == " ".join(3 * LEFT + 3 * RIGHT).split()


def test_one_column_stays_as_it_is() -> None:
    """A table of a few rows is not taken for columns."""
    lines = [
        (72, 700, "Name"),
        (320, 700, "Value"),
        (72, 688, "Running text goes over the page."),
        (72, 676, "And on."),
    ]
    (page,) = texts(make_pdf([lines]))
    assert page.index("Value") < page.index("Running")


def encrypted(password: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(make_pdf([[(72, 700, "A large house")]])))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def test_passwords_end_the_reading() -> None:
    """A PDF that needs a password is told from one that only forbids printing."""
    assert texts(encrypted("")) == ["A large house"]
    with pytest.raises(FormatError, match="an encrypted PDF; needed: one without a password"):
        texts(encrypted("secret"))


def test_endless_documents_end_the_reading() -> None:
    """More pages than any leak has are refused before they are read."""
    with pytest.raises(FormatError, match="at most 2,000 pages"):
        texts(make_pdf([[]] * (MOST_PAGES + 1)))


def scanned_pdf() -> bytes:
    """One page, which is a picture, half of it black."""
    image_module = pytest.importorskip("PIL.Image", reason="Pillow draws the picture")
    image = image_module.new("L", (300, 150), 255)
    image.paste(0, (0, 0, 150, 150))
    target = io.BytesIO()
    image.save(target, "PDF", resolution=150.0)
    return target.getvalue()


def test_pages_are_drawn() -> None:
    """At the resolution that Tesseract wants, as a grey map that says its size."""
    pytest.importorskip("pypdfium2", reason="pypdfium2 draws the pages")
    head, _, shades = picture(scanned_pdf()).partition(b"\n")
    width, height = 2 * RESOLUTION, RESOLUTION  # two inches by one
    assert head == b"P5 %d %d 255" % (width, height)
    row = shades[: width * height][width * (height // 2) :][:width]
    assert max(row[: width // 2 - 4]) < 30
    assert min(row[width // 2 + 4 :]) > 225


def test_huge_pages_are_drawn_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few bytes may claim a page as large as a house."""
    pytest.importorskip("pypdfium2", reason="pypdfium2 draws the pages")
    monkeypatch.setattr(pdf_pages, "MOST_PIXELS", 10_000)
    content = make_pdf([[(72, 700, "One.")]]).replace(b"[0 0 612 792]", b"[0 0 9999 9999]")
    assert 9_000 < len(picture(content)) < 11_000


def test_blank_pages_are_not_drawn() -> None:
    """There is nothing to be read on them."""
    pytest.importorskip("pypdfium2", reason="pypdfium2 draws the pages")
    assert picture(make_pdf([[]])) == b""


def test_without_pdfium_the_picture_on_the_page_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scanned page is one picture, and pypdf finds it."""
    content = scanned_pdf()
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    monkeypatch.setattr(shutil, "which", lambda _: None)  # Poppler would draw the page
    assert picture(content).startswith(b"\xff\xd8\xff")
    assert picture(make_pdf([[]])) == b""


def test_without_pillow_too_the_reading_ends() -> None:
    """With the name of the missing extra."""

    class _Page:
        @property
        def images(self) -> list[object]:
            raise ImportError("Pillow")

    with pytest.raises(ExtraMissing, match=r"run: pip install 'lexprint\[scans\]'"):
        pdf_pages._largest_picture(_Page())  # type: ignore[arg-type]


def test_poppler_draws_where_pdfium_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is installed spares the user an extra."""
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    monkeypatch.setattr(pdf_pages, "_drawn_by_poppler", lambda content, number: b"picture of page %d" % number)
    monkeypatch.setattr(shutil, "which", lambda program: program)
    assert list(page_pictures(b"", [2, 5], name="leak.pdf")) == [b"picture of page 2", b"picture of page 5"]
