"""Two checkouts do the same work by turns, and the least times are compared."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.before import Seconds

from benchmarks import before, older

STUBS = {
    "engine.py": "class Engine:\n    def __init__(self, **settings): pass\n",
    "settings.py": "find_profile = str\n",
    "workflows/marking.py": "def embed(*given): raise SystemExit(7)\ndef extract(engine, text): assert engine and text\n",
    "workflows/issuing.py": "analyse_document = None\n",
}


def test_the_least_of_each_checkout(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Processor time and the clock each for itself; checkouts take turns."""
    times = iter([Seconds(9, 12), Seconds(3, 6), Seconds(6, 20), Seconds(4, 5)])
    asked: list[tuple[str, str, str]] = []

    def timed_in(tree: Path, hidden: str, work: Sequence[str]) -> Seconds:
        asked.append((tree.name, hidden, work[0]))
        return next(times)

    monkeypatch.setattr(before, "timed_in", timed_in)
    here = older.ROOT.name
    (only,) = before.main(["old", "--hidden", "vnni", "--profiles", "paper", "--verbs", "read", "--rounds", "2"])
    assert asked == [("old", "vnni", "read"), (here, "vnni", "read")] * 2
    assert (only.before, only.now) == (Seconds(6, 12), Seconds(3, 5))
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "| vnni | paper | read | 6.00 s | 3.00 s | 2.00 | 12.00 s | 5.00 s | 2.40 |"


def test_the_other_checkout_does_the_work(tmp_path: Path) -> None:
    """Its own modules, older ones too; if it fails, so does the comparison."""
    for name, content in {**STUBS, "__init__.py": "", "workflows/__init__.py": ""}.items():
        file = tmp_path / "src" / "lexprint" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, "utf-8")
    work = ("lexprint", str(before.TEXT), "1")
    assert before.timed_in(tmp_path, "none", ("read", *work)) < (1, 60)
    with pytest.raises(subprocess.CalledProcessError):
        before.timed_in(tmp_path, "none", ("mark", *work))
