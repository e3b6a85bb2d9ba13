"""What the modules of a package import, read from their sources."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path


@cache
def imports_of(package: Path) -> Mapping[str, frozenset[str]]:
    """Every module of the package, with the full names of what it imports anywhere in its body."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
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


def inner(package: Path, module: str) -> set[str]:
    """What a module imports from its own package, without the package's name; `__version__` is for all."""
    prefix = f"{package.name}."
    names = {name.removeprefix(prefix) for name in imports_of(package)[module] if name.startswith(prefix)}
    return names - {"__version__"}


def room_of(name: str) -> str:
    return name.partition(".")[0]


def circle_among(package: Path, modules: set[str]) -> list[str] | None:
    """Modules that import each other in a circle; None: each can be read after what it uses."""
    graph: dict[str, set[str]] = {}
    for module in modules:
        used = {name if name in modules else name.rpartition(".")[0] for name in inner(package, module)}
        graph[module] = (used & modules) - {module}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None
