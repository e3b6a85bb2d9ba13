"""OpenDocument texts."""

import io
import zipfile

import pytest
from hypothesis import given, settings, strategies as st
from tests.formats.corpus import (
    ODT_BODY,
    ODT_STYLES,
    make_odt,
    make_zip,
    members_of,
    mutated,
    skeleton,
    spans_of,
    word_edits,
)

from lexprint.errors import FormatError
from lexprint.formats.odt_text import OdtText, open_odt
from lexprint.formats.reading import read_as
from lexprint.formats.recognition import recognise
from lexprint.formats.source import open_source
from lexprint.formats.xml_events import DEEPEST
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.span import Span

RICH = make_odt(ODT_BODY, styles=ODT_STYLES)
PART = "content.xml"
PIECES = [
    *("large", " house", "near ", "é", "&amp;", " ", "\n", "&#108;", "</text:span><text:span>", "<text:s/>", "\xa0"),
    *("</text:span><text:span text:style-name='T1'>", "</text:span><text:span text:style-name='T2'>", "<text:tab/>"),
    *("</text:span></text:p><text:p><text:span>", "<text:bookmark/>", "<![CDATA[large]]>", "<!-- large -->"),
]
bodies = st.lists(st.sampled_from(PIECES), max_size=30).map(
    lambda pieces: f"<text:p><text:span>{''.join(pieces)}</text:span></text:p>"
)


def read(content: bytes) -> OdtText:
    return open_odt(content, name="memo.odt")


def test_text_of_a_rich_document() -> None:
    """Body, notes, tables and text boxes; no deleted or hidden text, no annotations; spaces as a reader sees them."""
    assert read(RICH).text == (
        "A large house\n\nHe bought a unbelievable house near  the river, bold & <large> words. "
        "the large manual large day almost ready.\n\nA large note\n\nlarge entry\n\nlarge cell\n\nBeside the box.\n\n"
        "A large box\n\nlarge = code\n\nA tab\there, a break\nthere, café."
    )


def test_what_must_not_change() -> None:
    """Fields, tables of contents, code, and words of which one half looks otherwise."""
    source = read(RICH)
    protected = [span.of(source.text) for span in source.protected]
    assert protected == ["bold", "large day", "large entry", "large = code"]


def test_without_edits_bytes_are_the_same() -> None:
    """Not even the archive is written anew."""
    assert read(RICH).with_edits([]) == RICH


@settings(max_examples=25)
@given(st.data())
def test_only_the_chosen_words_change(data: st.DataObject) -> None:
    """Edited text is read again; all parts but the content are the same, and so is the content's structure."""
    source = read(RICH)
    edits = word_edits(data, source.text, source.protected)
    content = source.with_edits(edits)
    assert read(content).text == apply_edits(source.text, edits)
    old, new = members_of(RICH), members_of(content)
    assert skeleton(new[PART][0]) == skeleton(old[PART][0])
    assert {**new, PART: old[PART]} == old
    assert recognise(content, name="x") == "OpenDocument text"


@settings(max_examples=60)
@given(bodies, st.data())
def test_any_run_of_spans_can_be_edited(body: str, data: st.DataObject) -> None:
    """However a text is cut into spans, it reads as edited afterwards, and nothing but its letters differs."""
    original = make_odt(body, styles=ODT_STYLES)
    source = read(original)
    edits = word_edits(data, source.text, source.protected)
    content = source.with_edits(edits)
    assert read(content).text == apply_edits(source.text, edits)
    assert skeleton(members_of(content)[PART][0]) == skeleton(members_of(original)[PART][0])


def test_words_split_by_invisible_spans_change_as_one() -> None:
    """LibreOffice cuts words where they were edited; the first piece gets the word."""
    source = read(RICH)
    (span,) = spans_of(source.text, "unbelievable")
    changed = members_of(source.with_edits([Edit(span, "R&D")]))[PART][0].decode()
    assert 'He bought a R&amp;D<text:span text:style-name="T1"></text:span>   house\nnear' in changed


def test_deleted_text_and_annotations_stay_as_they_are() -> None:
    """Every free "large" changes, and those that nobody reads do not."""
    source = read(RICH)
    free = [s for s in spans_of(source.text, "large") if not any(p.overlaps(s) for p in source.protected)]
    changed = members_of(source.with_edits([Edit(span, "big") for span in free]))[PART][0].decode()
    for kept in ("large gone", "large comment", "large hidden", "large day", "large entry"):
        assert kept in changed
    assert changed.count("large") == 6  # and the code


def test_sections() -> None:
    """Hidden ones are not read; protected ones and those of other files are not changed."""
    body = (
        '<text:section text:display="none"><text:p>hidden</text:p></text:section>'
        '<text:section text:protected="true"><text:p>locked</text:p></text:section>'
        "<text:section><text:section-source/><text:p>linked</text:p></text:section><text:p>free</text:p>"
    )
    source = read(make_odt(body))
    assert source.text == "locked\n\nlinked\n\nfree"
    assert [span.of(source.text) for span in source.protected] == ["locked", "linked"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_other_encodings(encoding: str) -> None:
    """XML is read and written in the encoding it has."""
    content = make_odt("<text:p>A large café</text:p>", encoding=encoding)
    changed = members_of(read(content).with_edits([Edit(Span(2, 7), "big")]))[PART][0]
    assert changed.decode(encoding) == members_of(content)[PART][0].decode(encoding).replace("large", "big")


def test_it_is_known_by_its_content_and_read_in_a_process_of_its_own() -> None:
    """The name does not matter; templates are texts too."""
    source = open_source(RICH, name="memo.docx")
    assert (source.kind, source.is_writable) == ("OpenDocument text", True)
    assert source.with_edits([Edit(Span(2, 7), "big")]) == read(RICH).with_edits([Edit(Span(2, 7), "big")])
    assert read(make_odt("<text:p>One</text:p>", kind="text-template")).text == "One"


def _encrypted() -> bytes:
    members = {name: found[0] for name, found in members_of(RICH).items()}
    return make_zip({**members, "META-INF/manifest.xml": b"<manifest:encryption-data/>"})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (make_odt("<text:p>One</text:p>", kind="spreadsheet"), "no text"),
        (make_zip({"mimetype": b"application/vnd.oasis.opendocument.text"}), "no text"),
        (make_odt("<text:p>One"), "an OpenDocument text with damaged XML"),
        (make_odt("<text:p>ros\xe9</text:p>", encoding="latin-1"), "damaged XML"),
        (make_odt("<a>" * DEEPEST + "</a>" * DEEPEST), "deep"),
        (_encrypted(), "encrypted"),
        (RICH[: len(RICH) // 2], "damaged ZIP"),
    ],
)
def test_what_is_refused(content: bytes, message: str) -> None:
    """One sentence for each, without a word of the document."""
    with pytest.raises(FormatError, match=message) as caught:
        read(content)
    assert "One" not in str(caught.value)


def test_entities_are_refused() -> None:
    """A document type definition could make a small file large."""
    content = members_of(RICH)[PART][0].replace(
        b"<office:document-content", b'<!DOCTYPE a [<!ENTITY b "large">]><office:document-content', 1
    )
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr(PART, content)
    with pytest.raises(FormatError, match="document type definition"):
        read(target.getvalue())


def test_many_spaces_cost_little() -> None:
    """An element that stands for a billion spaces is cut short."""
    assert len(read(make_odt('<text:p>a<text:s text:c="99999999"/>b</text:p>')).text) < 2_000


@settings(max_examples=60)
@given(st.data())
def test_damaged_files_are_read_or_refused(data: st.DataObject) -> None:
    """Whatever happens to the file or to its XML, there is no other error, and what can be read can be written."""
    strange = [b"PK\1\2", b"PK\5\6", b"<text:p>", b"</text:p>", b"&#0;", b"<![CDATA[", b"\xff", b"<text:s text:c='x'/>"]
    if data.draw(st.booleans()):
        content = mutated(data, RICH, strange=strange)
    else:
        content = make_odt(mutated(data, ODT_BODY.encode(), strange=strange).decode("utf-8", "replace"))
    message = ""
    try:
        source = read_as(recognise(content, name="damaged"), content, name="damaged")
        assert source is not None
        assert source.with_edits([]) == content
    except FormatError as error:
        message = str(error)
    assert not message or message.startswith("damaged is ")
