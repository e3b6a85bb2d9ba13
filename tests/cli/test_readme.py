"""The README's first commands, typed as they stand."""

import re
import shlex
import textwrap
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.formats.corpus import make_docx, make_pdf, paragraph_xml

from lexprint.formats.source import open_source
from lexprint.testing import fake_text

README = Path(__file__).parent.parent.parent / "README.md"
LINES_PER_PAGE = 50


def commands_below(heading: str) -> list[list[str]]:
    """Of the first block there; what is said of a command stands two spaces behind it."""
    (block,) = re.findall(
        rf"^## {re.escape(heading)}\n```\n(.*?)```", README.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    typed = [re.split(r" {2,}", line)[0] for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in typed]


def printed(text: str) -> bytes:
    """As a PDF."""
    lines = textwrap.wrap(text, 80)
    pages = [lines[start : start + LINES_PER_PAGE] for start in range(0, len(lines), LINES_PER_PAGE)]
    return make_pdf([[(72, 800 - 14 * place, line) for place, line in enumerate(page)] for page in pages])


def test_the_first_commands_work_one_after_the_other(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each finds what those before it wrote, and the report is verified that the trace has written."""
    for variable in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY"):
        monkeypatch.delenv(variable, raising=False)
    prose = [fake_text(words=200, seed=seed) for seed in range(2)]
    (folder / "memo.docx").write_bytes(make_docx("".join(map(paragraph_xml, prose))))
    (folder / "recipients.csv").write_text("name\nAda\nBo\nCy\n")
    said = {}
    for arguments in commands_below("Who had this copy?"):
        if arguments[0] == "trace":
            leaked = (folder / "copies" / "memo-0002-Bo.docx").read_bytes()
            (folder / "leak.pdf").write_bytes(printed(open_source(leaked, name="copy.docx").text))
        done = run(*arguments)
        assert done.code == 0, (arguments, done.errors)
        said[arguments[0]] = done.text
    assert "Copy 2 is that of Bo" in said["trace"]
    assert said["report"].startswith("valid: report.json is as it was signed")
    assert (folder / "report.html").read_text("utf-8").startswith("<!doctype html>")
