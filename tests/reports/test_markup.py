"""Trees of HTML: text is text, whatever it says."""

from html.parser import HTMLParser

from hypothesis import given, strategies as st

from lexprint.reports.markup import element, page_text, shape, shown


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


@given(st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=40))
def test_text_comes_back(text: str) -> None:
    """A browser reads what was put in, between elements as well as inside them."""
    parser = _Texts()
    parser.feed(page_text(element("p", text, element("b", text), text)))
    parser.close()
    assert "".join(parser.found) == text * 3


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_what_is_shown_can_be_seen(text: str) -> None:
    """As long as before, and nothing that steers or hides."""
    assert len(shown(text)) == len(text)
    assert all(character.isprintable() or character in "\u200c\u200d" for character in shown(text))


def test_numbers_are_short() -> None:
    """Two places are more than can be seen."""
    assert shape("rect", x=1 / 3, y=2.0, stroke_width=0.5).attrib == {"x": "0.33", "y": "2", "stroke-width": "0.5"}
