"""The documentation says what the program does."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from lexprint.cli import app
from lexprint.engine import Engine

DOCS = Path(__file__).parent.parent / "docs"


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        yield (*path, name), command
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))


COMMANDS = dict(commands(typer.main.get_command(app)))


def test_the_command_line_reference_is_current() -> None:
    """docs/cli.md is what the commands' own help says; `make docs` writes it."""
    current: str = runpy.run_path(str(DOCS / "build.py"))["cli_reference"]()
    assert (DOCS / "cli.md").read_text("utf-8") == current, "run: make docs"
    assert {("embed",), ("doctor",), ("report", "verify")} <= set(COMMANDS)
    for path in COMMANDS:
        assert f"# `lexprint {' '.join(path)}`\n" in current


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_tests_that_are_linked_exist(page: Path) -> None:
    """A claim that names its test must not outlive it."""
    for name, target in re.findall(r"\[(test_\w+)\]\(([^)#]+\.py)\)", page.read_text("utf-8")):
        source = (DOCS / target).read_text("utf-8")
        assert f"def {name}(" in source or Path(target).stem == name, f"{page.name}: {target} has no {name}"


def test_every_attack_is_in_the_threat_model() -> None:
    """No file of attacks that docs/threats.md does not speak of."""
    page = (DOCS / "threats.md").read_text("utf-8")
    files = (DOCS.parent / "tests" / "adversaries").glob("test_*.py")
    assert [path.name for path in files if f"adversaries/{path.name}" not in page] == []


def test_the_leaderboard_is_current() -> None:
    """docs/leaderboard.md is made of the results in docs/tables; `make docs` writes it."""
    current: str = runpy.run_path(str(DOCS / "build.py"))["leaderboard_page"]()
    assert (DOCS / "leaderboard.md").read_text("utf-8") == current, "run: make docs"
    for table in {*(DOCS / "tables").glob("*.json")} - {DOCS / "tables" / "bench-history.json"}:
        assert f"| {table.stem} " in current


def test_pages_are_written_one_by_one(tmp_path: Path) -> None:
    """Only those that are named; one that is not generated is refused with the names of those that are."""
    build = runpy.run_path(str(DOCS / "build.py"))
    write = build["main"]
    write.__globals__["HERE"] = tmp_path
    (tmp_path / "figures.py").write_text("", "utf-8")
    write("cli")
    assert [path.name for path in tmp_path.glob("*.md")] == ["cli.md"]
    with pytest.raises(SystemExit, match="no generated page tutorial; needed: some of leaderboard, cli, substitutes"):
        write("tutorial")


def test_tables_of_other_models_are_refused(tmp_path: Path) -> None:
    """A table says the fingerprint of the shipped models under some profile, or `make docs` fails and says what to type."""
    figures = runpy.run_path(str(DOCS / "figures.py"))
    shipped = Engine().fingerprint
    tables = {"fresh": {"fingerprint": shipped}, "old": {"fingerprint": "0" * 16, "date": "2020-01-01"}, "bare": {}}
    for name, result in tables.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(result), "utf-8")
    (tmp_path / "bench-history.json").write_text("[]", "utf-8")
    stale = figures["stale_tables"](tmp_path)
    assert sorted(stale) == ["bare", "old"]
    complaint = figures["complaint"](stale)
    assert "old.json has the fingerprint 0000000000000000, measured 2020-01-01" in complaint
    assert shipped in complaint
    assert complaint.endswith("run: make figures DATA=FOLDER")


def test_figures_that_are_there_are_not_measured_again(tmp_path: Path) -> None:
    """The same command and shipped models; anything else is measured anew."""
    is_measured = runpy.run_path(str(DOCS / "figures.py"))["is_measured"]

    def said(command: str, fingerprint: str) -> bool:
        content = {"command": f"lexprint evaluate {command}", "fingerprint": fingerprint}
        (tmp_path / "swords.json").write_text(json.dumps(content), "utf-8")
        return bool(is_measured("swords", ("swords", "--split", "dev"), tmp_path))

    shipped = Engine().fingerprint
    assert said("swords --data FOLDER --split dev", shipped)
    assert not said("swords --data FOLDER --split dev", "0" * 16)
    assert not said("swords --data FOLDER --split dev --limit 5", shipped)
    assert not said("swords --data FOLDER", shipped)
    assert not is_measured("nothing", ("swords",), tmp_path)
    spaced = {"command": "lexprint evaluate attacks --data FOLDER --attacks 'a b'", "fingerprint": shipped}
    (tmp_path / "attacks.json").write_text(json.dumps(spaced), "utf-8")
    assert is_measured("attacks", ("attacks", "--attacks", "a b"), tmp_path)


def test_figures_are_commands_that_exist() -> None:
    """Every table is measured by a command with options that it has; every table of the docs is measured by one."""
    figures = runpy.run_path(str(DOCS / "figures.py"))
    for name, (command, *options) in figures["FIGURES"].items():
        known = {option for parameter in COMMANDS["evaluate", command].params for option in parameter.opts}
        assert {option for option in options if option.startswith("--")} <= known, name
    assert {"watermark-paper", "watermark-literal"} <= set(figures["FIGURES"])
    made = {*figures["FIGURES"], *figures["OF_BENCHMARKS"], figures["HISTORY"]}
    assert {path.stem for path in (DOCS / "tables").glob("*.json")} <= made


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(path: tuple[str, ...]) -> None:
    """A sentence for the command, and one for each of its arguments and options."""
    command = COMMANDS[path]
    told = [command.help, *(parameter.help for parameter in command.params)]
    assert all(told), "something has no help"
    assert [text for text in told if not text.rstrip().endswith(".")] == []


def lexprint(*arguments: str, **variables: str) -> str:
    """Standard output of the command under its own name, by which completion knows it."""
    program = "import sys; from lexprint.cli import main; sys.argv[0] = 'lexprint'; main()"
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | variables,
    )
    return finished.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_are_offered_completion(shell: str) -> None:
    """A script that asks lexprint itself."""
    script = lexprint("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "_LEXPRINT_COMPLETE" in script


def test_completion_knows_commands_and_options() -> None:
    """What the script is answered."""

    def completed(line: str, word: int) -> list[str]:
        variables = {"_LEXPRINT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(word)}
        return lexprint(**variables).split()

    assert completed("lexprint ca", 1) == ["capacity"]
    assert "--payload" in completed("lexprint embed --pay", 2)
    assert "verify" in completed("lexprint report ", 2)


def dockerfile() -> list[tuple[str, str]]:
    """Its instructions, lines that go on joined."""
    lines = (DOCS / "examples" / "Dockerfile").read_text("utf-8").replace("\\\n", " ").splitlines()
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines if line and not line.startswith("#")]


def test_the_dockerfile_names_what_there_is() -> None:
    """What it copies is there and is sent to the build; extras and options exist."""
    steps = dockerfile()
    root = DOCS.parent
    copied = [name for step, words in steps if step == "COPY" for name in words.split()[:-1]]
    sent = (DOCS / "examples" / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {project["readme"], *project["license-files"], "pyproject.toml", "src"}
    assert set(copied) == needed
    assert {line[1:] for line in sent if line.startswith("!")} == needed
    assert "*" in sent
    assert all((root / name).exists() for name in copied)
    extras = next(re.findall(r"whl\)\[([a-z,]+)\]", words)[0] for step, words in steps if "pip install" in words)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    command, *options = json.loads(dict(steps)["CMD"])
    known = {
        option for parameter in COMMANDS[(command,)].params for option in [*parameter.opts, *parameter.secondary_opts]
    }
    assert {option for option in options if option.startswith("--")} <= known
    assert dict(steps)["USER"] != "root"


@pytest.mark.slow
def test_the_dockerfile_builds(tmp_path: Path) -> None:
    """Its first stage, run on what it copies alone, makes a wheel with the models and the page in it."""
    (tmp_path / "source").mkdir()
    for step, words in dockerfile():
        if step == "COPY":
            *names, _ = words.split()
            for name in names:
                source, target = DOCS.parent / name, tmp_path / "source" / name
                shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    build = next(words for step, words in dockerfile() if step == "RUN" and "pip wheel" in words)
    command = build.replace("/wheels", str(tmp_path / "wheels")).split()
    subprocess.run([sys.executable, "-m", *command], cwd=tmp_path / "source", check=True, capture_output=True)
    (wheel,) = (tmp_path / "wheels").glob("lexprint-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    assert {
        "lexprint/models/weights/manifest.json",
        "lexprint/server/page/index.html",
        "lexprint/cli/serve.py",
    } <= packed
