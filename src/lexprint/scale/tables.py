"""Tables of texts, a row each: JSON Lines, and Parquet, for which it is the sole importer of pyarrow (extra: parquet).

Rows are read as they are needed and other columns go through untouched, so a table may be larger than memory.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from lexprint.errors import ExtraMissing, FormatError
from lexprint.scale.jobs import Item

JSON_LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet",)
ANALYSIS = "analysis"  # name of the column that an analysis becomes
ROWS_AT_ONCE = 256  # of Parquet


@dataclass(frozen=True)
class Table(ABC):
    """Texts in one column of a file."""

    path: Path
    text_column: str
    payload_column: str | None = None

    def digest(self) -> str:
        """SHA-256 of the file."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @abstractmethod
    def count(self) -> int:
        """Rows."""

    @abstractmethod
    def items(self) -> Iterator[Item]:
        """Every row, in order; a row without a text gives one that is empty, which fails in its turn."""

    @abstractmethod
    def write(self, path: Path, values: Iterable[object]) -> None:
        """The same table with a text, or an analysis, for every row; None leaves the row out."""

    def _item(self, name: str, row: dict[str, Any]) -> Item:
        text = row.get(self.text_column)
        payload = None if self.payload_column is None else row.get(self.payload_column)
        is_payload = isinstance(payload, str | int) and not isinstance(payload, bool)
        return Item(name, text if isinstance(text, str) else "", str(payload) if is_payload else None)


def open_table(path: Path, *, text_column: str = "text", payload_column: str | None = None) -> Table:
    """A table by the ending of its name."""
    if not path.is_file():
        raise FormatError(str(path), found="not there", needed="a folder, or a table that exists")
    if path.suffix.lower() in PARQUET:
        return ParquetTable(path, text_column, payload_column)
    return JsonLinesTable(path, text_column, payload_column)


def is_table(path: Path) -> bool:
    return path.suffix.lower() in (*JSON_LINES, *PARQUET)


class JsonLinesTable(Table):
    """An object a line; lines that are empty do not count."""

    def count(self) -> int:
        return sum(1 for _ in self._lines())

    def items(self) -> Iterator[Item]:
        for number, line in self._lines():
            yield self._item(f"line {number}", _parsed(line))

    def write(self, path: Path, values: Iterable[object]) -> None:
        with path.open("w", encoding="utf-8", errors="surrogatepass", newline="\n") as out:
            for (_, line), value in zip(self._lines(), values, strict=True):
                if value is not None:
                    name = self.text_column if isinstance(value, str) else ANALYSIS
                    out.write(json.dumps(_parsed(line) | {name: value}, ensure_ascii=False) + "\n")

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        with self.path.open("rb") as file:
            yield from ((number, line) for number, line in enumerate(file, start=1) if line.strip())


class ParquetTable(Table):
    """Columns of Apache Parquet."""

    def count(self) -> int:
        return int(self._open().metadata.num_rows)

    def items(self) -> Iterator[Item]:
        wanted = [self.text_column, *([self.payload_column] if self.payload_column else [])]
        missing = sorted(set(wanted) - set(self._open().schema_arrow.names))
        if missing:
            raise FormatError(self.path.name, found=f"without the column {missing[0]}", needed="--column and its name")
        number = 0
        for batch in self._open().iter_batches(ROWS_AT_ONCE, columns=wanted):
            for row in batch.to_pylist():
                number += 1
                yield self._item(f"row {number}", row)

    def write(self, path: Path, values: Iterable[object]) -> None:
        import pyarrow

        source, remaining, writer = self._open(), iter(values), None
        try:
            for batch in source.iter_batches(ROWS_AT_ONCE):
                made = list(islice(remaining, batch.num_rows))
                kept = batch.filter(pyarrow.array([value is not None for value in made]))
                rows = [value for value in made if value is not None]
                name = self.text_column if all(isinstance(value, str) for value in rows) else ANALYSIS
                texts = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in rows]
                part = _with_column(pyarrow.Table.from_batches([kept]), name, pyarrow.array(texts, pyarrow.string()))
                writer = writer or _parquet().ParquetWriter(path, part.schema)
                writer.write_table(part)
            if writer is None:
                writer = _parquet().ParquetWriter(path, source.schema_arrow)
        finally:
            if writer is not None:
                writer.close()

    def _open(self) -> Any:
        module = _parquet()
        try:
            return module.ParquetFile(self.path)
        except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
            raise FormatError(self.path.name, found="no Parquet file, or damaged", needed="a Parquet file") from error


def _with_column(table: Any, name: str, column: Any) -> Any:
    if name not in table.schema.names:
        return table.append_column(name, column)
    return table.set_column(table.schema.get_field_index(name), name, column)


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ExtraMissing("pyarrow", extra="parquet") from error
    return pyarrow.parquet


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}
