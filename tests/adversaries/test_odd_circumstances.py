"""What attackers and accidents bring about around a command: an output that is closed, letters that nobody writes, an open door."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.reports.reports import MADE_AT, report_of

from lexprint.coding.keys import create_key_file
from lexprint.registry.protocol import open_registry
from lexprint.reports.signed_file import report_bytes
from lexprint.text.segmentation import segment
from lexprint.text.view import normalise


@pytest.mark.parametrize("arguments", ["registry verify", "trace leak.txt", "report list --json"])
def test_an_answer_that_nobody_gets_is_no_success(tmp_path: Path, arguments: str) -> None:
    """Where standard output is closed, a script must not take silence for a log that holds or a leak that names nobody."""
    create_key_file(tmp_path / "lexprint.key")
    (tmp_path / "leak.txt").write_text("A leak.")
    command = f'exec "{sys.executable}" -m lexprint {arguments} >&-'
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "lexprint: standard output is closed; needed: an open one, such as > /dev/null\n"


@pytest.mark.parametrize(
    "text",
    ["0.0\u0300", "0.0\u0300a", "0.0\u0340", "a\u0323\u0301b", "e\u0315\u0300\u05ae\u0062", "\u0300", "1\u20e31"],
)
def test_marks_where_nobody_writes_them(text: str) -> None:
    """A combining mark on a number, first in the text, or out of order: every word is still where it is said to be."""
    cursor = 0
    for word in segment(f"The sum is {text} today.").words:
        assert cursor <= word.span.start < word.span.end
        assert normalise(word.span.of(f"The sum is {text} today.")) == word.text
        cursor = word.span.end


def test_a_report_whose_signature_was_taken_away(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever can write to the database can put a report there that nobody signed: wherever it is shown, that is said first."""
    monkeypatch.chdir(tmp_path)
    create_key_file(tmp_path / "lexprint.key")
    report = report_of(recipients=("Ada",))
    with open_registry("lexprint.db") as registry:
        registry.save_report(report.id, None, report_bytes(report).decode(), MADE_AT)
    first, *_ = run("report", "show", report.id).text.splitlines()
    assert first == "This report is not signed: whoever could write to the registry may have written it."
    assert run("report", "show", report.id, "--html", "page.html").code == 0
    assert "This report is not signed." in Path("page.html").read_text()
