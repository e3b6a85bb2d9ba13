"""`lexprint evaluate human-sheet` and `human-score`, on fakes."""

import json
import re
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from lexprint.testing import fake_text


@pytest.fixture
def sheet(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sheet of two schemes, made of a novel of the fakes' words."""
    (folder / "data" / "novels").mkdir(parents=True)
    (folder / "data" / "novels" / "dracula.txt").write_text(fake_text(words=600, seed=1))
    monkeypatch.setenv("LEXPRINT_DATA", str(folder / "data"))
    arguments = ("--schemes", "paper,lexprint", "--pairs", 3, "--unmarked", 1, "--sentences", 30, "--output", "out")
    done = run("evaluate", "human-sheet", *arguments)
    assert done.code == 0, done.errors
    assert "key.json, which they must not see" in done.errors
    return Path("out")


def test_from_sheet_to_scores(run: Run, sheet: Path) -> None:
    """What two raters answer comes back by scheme."""
    assert sorted(path.name for path in sheet.iterdir()) == ["key.json", "sheet.html"]
    key = json.loads((sheet / "key.json").read_bytes())
    assert not set(re.findall(r"[a-z]+", (sheet / "sheet.html").read_text().lower())) & {"paper", "lexprint", "dracula"}
    for rater in "AB":
        answers: dict[str, object] = {
            pair["id"]: {"meaning": 5 if pair["scheme"] == "paper" else 2, "naturalness": 4, "words": []}
            for pair in key["pairs"]
        }
        content = {"format": "sentence ratings 1", "sheet": key["id"], "rater": rater, "answers": answers}
        Path(f"{rater}.json").write_text(json.dumps(content))
    done = run("evaluate", "human-score", sheet / "key.json", "A.json", "B.json", "--json")
    scores = {one["scheme"]: one for one in json.loads(done.output)["schemes"]}
    assert scores["paper"]["meaning"] == {"mean": 5.0, "low": 5.0, "high": 5.0}
    assert (scores["lexprint"]["meaning"]["mean"], scores["lexprint"]["ratings"]) == (2.0, 6)
    table = run("evaluate", "human-score", sheet / "key.json", "A.json", "B.json").text
    assert "5.00 [5.00, 5.00]" in table
    assert "meaning 1.00" in table


def test_refusals(run: Run, sheet: Path) -> None:
    """One sentence for what cannot be scored."""
    Path("bad.json").write_text("{")
    assert run("evaluate", "human-score", sheet / "key.json", "bad.json").is_refusal(2, "bad.json", "not JSON")
    assert run("evaluate", "human-score", "bad.json", "bad.json").is_refusal(2, "bad.json", "human-sheet")
    assert run("evaluate", "human-score", sheet / "key.json", "none.json").is_refusal(2, "none.json", "not there")
    assert run("evaluate", "human-sheet", "--schemes", "paper", "--pairs", 999).is_refusal(2, "fewer --pairs")
