"""Writer and reader, who never tell each other what the models said.

Bits that are read right only because the reader was told are no evidence. So each side asks for itself; but what one side was
told it may keep, in a file of its own, for the other tables in which it does the same.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from lexprint import __version__
from lexprint.engine import Engine
from lexprint.settings import RiskSet, Settings, WatermarkSettings
from lexprint.substitution.answer_file import AnswerFile
from lexprint.substitution.substituter import Substituter
from lexprint.watermark.literal import substituter_kind

Side: TypeAlias = Literal["writer", "reader"]


def substituter_of(engine: Engine, side: Side, *, settings: Settings | None = None) -> Substituter:
    """One that knows what this side was told, if the engine has a file for answers; else it knows nothing."""
    settings = settings or engine.settings
    answers = None
    if engine.cache is not None:
        # Where bits go does not change what a model says, so all gaps share their answers.
        alike: RiskSet = "boundaries" if settings.watermark.risk_set == "boundaries" else "paper"
        same = replace(settings, watermark=WatermarkSettings(risk_set=alike))
        fingerprint = f"{__version__} {replace(engine, settings=same).fingerprint}"
        answers = AnswerFile(answer_file(engine.cache, side), fingerprint=fingerprint, megabytes=engine.cache_megabytes)
    kind = substituter_kind(settings.watermark)
    return kind(engine.masked_lm, engine.entailment, settings.substitution, answers=answers)


def answer_file(cache: Path, side: Side) -> Path:
    return cache.with_name(f"{cache.name}.{side}")


def answer_files(cache: Path) -> list[Path]:
    """All that may be there: of the engine itself, of both sides, and what SQLite puts beside them."""
    files = [cache, *(answer_file(cache, side) for side in get_args(Side))]
    return [path.with_name(f"{path.name}{ending}") for path in files for ending in ("", "-wal", "-shm")]
