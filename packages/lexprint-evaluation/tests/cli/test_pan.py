"""`lexprint evaluate pan` on fakes."""

import json
from pathlib import Path

from tests.cli.conftest import Run

from lexprint.testing import fake_text


def test_the_table_says_what_it_is_of(run: Run, folder: Path) -> None:
    """Fingerprint, date, command, texts; the table and its JSON are written."""
    (folder / "data" / "pan").mkdir(parents=True)
    rows = [{"id": str(seed), "text": fake_text(words=120, seed=seed)} for seed in range(3)]
    (folder / "data" / "pan" / "some.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    options = ("--data", folder / "data", "--output", folder / "out", "--attacks", "untouched,shuffle", "--limit", 2)
    done = run("evaluate", "pan", *options)
    assert done.code == 0, done.errors
    result = json.loads((folder / "out" / "pan.json").read_bytes())
    assert {"fingerprint", "date", "command", "score", "balanced_accuracy"} <= set(result)
    assert result["command"] == "lexprint evaluate pan --data FOLDER --limit 2 --attacks untouched,shuffle"
    assert (result["texts"], [row["attack"] for row in result["rows"]]) == (2, ["untouched", "shuffle"])
    assert 0 < result["bert_score"] <= 1
    assert result["bert_score_model"] in (folder / "out" / "pan.md").read_text("utf-8")
    assert run("evaluate", "pan", *options[:2], "--longest", 5).is_refusal(2, "--longest")
