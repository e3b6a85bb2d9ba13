"""Who is to be given a copy: a table with a header, or one name a line."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import PurePath

from lexprint.errors import FormatError, InputError
from lexprint.registry.packing import person

# Which column names the recipient, the best first.
HEADERS = ("recipient", "recipients", "name", "full name", "email", "e-mail", "mail")
TABLES = (".csv", ".tsv")
SEPARATORS = ",;\t"


def read_recipients(text: str, *, name: str) -> tuple[str, ...]:
    """Names in order. A table without a known header is all rows, by its first column; other files are all lines.

    Treating the first line as a header without knowing it would leave somebody without a copy, which nobody notices.

    >>> read_recipients("id;Name\\n1;Ada\\n2;Bo\\n", name="people.csv")
    ('Ada', 'Bo')
    """
    lines = text.removeprefix("\ufeff").splitlines()
    first = next((line for line in lines if line.strip()), "")
    separator = max(SEPARATORS, key=first.count)
    try:
        header = [cell.strip().casefold() for cell in next(csv.reader([first], delimiter=separator), [])]
        column = next((header.index(known) for known in HEADERS if known in header), None)
        if column is None and PurePath(name).suffix.lower() not in TABLES:
            numbered = [(number, line) for number, line in enumerate(lines, start=1)]
        else:
            numbered = _column(lines, separator, column or 0)
            if column is not None:
                numbered = numbered[1:]
    except csv.Error as error:
        raise FormatError(name, found="no table", needed="a CSV file, or one recipient a line") from error
    found = [(number, " ".join(cell.split())) for number, cell in numbered]
    return _distinct([(number, cell) for number, cell in found if cell], name=name)


def _column(lines: Sequence[str], separator: str, column: int) -> list[tuple[int, str]]:
    reader = csv.reader(lines, delimiter=separator)
    rows = [(reader.line_num, row) for row in reader]
    return [(number, row[column] if column < len(row) else "") for number, row in rows if any(map(str.strip, row))]


def _distinct(numbered: Sequence[tuple[int, str]], *, name: str) -> tuple[str, ...]:
    if not numbered:
        raise InputError(f"{name} names no recipients", needed="a column recipient, name or email, or one a line")
    seen: dict[str, int] = {}
    for number, recipient in numbered:
        if (first := seen.setdefault(person(recipient), number)) != number:
            raise InputError(
                f"lines {first} and {number} of {name} name the same recipient", needed="each recipient once"
            )
    return tuple(recipient for _, recipient in numbered)
