"""Who is to be given a copy: a table with a header, or one name a line."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from lexprint.errors import FormatError, InputError
from lexprint.registry.packing import person

TABLES = (".csv", ".tsv")
SEPARATORS = ",;\t"
LONGEST_SHOWN = 60  # characters of a header that is not known

# Spellings of headers, without case, spaces and punctuation.
NAMES = ("recipient", "recipients", "name", "fullname", "displayname", "recipientname", "employeename")
GIVEN_NAMES = ("firstname", "givenname", "forename")
FAMILY_NAMES = ("lastname", "surname", "familyname")
ADDRESSES = ("email", "emailaddress", "mail", "mailaddress")
IDS = ("id", "recipientid", "employeeid", "userid", "username", "user")

_BESIDES_LETTERS = re.compile(r"[\W_]+")
_BETWEEN_CELLS = re.compile(r"[;\t]|,(?=\S)")  # a comma inside a name has a space behind it
_ADDRESS = re.compile(r"[^\s@<>,;\"]+@[^\s@<>,;\"]+")


@dataclass(frozen=True)
class Recipient:
    """Somebody on a list."""

    name: str
    address: str | None = None  # for mail


def read_recipients(text: str, *, name: str) -> tuple[str, ...]:
    """Names in order.

    >>> read_recipients("id;Name\\n1;Ada\\n2;Bo\\n", name="people.csv")
    ('Ada', 'Bo')
    """
    return tuple(recipient.name for recipient in read_people(text, name=name))


def read_people(text: str, *, name: str) -> tuple[Recipient, ...]:
    """Everybody on a list, in order: each line is somebody or is named in an error.

    A table needs a header that is known: a header taken for a recipient, or a recipient taken for a header, would go
    unnoticed. So does a text whose first line has cells, wherever it was pasted. Others are one recipient a line. An address among the cells of the first line says that it is no header.

    >>> read_people("Name,E-Mail\\nAda,ada@example.org\\n", name="people.csv")
    (Recipient(name='Ada', address='ada@example.org'),)
    """
    lines = text.removeprefix("\ufeff").splitlines()
    first = next((line for line in lines if line.strip()), "")
    separator = max(SEPARATORS, key=first.count)
    try:
        header = next(csv.reader([first], delimiter=separator), [])
        columns = _Columns.of(header)
        is_table = PurePath(name).suffix.lower() in TABLES
        has_address = any(map(_ADDRESS.fullmatch, map(str.strip, header)))
        if columns is None and not has_address and first and (is_table or _BETWEEN_CELLS.search(first)):
            raise _unknown_header(header, name)
        if columns is None and not is_table:
            rows = [(number, " ".join(line.split()), _address_of([line])) for number, line in enumerate(lines, start=1)]
            found = [(number, Recipient(shown, address)) for number, shown, address in rows if shown]
        else:
            table = _rows(lines, separator)
            found = _people(table[1:] if columns else table, columns, name=name)
    except csv.Error as error:
        raise FormatError(name, found="no table", needed="a CSV file, or one recipient a line") from error
    return _distinct(found, name=name)


@dataclass(frozen=True)
class _Columns:
    """Which cells of a row make up a name, and which one is the address."""

    names: tuple[int, ...]
    address: int | None

    @classmethod
    def of(cls, header: Sequence[str]) -> _Columns | None:
        """By the titles; None if none of them is known."""
        titles = [_BESIDES_LETTERS.sub("", cell.casefold()) for cell in header]

        def column(known: Sequence[str]) -> int | None:
            return next((titles.index(title) for title in known if title in titles), None)

        address = column(ADDRESSES)
        halves = (column(GIVEN_NAMES), column(FAMILY_NAMES))
        for whole in (column(NAMES), halves, address, column(IDS)):
            cells = whole if isinstance(whole, tuple) else (whole,)
            if None not in cells:
                return cls(tuple(cell for cell in cells if cell is not None), address)
        return None

    def name_in(self, row: Sequence[str]) -> str:
        return " ".join(" ".join(row[cell] for cell in self.names if cell < len(row)).split())

    def address_in(self, row: Sequence[str]) -> str | None:
        return None if self.address is None else _address_of(row[self.address : self.address + 1])


def _people(
    rows: Iterable[tuple[int, Sequence[str]]], columns: _Columns | None, *, name: str
) -> list[tuple[int, Recipient]]:
    people, nameless = [], []
    for number, row in rows:
        shown = columns.name_in(row) if columns else " ".join(row[0].split())
        if not shown:
            nameless.append(number)
        people.append((number, Recipient(shown, columns.address_in(row) if columns else _address_of(row))))
    if nameless:
        lines = ", ".join(map(str, nameless[:10])) + (" and others" if len(nameless) > 10 else "")
        verb = "line {} of {} has" if len(nameless) == 1 else "lines {} of {} have"
        raise InputError(f"{verb.format(lines, name)} no name", needed="a name in every row; nobody was given a copy")
    return people


def _address_of(cells: Sequence[str]) -> str | None:
    """The one address in some cells, bare or in angle brackets."""
    found = [match.group() for cell in cells for match in _ADDRESS.finditer(cell)]
    return found[0] if len(found) == 1 else None


def _rows(lines: Sequence[str], separator: str) -> list[tuple[int, list[str]]]:
    """With the numbers of their lines; without those that hold nothing."""
    reader = csv.reader(lines, delimiter=separator)
    return [(reader.line_num, row) for row in reader if any(map(str.strip, row))]


def _unknown_header(header: Sequence[str], name: str) -> InputError:
    shown = ", ".join(cell.strip() for cell in header)
    shown = shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}..."
    return InputError(
        f"{name} begins with '{shown}', which is no known header",
        needed="a column headed name, recipient, email or id; or one recipient a line, in a .txt file if it is a file",
    )


def _distinct(numbered: Sequence[tuple[int, Recipient]], *, name: str) -> tuple[Recipient, ...]:
    if not numbered:
        raise InputError(f"{name} names no recipients", needed="a column recipient, name or email, or one a line")
    seen: dict[str, int] = {}
    for number, recipient in numbered:
        if (first := seen.setdefault(person(recipient.name), number)) != number:
            raise InputError(
                f"lines {first} and {number} of {name} name the same recipient", needed="each recipient once"
            )
    return tuple(recipient for _, recipient in numbered)
