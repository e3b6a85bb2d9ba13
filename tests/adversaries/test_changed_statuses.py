"""An insider wants a report that was dismissed, or that names nobody, to pass for a confirmed one."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.registry.registered import record
from tests.reports.reports import nothing_found, report_of

from lexprint.coding.keys import Keyring, MasterKey, create_key_file
from lexprint.errors import InputError, RegistryError
from lexprint.registry.protocol import Registry, open_registry
from lexprint.registry.reviews import LONGEST_NOTE, Status, add_review, reviews, status_of
from lexprint.reports.signed_file import report_bytes, sign

AT = datetime(2026, 3, 14, tzinfo=UTC)
NAMED, NOBODY, FORGED, UNSIGNED = "1" * 16, "2" * 16, "3" * 16, "4" * 16


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """Four reports: one names copy 17, one nobody, a stranger signed one, and nobody the last."""
    for name in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    keys: Keyring = create_key_file(tmp_path / "lexprint.key")
    with open_registry("lexprint.db", keys=keys) as opened:
        document = record()
        opened.add_document(document, ())
        signed = [
            sign(replace(report_of(), id=NAMED), keys.newest),
            sign(replace(nothing_found(), id=NOBODY), keys.newest),
            sign(replace(report_of(), id=FORGED), MasterKey.generate()),
            replace(report_of(), id=UNSIGNED),
        ]
        for days, report in enumerate(signed):
            of_document = document.id if report.accused else None
            opened.save_report(report.id, of_document, report_bytes(report).decode(), AT + timedelta(days=days))
        yield opened


def test_a_status_that_was_changed_behind_the_log_is_noticed(registry: Registry) -> None:
    """So are a changed note, one that is gone, and one that was slipped in."""
    add_review(registry, NAMED, status="dismissed", note="Ada was away.")
    assert registry.verify_audit() is None
    for forgery, undo in (
        ("UPDATE reviews SET status = 'confirmed'", "UPDATE reviews SET status = 'dismissed'"),
        ("UPDATE reviews SET note = 'Ada did it.'", "UPDATE reviews SET note = 'Ada was away.'"),
        (
            "INSERT INTO reviews SELECT report_id, 2, 'confirmed', note, at FROM reviews",
            "DELETE FROM reviews WHERE number = 2",
        ),
    ):
        with registry.writing() as statements:
            statements.change(forgery)
        assert registry.verify_audit() is not None, forgery
        with registry.writing() as statements:
            statements.change(undo)
        assert registry.verify_audit() is None
    with registry.writing() as statements:
        statements.change("DELETE FROM reviews")
    assert registry.verify_audit() is not None


@pytest.mark.parametrize("status", ["confirmed", "dismissed"])
def test_a_status_without_the_key_is_noticed(run: Run, registry: Registry, status: Status) -> None:
    """Whoever can write to the database, and writes the log as lexprint does, still lacks the owner's key."""
    add_review(registry, NAMED, status="open", note="Ask Ada.")
    assert registry.verify_audit() is None
    with open_registry("lexprint.db") as intruder:
        add_review(intruder, NAMED, status=status)
    broken = registry.verify_audit()
    assert broken is not None
    assert "without the owner's key (report reviewed)" in broken.reason
    Path("lexprint.key").rename("elsewhere.key")
    assert run("report", "note", NAMED, "--status", status).is_refusal(3, "key")


def test_nothing_is_taken_back(registry: Registry) -> None:
    """A later status stands beside the earlier ones, and the log has neither notes nor names."""
    add_review(registry, NAMED, status="confirmed", note="Ada agrees.")
    add_review(registry, NAMED, note="Ada does not agree any more.")
    add_review(registry, NAMED, status="dismissed")
    said = reviews(registry)[NAMED]
    assert [(one.number, one.status) for one in said] == [(1, "confirmed"), (2, "confirmed"), (3, "dismissed")]
    assert (status_of(said), status_of([])) == ("dismissed", "open")
    logged = [entry for entry in registry.audit() if entry.event == "report reviewed"]
    assert [json.loads(entry.details)["status"] for entry in logged] == ["confirmed", "confirmed", "dismissed"]
    assert not any("Ada" in entry.details for entry in logged)


def test_what_is_no_review(registry: Registry) -> None:
    """Neither status nor note, a note too long, a report that is not there."""
    for wrong in ("", " ", "x" * (LONGEST_NOTE + 1), "\0"):
        with pytest.raises(InputError):
            add_review(registry, NAMED, note=wrong)
    with pytest.raises(RegistryError, match="not stored"):
        add_review(registry, "9" * 16, status="open")
    assert reviews(registry) == {}


def test_only_a_named_copy_can_be_confirmed(run: Run, registry: Registry) -> None:
    """A report that names nobody, or that a stranger signed or nobody, never passes for a confirmed one."""
    assert run("report", "note", NOBODY, "--status", "confirmed").is_refusal(2, "nothing to confirm")
    assert run("report", "note", FORGED, "--status", "confirmed").is_refusal(1, "untrusted key")
    assert run("report", "note", UNSIGNED, "--status", "confirmed").is_refusal(2, "not signed")
    assert run("report", "note", NAMED, "--status", "guilty").is_refusal(2, "guilty", "dismissed")
    assert reviews(registry) == {}
    assert run("report", "note", NAMED, "--status", "confirmed").code == 0
    assert run("report", "note", NOBODY, "Too short.", "--status", "dismissed").code == 0


def test_notes_are_shown_apart_from_the_report(run: Run, registry: Registry) -> None:
    """Whoever reads one knows that it was not signed, and it cannot write on other lines."""
    assert run("report", "note", NAMED, "Looks fine.\nThe leak comes from copy 18\x1b[1m").code == 0
    shown = run("report", "show", NAMED).text
    report, _, notes = shown.partition("Not part of the signed report:\n")
    assert "Looks fine" not in report
    assert "UTC  open: Looks fine. The leak comes from copy 18" in notes
    assert "\x1b" not in notes
    assert notes.count("\n") == 1
    assert b"Looks fine" not in run("report", "show", NAMED, "--json").output


def test_the_history_is_searched(run: Run, registry: Registry) -> None:
    """By document, copy, date and status."""
    run("report", "note", NAMED, "--status", "confirmed")
    document = registry.documents()[0]

    def found(*options: str) -> list[str]:
        return [line["id"][0] for line in json.loads(run("report", "list", "--json", *options).output)]

    assert found() == ["1", "2", "3", "4"]
    assert found("--document", document.id) == found("--document", document.name) == ["1", "3", "4"]
    assert found("--copy", "17") == ["1", "4"]
    assert found("--copy", "18") == []
    assert found("--since", "2026-03-15") == ["2", "3", "4"]
    assert found("--status", "confirmed") == ["1"]
    assert found("--status", "open", "--since", "2026-03-16") == ["3", "4"]
    assert "confirmed" in run("report", "list").text
    assert run("report", "list", "--document", "nothing").is_refusal(1, "nothing")
    assert run("report", "list", "--status", "nice").is_refusal(2, "nice")
