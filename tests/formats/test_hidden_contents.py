"""What goes out with every copy besides its text."""

import io
import zipfile

import pytest
from tests.formats.corpus import make_docx, paragraph_xml

from lexprint.formats.hidden_contents import hidden_contents, hidden_warnings

AUTHOR = b"<cp:coreProperties><dc:creator>Ada Lovelace</dc:creator></cp:coreProperties>"


def with_part(content: bytes, name: str, part: bytes, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A package with one part more."""
    file = io.BytesIO(content)
    with zipfile.ZipFile(file, "a", compression) as package:
        package.writestr(name, part)
    return file.getvalue()


def test_a_warning_tells_kinds_and_no_contents() -> None:
    """Whoever reads a log or an answer learns that there are names, not which."""
    document = with_part(make_docx(paragraph_xml("All is well.")), "docProps/core.xml", AUTHOR)
    (warning,) = hidden_warnings(document)
    assert "the names of its authors" in warning
    assert "Ada" not in warning
    assert hidden_warnings(make_docx(paragraph_xml("All is well."))) == ()


@pytest.mark.parametrize(
    ("headers", "is_hidden"),
    [("Bcc: spy@example.org\n", True), ("Bcc: \n", False), ("Cc: bo@example.org\n", False)],
)
def test_hidden_recipients_of_mail(headers: str, is_hidden: bool) -> None:
    """A message that was sent has them no more; one that was saved by its sender may."""
    mail = f"From: a@example.org\nMessage-ID: <1@x>\n{headers}\nHello.\nBcc: nobody\n".encode()
    assert bool(hidden_contents(mail)) is is_hidden
    assert b"spy" not in str(hidden_warnings(mail)).encode()


def test_broken_packages_are_no_trouble() -> None:
    """Another step says what is wrong with them, in a sentence."""
    whole = with_part(make_docx(paragraph_xml("All is well.")), "meta.xml", AUTHOR * 50)
    place = whole.rindex(b"meta.xml", 0, whole.rindex(b"PK\x01\x02")) + len(b"meta.xml")
    assert hidden_contents(whole[:place] + b"\xff" * 8 + whole[place + 8 :]) == ()
    assert hidden_contents(whole[:-40]) == ()
    packed = with_part(make_docx(paragraph_xml("All is well.")), "meta.xml", AUTHOR, zipfile.ZIP_LZMA)
    assert hidden_contents(packed) == ()
