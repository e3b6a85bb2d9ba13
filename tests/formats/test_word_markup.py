"""The markup of Word documents."""

import pytest
from lxml import etree  # type: ignore[import-untyped]
from tests.formats.corpus import STRICT, WORD, paragraph_xml, text_box_xml

from lexprint.errors import FormatError
from lexprint.formats.word_markup import Markup, read_markup
from lexprint.formats.xml_events import DEEPEST


def read(body: str, *, namespace: str = WORD) -> Markup:
    return read_markup(f'<w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>', name="x.docx")


def texts(markup: Markup) -> list[str]:
    return [paragraph.text for paragraph in markup.paragraphs]


@pytest.mark.parametrize("namespace", [WORD, STRICT])
def test_text_is_that_of_text_elements(namespace: str) -> None:
    """Both namespaces of Word are known; tabs, breaks and hyphens are characters."""
    body = "<w:p><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t></w:r></w:p>"
    assert texts(read(body, namespace=namespace)) == ["one\ttwo\na‑b"]
    assert texts(read(body, namespace="urn:other")) == []


@pytest.mark.parametrize(
    "hidden",
    [
        "<w:del><w:r><w:delText>no</w:delText></w:r></w:del>",
        "<w:moveFrom><w:r><w:t>no</w:t></w:r></w:moveFrom>",
        "<w:r><w:instrText>no</w:instrText></w:r>",
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r>",
        "<w:ruby><w:rt><w:r><w:t>no</w:t></w:r></w:rt></w:ruby>",
        "<w:pPr><w:tabs><w:tab w:val='left'/></w:tabs></w:pPr>",
        "<!-- no --><?no no?>",
    ],
)
def test_what_a_reader_does_not_see_is_no_text(hidden: str) -> None:
    """Deleted and hidden text, field codes and comments are left out."""
    assert texts(read(f"<w:p>{hidden}<w:r><w:t>yes</w:t></w:r></w:p>")) == ["yes"]


@pytest.mark.parametrize(
    "bound",
    [
        "<w:fldSimple w:instr='x'><w:r><w:t>no</w:t></w:r></w:fldSimple>",
        "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:t>no</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>",
        "<w:sdt><w:sdtPr><w:dataBinding/></w:sdtPr><w:sdtContent><w:r><w:t>no</w:t></w:r></w:sdtContent></w:sdt>",
        "<w:r><w:rPr><w:rStyle w:val='HTMLCode'/></w:rPr><w:t>no</w:t></w:r>",
        "<w:r><w:t><![CDATA[no]]></w:t></w:r>",
        "<w:r><w:t><!-- x -->no</w:t></w:r>",
        "<w:r><w:t><w:r/>no</w:t></w:r>",
    ],
)
def test_what_must_not_change_is_protected(bound: str) -> None:
    """Results of fields, bound controls and code are read but not free; what follows is."""
    (paragraph,) = read(f"<w:p>{bound}<w:r><w:t>yes</w:t></w:r></w:p>").paragraphs
    assert [(fragment.text, fragment.is_protected) for fragment in paragraph.fragments] == [
        ("no", True),
        ("yes", False),
    ]


@pytest.mark.parametrize(
    ("between", "joins"),
    [
        ("</w:t></w:r><w:r><w:t>", True),
        ("</w:t></w:r><w:proofErr w:type='x'/><w:r w:rsidR='1'><w:rPr><w:lang w:val='x'/></w:rPr><w:t>", True),
        ("</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>", False),
        ("</w:t></w:r><w:r><w:footnoteReference w:id='1'/></w:r><w:r><w:t>", False),
        ("</w:t></w:r><w:ins><w:r><w:t>x</w:t></w:r></w:ins><w:r><w:t>", False),
        ("</w:t><w:softHyphen/><w:t>", False),
        (" </w:t></w:r><w:r><w:t>", False),
    ],
)
def test_words_go_on_over_runs_that_look_the_same(between: str, joins: bool) -> None:
    """Runs that differ in what nobody sees join their words; other runs, and things between them, do not."""
    (paragraph,) = read(f"<w:p><w:r><w:t>one{between}two</w:t></w:r></w:p>").paragraphs
    assert paragraph.fragments[-1].joins is joins


def test_outer_spaces_count_only_if_kept() -> None:
    """As in Word, spaces at the ends of a text element are dropped unless it says to keep them."""
    body = "<w:p><w:r><w:t> one </w:t><w:t xml:space='preserve'> two </w:t></w:r></w:p>"
    assert texts(read(body)) == ["one two "]


def test_alternatives_are_told_apart() -> None:
    """Paragraphs of a text box know that they stand twice."""
    markup = read(f"<w:p>{text_box_xml(paragraph_xml('one'), paragraph_xml('two'))}</w:p>")
    assert [paragraph.alternative for paragraph in markup.paragraphs] == [None, (1, 1), (1, 2)]


def test_places_are_exact() -> None:
    """Every fragment stands in the XML where it is said to, as a second parser confirms."""
    raw = (
        f'<?xml version="1.0"?>\r\n<w:p xmlns:w="{WORD}" w:x="é"><!-- é --><w:r><w:t>ros\xe9 &amp; &#233;\r\n😀 b</w:t>'
        "<w:t>\u00a0c</w:t></w:r></w:p>"
    )
    (paragraph,) = read_markup(raw, name="x").paragraphs
    assert paragraph.text == "".join(etree.fromstring(raw.encode()).itertext(f"{{{WORD}}}t"))
    written = [fragment.raw.of(raw) for fragment in paragraph.fragments if fragment.raw]
    assert "".join(written) == "ros\xe9 &amp; &#233;\r\n😀 b\u00a0c"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ('<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>', "document type definition"),
        ('<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><a>&b;</a>', "document type definition"),
        ("<a>&unknown;</a>", "damaged XML"),
        ("<a><b></a>", "damaged XML"),
        ("", "damaged XML"),
        ("<a>" * (DEEPEST + 2), "deep"),
    ],
)
def test_hostile_markup_is_refused(raw: str, message: str) -> None:
    """Entities, broken markup and bottomless nesting give one clear sentence."""
    with pytest.raises(FormatError, match=message):
        read_markup(raw, name="x.docx")
