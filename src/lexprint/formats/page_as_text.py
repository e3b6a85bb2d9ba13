"""A web page as plain text, for the mail programs that show no HTML: whatever a reader sees of it, in order."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_BLOCKS = frozenset(
    """
    address article aside blockquote br caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
    header hr li main nav ol p pre section summary table tr ul
    """.split()
)
_APART = frozenset("blockquote dl figure h1 h2 h3 h4 h5 h6 ol p pre table ul".split())  # with an empty line
_UNSEEN = frozenset("datalist head math noscript object script select style svg template title".split())
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\n\f\r]+")
_BLANK_LINES = re.compile(r"\n{3,}")


def page_as_text(page: str) -> str:
    """What a page says, with the addresses of its links; nothing that it hides.

    >>> page_as_text("<h1>News</h1><p>A <b>large</b> house: <a href='https://a.example'>look</a></p><p hidden>no</p>")
    'News\\n\\nA large house: look <https://a.example>\\n'
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    lines = "".join(reader.pieces).split("\n")
    return _BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n") + "\n"


class _Reader(HTMLParser):
    """Walks through the page; `pieces` is what it said."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden: list[str] = []  # elements that are open, from the outermost that is not shown
        self._links: list[str | None] = []
        self._preformatted = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in _VOID and (
            self._hidden or tag in _UNSEEN or "hidden" in given or _HIDDEN.search(given.get("style") or "")
        ):
            self._hidden.append(tag)
        if self._hidden:
            return
        self._break(tag)
        if tag == "li":
            self.pieces.append("- ")
        elif tag == "pre":
            self._preformatted += 1
        elif tag == "a":
            target = given.get("href") or ""
            self._links.append(target if target.startswith(("http:", "https:", "mailto:")) else None)
        elif tag == "img" and given.get("alt"):
            self.pieces.append(f"[{given['alt']}]")
        elif tag in ("td", "th") and not self._is_at_line_start:
            self.pieces.append("\t")

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            if tag in self._hidden:
                del self._hidden[len(self._hidden) - 1 - self._hidden[::-1].index(tag) :]
            return
        if tag == "a" and self._links and (target := self._links.pop()) is not None:
            self.pieces.append(f" <{target}>")
        elif tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        shown = data if self._preformatted else _SPACES.sub(" ", data)
        if self._is_at_line_start and not self._preformatted:
            shown = shown.lstrip(" ")
        if shown:
            self.pieces.append(shown)

    @property
    def _is_at_line_start(self) -> bool:
        return not self.pieces or self.pieces[-1].endswith(("\n", " "))

    def _break(self, tag: str) -> None:
        if tag in _APART:
            self.pieces.append("\n\n")
        elif tag == "br" or (tag in _BLOCKS and self.pieces and not self.pieces[-1].endswith("\n")):
            self.pieces.append("\n")
