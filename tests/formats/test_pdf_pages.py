"""The pages of a PDF, read in this process."""

import io

import pypdf
import pytest
from tests.formats.corpus import make_pdf

from lexprint.formats.pdf_pages import ENCRYPTED, MOST_PAGES, TOO_LONG, open_pdf, page_text

LEFT = [
    "The first column begins here and",
    "goes on for a while, with several",
    "lines of ordinary words that fill it.",
]
RIGHT = ["The second column is read only", "after the first one has ended, as", "any reader of a journal would do."]


def texts(content: bytes) -> list[str]:
    return [page_text(page) for page in open_pdf(content).pages]


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
    with pytest.raises(SystemExit) as caught:
        open_pdf(encrypted("secret"))
    assert caught.value.code == ENCRYPTED


def test_endless_documents_end_the_reading() -> None:
    """More pages than any leak has are refused before they are read."""
    with pytest.raises(SystemExit) as caught:
        open_pdf(make_pdf([[]] * (MOST_PAGES + 1)))
    assert caught.value.code == TOO_LONG
