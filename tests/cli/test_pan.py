"""`lexprint pan`: the organisers' formats."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

from lexprint.testing import fake_text


@pytest.fixture
def texts(folder: Path) -> Path:
    """A folder of two files with four rows."""
    rows = [{"id": f"t{seed}", "text": fake_text(words=250, seed=seed)} for seed in range(4)]
    (folder / "in").mkdir()
    for name, some in (("a.jsonl", rows[:3]), ("b.jsonl", rows[3:])):
        (folder / "in" / name).write_text("".join(f"{json.dumps(row)}\n" for row in some), "utf-8")
    return folder / "in"


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_marked_rows_are_told_from_others(run: Run, texts: Path, folder: Path) -> None:
    """Same ids and fields in the same order; labels are exactly 0.0 and 1.0; no text in what is detected."""
    assert run("pan", "watermark", texts, folder / "marked").code == 0
    (file,) = (folder / "marked").iterdir()
    originals = [row for name in ("a.jsonl", "b.jsonl") for row in rows_of(texts / name)]
    marked = rows_of(file)
    assert [list(row) for row in marked] == [["id", "text"]] * 4
    assert [row["id"] for row in marked] == [row["id"] for row in originals]
    assert all(one["text"] != other["text"] for one, other in zip(marked, originals, strict=True))
    mixed = [*marked, *({**row, "id": f"plain {row['id']}"} for row in originals)]
    (folder / "mixed").mkdir()
    (folder / "mixed" / "all.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in mixed), "utf-8")
    assert run("pan", "detect", folder / "mixed", folder / "labels").code == 0
    (file,) = (folder / "labels").iterdir()
    found = rows_of(file)
    assert [row["id"] for row in found] == [row["id"] for row in mixed]
    assert [list(row) for row in found] == [["id", "label"]] * 8
    assert [row["label"] for row in found[:4]] == [1.0] * 4
    assert '"label": 1.0}' in file.read_text("utf-8")
    assert sum(row["label"] for row in found[4:]) <= 1.0


def test_one_file_and_a_key_of_ones_own(run: Run, texts: Path, folder: Path) -> None:
    """Files may be named; what one key has marked another does not see."""
    assert run("key", "new", folder / "mine.key").code == 0
    assert run("pan", "watermark", texts / "a.jsonl", folder / "out.jsonl", "--key", folder / "mine.key").code == 0
    labels = {}
    for name, options in {"mine": ("--key", folder / "mine.key"), "public": ()}.items():
        assert run("pan", "detect", folder / "out.jsonl", folder / f"{name}.jsonl", *options).code == 0
        labels[name] = sum(row["label"] for row in rows_of(folder / f"{name}.jsonl"))
    assert labels["mine"] == 3.0
    assert labels["public"] < 3.0


@pytest.mark.parametrize("line", ["nonsense", "[1]", '{"id": "1"}', '{"text": "a"}', '{"id": "1", "text": 7}'])
def test_wrong_rows_are_named(run: Run, folder: Path, line: str) -> None:
    """File and line, and nothing is written."""
    (folder / "rows.jsonl").write_text('{"id": "0", "text": "A row."}\n\n' + line + "\n", "utf-8")
    done = run("pan", "watermark", folder / "rows.jsonl", folder / "out")
    assert done.is_refusal(2, "rows.jsonl, line 3", '"text"')
    assert not (folder / "out").exists()


def test_an_empty_folder_is_refused(run: Run, folder: Path) -> None:
    """One sentence that says what was looked for."""
    (folder / "none").mkdir()
    assert run("pan", "detect", folder / "none", folder / "out").is_refusal(2, "no .jsonl file")
