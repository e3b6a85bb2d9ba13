"""Interrupted measurements resume; a torn line is measured again."""

from __future__ import annotations

from pathlib import Path

from lexprint_evaluation.checkpoint import Checkpoint
from lexprint_evaluation.sides import answer_files


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "some.partial.jsonl"
    assert Checkpoint(path).once("a", lambda: {"value": 1}) == {"value": 1}
    assert Checkpoint(path).once("a", lambda: {"value": 2}) == {"value": 1}
    assert Checkpoint(path).once("b", lambda: {"value": 2}) == {"value": 2}


def test_a_torn_line_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "some.partial.jsonl"
    Checkpoint(path).once("a", lambda: 1)
    whole = path.read_text("utf-8")
    path.write_text(whole + '["b", [1, 2', encoding="utf-8")
    assert Checkpoint(path).once("a", lambda: 2) == 1
    assert Checkpoint(path).once("b", lambda: 3) == 3
    assert Checkpoint(path).once("b", lambda: 4) == 3


def test_the_file_is_gone_when_all_is_done(tmp_path: Path) -> None:
    path = tmp_path / "some.partial.jsonl"
    checkpoint = Checkpoint(path)
    checkpoint.once("a", lambda: 1)
    assert checkpoint.answers is not None
    for file in answer_files(checkpoint.answers):
        file.write_bytes(b"")
    (tmp_path / "other.answers").write_bytes(b"")
    checkpoint.done()
    assert [file.name for file in tmp_path.iterdir()] == ["other.answers"]
    Checkpoint(None).done()
