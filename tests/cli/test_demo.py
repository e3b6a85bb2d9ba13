"""`lexprint demo`: the whole story with the shipped models."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lexprint.cli import app, demo


@pytest.mark.slow
def test_demo_names_the_copy_that_leaked() -> None:
    """The verdict is the recipient whose copy was damaged, and the report is there to be opened."""
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0, result.output
    assert f"is that of {demo.LEAKED_BY}" in result.output
    page = re.search(r"(\S+report\.html)", result.output)
    assert page
    assert demo.LEAKED_BY in Path(page[1]).read_text("utf-8")
