"""`lexprint substitutes`, as a user meets it: through the console, with the shipped models."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SENTENCE = "He watches his favorite show every night."


def lexprint(*arguments: str, text: str | bytes = "") -> subprocess.CompletedProcess[str]:
    given = text.encode() if isinstance(text, str) else text
    done = subprocess.run([sys.executable, "-m", "lexprint", *arguments], input=given, capture_output=True, check=False)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_a_ranked_table() -> None:
    """The sentence, the word itself, and substitutes with both figures."""
    done = lexprint("substitutes", SENTENCE, "--word", "favorite", "--top", "3")
    assert done.returncode == 0, done.stderr
    assert "favorite (itself)" in done.stdout
    assert "SR" in done.stdout
    assert "masked LM" in done.stdout


def test_json_for_machines() -> None:
    """The same as JSON, in the paper's profile best entailed first, with the fingerprint."""
    done = lexprint(
        "substitutes", "-", "--word", "favorite", "--json", "--top", "5", "--profile", "paper", text=SENTENCE
    )
    found = json.loads(done.stdout)
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
def test_bad_input_is_one_sentence(arguments: list[str], message: str) -> None:
    """Any usage error gives one line that says what is needed, and exit code 2."""
    if "\x00" in arguments[1]:
        done = lexprint(arguments[0], "-", *arguments[2:], text=arguments[1])
    else:
        done = lexprint(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.startswith("lexprint: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_a_line_of_a_megabyte() -> None:
    """A monstrous line is answered, not refused."""
    line = "word " * 200_000 + "and the large house."
    done = lexprint("substitutes", "-", "--word", "large", "--top", "1", "--json", text=line)
    assert done.returncode == 0, done.stderr


def test_input_that_is_no_text() -> None:
    """Bytes that are not UTF-8 are refused with exit code 2."""
    done = lexprint("substitutes", "-", "--word", "large", text=b"\xff\xfe\x00large")
    assert done.returncode == 2
    assert "UTF-8" in done.stderr
    assert "Traceback" not in done.stderr


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
