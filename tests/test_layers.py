"""Who may import whom: rows see the rows below them, never sideways or up, and each foreign package has one door."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.imports import circle_among, imports_of, inner, room_of

PACKAGE = Path(__file__).parent.parent / "src" / "lexprint"

# Top to bottom. A room is a folder or a file of the package.
ROWS: tuple[frozenset[str], ...] = tuple(
    frozenset(row.split())
    for row in (
        "cli",
        "client library server",
        "scale",
        "workflows",
        "engine",
        "reports",
        "tracing",
        "registry formats copies",
        "watermark",
        "substitution coding",
        "models",
        "text",
        "settings results",
        "cores whole_files",
        "errors",
    )
)

# Rooms that see less than what lies below them; a dot names one module of a room.
NARROW: dict[str, frozenset[str]] = {
    "copies": frozenset({"text", "models", "substitution", "watermark.sites", "settings", "errors"}),
    "coding": frozenset({"settings", "whole_files", "errors"}),
    "formats": frozenset({"text", "settings", "errors"}),
    "registry": frozenset({"text", "coding", "settings", "errors"}),
    "tracing": frozenset({"registry", "text", "coding", "settings", "errors"}),
    "reports": frozenset({"tracing", "registry", "text", "coding", "settings", "results", "errors"}),
}

# These stand outside the rows: public surface, start-up, and the fakes, which may see every protocol.
OUTSIDE = {"__init__", "__main__", "testing"}

# Foreign packages that only one file may import, whichever it is, so that there is one place to translate and replace.
ONE_DOOR = """
    datasketch docx edlib fpdf jinja2 lxml markdown_it mcp nupunkt onnxruntime prometheus_client psycopg py3langid pyarrow pypdf pypdfium2
    rapidfuzz ray reedsolo rfc3161_client safetensors selectolax simplemma snowballstemmer tokenizers torch transformers uvicorn
""".split()

# What only measuring needs is of the other distribution, whose own test says who may see what.
ELSEWHERE = {"lemminflect", "lexprint_evaluation", "matplotlib", "onnx", "quire_grammar", "scipy", "wn", "wordfreq"}

# Foreign packages that stay in one room.
ONE_ROOM = {
    "fastapi": "server",
    "pydantic": "server",
    "starlette": "server",
    "sqlalchemy": "registry",
    "msgspec": "reports",
    "rich": "cli",
    "typer": "cli",
}


def imports() -> Mapping[str, frozenset[str]]:
    return imports_of(PACKAGE)


def visible_from(room: str) -> frozenset[str]:
    if room in NARROW:
        return NARROW[room]
    row = next(index for index, rooms in enumerate(ROWS) if room in rooms)
    return frozenset().union(*ROWS[row + 1 :])


def is_visible(name: str, visible: frozenset[str]) -> bool:
    return any(name == allowed or name.startswith(f"{allowed}.") for allowed in visible)


def test_every_room_has_a_row() -> None:
    """A new room must say where it stands."""
    assert {room_of(module) for module in imports()} <= frozenset().union(*ROWS) | OUTSIDE


@pytest.mark.parametrize("module", [module for module in imports() if room_of(module) not in OUTSIDE])
def test_rooms_see_only_what_lies_below(module: str) -> None:
    """No module imports from its own row, from above, or the package's public surface."""
    room = room_of(module)
    visible = visible_from(room) | {room}
    assert {name for name in inner(PACKAGE, module) if not is_visible(name, visible)} == set()


@pytest.mark.parametrize("room", sorted({room_of(module) for module in imports()} - OUTSIDE))
def test_rooms_have_no_cycles(room: str) -> None:
    """Within a room modules can be read in some order, each after what it uses."""
    modules = {module for module in imports() if room_of(module) == room}
    assert circle_among(PACKAGE, modules) is None


def test_errors_import_nothing_but_the_standard_library() -> None:
    """Errors and settings can be used before anything is installed."""
    assert inner(PACKAGE, "errors") == set()
    assert {room_of(name) for name in inner(PACKAGE, "settings")} == {"errors"}
    assert not {name.partition(".")[0] for name in imports()["settings"]} & {"numpy", *ONE_DOOR, *ONE_ROOM}


def test_foreign_packages_have_one_door() -> None:
    """A package that may be absent or replaced is imported by exactly one file."""
    doors: dict[str, list[str]] = defaultdict(list)
    for module, names in imports().items():
        for package in {name.partition(".")[0] for name in names} & set(ONE_DOOR):
            doors[package].append(module)
    assert {package: modules for package, modules in doors.items() if len(modules) > 1} == {}


def test_foreign_packages_stay_in_their_room() -> None:
    """Printing belongs to the command line, wire models to the server."""
    strays = [
        (module, package)
        for module, names in imports().items()
        for package in {name.partition(".")[0] for name in names} & set(ONE_ROOM)
        if room_of(module) != ONE_ROOM[package]
    ]
    assert strays == []


def test_measuring_is_elsewhere() -> None:
    """The core imports neither the distribution that measures it nor what that one needs."""
    packages = {name.partition(".")[0] for names in imports().values() for name in names}
    assert packages & ELSEWHERE == set()
