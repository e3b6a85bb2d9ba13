"""Markdown files."""

import pytest
from hypothesis import given, strategies as st
from tests.formats.corpus import MARKDOWN_PAGE, TEXT_PAGE, word_edits

from lexprint.errors import FormatError
from lexprint.formats.encodings import decode_text
from lexprint.formats.markdown_signs import count_signs
from lexprint.formats.markdown_text import MarkdownText
from lexprint.text.editing import Edit, apply_edits, inverse_edits
from lexprint.text.span import Span

PIECES = [
    *(
        "large",
        "house",
        "near",
        "ref",
        " ",
        "  ",
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        ". ",
        "# ",
        "## ",
        " ##",
        "> ",
        "- ",
        "1. ",
    ),
    *(
        "*",
        "**",
        "_",
        "__",
        "~~",
        "`",
        "``",
        "```\n",
        "~~~\n",
        "    ",
        "[",
        "]",
        "(",
        ")",
        "](x)",
        "[ref]",
        "[ref][]",
        "![a](b)",
    ),
    *(
        "\n\n[ref]: x 'large'\n\n",
        "<b>",
        "</b>",
        "<br>",
        "<div>\n",
        "<!-- large -->",
        "<http://a.b>",
        "\\",
        "\\*",
        "&amp;",
        "&",
    ),
    *(
        "|",
        " | ",
        "\n|---|---|\n",
        "a | b\n--|--\nlarge | house\n",
        "\\|",
        "===\n",
        "---\n",
        "+++\n",
        "$",
        "$$",
        "é",
        "😀",
        "\0",
    ),
]
pages = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def read(page: str) -> MarkdownText:
    return MarkdownText(decode_text(page.encode("utf-8-sig"), name="page.md"), "page.md")


@given(pages)
def test_without_edits_bytes_are_the_same(page: str) -> None:
    """Any text comes back."""
    assert read(page).with_edits([]) == page.encode("utf-8-sig")


@given(pages, st.data())
def test_only_the_chosen_words_change(page: str, data: st.DataObject) -> None:
    """The edited file reads as the edited text, protects the same, and the inverse edits give back the very bytes."""
    source = read(page)
    edits = word_edits(data, source.text, source.protected)
    marked = MarkdownText(decode_text(source.with_edits(edits), name="page.md"), "page.md")
    assert marked.text == apply_edits(source.text, edits)
    assert [span.of(marked.text) for span in marked.protected] == [span.of(source.text) for span in source.protected]
    assert marked.with_edits(inverse_edits(source.text, edits)) == page.encode("utf-8-sig")


@given(pages)
def test_pieces_stand_where_they_are_said_to(page: str) -> None:
    """What is free to be edited is the file's own characters."""
    source = read(page)
    for index, character in enumerate(source.text):
        span = Span(index, index + 1)
        if character.isalpha() and not any(protected.overlaps(span) for protected in source.protected):
            edited = source.with_edits([Edit(span, "X")])
            assert len(edited) == len(page.encode("utf-8-sig")) - len(character.encode()) + 1


def test_only_prose_is_read() -> None:
    """Marks, code blocks, front matter, HTML blocks, targets and titles of links are no text."""
    text = read(MARKDOWN_PAGE).text
    assert text.startswith("A large house\n\nHe bought a large house near the large code river, see the large manual\n")
    assert "large cell\n\nlarge\n\nother\n\nother\n\nother\n\nSetext large head\n\n and a formula" in text
    for absent in ("title", "fenced", "indented", "html block", "alt", "**", "|", "#"):
        assert absent not in text


def test_code_links_and_cut_words_are_protected() -> None:
    """They are read with their sentence but never changed."""
    source = read(MARKDOWN_PAGE)
    assert [span.of(source.text) for span in source.protected] == [
        "large code",
        "the large manual",
        "http://example.com/large.",
        "reference",
        "another one",
        "[large]",
        "unbelievable",
        "large",
        "$large + x$",
    ]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_stay(ending: str) -> None:
    """Offsets are right whatever ends a line."""
    page = MARKDOWN_PAGE.replace("\n", ending)
    source = read(page)
    place = source.text.index("quotation")
    edited = source.with_edits([Edit(Span(place, place + 9), "remark")])
    assert edited.decode("utf-8-sig") == page.replace("quotation", "remark")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("| a \\| large | large |", "h\n\nh\n\nlarge"),
        ("|  | large |", "h\n\nh\n\nlarge"),
        ("small | large", "h\n\nh\n\nsmall\n\nlarge"),
        ("small large | large | large", "h\n\nh\n\nsmall large\n\nlarge"),
        ("| `a|large` | large |", "h\n\nh\n\n`a\n\nlarge`"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "> ", "- ", "1. > "])
def test_cells_are_found_in_their_row(row: str, text: str, prefix: str) -> None:
    """Empty and escaped cells are passed over, and the last word that is read is the one that changes."""
    indent = prefix if ">" in prefix else " " * len(prefix)
    indent = indent.replace("1. ", "   ")
    source = read(f"{prefix}| h | h |\n{indent}|---|---|\n{indent}{row}\n")
    assert source.text == text
    place = source.text.rindex("large")
    edited = source.with_edits([Edit(Span(place, place + 5), "big")])
    again = MarkdownText(decode_text(edited, name="x"), "x")
    assert again.text == text[:place] + "big" + text[place + 5 :]


def test_cells_between_odd_spaces_are_left_alone() -> None:
    """Where Markdown and Python disagree on what a space is, nothing is free to change."""
    source = read("| h | h |\n|---|---|\n| \x1c small | \x1flarge |\n")
    assert [span.of(source.text).strip() for span in source.protected] == ["small", "large"]


def test_marks_in_a_replacement_are_escaped() -> None:
    """A replacement reads as it was given."""
    source = read("A large house")
    edited = source.with_edits([Edit(Span(2, 7), "*b[i]g*")])
    assert MarkdownText(decode_text(edited, name="x"), "x").text == "A *b[i]g* house"


def test_markdown_is_told_from_plain_text() -> None:
    """Markdown has several kinds of marks, letters have none."""
    assert count_signs(MARKDOWN_PAGE) >= 6
    assert count_signs(TEXT_PAGE) == 0
    assert count_signs("1. one\n2. two\n\n* * *\n\n    indented, 3 * 4 * 5 and [sic] (see below)") == 0


@pytest.mark.parametrize("piece", ["[", "*a_", "`", "> ", "![", "<", "a\n", "|a", "- ", "&", "\\", "~~", "[a](", "$"])
def test_long_runs_of_marks_take_no_longer(piece: str) -> None:
    """Work grows with the length of the file, within reason, whatever is left open."""
    page = piece * 3_000
    assert read(page).with_edits([]) == page.encode("utf-8-sig")
    assert len(read(page).text) <= len(page)


def test_endless_brackets_are_refused() -> None:
    """Each could begin a link, so a small file of them alone would take minutes."""
    with pytest.raises(FormatError, match="full of brackets; needed: at most 50,000"):
        read("[" * 50_001)
