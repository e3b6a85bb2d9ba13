"""Finds and reads the public data that lexprint is measured on; none of it is shipped."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path

from lexprint.errors import FormatError, InputError

ACCEPTABLE = 0.5  # more than half of the judges said yes
CONCEIVABLE = 0.1  # at least one in ten did


@dataclass(frozen=True)
class Target:
    """A word in context, and how people judged what might replace it."""

    context: str
    word: str
    offset: int
    part_of_speech: str  # NOUN, VERB, ADJ, ADV
    approval: dict[str, float]  # substitute -> share of judges who said yes
    sources: dict[str, tuple[str, ...]]  # substitute -> who proposed it

    @property
    def acceptable(self) -> frozenset[str]:
        return frozenset(word for word, share in self.approval.items() if share > ACCEPTABLE)

    @property
    def conceivable(self) -> frozenset[str]:
        return frozenset(word for word, share in self.approval.items() if share >= CONCEIVABLE)


def data_folder(given: Path | None) -> Path:
    """The folder given, or the one that LEXPRINT_DATA names."""
    named = os.environ.get("LEXPRINT_DATA")
    folder = given or (Path(named) if named else None)
    if folder is None:
        raise InputError(
            "no data folder was given", needed="--data FOLDER or LEXPRINT_DATA, laid out as in docs/evaluation.md"
        )
    if not folder.is_dir():
        raise InputError(
            f"the data folder {folder} does not exist", needed="a folder laid out as in docs/evaluation.md"
        )
    return folder


def swords(folder: Path, split: str) -> list[Target]:
    """The Stanford Word Substitution Benchmark v1.1 (p-lambda/swords, CC-BY-3.0-US)."""
    path = folder / "swords" / f"swords-v1.1_{split}.json.gz"
    if not path.is_file():
        raise InputError(
            f"{path.name} is not in {path.parent}", needed="SWORDS v1.1, from the repository p-lambda/swords on GitHub"
        )
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            data = json.load(file)
        judged: dict[str, dict[str, float]] = {target: {} for target in data["targets"]}
        sources: dict[str, dict[str, tuple[str, ...]]] = {target: {} for target in data["targets"]}
        for number, entry in data["substitutes"].items():
            labels = data["substitute_labels"][number]
            yes = sum(label in ("TRUE", "TRUE_IMPLICIT") for label in labels)
            word = entry["substitute"].lower().strip()
            judged[entry["target_id"]][word] = yes / len(labels)
            sources[entry["target_id"]][word] = tuple(entry["extra"]["sources"])
        return [
            Target(
                data["contexts"][target["context_id"]]["context"],
                target["target"],
                target["offset"],
                target["pos"],
                judged[number],
                sources[number],
            )
            for number, target in data["targets"].items()
        ]
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise FormatError(path.name, found="damaged or of another layout", needed="SWORDS v1.1 as published") from error
