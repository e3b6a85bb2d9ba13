"""How sure it must be that readers accept a word: named thresholds, and for contracts words that stay besides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from lexprint.errors import InputError
from lexprint.settings import find_profile
from lexprint.text.lists import listed

if TYPE_CHECKING:
    from lexprint.engine import Engine

Strictness: TypeAlias = Literal["legal", "careful", "dense"]
PROFILES: Mapping[Strictness, str] = {"legal": "careful", "careful": "careful", "dense": "dense"}


def phrases_kept(strictness: str | None) -> tuple[str, ...]:
    """What must stay as it is with a strictness, besides what is protected anyway.

    >>> "shall" in phrases_kept("legal"), phrases_kept("careful")
    (True, ())
    """
    return listed("legal") if strictness == "legal" else ()


def as_strict(engine: Engine, strictness: Strictness | None) -> Engine:
    """The engine with that threshold on the share of readers, on the same models; without a wish, as it is."""
    if strictness is None:
        return engine
    if strictness not in PROFILES:
        raise InputError(f"the strictness {strictness!r} is unknown", needed=f"one of {', '.join(PROFILES)}")
    settings, floor = engine.settings, find_profile(PROFILES[strictness]).substitution.acceptance_floor
    if settings.substitution.acceptance_floor == floor:
        return engine
    return engine.with_settings(replace(settings, substitution=replace(settings.substitution, acceptance_floor=floor)))
