"""What may not be touched."""

from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given, strategies as st

from lexprint.text.protection import PROTECTIONS, Protection, protected_spans


def protected(text: str, *kinds: Protection, phrases: tuple[str, ...] = ()) -> list[str]:
    return [span.of(text) for span in protected_spans(text, protections=kinds, phrases=phrases)]


@pytest.mark.parametrize(
    ("text", "quotations"),
    [
        ('He said "so be it" and left.', ['"so be it"']),
        ("He said “so be\nit” and “left”.", ["“so be\nit”", "“left”"]),
        ("Er sagte „genau so“ und «voilà».", ["„genau so“", "«voilà»"]),
        ("She’s ‘not the boss’s friend’ now.", ["‘not the boss’s friend’"]),
        ("They wrote 'it isn't ours' twice.", ["'it isn't ours'"]),
        ("The workers' rights and the owner's duty.", []),
        ("The rock'n'roll of the '90s.", []),
        ('A board 5" wide and 6" long.', []),
        ("“It begins here\n\nand ends” there.", ["“It begins here"]),
        ("“A first part\r\ngoes on\r\n\r\nNothing here.", ["“A first part\r\ngoes on"]),
    ],
)
def test_quotations_stay_to_the_letter(text: str, quotations: list[str]) -> None:
    """Straight and typographic, within a paragraph; an apostrophe or an inch is no quotation."""
    assert protected(text, "quotations") == quotations


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("See https://example.org/old-news for it.", "https://example.org/old-news"),
        ("See www.example.org/a for it.", "www.example.org/a"),
        ("Write to jo.low@example.org now.", "jo.low@example.org"),
        ("Open report_final.docx first.", "report_final.docx"),
        ("Look into /srv/large/files please.", "/srv/large/files"),
        (r"Look into C:\large\files please.", r"C:\large\files"),
        ("Ask @helper about it.", "@helper"),
        ("Add --large to it.", "--large"),
    ],
)
def test_addresses_stay_to_the_letter(text: str, address: str) -> None:
    """Pages, mail, files and names in a network are found without a list of their kinds."""
    assert protected(text, "addresses") == [address]


def test_prose_holds_no_addresses(letter: str, tale: str) -> None:
    """Full stops, dashes and numbers of plain prose are none."""
    assert protected(tale, "addresses") == []
    assert [found for found in protected(letter, "addresses") if "2.5" not in found] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Run `make large` first.", "`make large`"),
        ("Run ``a ` b`` first.", "``a ` b``"),
        ("So:\n```\nlarge house\n\nold\n```\nDone.", "```\nlarge house\n\nold\n```"),
        ("Dear {large name}, hello.", "{large name}"),
        ("A <b class=large> tag.", "<b class=large>"),
    ],
)
def test_code_stays_to_the_letter(text: str, code: str) -> None:
    """Between backticks, in tags, in fields of a form letter."""
    assert protected(text, "code") == [code]


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("It took 14 million litres of it.", "14 million litres"),
        ("It took 2.5 volts.", "2.5 volts"),
        ("A 12-volt lamp.", "12-volt"),
        ("As section 4 says.", "section 4 says"),
        ("They paid $300, gladly.", "$300"),
    ],
)
def test_quantities_stay_to_the_letter(text: str, quantity: str) -> None:
    """A number with its unit, or with what it is the number of."""
    assert protected(text, "quantities") == [quantity]


@pytest.mark.parametrize(
    "definition",
    [
        "Acme Ltd (the “Supplier”) agrees.",
        'Acme Ltd (hereinafter referred to as the "Supplier") agrees.',
        "“Supplier” means Acme Ltd.",
        'Acme Ltd is called the "Supplier" below.',
    ],
)
def test_defined_terms_stay_wherever_they_are_used(definition: str) -> None:
    """What the text defines is protected in any case, and in the plural; other words are not."""
    text = f"{definition} The supplier pays. Other suppliers and supplies do not."
    assert protected(text, "terms") == ["Supplier", "supplier", "suppliers"]


def test_phrases_are_whole_words_in_any_case_and_spacing() -> None:
    """As models see them: line breaks, quotes and soft hyphens do not matter."""
    text = "A Net\n  income, net in\u00adcome; the owner’s net incomes."
    assert protected(text, phrases=("net income", "owner's", " ")) == ["Net\n  income", "net in\u00adcome", "owner’s"]


pieces = st.sampled_from(["a", "B", " ", "\n\n", '"', "'", "“", "”", "‘", "’", "`", "(", ")", "<", ">", "{", "}"])
any_text = st.lists(pieces | st.characters() | st.sampled_from(["7", "./", "@", "section 4", "means", "«", "»"])).map(
    "".join
)


@given(any_text, st.sets(st.sampled_from(sorted(PROTECTIONS))), st.lists(st.text(max_size=5), max_size=3))
def test_spans_are_in_order_and_apart(text: str, kinds: set[Protection], phrases: list[str]) -> None:
    """Whatever the text, spans lie in it, none is empty, and none touches another; more kinds protect no less."""
    spans = protected_spans(text, protections=kinds, phrases=phrases)
    assert all(one.end < other.start for one, other in pairwise(spans))
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    everything = protected_spans(text, phrases=phrases)
    assert all(any(wide.contains(span) for wide in everything) for span in spans)


@pytest.mark.parametrize("piece", ["'a ", "` `` ", "<a", '("', "1.", "“", "a.", "\n ", "((((", "x" * 50, "1 1 "])
def test_time_is_linear(piece: str) -> None:
    """No text, however odd, takes long."""
    text = piece * (90_000 // len(piece))
    begun = process_time()
    protected_spans(text, phrases=["net income"])
    assert process_time() - begun < 8.0  # a quadratic search takes minutes
