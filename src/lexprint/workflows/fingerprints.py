"""Whether an engine can read a copy, and if not, what can."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lexprint import __version__
from lexprint.engine import Engine
from lexprint.errors import AnswersDiffer, FingerprintMismatch
from lexprint.registry.records import DocumentRecord
from lexprint.settings import PROFILES
from lexprint.watermark.records import Record, settings_json

KNOWN_GAPS = (1, 2, 3)  # tried when a bare fingerprint has to be explained


def require_fingerprint(engine: Engine, marked_with: Record | DocumentRecord | str | None) -> None:
    """Refuse to read what other models, settings or rules have written, or on a machine where they answer otherwise.

    A bare fingerprint does not say what was answered where the copy was marked; it is what such models answer everywhere.
    """
    needed = marked_with if isinstance(marked_with, str | None) else marked_with.fingerprint
    if needed is None:
        return
    if needed == engine.fingerprint:
        canary = engine.known_canary if isinstance(marked_with, str | None) else marked_with.canary
        if canary is not None and canary != engine.canary:
            raise AnswersDiffer(needed=canary, found=engine.canary)
        return
    if isinstance(marked_with, Record):
        needed = f"{needed} ({_described(marked_with.version, marked_with.profile, marked_with.settings)})"
        advice = _needed_by(marked_with, engine)
    else:  # the registry too keeps no more
        advice = _known_as(needed, engine)
    loaded = _described(__version__, engine.settings.profile, settings_json(engine.settings))
    raise FingerprintMismatch(needed=needed, loaded=f"{engine.fingerprint} ({loaded})", advice=advice)


def _described(version: str, profile: str, settings: Mapping[str, object]) -> str:
    is_pure = profile in PROFILES and settings_json(PROFILES[profile]) == settings
    return f"lexprint {version}, profile {profile}{'' if is_pure else ' with changes'}"


def _needed_by(record: Record, engine: Engine) -> str:
    loaded = flat_settings(settings_json(engine.settings))
    different = [
        f"{name} = {value}" for name, value in flat_settings(record.settings).items() if loaded.get(name) != value
    ]
    steps = [f"run: pip install lexprint=={record.version}"] if record.version != __version__ else []
    if different:
        steps.append(f"use the settings {', '.join(different)}")
    return " and ".join(steps) or "its models are not these: reinstall lexprint, or name the models that marked it"


def flat_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """With dotted names, as in `load_settings`."""
    return {
        f"{section}.{name}": value
        for section, values in settings.items()
        if isinstance(values, Mapping)
        for name, value in values.items()
    }


def _known_as(fingerprint: str, engine: Engine) -> str:
    """A bare fingerprint says nothing, but it may be that of a profile with another gap."""
    for profile in PROFILES.values():
        for gap in KNOWN_GAPS:
            settings = replace(profile, watermark=replace(profile.watermark, gap=gap))
            if replace(engine, settings=settings).fingerprint == fingerprint:
                return f"use the profile {profile.profile} with watermark.gap = {gap}"
    return "use the version of lexprint, the models and the settings that marked it; the record of the copy names them"
