"""How strict a document is to be marked: a threshold on the share of readers that accept an exchange."""

from __future__ import annotations

from dataclasses import replace

from lexprint.engine import Engine
from lexprint.server.service import Service
from lexprint.settings import find_profile
from lexprint.workflows.strictness import PROFILES, Strictness


def engine_as_strict(service: Service, strictness: Strictness | None) -> Engine:
    """The engine of jobs, with its models and another threshold; without a wish, as it is."""
    engine = service.engine_of_jobs
    if strictness is None:
        return engine
    profile = PROFILES[strictness]
    floor = find_profile(profile).substitution.acceptance_floor
    if engine.settings.substitution.acceptance_floor == floor:
        return engine
    if profile not in service.strict_engines:
        substitution = replace(engine.settings.substitution, acceptance_floor=floor)
        twin = replace(engine, settings=replace(engine.settings, substitution=substitution))
        for name in ("masked_lm", "entailment", "sentence_encoder"):
            vars(twin)[name] = getattr(engine, name)  # where a cached property looks first
        service.strict_engines[profile] = twin
    return service.strict_engines[profile]
