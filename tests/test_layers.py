"""Who may import whom: rows see the rows below them, never sideways or up, and each foreign package has one door."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "lexprint"

# Top to bottom. A room is a folder or a file of the package.
ROWS: tuple[frozenset[str], ...] = tuple(
    frozenset(row.split())
    for row in (
        "cli client server",
        "evaluation",
        "scale",
        "workflows",
        "engine",
        "tracing formats copies",
        "watermark",
        "substitution coding",
        "models",
        "text",
        "settings",
        "errors",
    )
)

# Rooms that see less than what lies below them; a dot names one module of a room.
NARROW: dict[str, frozenset[str]] = {
    "copies": frozenset({"text", "models", "substitution", "watermark.sites", "settings", "errors"}),
    "coding": frozenset({"settings", "errors"}),
    "formats": frozenset({"text", "settings", "errors"}),
    "tracing": frozenset({"text", "coding", "watermark.sites", "settings", "errors"}),
}

# These stand outside the rows: public surface, start-up, and the fakes, which may see every protocol.
OUTSIDE = {"__init__", "__main__", "testing"}

# Foreign packages that only one file may import, whichever it is, so that there is one place to translate and replace.
ONE_DOOR = """
    datasketch docx edlib fpdf lemminflect lxml markdown_it matplotlib nupunkt onnx onnxruntime psycopg py3langid pyarrow pypdf
    pypdfium2 quire_grammar rapidfuzz ray reedsolo rfc3161_client safetensors scipy selectolax simplemma snowballstemmer sqlalchemy tokenizers torch transformers uvicorn wordfreq
""".split()

# But for these: torch answers for hub models, and trains a rival; markdown_it reads documents, and sets our own tables.
SEVERAL_DOORS = {
    "torch": {"models.torch_backend", "evaluation.rivals.awt"},
    "markdown_it": {"formats.markdown_text", "evaluation.results_page"},
}

# Foreign packages that stay in one room.
ONE_ROOM = {"fastapi": "server", "pydantic": "server", "starlette": "server", "rich": "cli", "typer": "cli"}


@cache
def imports() -> dict[str, frozenset[str]]:
    """Every module of the package, with the full names of what it imports anywhere in its body."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)
        found[name] = frozenset(_imported(ast.parse(path.read_text(encoding="utf-8")), path))
    return found


def _imported(tree: ast.AST, path: Path) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def inner(module: str) -> set[str]:
    """What a module imports from the package, without the package's name; `__version__` is for all."""
    names = {name.removeprefix("lexprint.") for name in imports()[module] if name.startswith("lexprint.")}
    return names - {"__version__"}


def room_of(name: str) -> str:
    return name.partition(".")[0]


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
    assert {name for name in inner(module) if not is_visible(name, visible)} == set()


@pytest.mark.parametrize("room", sorted({room_of(module) for module in imports()} - OUTSIDE))
def test_rooms_have_no_cycles(room: str) -> None:
    """Within a room modules can be read in some order, each after what it uses."""
    modules = {module for module in imports() if room_of(module) == room}
    graph: dict[str, set[str]] = {}
    for module in modules:
        used = {name if name in modules else name.rpartition(".")[0] for name in inner(module)}
        graph[module] = (used & modules) - {module}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other in a circle: {error.args[1]}")


def test_errors_import_nothing_but_the_standard_library() -> None:
    """Errors and settings can be used before anything is installed."""
    assert inner("errors") == set()
    assert {room_of(name) for name in inner("settings")} == {"errors"}
    assert not {name.partition(".")[0] for name in imports()["settings"]} & {"numpy", *ONE_DOOR, *ONE_ROOM}


def test_foreign_packages_have_one_door() -> None:
    """A package that may be absent or replaced is imported by exactly one file."""
    doors: dict[str, list[str]] = defaultdict(list)
    for module, names in imports().items():
        for package in {name.partition(".")[0] for name in names} & set(ONE_DOOR):
            if module not in SEVERAL_DOORS.get(package, ()):
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
