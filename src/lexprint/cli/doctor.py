"""`lexprint doctor`: what is installed, what is missing, and for which feature.

Packages are asked for by their metadata and not imported, so that a broken one does not take the doctor with it.
"""

from __future__ import annotations

import platform
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

import typer
from rich.table import Table
from rich.text import Text

import lexprint
from lexprint.cli import console, keys
from lexprint.cli.registry import REGISTRY
from lexprint.errors import LexprintError

# What each extra of the package is for.
FEATURES = {
    "server": "the page and the HTTP interface, lexprint serve",
    "postgres": "a registry in PostgreSQL",
    "ray": "corpora beyond one machine",
    "parquet": "tables of texts in Parquet, lexprint batch",
    "timestamps": "times of reports that others confirm, lexprint trace --authority",
    "scans": "leaks that are scanned PDFs",
    "evaluation": "the paper's tables and figures, lexprint evaluate",
    "hub": "the paper's own models, from a hub",
}
# Programs beside Python: package of Debian, and what it is for.
PROGRAMS = {
    "tesseract": ("tesseract-ocr", "leaks that are images or scanned PDFs"),
    "pdftoppm": ("poppler-utils", "scanned PDFs without the extra scans"),
}
MODELS = {
    "masked_lm": "proposes words",
    "entailment": "ranks them",
    "sentence_encoder": "measures how alike two sentences are",
}
TRIAL = ("They bought a large house near the river.", "large")

_REQUIREMENT = re.compile(r"(?P<package>[\w.-]+)[^;]*(?:;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?")

State: TypeAlias = Literal["ok", "missing", "broken"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    part: str
    name: str
    state: State
    found: str
    purpose: str
    is_core: bool = False  # nothing works without it


def doctor(registry: str = REGISTRY, key: Path | None = keys.KEY, as_json: bool = console.AS_JSON) -> None:
    """Tell what is installed, which models, with which fingerprint, and what is missing for which feature.

    The models are tried on a sentence. Exit code 0 if all that every command needs works, else 3; what is optional, such as
    a key or a registry, may be missing.
    """
    checks = [
        *_packages(),
        *_models(),
        *_engine(),
        *_extras(),
        *_programs(),
        *_possessions(registry, key),
    ]
    broken = [check for check in checks if check.is_core and check.state != "ok"]
    if as_json:
        console.print_json({"works": not broken, "checks": [asdict(check) for check in checks]})
    else:
        _print(checks)
    if broken:
        names = ", ".join(check.name for check in broken)
        console.say(f"lexprint: {names} cannot be used; run: pip install --force-reinstall lexprint")
        raise typer.Exit(3)
    console.say("all that every command needs works")


def _packages() -> Iterator[Check]:
    yield Check("core", "lexprint", "ok", lexprint.__version__, "", is_core=True)
    yield Check("core", "python", "ok", f"{platform.python_version()} on {platform.machine()}", "", is_core=True)
    for package in _required(None):
        version = _version(package)
        yield Check("core", package, "ok" if version else "missing", version or "not installed", "", is_core=True)


def _required(extra: str | None) -> list[str]:
    """Packages that the core or an extra asks for, as the installed package itself says."""
    from importlib import metadata  # takes longer to load than most commands

    try:
        requirements = metadata.requires("lexprint") or []
    except metadata.PackageNotFoundError:  # run from its sources
        return []
    found = (_REQUIREMENT.match(requirement) for requirement in requirements)
    return [match["package"] for match in found if match is not None and match["extra"] == extra]


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _models() -> Iterator[Check]:
    for name, purpose in MODELS.items():
        yield _tried("models", name, purpose, partial(_verified, name), is_core=True)


def _verified(name: str) -> str:
    from lexprint.models.weights import shipped_model

    files = shipped_model(name)
    size = sum(len(files.read(file)) for file, _ in files.digests)
    return f"{size / 1e6:.1f} MB as published, fingerprint {files.fingerprint}"


def _engine() -> Iterator[Check]:
    try:
        engine = console.build_engine()
        profile = engine.settings.profile
    except (LexprintError, ImportError) as error:
        yield Check("models", "settings", "broken", str(error), "", is_core=True)
        return
    purpose = "what marks and reads; a reader needs the same"
    yield _tried("models", f"profile {profile}", purpose, lambda: f"fingerprint {engine.fingerprint}", is_core=True)

    def substitutes() -> str:
        from lexprint.workflows import find_substitutes

        text, word = TRIAL
        found = find_substitutes(engine, text, word=word).substitutes
        return f"{console.counted(len(found), 'substitute')} for {word}"

    yield _tried("models", "trial", "the models answer", substitutes, is_core=True)


def _tried(part: str, name: str, purpose: str, attempt: Callable[[], str], *, is_core: bool) -> Check:
    try:
        return Check(part, name, "ok", attempt(), purpose, is_core=is_core)
    except (LexprintError, ImportError) as error:
        return Check(part, name, "broken", str(error), purpose, is_core=is_core)


def _extras() -> Iterator[Check]:
    for extra, purpose in FEATURES.items():
        versions = {package: _version(package) for package in _required(extra)}
        missing = [package for package, version in versions.items() if version is None]
        if missing or not versions:
            found = f"lacks {_listed(missing) or 'its packages'}; run: pip install 'lexprint[{extra}]'"
            yield Check("extras", extra, "missing", found, purpose)
        else:
            yield Check(
                "extras", extra, "ok", _listed(f"{one} {version}" for one, version in versions.items()), purpose
            )


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)


def _programs() -> Iterator[Check]:
    for name, (package, purpose) in PROGRAMS.items():
        place = shutil.which(name)
        found = place or f"not installed; on Debian: apt-get install {package}"
        yield Check("programs", name, "ok" if place else "missing", found, purpose)


def _possessions(registry: str, key: Path | None) -> Iterator[Check]:
    purpose = "issuing, payloads, signed reports"
    try:
        keyring = keys.keys_at_hand(key)
    except LexprintError as error:
        yield Check("yours", "key", "broken", str(error), purpose)
    else:
        if keyring is None:
            yield Check("yours", "key", "missing", "none; run: lexprint key new", purpose)
        else:
            found = f"{console.counted(len(keyring), 'key')}, {keyring.newest.id} writes"
            yield Check("yours", "key", "ok", found, purpose)
    yield _registry(registry)


def _registry(location: str) -> Check:
    purpose = "tracing what was issued"
    try:
        from lexprint.registry.databases import read_location
        from lexprint.registry.protocol import open_existing_registry

        place = read_location(location)
        if place.is_vacant:
            found = f"none at {place.shown}; lexprint issue makes one"
            return Check("yours", "registry", "missing", found, purpose)
        with open_existing_registry(location) as opened:
            documents = console.counted(len(opened.documents()), "document")
    except (LexprintError, ImportError) as error:
        return Check("yours", "registry", "broken", str(error), purpose)
    return Check("yours", "registry", "ok", f"{documents} in {place.shown}", purpose)


_SIGNS: dict[State, tuple[str, str]] = {
    "ok": ("ok", "green"),
    "missing": ("-", "dim"),
    "broken": ("BROKEN", "bold red"),
}


def _print(checks: Iterable[Check]) -> None:
    out = console.Output()
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for _ in range(3):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    shown: str | None = None
    for check in checks:
        sign, style = _SIGNS[check.state]
        if check.is_core and check.state == "missing":
            sign, style = _SIGNS["broken"]
        part, shown = ("" if check.part == shown else check.part), check.part
        told = check.found if check.state == "ok" or not check.purpose else f"{check.found} (for: {check.purpose})"
        table.add_row(Text(part, "bold"), Text(sign, style), check.name, Text(console.printable(told)))
    if not out.is_terminal:
        out.width = 10_000
    out.print(table)
