"""Somebody without the owner's key wants a report of theirs to be taken for the owner's."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.reports.reports import report_of

from lexprint.coding.keys import Keyring, MasterKey, create_key_file
from lexprint.registry.protocol import open_registry
from lexprint.reports.report import Report
from lexprint.reports.signed_file import report_bytes, report_json, sign

STRANGER = MasterKey.generate()
NOW = datetime(2026, 3, 14, tzinfo=UTC)


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Keyring:
    """The owner's, in the working folder."""
    for name in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return create_key_file(tmp_path / "lexprint.key")


@pytest.fixture
def forged(keyring: Keyring, tmp_path: Path) -> Report:
    """The owner's report with another name in it, signed anew by a stranger, in `forged.json`."""
    made = sign(report_of(recipients=("Anna Example",)), keyring.newest)
    accused = tuple(replace(copy, recipient="Ben Example") for copy in made.accused)
    forged = sign(replace(made, accused=accused), STRANGER)
    (tmp_path / "forged.json").write_bytes(report_bytes(forged))
    return forged


def test_a_report_signed_anew_is_refused_by_the_key_at_hand(run: Run, forged: Report) -> None:
    """The signature is good, and not the owner's."""
    assert run("report", "verify", "forged.json").is_refusal(1, "untrusted key")


def test_a_report_signed_anew_is_refused_without_a_key(run: Run, forged: Report, tmp_path: Path) -> None:
    """Who trusts no key is told nothing good of any report."""
    (tmp_path / "lexprint.key").unlink()
    assert run("report", "verify", "forged.json").is_refusal(3, "cannot be verified", "--trust")


def test_a_report_signed_anew_is_refused_by_what_the_owner_published(
    run: Run, forged: Report, keyring: Keyring, tmp_path: Path
) -> None:
    """By the file of public keys and by the fingerprint."""
    (tmp_path / "owner.pem").write_text(run("key", "public").text)
    for trust in ("owner.pem", keyring.newest.public_key.fingerprint):
        assert run("report", "verify", "forged.json", "--trust", trust).is_refusal(1, "untrusted key")


def test_the_id_of_the_owner_s_key_is_not_borrowed(run: Run, forged: Report, keyring: Keyring, tmp_path: Path) -> None:
    """It follows from the public key, so a report cannot claim one key and be signed by another."""
    value = {**report_json(forged), "key_id": keyring.newest.id}
    (tmp_path / "forged.json").write_text(json.dumps(value))
    assert run("report", "verify", "forged.json").is_refusal(1, "does not fit")
    stranger = STRANGER.public_key.fingerprint
    assert run("report", "verify", "forged.json", "--trust", stranger).is_refusal(1, "does not fit")


def test_a_stored_report_signed_anew_is_not_shown(run: Run, forged: Report) -> None:
    """Whoever can write to the database could put it there."""
    with open_registry("lexprint.db") as registry:
        registry.save_report(forged.id, None, report_bytes(forged).decode(), NOW)
    assert run("report", "show", forged.id).is_refusal(1, "untrusted key")
    assert run("report", "show", forged.id, "--json").is_refusal(1, "untrusted key")
    assert [one["verdict"] for one in json.loads(run("report", "list", "--json").output)] == ["bad signature"]
