"""One page with everything that was measured: a single file that needs nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

from lexprint_evaluation.leaderboard import leaderboard
from lexprint_evaluation.result_rows import Result

TEMPLATE = Path(__file__).with_name("results_page.html")
BOARD = "leaderboard"

# Order and titles of the sections.
TITLES: Mapping[str, str] = {
    "swords": "Substitutes in context (SWORDS)",
    "acceptance": "What readers accept",
    "watermark": "The watermark on running text",
    "rivals": "Beside rival methods",
    "quality": "Quality in the eyes of others",
    "ablations": "Without either test",
    "recoverability": "Words that come back",
    "payload": "Payloads under a key",
    "tracing": "Tracing registered copies",
    "attacks": "Every scheme under every attack",
}
_ELSEWHERE = frozenset({"experiment", "fingerprint", "machine", "date", "command"})  # said in other words


@dataclass(frozen=True)
class Section:
    """One experiment as its command wrote it down."""

    name: str
    result: Result = field(repr=False)
    markdown: str = field(repr=False)
    plot: str | None = field(default=None, repr=False)  # SVG

    @property
    def title(self) -> str:
        return TITLES.get(self.name, self.name)


def results_page(sections: Sequence[Section], *, command: str, version: str, left_out: Sequence[str] = ()) -> str:
    """HTML of all sections, the leaderboard first; `left_out` says what could not be measured, and why."""
    return _template().replace("__CONTENT__", "\n".join(_content(sections, command, version, left_out)))


def _content(sections: Sequence[Section], command: str, version: str, left_out: Sequence[str]) -> Iterator[str]:
    yield "<header>\n<h1>lexprint, measured</h1>"
    yield _list(
        {
            "version": version,
            **{name: _values(sections, name) for name in ("fingerprint", "seed", "sentences", "machine", "date")},
            "command": f"<code>{escape(command)}</code>",
        }
    )
    yield from (f"<p>Left out: {escape(sentence)}</p>" for sentence in left_out)
    links = {BOARD: "Leaderboard", **{section.name: section.title for section in sections}}
    items = "".join(f'<li><a href="#{name}">{escape(title)}</a></li>' for name, title in links.items())
    yield f'<nav aria-label="Tables"><ul>{items}</ul></nav>\n</header>\n<main>'
    board = leaderboard({section.name: section.result for section in sections})
    # Its own headings stand below the section's.
    yield f'<section id="{BOARD}">\n<h2>Leaderboard</h2>\n{_html(re.sub("^## ", "### ", board, flags=re.MULTILINE))}</section>'
    for section in sections:
        yield f'<section id="{section.name}">\n<h2>{escape(section.title)}</h2>\n{_circumstances(section)}'
        if section.plot is not None:
            yield f'<figure role="img" aria-label="{escape(section.title)}, drawn">{_inline(section.plot, section.name)}</figure>'
        yield f"{_html(section.markdown)}</section>"
    yield "</main>"


def _values(sections: Sequence[Section], name: str) -> str:
    """What all sections say; several values if they differ."""
    found = dict.fromkeys(str(section.result[name]) for section in sections if name in section.result)
    return escape("; ".join(found)) or "-"


def _circumstances(section: Section) -> str:
    sizes = ", ".join(
        f"{name.replace('_', ' ')} {value}"
        for name, value in section.result.items()
        if name not in _ELSEWHERE and isinstance(value, str | int | float)
    )
    said = {
        "command": f"<code>{escape(str(section.result.get('command', '-')))}</code>",
        "sizes": escape(sizes),
        **{name: escape(str(section.result.get(name, "-"))) for name in ("fingerprint", "machine", "date")},
    }
    return _list(said)


def _list(said: Mapping[str, str]) -> str:
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in said.items()) + "</dl>"


def _html(markdown: str) -> str:
    """Text of the sets may stand in it, so markup of its own is shown and not obeyed."""
    reader = (
        MarkdownIt("commonmark", {"html": False})
        .enable(["table", "strikethrough"])
        .disable(["link", "image", "autolink"])
    )
    html: str = reader.render(markdown)
    # Wide tables scroll by themselves, by keyboard too.
    return html.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")


def _inline(svg: str, name: str) -> str:
    """The drawing alone, without what leads elsewhere, and with names of its own: a page must not have two alike."""
    drawing = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", drawing)


@cache
def _template() -> str:
    return TEMPLATE.read_text("utf-8")
