"""Web pages."""

import pytest
from hypothesis import given, strategies as st
from tests.formats.corpus import HTML_PAGE, spans_of, word_edits

from lexprint.formats.html_text import HtmlText, is_fragment, is_page, read_html
from lexprint.text.editing import Edit, apply_edits, inverse_edits
from lexprint.text.span import Span

PIECES = [
    *(
        "large",
        "house",
        "near",
        "the",
        " ",
        "\n",
        "\t ",
        ". ",
        "<b>",
        "</b>",
        "<i class=x>",
        "</i>",
        "<p>",
        "</p>",
        "<br>",
    ),
    *(
        "<a href='large>x' b=\"y>\" c>",
        "</a>",
        "<code>",
        "</code>",
        "<pre>",
        "</pre>",
        "<li>",
        "<td>",
        "<hr/>",
        "<wbr>",
    ),
    *(
        "&amp;",
        "&lt;",
        "&nbsp;",
        "&eacute;",
        "&not",
        "&#233;",
        "&#x41",
        "&",
        "<",
        "< ",
        "&#",
        "&bogus;",
        ";",
        "#",
        "é",
        "😀",
    ),
    *("<!-- large -->", "<!-->", "<!--", "-->", "<!doctype x>", "<?pi large>", "</ x>", "<![CDATA[large]]>"),
    *(
        "<script>",
        "</script>",
        "<style>",
        "</style >",
        "<title>",
        "</title/>",
        "<svg>",
        "</svg>",
        "<div",
        ">",
        "'",
        '"',
        "=",
    ),
]
pages = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def read(page: str) -> HtmlText:
    return read_html(page.encode(), name="page.html")


@given(pages)
def test_without_edits_bytes_are_the_same(page: str) -> None:
    """Any page, however broken, comes back."""
    assert read(page).with_edits([]) == page.encode()


@given(pages, st.data())
def test_only_the_chosen_words_change(page: str, data: st.DataObject) -> None:
    """The edited page reads as the edited text, protects the same, and the inverse edits give back the very bytes."""
    source = read(page)
    edits = word_edits(data, source.text, source.protected)
    marked = read_html(source.with_edits(edits), name="page.html")
    assert marked.text == apply_edits(source.text, edits)
    assert [span.of(marked.text) for span in marked.protected] == [span.of(source.text) for span in source.protected]
    assert marked.with_edits(inverse_edits(source.text, edits)) == page.encode()


def test_only_running_text_is_read() -> None:
    """Scripts, styles, attributes, comments, titles and code blocks are no text; blocks are paragraphs of their own."""
    assert read(HTML_PAGE).text == (
        "A large house\n\nHe bought a large house — near\xa0the river… for AT&T.\n\n"
        "An unbelievable tale, almost ready, says rosé owner.\nRun large --now first; press large. \n\n"
        "first large item\n\nsecond one\n\nlarge cell\n\nother cell\n\n"
        "Less < more & less, 5 <6 <large> ≇ ¬it ©2024 large large mail large@example.com "
        "http://example.com/large end. "
    )


def test_code_and_cut_words_are_protected() -> None:
    """Inline code is read with its sentence but never changed, nor is a word with tags inside."""
    source = read("<p>Run <code>large --now</code> un<i>believ</i>able <b>large</b> things.</p>")
    assert source.text == "Run large --now unbelievable large things."
    assert [span.of(source.text) for span in source.protected] == ["large --now", "unbelievable"]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<script>a<!-- <script> </script> x</script>y", "y"),
        ("<script><!--></script>y", "y"),
        ("<style>a</styles></style>y", "y"),
        ("a<!-- > -- x --!>b<!---->c", "abc"),
        ('<p a=">" b=\'>\' c=">"d>x', "x"),
        ("<p a=b>c d", "c d"),
        ("a <b", "a "),
        ("a<5 b</5 c>d</é>e", "a<5 bde"),
        ("x<plaintext>y</plaintext>z", "x"),
        ("&lt;b&gt &AMP &notanentity; &#0; &#128; &#x110000; &#99999999999999999999;", "<b> & ¬anentity; � € � �"),
        ("<head><p>no<body>yes", "yes"),
        ("<svg/>yes<svg><p>no</svg>", "yes"),
        ("<svg><style/>no</svg>yes", "yes"),
        ("<?xml version='1.0'?><html><title/>yes", "yes"),
    ],
)
def test_tags_end_where_the_standard_says(page: str, text: str) -> None:
    """Awkward but defined cases of the HTML standard."""
    assert read(page).text == text


def test_replacements_are_escaped() -> None:
    """What looks like markup in a replacement is text; letters that the encoding lacks become references."""
    source = read_html('<meta charset="iso-8859-1"><p>ros\xe9 large'.encode("latin-1"), name="x")
    assert source.text == "rosé large"
    assert source.with_edits([Edit(Span(5, 10), "<b> & ā")]).endswith(b"<p>ros\xe9 &lt;b&gt; &amp; &#257;")


@pytest.mark.parametrize("raw", ["&large", "&large;", "&#large", "&#&#108;arge", "<6large", "&notlarge"])
def test_words_that_a_neighbour_could_swallow_are_protected(raw: str) -> None:
    """After a bare ampersand or bracket another word could become a reference or a tag."""
    source = read(f"<p>x {raw} y</p>")
    (span,) = spans_of(source.text, "large")
    assert any(protected.contains(span) for protected in source.protected)


def test_pages_are_recognised() -> None:
    """A page is known by its first tag, also after comments and declarations; other text is not."""
    assert is_page("\n<!-- x -->\n<!DOCTYPE html>\n<p>")
    assert is_page("<?xml version='1.0'?><html xmlns='x'>")
    assert is_fragment("<p>One</p>\n")
    assert not is_page("<p>One</p>")
    assert not is_fragment("<p>One</p> and more")
    assert not is_fragment("<plan> a <b>")
    assert not is_page("<html-like> text")


def test_long_broken_pages_take_no_longer() -> None:
    """Work grows with the length of the page, whatever is left open."""
    for piece in ("<!--", "<a b='", "<script><!--", "&", "<", "<code>", "<![CDATA[", "<b>x"):
        page = read(piece * 20_000)
        assert page.with_edits([]) == (piece * 20_000).encode()
        assert len(page.text) <= 20_000
