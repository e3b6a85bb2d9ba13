"""`lexprint diff`: what changed between two texts, side by side."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from lexprint.cli import console
from lexprint.cli.files import PIPE, READABLE, open_file
from lexprint.errors import InputError

if TYPE_CHECKING:
    from lexprint.text.comparison import Change
    from lexprint.text.document import Word
    from lexprint.workflows import Difference


def diff(
    one: str = typer.Argument(..., metavar="A", help=READABLE),
    other: str = typer.Argument(..., metavar="B", help="Another one, in any of these formats."),
    as_json: bool = console.AS_JSON,
) -> None:
    """Show which words differ between two documents, sentence by sentence; spacing and format do not count."""
    from lexprint import workflows

    if one == other == PIPE:
        raise InputError("both texts would come from standard input", needed="a file for one of them")
    found = workflows.diff(open_file(one).text, open_file(other).text)
    if as_json:
        console.print_json(workflows.as_json(found))
        return
    _print(found, one, other)


@dataclass(frozen=True)
class _Hunk:
    """Whole sentences of the one text, what stands for them in the other, and what changed there."""

    sentence: int  # the first of them
    words: range
    other_words: range
    changes: tuple[Change, ...]


def _hunks(found: Difference) -> Iterator[_Hunk]:
    ends = list(accumulate(map(len, found.one.sentences))) or [0]

    def sentence_of(word: int) -> int:
        return min(bisect_right(ends, word), len(ends) - 1)

    groups: list[tuple[int, int, list[Change]]] = []  # first sentence, last sentence, changes
    for change in found.changes:
        first, last = (
            sentence_of(word) for word in (change.words.start, max(change.words.start, change.words.stop - 1))
        )
        if groups and first <= groups[-1][1]:
            first, _, changes = groups.pop()
            groups.append((first, last, [*changes, change]))
        else:
            groups.append((first, last, [change]))
    for first, last, changes in groups:
        words = range(ends[first - 1] if first else 0, ends[last])
        # Up to the first change and after the last one both texts have the same words.
        before, after = changes[0].words.start - words.start, words.stop - changes[-1].words.stop
        other_words = range(changes[0].other_words.start - before, changes[-1].other_words.stop + after)
        yield _Hunk(first, words, other_words, tuple(changes))


def _print(found: Difference, one: str, other: str) -> None:
    out = console.Output()
    removed, added = (("", "", "black on red"), ("", "", "black on green"))
    if out.is_plain:
        removed, added = (("[-", "-]", ""), ("{+", "+}", ""))
    words, other_words = list(found.one.words), list(found.other.words)
    table = Table(box=None, pad_edge=False, expand=True)
    table.add_column("", justify="right", style="dim")
    table.add_column(Text(console.printable(one)), ratio=1)
    table.add_column(Text(console.printable(other)), ratio=1)
    for hunk in _hunks(found):
        table.add_row(
            str(hunk.sentence + 1),
            _painted(found.one.text, words, hunk.words, [change.words for change in hunk.changes], removed),
            _painted(
                found.other.text, other_words, hunk.other_words, [change.other_words for change in hunk.changes], added
            ),
            end_section=True,
        )
    if found.changes:
        out.print(table)
    count, gone = len(found.changes), sum(len(change.words) for change in found.changes)
    summary = f"{console.counted(count, 'change')}, {gone:,} of {console.counted(len(words), 'word')}"
    out.print(summary if count else "the words are the same")


def _painted(
    text: str, words: Sequence[Word], shown: range, changed: Sequence[range], signs: tuple[str, str, str]
) -> Text:
    """Words with their spacing; what changed is coloured, or stands between signs."""
    opening, closing, style = signs
    painted = Text()
    if not shown:
        return painted
    cursor = words[shown.start].span.start
    for change in filter(len, changed):
        start, end = words[change.start].span.start, words[change.stop - 1].span.end
        painted.append(console.printable(text[cursor:start]))
        painted.append(f"{opening}{console.printable(text[start:end])}{closing}", style)
        cursor = end
    painted.append(console.printable(text[cursor : words[shown.stop - 1].span.end]))
    return painted
