"""What a long measurement has already paid for: kept line by line, so that interrupted runs resume."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from lexprint_evaluation.sides import answer_files


class Checkpoint:
    """Answers by key, in a file of JSON lines; without a file nothing is kept.

    >>> Checkpoint(None).once("sum", lambda: {"value": 1 + 1})
    {'value': 2}
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[str, Any] = dict(_lines(path)) if path is not None and path.is_file() else {}

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def once(self, key: str, ask: Callable[[], Any]) -> Any:
        """The answer kept under this key, or the one that is now given and kept."""
        if key not in self._known:
            self._known[key] = ask()
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(f"\n{json.dumps([key, self._known[key]])}\n")  # the first ends a torn line
        return self._known[key]

    @property
    def answers(self) -> Path | None:
        """Where models' answers may be kept as long as the table is not written."""
        return None if self._path is None else self._path.with_suffix(".answers")

    def done(self) -> None:
        """The table is written: nothing is left to go on with."""
        if self._path is not None and self.answers is not None:
            self._path.unlink(missing_ok=True)
            forget(self.answers)


def forget(answers: Path) -> None:
    """Remove the files in which models' answers were kept."""
    for path in answer_files(answers):
        with suppress(OSError):  # some systems keep what is open
            path.unlink(missing_ok=True)


def _lines(path: Path) -> list[tuple[str, Any]]:
    """Whole lines; the last one may be torn."""
    found = []
    for line in path.read_text("utf-8", errors="replace").split("\n"):
        try:
            key, answer = json.loads(line)
        except ValueError:
            continue
        found.append((key, answer))
    return found
