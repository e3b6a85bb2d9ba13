"""How strict a document is to be marked: a threshold on the share of readers that accept an exchange."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from lexprint.engine import Engine
from lexprint.server.service import Service
from lexprint.settings import find_profile

Strictness: TypeAlias = Literal["legal", "careful", "dense"]
PROFILES: Mapping[Strictness, str] = {"legal": "careful", "careful": "lexprint", "dense": "dense"}


def engine_as_strict(service: Service, strictness: Strictness | None) -> Engine:
    """The engine of jobs, with its models and another threshold; without a wish, as it is."""
    engine = service.engine_of_jobs
    if strictness is None:
        return engine
    floor = find_profile(PROFILES[strictness]).substitution.acceptance_floor
    if engine.settings.substitution.acceptance_floor == floor:
        return engine
    if strictness not in service.strict_engines:
        substitution = replace(engine.settings.substitution, acceptance_floor=floor)
        twin = replace(engine, settings=replace(engine.settings, substitution=substitution))
        for name in ("masked_lm", "entailment", "sentence_encoder"):
            vars(twin)[name] = getattr(engine, name)  # where a cached property looks first
        service.strict_engines[strictness] = twin
    return service.strict_engines[strictness]
