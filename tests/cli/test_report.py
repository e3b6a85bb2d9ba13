"""`lexprint report`: who signed what, and what the registry keeps."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.reports.reports import nothing_found, report_of

from lexprint.coding.keys import Keyring, create_key_file, rotate_key_file
from lexprint.registry.protocol import open_registry
from lexprint.reports.signed_file import read_report, report_bytes, sign

AT = datetime(2026, 3, 14, tzinfo=UTC)


@pytest.fixture
def keyring(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Keyring:
    """A key in `lexprint.key`; `r.json` is signed with it, and `unsigned.json` is not."""
    for variable in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY"):
        monkeypatch.delenv(variable, raising=False)
    made = create_key_file(folder / "lexprint.key")
    (folder / "r.json").write_bytes(report_bytes(sign(report_of(), made.newest)))
    (folder / "unsigned.json").write_bytes(report_bytes(report_of()))
    return made


def test_a_valid_report(run: Run, keyring: Keyring, folder: Path) -> None:
    """By the key at hand, a key file, a file of public keys, or a fingerprint, with or without colons."""
    key = keyring.newest.public_key
    (folder / "issuer.pem").write_text(run("key", "public").text)
    colons = ":".join(key.fingerprint[place : place + 2].upper() for place in range(0, 64, 2))
    for trust in ((), ("lexprint.key",), ("issuer.pem",), (key.fingerprint,), ("ab" * 32, colons)):
        done = run("report", "verify", "r.json", *(word for one in trust for word in ("--trust", one)))
        assert (done.code, done.text) == (0, f"valid: r.json is as it was signed with key {key.id}\n"), trust


def test_a_changed_report(run: Run, keyring: Keyring, folder: Path) -> None:
    """Exit code 1, whichever key is trusted."""
    content = (folder / "r.json").read_bytes()
    (folder / "forged.json").write_bytes(content.replace(b"Anna Example", b"Ben Example"))
    for options in ([], ["--trust", "lexprint.key"], ["--trust", keyring.newest.public_key.fingerprint]):
        assert run("report", "verify", "forged.json", *options).is_refusal(1, "forged.json", "does not fit")


def test_an_unsigned_report(run: Run, keyring: Keyring) -> None:
    """Nothing can be said of it, which is not valid."""
    assert run("report", "verify", "unsigned.json").is_refusal(1, "not signed")
    assert run("report", "verify", "unsigned.json", "--trust", "lexprint.key").is_refusal(1, "not signed")


def test_after_a_rotation(run: Run, keyring: Keyring, folder: Path) -> None:
    """Old reports stay valid, by the keys at hand and by those that are published."""
    rotate_key_file(folder / "lexprint.key")
    (folder / "issuer.pem").write_text(run("key", "public").text)
    assert run("report", "verify", "r.json").code == 0
    (folder / "lexprint.key").unlink()
    assert run("report", "verify", "r.json", "--trust", "issuer.pem").code == 0


def test_bad_input_is_one_sentence(run: Run, keyring: Keyring, folder: Path) -> None:
    """Exit code by what is wrong."""
    (folder / "bad.json").write_bytes(b"{}")
    assert run("report", "verify", "bad.json").is_refusal(1, "bad.json", "corrupt")
    assert run("report", "verify", "none.json").is_refusal(2, "not there")
    for wrong in ("12", "xy" * 32, "ab" * 33, "none.pem"):
        assert run("report", "verify", "r.json", "--trust", wrong).is_refusal(2, "64 hexadecimal digits")
    (folder / "bad.pem").write_text("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")
    assert run("report", "verify", "r.json", "--trust", "bad.pem").is_refusal(2, "bad.pem", "no public key")
    (folder / "empty.pem").touch(mode=0o600)
    assert run("report", "verify", "r.json", "--trust", "empty.pem").is_refusal(3, "empty.pem")


@pytest.fixture
def stored(keyring: Keyring) -> Path:
    """A registry with a signed and an unsigned report."""
    with open_registry("lexprint.db") as registry:
        for report in (sign(report_of(recipients=("Anna <b>",)), keyring.newest), nothing_found()):
            registry.save_report(report.id, None, report_bytes(report).decode(), AT)
    return Path("lexprint.db")


def test_the_list(run: Run, stored: Path, keyring: Keyring) -> None:
    """Oldest first, with verdict, copies and signature."""
    done = run("report", "list")
    assert done.code == 0
    assert [line.split()[0] for line in done.text.splitlines()] == ["report", "5eed5eed5eed5eed", "0" * 16]
    assert "Board memo" in done.text
    assert keyring.newest.id in done.text
    assert "2 reports" in done.errors
    listed = json.loads(run("report", "list", "--json").output)
    assert [(one["verdict"], one["accused"]) for one in listed] == [("one copy", [17]), ("no document", [])]


def test_damage_does_not_hide_the_rest(run: Run, stored: Path, keyring: Keyring) -> None:
    """A report that was tampered with, or is none, is listed as such and refused when it is to be shown."""
    forged = report_bytes(sign(report_of(), keyring.newest)).replace(b"Anna Example", b"Ben Example")
    with open_registry("lexprint.db") as registry:
        registry.save_report("a" * 16, None, forged.decode(), AT)
        registry.save_report("b" * 16, None, "{}", AT)
    listed = json.loads(run("report", "list", "--json").output)
    assert [one["verdict"] for one in listed] == ["one copy", "no document", "bad signature", "unreadable"]
    assert "bad signature" in run("report", "list").text
    assert run("report", "show", "a" * 16).is_refusal(1, "signature")
    assert run("report", "show", "b" * 16).is_refusal(1, "corrupt")


def test_an_empty_list(run: Run, keyring: Keyring) -> None:
    """A registry without reports is no failure; no registry is one."""
    with open_registry("lexprint.db"):
        pass
    done = run("report", "list")
    assert (done.code, done.text) == (0, "")
    assert run("report", "list", "--registry", "none.db").is_refusal(1, "none.db")


def test_showing_a_report(run: Run, stored: Path, folder: Path) -> None:
    """In the terminal, as a page, or as the bytes that were signed."""
    assert "The leak comes from copy 17" in run("report", "show", "5eed5eed5eed5eed").text
    done = run("report", "show", "5eed5eed5eed5eed", "--html", "out.html")
    assert (done.code, done.output) == (0, b"")
    assert "Anna &lt;b&gt;" in (folder / "out.html").read_text()
    content = run("report", "show", "5eed5eed5eed5eed", "--json").output
    assert report_bytes(read_report(content)) == content
    (folder / "shown.json").write_bytes(content)
    assert run("report", "verify", "shown.json").code == 0
    assert run("report", "show", "1" * 16).is_refusal(1, "1" * 16)


def test_a_page_has_the_name_of_a_page(run: Run, stored: Path) -> None:
    """Whatever the file is called, --html writes HTML."""
    run("report", "show", "5eed5eed5eed5eed", "--html", "page")
    assert Path("page").read_text().startswith("<!doctype html>")


def test_reports_of_one_day_can_be_told_apart(run: Run, stored: Path, keyring: Keyring) -> None:
    """By the second at which each was saved and by the leak it is of; the same document and verdict do not hide that."""
    base = report_of()
    with open_registry("lexprint.db") as registry:
        for number in (1, 2):
            leak = replace(base.leak, digest=f"{number}" * 64)
            report = sign(replace(base, id=f"{number}" * 16, leak=leak), keyring.newest)
            registry.save_report(report.id, None, report_bytes(report).decode(), AT + timedelta(seconds=number))
    first, second = (line.split()[1:] for line in run("report", "list").text.splitlines()[-2:])
    assert first[0] == second[0] == f"{AT:%Y-%m-%d}"
    assert (first[1], second[1]) == (f"{AT + timedelta(seconds=1):%H:%M:%S}", f"{AT + timedelta(seconds=2):%H:%M:%S}")
    assert "1" * 12 in first
    assert "2" * 12 in second
