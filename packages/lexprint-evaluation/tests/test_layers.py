"""Who may import whom in the distribution that measures: commands see experiments, experiments see the core's rooms."""

from collections import defaultdict
from pathlib import Path

import pytest
from tests.imports import circle_among, imports_of, inner, room_of

PACKAGE = Path(__file__).parent.parent / "src" / "lexprint_evaluation"
MODULES = imports_of(PACKAGE)

# Rooms of the core that only commands see, and rooms that nobody here sees.
FOR_COMMANDS = {"cli"}
FOR_NOBODY = {"client", "server"}

# Foreign packages that only one file may import.
ONE_DOOR = """
    gguf lemminflect markdown_it matplotlib nltk onnx onnxruntime quire_grammar rapidfuzz safetensors scipy sqlalchemy tokenizers torch
    transformers wn wordfreq
""".split()


@pytest.mark.parametrize("module", MODULES)
def test_experiments_know_no_commands(module: str) -> None:
    """Only the room `cli` prints, and it alone uses the core's command line."""
    core = {name.split(".")[1] for name in MODULES[module] if name.startswith("lexprint.")}
    assert core & FOR_NOBODY == set()
    if room_of(module) != "cli":
        assert core & FOR_COMMANDS == set()
        assert {name for name in inner(PACKAGE, module) if room_of(name) == "cli"} == set()
        assert {name.partition(".")[0] for name in MODULES[module]} & {"rich", "typer"} == set()


def test_modules_have_no_cycles() -> None:
    """Modules can be read in some order, each after what it uses."""
    assert circle_among(PACKAGE, set(MODULES)) is None


def test_foreign_packages_have_one_door() -> None:
    """A package that may be absent or replaced is imported by exactly one file."""
    doors: dict[str, list[str]] = defaultdict(list)
    for module, names in MODULES.items():
        for package in {name.partition(".")[0] for name in names} & set(ONE_DOOR):
            doors[package].append(module)
    assert {package: modules for package, modules in doors.items() if len(modules) > 1} == {}
