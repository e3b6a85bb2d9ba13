"""`lexprint evaluate attacks`, on fakes."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import PowerCut, Run

from lexprint.testing import fake_text
from lexprint_evaluation import robustness

QUICK = ("--words", 100, "--recipients", 20, "--schemes", "paper,registered", "--attacks", "untouched,crop")


@pytest.fixture
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder / "data" / "novels").mkdir(parents=True)
    (folder / "data" / "novels" / "dracula.txt").write_text(fake_text(words=400, seed=1))
    monkeypatch.setenv("LEXPRINT_DATA", str(folder / "data"))
    return folder / "data"


def test_a_table_of_schemes_and_attacks(run: Run, data: Path) -> None:
    """Each attack with each strength; both forms and the plot are written, the same for the same seed."""
    done = run("evaluate", "attacks", *QUICK, "--output", "out")
    assert done.code == 0, done.errors
    assert "innocent was accused: 0 of 8" in done.text
    result = json.loads(Path("out/attacks.json").read_bytes())
    assert len(result["rows"]) == 2 * (1 + 3)
    assert result["rows"][0]["bit_error_rate"] == 0.0
    assert sorted(path.name for path in Path("out").iterdir()) == ["attacks.json", "attacks.md", "attacks.svg"]
    assert run("evaluate", "attacks", *QUICK).text == done.text


def test_a_run_that_was_cut_goes_on(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaks that were read are not read again, and the table is the same as without a break."""
    leaks = 2 * (1 + 3)
    with monkeypatch.context() as power:
        power.setattr(robustness, "leak_and_read", PowerCut(robustness.leak_and_read, after=5))
        assert run("evaluate", "attacks", *QUICK, "--output", "out").code == 130
    assert not Path("out/attacks.json").exists()
    rest = PowerCut(robustness.leak_and_read, after=leaks - 5)
    with monkeypatch.context() as power:
        power.setattr(robustness, "leak_and_read", rest)
        resumed = run("evaluate", "attacks", *QUICK, "--output", "out")
    assert (resumed.code, rest.calls) == (0, leaks - 5)
    assert sorted(path.name for path in Path("out").iterdir()) == ["attacks.json", "attacks.md", "attacks.svg"]
    assert resumed.text == run("evaluate", "attacks", *QUICK).text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--words", "200", "--attacks", "burning", "--schemes", "paper"], ["burning", "deletion"]),
        (["--words", "200", "--schemes", "magic"], ["magic"]),
        (["--words", "90000", "--schemes", "paper"], ["--words"]),
    ],
)
def test_bad_input_is_one_sentence(run: Run, data: Path, arguments: list[str], words: list[str]) -> None:
    """Known before anything is measured."""
    assert run("evaluate", "attacks", *arguments).is_refusal(2, *words)
