"""`lexprint key`: made private, listed by id, rotated; never printed."""

import json
import os
import re
import stat
from pathlib import Path

import pytest
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)


def test_a_new_key_is_private_and_not_printed(run: Run, folder: Path) -> None:
    """Its id goes to standard output, its secret nowhere."""
    done = run("key", "new")
    assert done.code == 0
    assert re.fullmatch("[0-9a-f]{16}\n", done.text)
    assert "keep a copy" in done.errors
    path = folder / "lexprint.key"
    assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o600
    secret = path.read_text().split(".")[-1].strip()
    assert len(secret) == 43
    listed = run("key", "list")
    assert secret not in done.text + done.errors + listed.text + listed.errors


def test_rotation_is_listed_newest_first(run: Run, folder: Path) -> None:
    """As text and as JSON."""
    first = run("key", "new", "owner.key").text.strip()
    second = run("key", "rotate", "owner.key").text.strip()
    lines = run("key", "list", "owner.key").text.splitlines()
    assert [line.split()[0] for line in lines] == [second, first]
    assert all(line.endswith("UTC") for line in lines)
    assert [entry["id"] for entry in json.loads(run("key", "list", "owner.key", "--json").output)] == [second, first]


def test_the_environment_names_the_file(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For every command; a key in a variable can be listed, but has no file to rotate."""
    monkeypatch.setenv("LEXPRINT_KEY_FILE", "named.key")
    made = run("key", "new").text
    assert (folder / "named.key").exists()
    assert run("key", "list").text.startswith(made.strip())
    assert run("key", "rotate").code == 0
    monkeypatch.setenv("LEXPRINT_KEY", (folder / "named.key").read_text())
    assert len(run("key", "list").text.splitlines()) == 2
    assert run("key", "rotate").is_refusal(3, "LEXPRINT_KEY")


def test_refusals_say_what_to_type(run: Run, folder: Path) -> None:
    """A missing key, one that is there already, one that others can read, a damaged one."""
    assert run("key", "list").is_refusal(3, "run: lexprint key new")
    assert run("key", "rotate").is_refusal(3, "run: lexprint key new")
    assert run("key", "new", "nowhere/x.key").is_refusal(3, "could not be written")
    run("key", "new")
    assert run("key", "new").is_refusal(3, "not overwritten", "lexprint key rotate")
    path = folder / "lexprint.key"
    if os.name == "posix":
        path.chmod(0o644)
        assert run("key", "list").is_refusal(3, "chmod 600 lexprint.key")
        path.chmod(0o600)
    path.write_text(path.read_text()[:-4])
    assert run("key", "list").is_refusal(3, "corrupt")


def test_public_keys_are_printed_for_everyone(run: Run, folder: Path) -> None:
    """As PEM with id and fingerprint, newest first, and nothing that is secret; JSON says the same."""
    first, second = run("key", "new").text.strip(), run("key", "rotate").text.strip()
    printed = run("key", "public").text
    listed = json.loads(run("key", "public", "--json").output)
    assert [one["id"] for one in listed] == [second, first]
    for one in listed:
        assert one["fingerprint"].startswith(one["id"])
        assert one["fingerprint"] in printed
        assert one["public_key"] in printed
    kept = (folder / "lexprint.key").read_text().splitlines()[-2:]
    assert not [line for line in kept if line.rpartition(".")[2] in printed]
    assert run("key", "public", "none.key").is_refusal(3, "none.key")
