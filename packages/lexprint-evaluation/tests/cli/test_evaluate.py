"""`lexprint evaluate watermark` and `tracing`, on fakes and data of the test's own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import PowerCut, Run

from lexprint.errors import InputError
from lexprint.testing import fake_text
from lexprint_evaluation import tracing, watermark
from lexprint_evaluation.attack_table import ON_TRACING
from lexprint_evaluation.watermark import Row


@pytest.fixture
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two novels of the fakes' words, named by the environment."""
    (folder / "data" / "novels").mkdir(parents=True)
    for seed, name in enumerate(("dracula", "other_tale")):
        (folder / "data" / "novels" / f"{name}.txt").write_text(fake_text(words=500, seed=seed))
    monkeypatch.setenv("LEXPRINT_DATA", str(folder / "data"))
    return folder / "data"


def test_a_table_beside_the_papers(run: Run, data: Path) -> None:
    """One line for each set and gap, and the means; bit error rate 0."""
    done = run("evaluate", "watermark", "--sentences", 8, "--gap", "1,2", "--examples", 2, "--disturb")
    assert done.code == 0, done.errors
    lines = done.text.splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:8]] == [
        "Dracula",
        "Other Tale",
        "Dracula",
        "Other Tale",
        "mean",
        "mean",
    ]
    assert all(line.split("|")[6].strip() == "0.0000" for line in lines[2:8])
    assert "0.819" in lines[2]
    assert "NBSP" in done.text
    assert "### Dracula, f = 2" in done.text
    assert "seed 1" in done.errors


def test_both_forms_are_written(run: Run, data: Path) -> None:
    """JSON for machines, Markdown for people, the same figures on standard output."""
    done = run("evaluate", "watermark", "--sentences", 5, "--sets", "dracula", "--output", "out/deep", "--json")
    result = json.loads(done.output)
    assert result == json.loads(Path("out/deep/watermark.json").read_bytes())
    assert Path("out/deep/watermark.md").read_text().startswith("| set")
    (row,) = result["rows"]
    assert (row["title"], row["sentences"], row["bit_errors"]) == ("Dracula", 5, 0)


def test_a_run_that_was_cut_goes_on(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was measured before is not measured again, and nothing but the tables stays."""
    measure, measured = watermark.measure, [0]

    def measure_until(most: int) -> Callable[..., Row]:
        def counted(*arguments: Any, **options: Any) -> Row:
            if measured[0] == most:
                raise InputError("the power went out", needed="another try")
            measured[0] += 1
            return measure(*arguments, **options)

        return counted

    asked = ("evaluate", "watermark", "--sentences", 5, "--output", "out")
    monkeypatch.setattr(watermark, "measure", measure_until(1))
    assert run(*asked).code == 2
    monkeypatch.setattr(watermark, "measure", measure_until(2))  # one set before, one now
    assert run(*asked).code == 0
    assert {path.name for path in Path("out").iterdir()} == {"watermark.json", "watermark.md", "watermark.svg"}


def test_payloads_of_the_first_texts(run: Run, data: Path) -> None:
    """Texts are chosen as for the whole, the first of them are measured, each under so many keys."""
    asked = ("evaluate", "payload", "--sets", "dracula", "--words", 100, "--bits", 2, "--keys", 4, "--json")
    done = run(*asked, "--documents", 3, "--only-first", 2, "--marks", 3, "--false-positive", 0.1, "--output", "out")
    assert done.code == 0, done.errors
    result = json.loads(done.output)
    assert (result["texts"], result["marks"], result["other_keys"]["readings"]) == (2, 3, 4)
    trials = {row["attack"]: row["trials"] for row in result["rows"]}
    assert trials.pop("untouched") == 6
    assert set(trials.values()) == {2}
    assert [path.name for path in sorted(Path("out").glob("payload*"))] == ["payload.json", "payload.md"]


TRACING = ("--documents", 1, "--words", 60, "--trials", 1, "--mixes", 1, "--never-issued", 5, "--recipients", 20)


@pytest.mark.parametrize(("step", "steps"), [("master_of", 2), ("attack_rows", len(ON_TRACING)), ("collusion_rows", 1)])
def test_tracing_that_was_cut_goes_on(
    run: Run, data: Path, monkeypatch: pytest.MonkeyPatch, step: str, steps: int
) -> None:
    """Whatever it was cut at, what was done before is not done again, and the figures are those of a whole run."""
    asked, do = ("evaluate", "tracing", *TRACING, "--output", "out"), getattr(tracing, step)
    with monkeypatch.context() as power:
        power.setattr(tracing, step, PowerCut(do, after=steps - 1))
        assert run(*asked).code == 130
    assert not Path("out/tracing.json").exists()
    rest = PowerCut(do, after=1)
    with monkeypatch.context() as power:
        power.setattr(tracing, step, rest)
        assert (run(*asked).code, rest.calls) == (0, 1)
    assert {path.name for path in Path("out").iterdir()} == {"tracing.json", "tracing.md", "tracing.svg"}
    resumed = json.loads(Path("out/tracing.json").read_bytes())
    whole = json.loads(run("evaluate", "tracing", *TRACING, "--json").output)
    for row in (*resumed["attacks"], *whole["attacks"]):
        row.pop("seconds")
    assert resumed == whole


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--data", "nowhere"], ["nowhere does not exist"]),
        (["--sets", "dracula,frankenstein"], ["frankenstein"]),
        (["--gap", "one"], ["whole numbers"]),
        (["--gap", "0"], ["positive"]),
        (["--gap", ","], ["positive"]),
        (["--sentences", "2", "--output", "in.txt"], ["in.txt"]),
    ],
)
def test_bad_input_is_one_sentence(run: Run, data: Path, arguments: list[str], words: list[str]) -> None:
    """Exit code 2 for usage errors."""
    assert run("evaluate", "watermark", *arguments).is_refusal(2, *words)


def test_without_data_it_says_what_to_get(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder is named anywhere."""
    monkeypatch.delenv("LEXPRINT_DATA", raising=False)
    assert run("evaluate", "watermark").is_refusal(2, "--data FOLDER")
