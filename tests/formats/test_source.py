"""The one opener, and what holds for every file whatsoever."""

import pytest
from hypothesis import given, settings, strategies as st
from tests.formats.corpus import (
    HTML_PAGE,
    MARKDOWN_PAGE,
    TEXT_PAGE,
    make_docx,
    make_pdf,
    make_zip,
    mutated,
    paragraph_xml,
    rich_docx,
)

from lexprint.errors import FormatError
from lexprint.formats.pdf_pages import read_pages
from lexprint.formats.reading import read_as
from lexprint.formats.recognition import recognise
from lexprint.formats.source import open_source

RICH = rich_docx()
STRANGE = {
    "html": [b"<!--", b"<script>", b"<![CDATA[", b"&#x", b"&ncong", b"<", b"\xff", b"\0", b"'", b"<svg>", b"</"],
    "markdown": [
        b"```",
        b"[",
        b"](",
        b"\n---\n",
        b"|",
        b"\n> ",
        b"\n    ",
        b"\\",
        b"\xff",
        b"\r",
        b"<b",
        b"$",
        b"&#0;",
    ],
    "text": [b"\xff\xfe", b"\0", b"\xef\xbb\xbf", b"\r", b"\xed\xa0\x80", b"# ", b"<p>"],
    "docx": [b"PK\1\2", b"PK\5\6", b"<w:t>", b"\xff\xff\xff\xff", b"\0\0"],
    "xml": [
        b"<w:t>",
        b"</w:t>",
        b"<!DOCTYPE a>",
        b"<![CDATA[",
        b"&#0;",
        b"<w:p>",
        b"\xff",
        b"<w:r>",
        b"]]>",
        b"<mc:Choice>",
    ],
}
FILES = {"html": HTML_PAGE.encode(), "markdown": MARKDOWN_PAGE.encode(), "text": TEXT_PAGE.encode(), "docx": RICH}


def check_total(content: bytes, name: str) -> None:
    """A file is read or refused with a sentence, in this process; if it can be written, it comes back."""
    message = ""
    try:
        source = read_as(recognise(content, name=name), content, name=name)
        if source is not None:
            assert all(span.end <= len(source.text) for span in source.protected)
            assert not source.is_writable or source.with_edits([]) == content
    except FormatError as error:
        message = str(error)
    assert not message or message.startswith(f"{name} is ")


def check_markup(data: st.DataObject) -> None:
    """Damage inside the XML, which damage to the archive seldom reaches."""
    body = mutated(data, (paragraph_xml("A lar", "ge house") * 3).encode(), strange=STRANGE["xml"])
    check_total(make_docx(body.decode("utf-8", "replace")), "damaged file")


@pytest.mark.parametrize("kind", list(FILES))
@settings(max_examples=40)
@given(data=st.data())
def test_damaged_files_are_read_or_refused(kind: str, data: st.DataObject) -> None:
    """Whatever happens to a file, there is no other error."""
    check_total(mutated(data, FILES[kind], strange=STRANGE[kind]), "damaged file")


@given(data=st.data())
def test_damaged_markup_is_read_or_refused(data: st.DataObject) -> None:
    """The same for the XML of a Word document."""
    check_markup(data)


@given(st.binary())
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """The same for bytes that were never a file."""
    check_total(content, "some bytes")


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(FILES))
@settings(max_examples=5_000)
@given(data=st.data())
def test_many_damaged_files_are_read_or_refused(kind: str, data: st.DataObject) -> None:
    """The same for longer."""
    check_total(mutated(data, FILES[kind], strange=STRANGE[kind]), "damaged file")
    check_markup(data)


@pytest.mark.slow
@settings(max_examples=25)
@given(data=st.data())
def test_damaged_pdfs_are_read_or_refused(data: st.DataObject) -> None:
    """The same for PDF."""
    pdf = make_pdf([[(72, 700, "A large house"), (72, 688, "near the river")], [(72, 700, "Second page")]])
    strange = [b"<<", b">>", b"[", b"1 0 R", b"stream", b"endobj", b"/Length 99", b"(", b"2 0 R " * 9]
    check_total(mutated(data, pdf, strange=strange), "damaged file")


@pytest.mark.parametrize(
    ("content", "name", "kind"),
    [
        (TEXT_PAGE.encode(), "page.html", "plain text"),
        (TEXT_PAGE.encode(), "page.md", "Markdown"),
        (TEXT_PAGE.encode("utf-16"), "page.docx", "plain text"),
        (MARKDOWN_PAGE.encode(), "page.txt", "Markdown"),
        (HTML_PAGE.encode(), "page.txt", "HTML"),
        (HTML_PAGE.encode("utf-16"), "page", "HTML"),
        (b"<p>One</p>", "page", "HTML"),
        (b"<p align=center>One</p>\n\n# Two\n\n<p>x</p>", "readme.md", "Markdown"),
        (RICH, "page.pdf", "Word document"),
        (make_pdf([[(72, 700, "One.")]]), "page.docx", "PDF"),
        (b"", "empty.txt", "plain text"),
    ],
)
def test_files_are_known_by_their_content(content: bytes, name: str, kind: str) -> None:
    """A name decides only between Markdown and plain text."""
    assert open_source(content, name=name).kind == kind


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "encrypted or very old Office file"),
        (b"{\\rtf1 One.}", "rich text"),
        (b"<?xml version='1.0'?><svg/>", "XML"),
        (make_zip({"a": b"b"}), "no Word document"),
        (RICH[: len(RICH) // 2], "damaged ZIP"),
        (b"\x1f\x8b\x08\x00\x00", "not text"),
        (b"GIF89a\x01\x00", "not text"),
    ],
)
def test_other_files_are_refused(content: bytes, message: str) -> None:
    """What is no document of ours is named, with what is."""
    with pytest.raises(FormatError, match=message):
        open_source(content, name="file")


def test_messages_hold_no_text_of_the_document() -> None:
    """A message may end up in a log."""
    content = make_docx("<w:p><w:r><w:t>secret</w:t></w:p>")
    with pytest.raises(FormatError) as caught:
        open_source(content, name="memo.docx")
    assert "secret" not in str(caught.value)


@given(st.binary(max_size=300))
def test_pdf_pages_of_a_sound_file_never_fail(junk: bytes) -> None:
    """Junk after a sound PDF does not hide its text."""
    content = make_pdf([[(72, 700, "A large house")]])
    pages = read_pages(content + b"\n" + junk.replace(b"startxref", b"").replace(b"%%EOF", b""), name="leak.pdf")
    assert [page.text for page in pages] == ["A large house"]
