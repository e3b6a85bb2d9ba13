"""`lexprint substitutes`, as a user meets it: through the console, with the shipped models."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run

SENTENCE = "He watches his favorite show every night."


def lexprint(*arguments: str) -> subprocess.CompletedProcess[str]:
    """As a process of its own, which loads the models itself."""
    return subprocess.run([sys.executable, "-m", "lexprint", *arguments], capture_output=True, text=True, check=False)


def test_a_ranked_table() -> None:
    """The sentence, the word itself, and substitutes with both figures."""
    done = lexprint("substitutes", "They bought a large house.", "--word", "large", "--top", "3")
    assert done.returncode == 0, done.stderr
    assert "large (itself)" in done.stdout
    assert "SR" in done.stdout
    assert "masked LM" in done.stdout


def test_json_for_machines(run_shipped: Run) -> None:
    """The same as JSON, in the paper's profile best entailed first, with the fingerprint."""
    options = ("--word", "favorite", "--json", "--top", "5", "--profile", "paper")
    found = json.loads(run_shipped("substitutes", "-", *options, given=SENTENCE.encode()).output)
    ranked = [one["entailment"] for one in found["substitutes"]]
    assert len(ranked) == 5
    assert ranked == sorted(ranked, reverse=True)
    assert found["word"] == "favorite"
    assert len(found["fingerprint"]) == 16


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["substitutes", "", "--word", "x"], "the text is empty"),
        (["substitutes", " \n\t", "--word", "x"], "the text is empty"),
        (["substitutes", SENTENCE, "--word", "elephant"], "does not stand in the text"),
        (["substitutes", SENTENCE, "--word", ""], "no word was given"),
        (["substitutes", SENTENCE, "--word", "his"], "function word"),
        (["substitutes", SENTENCE, "--word", "He"], "lower case"),
        (["substitutes", "He saw the gruffalo there.", "--word", "gruffalo"], "vocabulary"),
        (["substitutes", SENTENCE, "--word", "favorite", "--occurrence", "2"], "stands once"),
        (["substitutes", "\x00\x07\x1b[31m\x7f", "--word", "x"], "does not stand in the text"),
        (["evaluate", "swords", "--data", "no-such-folder"], "does not exist"),
    ],
)
def test_bad_input_is_one_sentence(run_shipped: Run, arguments: list[str], message: str) -> None:
    """Any usage error gives one line that says what is needed, and exit code 2."""
    if "\x00" in arguments[1]:
        done = run_shipped(arguments[0], "-", *arguments[2:], given=arguments[1].encode())
    else:
        done = run_shipped(*arguments)
    assert done.is_refusal(2, message)


def test_a_line_of_a_megabyte(run_shipped: Run) -> None:
    """A monstrous line is answered, not refused."""
    line = b"word " * 200_000 + b"and the large house."
    done = run_shipped("substitutes", "-", "--word", "large", "--top", "1", "--json", given=line)
    assert done.code == 0, done.errors


def test_input_that_is_no_text(run_shipped: Run) -> None:
    """Bytes that are not UTF-8 are refused with exit code 2."""
    done = run_shipped("substitutes", "-", "--word", "large", given=b"\xff\xfe\x00large")
    assert done.is_refusal(2, "UTF-8")


def test_a_damaged_installation(tmp_path: Path) -> None:
    """A damaged weight file gives one sentence and exit code 3."""
    import lexprint as package

    copy = tmp_path / "lexprint"
    shutil.copytree(Path(package.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    weights = copy / "models" / "weights" / "entailment.npz"
    weights.write_bytes(weights.read_bytes()[:-1])
    command = [sys.executable, "-m", "lexprint", "substitutes", SENTENCE, "--word", "favorite"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(tmp_path)}
    )
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "entailment.npz" in done.stderr
    assert "pip install" in done.stderr


def test_usage_errors_exit_with_two() -> None:
    """A missing option is typer's own message."""
    assert lexprint("substitutes", SENTENCE).returncode == 2


def test_version() -> None:
    """The version is printed."""
    assert lexprint("--version").stdout.startswith("lexprint 0.")
