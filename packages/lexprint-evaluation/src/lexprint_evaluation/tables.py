"""Tables as Markdown and JSON."""

from __future__ import annotations

from collections.abc import Sequence

ALL_SETS = "all sets"  # the title of what was measured on all of them together


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose columns line up in plain text too; all but the first are numbers."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cells[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)),
        ]
        return f"| {' | '.join(padded)} |"

    rule = f"|{'-' * (widths[0] + 2)}|" + "".join(f"{'-' * (width + 1)}:|" for width in widths[1:])
    return "\n".join([line(header), rule, *map(line, rows)]) + "\n"
