"""For data pipelines: a function over a batch of texts, as Hugging Face `datasets` and pandas want it. Needs neither."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from lexprint.engine import Engine
from lexprint.errors import LexprintError

Marker: TypeAlias = Callable[
    ..., str
]  # engine, a text, and what other columns say of it; gives the text that takes its place


def map_texts(
    engine: Engine,
    mark: Marker,
    *,
    column: str = "text",
    arguments: tuple[str, ...] = (),
    error_column: str | None = None,
) -> Callable[[Any], Any]:
    """A function that marks a batch: a dictionary of columns, a pandas Series, or any sequence of texts.

    A dictionary, as `datasets.Dataset.map(..., batched=True)` gives it, comes back with that column marked; `arguments` are
    columns whose values `mark` is given too. With `error_column` a text that cannot be marked becomes None and the column
    says why; without, it is an error. The function can be pickled if `mark` can, whether or not models are loaded.

    >>> from lexprint import Engine
    >>> from lexprint.workflows import embed
    >>> def mark(engine, text, bits):
    ...     return embed(engine, text, map(int, bits)).text
    >>> marked = map_texts(Engine(), mark, arguments=("bits",), error_column="error")
    >>> marked({"text": ["Too short."], "bits": ["10"]})["error"]
    ['the text carries 0 bits, the message has 2; use a longer text or fewer bits']
    """
    return _OverBatches(engine, mark, column, arguments, error_column)


@dataclass(frozen=True)
class _OverBatches:
    engine: Engine
    mark: Marker
    column: str
    arguments: tuple[str, ...]
    error_column: str | None

    def __call__(self, batch: Any) -> Any:
        if not isinstance(batch, Mapping):
            return _like(batch, [self.mark(self.engine, text) for text in batch])
        rows = zip(batch[self.column], *(batch[name] for name in self.arguments), strict=True)
        if self.error_column is None:
            return {**batch, self.column: [self.mark(self.engine, *row) for row in rows]}
        tried = [self._tried(row) for row in rows]
        return {**batch, self.column: [text for text, _ in tried], self.error_column: [error for _, error in tried]}

    def _tried(self, row: tuple[Any, ...]) -> tuple[str | None, str | None]:
        try:
            return self.mark(self.engine, *row), None
        except LexprintError as error:
            return None, str(error)

    def __reduce__(self) -> tuple[Any, ...]:
        # Loaded models stay here; another process loads its own.
        return type(self), (replace(self.engine), self.mark, self.column, self.arguments, self.error_column)


def _like(batch: Any, texts: list[str]) -> Any:
    """A pandas Series keeps its index and name; anything else becomes a list."""
    if hasattr(batch, "index") and hasattr(batch, "name"):
        return type(batch)(texts, index=batch.index, name=batch.name)
    return texts
