"""`lexprint evaluate twins` on fakes."""

import json
from pathlib import Path

from tests.cli.conftest import Run

from lexprint.testing import fake_text


def test_the_table_is_written(run: Run, folder: Path) -> None:
    """With fingerprint, date and command; too few texts are refused."""
    (folder / "data" / "novels").mkdir(parents=True)
    (folder / "data" / "novels" / "a.txt").write_text(fake_text(words=900, seed=1), "utf-8")
    options = ("--data", folder / "data", "--words", 60, "--schemes", "blind")
    done = run("evaluate", "twins", *options, "--pairs", 10, "--output", folder / "out")
    assert done.code == 0, done.errors
    result = json.loads((folder / "out" / "twins.json").read_bytes())
    assert result["rows"][0]["pairs"] == 10
    assert result["rows"][0]["changed"] > 0
    assert {"fingerprint", "date", "command"} <= set(result)
    assert run("evaluate", "twins", *options[:2], "--words", 500).is_refusal(2, "ten texts")
