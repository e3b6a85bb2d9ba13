"""What goes out with every copy besides its text."""

import io
import zipfile
from email.message import EmailMessage

import pytest
from tests.formats.corpus import make_docx, make_odt, paragraph_xml

from lexprint.formats.hidden_contents import hidden_contents, hidden_warnings
from lexprint.formats.protocol import remarks_of
from lexprint.formats.source import open_source

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


FAINT = {
    "white": '<w:color w:val="FFFFFF"/>',
    "nearly white": '<w:color w:val="fefefe"/>',
    "background": '<w:color w:val="auto" w:themeColor="background1"/>',
    "tiny": '<w:sz w:val="2"/>',
}
PLAIN = '<w:color w:val="C00000"/><w:sz w:val="22"/><w:szCs w:val="24"/>'


def styled_docx(properties: str) -> bytes:
    """Some text, and some more that looks otherwise."""
    return make_docx(f"{paragraph_xml('Seen.')}<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>Not seen.</w:t></w:r></w:p>")


def styled_odt(properties: str) -> bytes:
    style = f'<style:style style:name="T1" style:family="text"><style:text-properties {properties}/></style:style>'
    return make_odt('<text:p>Seen. <text:span text:style-name="T1">Not seen.</text:span></text:p>', styles=style)


@pytest.mark.parametrize("way", FAINT)
def test_text_that_is_not_seen_in_word(way: str) -> None:
    """Who gives copies away is warned of it, and who reads a report of such a leak is told."""
    document = styled_docx(FAINT[way])
    (warning,) = hidden_warnings(document)
    assert "text in white or in tiny letters" in warning
    source = open_source(document, name="leak.docx")
    assert "Not seen." in source.text
    (remark,) = remarks_of(source)
    assert "in white" in remark


@pytest.mark.parametrize("properties", ['fo:color="#FFFFFF"', 'fo:font-size="1pt"'])
def test_text_that_is_not_seen_in_opendocument(properties: str) -> None:
    """The same."""
    document = styled_odt(properties)
    assert "text in white or in tiny letters" in hidden_warnings(document)[0]
    assert "in white" in remarks_of(open_source(document, name="leak.odt"))[0]


def test_text_that_is_seen_needs_no_word() -> None:
    """Red letters of a usual size."""
    for document, name in (
        (styled_docx(PLAIN), "a.docx"),
        (styled_odt('fo:color="#c00000" fo:font-size="11pt"'), "a.odt"),
    ):
        assert hidden_warnings(document) == ()
        assert remarks_of(open_source(document, name=name)) == ()


def test_what_is_not_seen_in_a_file_of_a_message() -> None:
    """A leak that comes as mail is told of like the file alone."""
    message = EmailMessage()
    message["From"], message["Message-ID"] = "a@example.org", "<1@example.org>"
    message.set_content("See the memo.")
    message.add_attachment(
        styled_docx(FAINT["white"]), maintype="application", subtype="octet-stream", filename="memo.docx"
    )
    (remark,) = remarks_of(open_source(message.as_bytes(), name="leak.eml"))
    assert "in white" in remark
