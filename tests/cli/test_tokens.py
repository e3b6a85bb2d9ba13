"""`lexprint token`: printed once, listed without themselves, revoked."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run


@pytest.mark.usefixtures("folder")
def test_a_token_is_made_listed_and_revoked(run: Run) -> None:
    """Standard output has the token alone; the list never has it."""
    made = run("token", "new", "press office", "--scope", "mark", "--scope", "trace")
    written = made.text.strip()
    assert (made.code, written.count("_") >= 2, written.startswith("lxp_")) == (0, True, True)
    listed = run("token", "list")
    assert "press office" in listed.text
    assert "mark,trace" in listed.text
    assert written not in listed.text + listed.errors + made.errors
    (token,) = json.loads(run("token", "list", "--json").text)
    assert token["revoked_at"] is None
    assert run("token", "revoke", token["id"]).code == 0
    assert "revoked on" in run("token", "list").text


def test_wrong_requests_are_refused(run: Run, folder: Path) -> None:
    """An unknown scope or id, and a registry that is not there."""
    assert run("token", "new", "x", "--scope", "root").is_refusal(2, "--scope root", "mark, trace, admin")
    assert run("token", "list").is_refusal(1, "no registry")
    assert run("token", "new", "x", "--scope", "mark", "--days", "0").errors.count("never expires") == 1
    assert run("token", "revoke", "0" * 12).is_refusal(1, "lexprint token list")
    assert (folder / "lexprint.db").exists()
