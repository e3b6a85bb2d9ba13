"""`lexprint evaluate acceptance` and `reading-sheet`, on fakes."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import PowerCut, Run

from lexprint.testing import fake_families, fake_text
from lexprint_evaluation import acceptance


@pytest.fixture
def judged(folder: Path) -> Path:
    """Words of the fakes; members of a family are good, others bad."""
    families = fake_families()[:12]
    rows = [
        {
            "left": f"He saw the {other[0]} and the ",
            "word": family[0],
            "right": " of it.",
            "judged": {family[1]: 2, family[2]: 1, other[1]: 0, other[2]: 0},
        }
        for family, other in zip(families, [*families[1:], families[0]], strict=True)
    ]
    (folder / "data" / "judgements").mkdir(parents=True)
    (folder / "data" / "judgements" / "dev.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder / "data"


def test_acceptance_of_judged_words(run: Run, judged: Path) -> None:
    """Three figures on top of the JSON, tables and a picture beside it, all candidates counted."""
    done = run("evaluate", "acceptance", "--data", judged, "--output", "out", "--json")
    assert done.code == 0, done.errors
    result = json.loads(done.output)
    assert result == json.loads(Path("out/acceptance.json").read_bytes())
    assert result["auc_acceptable"] > 0.8
    assert result["auc_good"] > 0.5
    assert result["top5_acceptable"] == 1.0
    assert (result["words"], result["candidates"], result["weighed"]) == (12, 48, 20)
    assert sum(one["candidates"] for one in result["bins"]) == 48
    assert {path.name for path in Path("out").iterdir()} >= {"acceptance.json", "acceptance.md"}
    assert "SR, forward" in Path("out/acceptance.md").read_text()


def test_acceptance_that_was_cut_goes_on(run: Run, judged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was looked at before is not looked at again, and the figures are those of a whole run."""
    monkeypatch.setattr(acceptance, "BLOCK", 8)
    asked, look = ("evaluate", "acceptance", "--data", judged, "--output", "out"), acceptance.look
    with monkeypatch.context() as power:
        power.setattr(acceptance, "look", PowerCut(look, after=1))
        assert run(*asked).code == 130
    rest = PowerCut(look, after=1)
    with monkeypatch.context() as power:
        power.setattr(acceptance, "look", rest)
        assert (run(*asked).code, rest.calls) == (0, 1)
    whole = json.loads(run("evaluate", "acceptance", "--data", judged, "--json").output)
    assert json.loads(Path("out/acceptance.json").read_bytes()) == whole
    assert not list(Path("out").glob("*.partial*"))


def test_acceptance_without_judgements(run: Run, judged: Path) -> None:
    """It says which file is not there."""
    assert run("evaluate", "acceptance", "--data", judged, "--split", "test").is_refusal(2, "test.jsonl")


@pytest.fixture
def tale(folder: Path) -> Path:
    (folder / "tale.txt").write_text(fake_text(words=150, seed=4))
    return folder / "tale.txt"


def test_from_sheet_to_scores(run: Run, tale: Path) -> None:
    """All schemes in one sheet, a key beside it, and verdicts by scheme."""
    done = run("evaluate", "reading-sheet", tale, "--rivals", "awt", "--controls", 3, "--out", "sheet.jsonl")
    assert done.code == 0, done.errors
    assert "sheet.key.json, which they must not see" in done.errors
    assert "left out: awt" in done.errors
    key = json.loads(Path("sheet.key.json").read_bytes())
    assert set(key["schemes"]) == {"issued, lexprint", "issued, dense", "blind, lexprint"}
    rows = [json.loads(line) for line in Path("sheet.jsonl").read_text().splitlines()]
    assert {row["id"] for row in rows} == set(key["lines"])
    for row in rows:
        row["judged"] = dict.fromkeys(row["candidates"], 2)
    Path("back.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = run("evaluate", "reading-sheet", "--score", "back.jsonl", "sheet.key.json", "--json")
    scores = {one["scheme"]: one for one in json.loads(done.output)["schemes"]}
    assert scores["kept"]["judged"] == 3
    assert scores["issued, lexprint"]["good"]["mean"] == 1.0
    assert "| issued, dense" in run("evaluate", "reading-sheet", "--score", "back.jsonl", "sheet.key.json").text


def test_refusals(run: Run, tale: Path) -> None:
    """One sentence each."""
    assert run("evaluate", "reading-sheet", tale).is_refusal(2, "--out")
    assert run("evaluate", "reading-sheet", tale, "--out", "s", "--rivals", "nobody").is_refusal(2, "nobody")
    assert run("evaluate", "reading-sheet", "--score", tale).is_refusal(2, "1 file")
    assert run("evaluate", "reading-sheet", "--score", tale, tale).is_refusal(2, "tale.txt", "not JSON")
