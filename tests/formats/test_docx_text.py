"""Word documents."""

import io
import zipfile

import docx
import pytest
from hypothesis import given, settings, strategies as st
from tests.formats.corpus import (
    STRICT,
    WORD,
    make_docx,
    make_zip,
    members_of,
    paragraph_xml,
    rich_docx,
    skeleton,
    spans_of,
    text_box_xml,
    word_edits,
)

from lexprint.errors import FormatError
from lexprint.formats.docx_text import DocxText, is_docx, read_docx
from lexprint.formats.zip_package import open_package
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.span import Span

RICH = rich_docx()
PIECES = [
    *("large", " house", "near ", "é", "&amp;", " ", "\n", "&#108;", "</w:t></w:r><w:r><w:t>"),
    *("</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t xml:space='preserve'>", "</w:t><w:tab/><w:t>"),
    *("</w:t></w:r></w:p><w:p><w:r><w:t>", "</w:t></w:r><w:proofErr/><w:r w:rsidR='1'><w:t xml:space='preserve'>"),
]
bodies = st.lists(st.sampled_from(PIECES), max_size=30).map(lambda pieces: paragraph_xml("".join(pieces)))


def read(content: bytes) -> DocxText:
    return read_docx(open_package(content, name="memo.docx"))


def test_text_of_a_rich_document() -> None:
    """Body, tables, text boxes once, headers and footers; no deleted text, field codes or comments."""
    assert read(RICH).text == (
        "A large house\n\nHe bought a unbelievable house near the river, bold & <large> words. "
        "the large manuallarge page large added\n\nlarge cell\n\ncafé cell\n\nBeside the box.\n\n"
        "A large box of text\n\nsecond line\n\nA tab\there, a break\nthere.\n\nEnd of the large document.\n\n"
        "large footer\n\nlarge header"
    )


def test_without_edits_bytes_are_the_same() -> None:
    """Not even the archive is written anew."""
    assert read(RICH).with_edits([]) == RICH


@settings(max_examples=12)
@given(st.data())
def test_only_the_chosen_words_change(data: st.DataObject) -> None:
    """Edited text is read again; all parts but the body are the same, and so is the body's structure."""
    source = read(RICH)
    edits = word_edits(data, source.text, source.protected)
    content = source.with_edits(edits)
    assert read(content).text == apply_edits(source.text, edits)
    old, new = members_of(RICH), members_of(content)
    body = "word/document.xml"
    assert skeleton(new[body][0]) == skeleton(old[body][0])
    assert {**new, body: old[body]} == old
    assert new[body][1:] == old[body][1:]
    assert [p.text for p in docx.Document(io.BytesIO(content)).paragraphs][-1] in apply_edits(source.text, edits)


@given(bodies, st.data())
def test_any_run_of_runs_can_be_edited(body: str, data: st.DataObject) -> None:
    """However a text is cut into runs, it reads as edited afterwards, and nothing but its letters differs."""
    source = read(make_docx(body))
    edits = word_edits(data, source.text, source.protected)
    content = source.with_edits(edits)
    assert read(content).text == apply_edits(source.text, edits)
    part = "word/document.xml"
    old, new = members_of(make_docx(body))[part][0], members_of(content)[part][0]
    assert skeleton(new) == skeleton(old)


def test_words_split_over_runs_change_as_one() -> None:
    """The first run gets the word, the others keep what is left, spaces included."""
    source = read(make_docx(paragraph_xml("A un", "believ", "able house")))
    (span,) = spans_of(source.text, "unbelievable")
    content = source.with_edits([Edit(span, "tall")])
    expected = b'<w:r><w:t>A tall</w:t></w:r><w:r><w:t></w:t></w:r><w:r><w:t xml:space="preserve"> house</w:t></w:r>'
    assert expected in members_of(content)["word/document.xml"][0]
    assert docx.Document(io.BytesIO(_openable(content))).paragraphs[0].text == "A tall house"


def _openable(content: bytes) -> bytes:
    """With the relationship that python-docx looks for."""
    relationships = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="word/document.xml"/></Relationships>'
    )
    kind = "application/vnd.openxmlformats-package.relationships+xml"
    members = {name: found[0] for name, found in members_of(content).items()}
    types = members["[Content_Types].xml"].replace(
        b"<Default", f'<Default Extension="rels" ContentType="{kind}"/><Default'.encode(), 1
    )
    return make_zip({**members, "[Content_Types].xml": types, "_rels/.rels": relationships.encode()})


def test_both_writings_of_a_text_box_change() -> None:
    """A text box stands twice in the file, once for old readers; both say the same afterwards."""
    box = text_box_xml(paragraph_xml("A large box"), paragraph_xml("A la", "rge box"))
    source = read(make_docx(f"<w:p>{box}</w:p>"))
    assert source.text == "A large box"
    content = source.with_edits([Edit(Span(2, 7), "big")])
    part = members_of(content)["word/document.xml"][0].decode()
    assert "A big box" in part
    assert "A big</w:t>" in part
    assert "large" not in part


def test_text_boxes_that_disagree_are_left_alone() -> None:
    """If the two writings differ, nobody can keep them the same."""
    box = text_box_xml(paragraph_xml("A large box"), paragraph_xml("Another box"))
    source = read(make_docx(f"<w:p>{box}</w:p>" + paragraph_xml("free")))
    assert [span.of(source.text) for span in source.protected] == ["A large box"]


def test_headers_are_read_but_not_changed() -> None:
    """First-page and other headers must not come to differ."""
    source = read(RICH)
    for word in ("footer", "header"):
        (span,) = spans_of(source.text, word)
        assert any(protected.contains(span) for protected in source.protected)


@pytest.mark.parametrize(("namespace", "encoding"), [(STRICT, "utf-8"), (WORD, "utf-16"), (WORD, "utf-8-sig")])
def test_other_ways_to_write_the_same(namespace: str, encoding: str) -> None:
    """Strict documents and other encodings of XML are read and written as they are."""
    content = make_docx(paragraph_xml("A large café"), namespace=namespace, encoding=encoding)
    source = read(content)
    changed = members_of(source.with_edits([Edit(Span(2, 7), "big")]))["word/document.xml"][0]
    assert changed.decode(encoding) == members_of(content)["word/document.xml"][0].decode(encoding).replace(
        "large", "big"
    )


def test_metadata_is_the_same_in_all_copies() -> None:
    """Two copies differ in the body alone, so properties, identifiers and dates betray nobody; equal edits, equal bytes."""
    source = read(RICH)
    one, other = source.with_edits([Edit(Span(2, 7), "big")]), source.with_edits([Edit(Span(2, 7), "huge")])
    members, others = members_of(one), members_of(other)
    assert [name for name in members if members[name] != others[name]] == ["word/document.xml"]
    assert source.with_edits([Edit(Span(2, 7), "big")]) == one
    with zipfile.ZipFile(io.BytesIO(one)) as archive, zipfile.ZipFile(io.BytesIO(RICH)) as original:
        assert [info.date_time for info in archive.infolist()] == [info.date_time for info in original.infolist()]


def test_other_packages_are_no_word_documents() -> None:
    """A spreadsheet or any ZIP file is told apart."""
    assert is_docx(open_package(RICH, name="x"))
    assert not is_docx(open_package(make_zip({"a": b"b"}), name="x"))
    assert not is_docx(open_package(make_zip({"[Content_Types].xml": b"<Types/>"}), name="x"))


def test_parts_in_other_encodings_are_refused() -> None:
    """XML that is no Unicode is damaged."""
    with pytest.raises(FormatError, match="damaged XML"):
        read(make_docx(paragraph_xml("ros\xe9"), encoding="latin-1"))
