"""`lexprint registry`: what was issued, and whether the record of it still holds."""

import csv
import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.registry.registered import NOON, copies, document_id, file_digest, record
from tests.reports.authority import Authority, serving

from lexprint.coding.keys import Keyring, create_key_file
from lexprint.registry.audit import time_text
from lexprint.registry.protocol import open_registry


@pytest.fixture
def issued(folder: Path) -> Path:
    """A registry of two versions of a memo and a letter, one copy issued."""
    path = folder / "lexprint.db"
    with open_registry(str(path), keys=create_key_file(folder / "lexprint.key")) as registry:
        registry.add_document(record(1), copies(1, 1, 3))
        registry.mark_issued(document_id(1), [(2, file_digest(1, 2))], NOON)
        registry.add_document(record(0x2A << 56, name="letter.txt"), [])
        registry.add_document(record(3), copies(3, 3, 4))
    return path


def test_list(run: Run, issued: Path) -> None:
    """One line a document, with its version and copies."""
    done = run("registry", "list")
    assert done.code == 0, done.errors
    lines = [line.split() for line in done.text.splitlines()]
    assert lines[0][:3] == ["document", "name", "version"]
    assert lines[1][:5] == [document_id(1), "memo.docx", "1", "2026-03-01", "12:00"]
    assert lines[1][-3:] == ["20", "3", "1"]
    assert lines[3][:3] == [document_id(3), "memo.docx", "2"]
    assert "3 documents" in done.errors
    found = json.loads(run("registry", "list", "--json").output)
    assert [(one["version"], one["planned"], one["issued"]) for one in found] == [(1, 3, 1), (1, 0, 0), (2, 2, 0)]


def test_show(run: Run, issued: Path) -> None:
    """A document by id, by the beginning of it, or by name, which means the newest."""
    done = run("registry", "show", document_id(1))
    assert "3, of which 1 issued" in done.text
    assert f"SHA-256 {record(1).digest}" in done.text
    assert ["2", "Recipient", "2", "memo-2.docx", "2026-03-01", "12:00", file_digest(1, 2)[:12]] in [
        line.split() for line in done.text.splitlines()
    ]
    assert "letter.txt" in run("registry", "show", "2a").text
    assert document_id(3) in run("registry", "show", "memo.docx").text
    found = json.loads(run("registry", "show", "memo.docx", "--json").output)
    assert [one["recipient"] for one in found["copies"]] == ["Recipient 3", "Recipient 4"]
    assert found["copies"][0]["codeword"] == "".join(map(str, copies(3, 3, 3)[0].codeword))


def test_show_what_is_not_there(run: Run, issued: Path) -> None:
    """Unknown or ambiguous: one sentence."""
    assert run("registry", "show", "none").is_refusal(1, "document none is not registered", "lexprint registry list")
    assert run("registry", "show", "").is_refusal(1, "not registered")
    assert run("registry", "show", "00").is_refusal(1, "2 documents have ids that begin with 00")


def test_recipients(run: Run, issued: Path) -> None:
    """Everyone once, with all their copies."""
    done = run("registry", "recipients")
    assert ["Recipient", "3", "2", "0"] in [line.split() for line in done.text.splitlines()]
    assert "4 recipients" in done.errors
    assert json.loads(run("registry", "recipients", "--json").output)[1] == {
        "name": "Recipient 2",
        "planned": 1,
        "issued": 1,
    }


def test_audit(run: Run, issued: Path) -> None:
    """All that was done, in order, whole even where lines are long."""
    lines = run("registry", "audit").text.splitlines()
    assert len(lines) == 7
    assert "copies issued" in lines[3]
    found = json.loads(run("registry", "audit", "--json").output)
    assert [one["sequence"] for one in found] == [1, 2, 3, 4, 5, 6]
    assert found[2]["details"] in lines[3]


def test_verify(run: Run, issued: Path) -> None:
    """The last hash if all is well, the first broken entry if not, with exit code 1."""
    last = json.loads(run("registry", "audit", "--json").output)[-1]["hash"]
    done = run("registry", "verify")
    assert (done.code, done.text) == (0, f"the log holds: 6 entries, last hash {last}\n")
    with open_registry("lexprint.db") as registry:
        registry.record_event("token created", {})
    assert "without a key, of unverified origin: 1" in run("registry", "verify").errors
    with closing(sqlite3.connect(issued)) as connection, connection:
        connection.execute("UPDATE copies SET file_name = 'x' WHERE number = 3")
    assert run("registry", "verify").is_refusal(1, "entry 2 of the audit log does not hold")
    done = run("registry", "verify", "--json")
    assert done.code == 1
    assert json.loads(done.output)["broken"]["sequence"] == 2


def _exported(folder: Path, name: str) -> list[list[str]]:
    return list(csv.reader((folder / name).read_text(encoding="utf-8").splitlines()))


def test_export(run: Run, issued: Path, folder: Path) -> None:
    """Issued copies and the log, the same bytes each time, without keys, texts or marks."""
    with open_registry("lexprint.db", keys=Keyring.load(folder / "lexprint.key")) as registry:
        planned = copies(3, 3, 4)
        registry.mark_issued(document_id(3), [(3, file_digest(3, 3))], NOON)
    done = run("registry", "export", "--csv", "out")
    assert done.code == 0, done.errors
    header, *rows = _exported(folder / "out", "copies.csv")
    assert [(row[0], row[1], row[5], row[-2], row[-1]) for row in rows] == [
        (document_id(1), "memo.docx", "Recipient 2", time_text(NOON), file_digest(1, 2)),
        (document_id(3), "memo.docx", "Recipient 3", time_text(NOON), file_digest(3, 3)),
    ]
    assert (header[0], header[-1]) == ("document", "sha256")
    audit = json.loads(run("registry", "audit", "--json").output)
    _, *log = _exported(folder / "out", "custody-log.csv")
    assert [(row[0], row[3], row[5]) for row in log] == [(str(e["sequence"]), e["details"], e["hash"]) for e in audit]
    assert ["the log holds", "yes"] in _exported(folder / "out", "verification.csv")
    run("registry", "export", "--csv", "again")
    written = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
    assert written == {path.name: path.read_bytes() for path in (folder / "again").iterdir()}
    everything = b"".join(written.values())
    for hidden in (
        record(1).text,
        "".join(map(str, planned[0].codeword)),
        (folder / "lexprint.key").read_text().strip(),
    ):
        assert hidden.encode() not in everything
    assert {path.stat().st_mode & 0o077 for path in (folder / "out").iterdir()} == {0}


def test_export_of_a_log_that_does_not_hold(run: Run, issued: Path, folder: Path) -> None:
    """Refused, and nothing is written, unless --force says so; the files then say it too."""
    with closing(sqlite3.connect(issued)) as connection, connection:
        connection.execute("UPDATE copies SET file_name = '=x' WHERE number = 2")
    assert run("registry", "export", "--csv", "out").is_refusal(1, "entry 2 of the audit log does not hold", "--force")
    assert not (folder / "out").exists()
    done = run("registry", "export", "--csv", "out", "--force")
    assert (done.code, "entry 2 of the audit log does not hold" in done.errors) == (0, True)
    assert ["the log holds", "no"] in _exported(folder / "out", "verification.csv")
    assert _exported(folder / "out", "copies.csv")[1][6] == "'=x"


def test_export_without_a_key(run: Run, issued: Path, folder: Path) -> None:
    """A rebuilt log would not be noticed: that is refused, or said in the files."""
    (folder / "lexprint.key").unlink()
    refusal = run("registry", "export", "--csv", "out")
    assert refusal.code != 0
    assert "--force" in refusal.errors
    assert run("registry", "export", "--csv", "out", "--force").code == 0
    assert ["checked with the owner's key", "no"] in _exported(folder / "out", "verification.csv")


@pytest.mark.parametrize("command", ["list", "recipients", "audit", "verify"])
def test_no_registry_is_made_by_looking(run: Run, folder: Path, command: str) -> None:
    """Where there is none, the next command is named and no file appears."""
    create_key_file(folder / "lexprint.key")
    assert run("registry", command).is_refusal(1, "there is no registry at lexprint.db", "lexprint issue")
    assert not (folder / "lexprint.db").exists()


def test_registry_by_option_or_environment(run: Run, issued: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any file or URL may be named."""
    other = issued.rename(issued.with_name("other.db"))
    assert run("registry", "list", "--registry", other).code == 0
    monkeypatch.setenv("LEXPRINT_REGISTRY", str(other))
    assert run("registry", "list").code == 0
    refusal = run("registry", "list", "--registry", "mysql://ann:secret@host/db")
    assert refusal.is_refusal(1, "mysql://...")
    assert "secret" not in refusal.errors


def test_names_cannot_steer_the_terminal(run: Run, folder: Path) -> None:
    """Control characters in a name are shown, not obeyed, and markup is plain text."""
    with open_registry("lexprint.db") as registry:
        registry.add_document(record(1, name="a\x1b[31m[bold]b\nc"), [])
    done = run("registry", "list")
    assert "\x1b" not in done.text
    assert "[bold]b c" in done.text


def test_stamps(run: Run, issued: Path, folder: Path) -> None:
    """The log was there when an authority says so; a stamp of another one is refused."""
    authority = Authority(at=datetime(2025, 5, 1, 12, tzinfo=UTC))
    (folder / "roots.pem").write_bytes(authority.root_pem)
    (folder / "others.pem").write_bytes(Authority().root_pem)
    assert run("registry", "verify", "--certificates", "roots.pem").is_refusal(1, "never stamped")
    with serving(authority) as url:
        assert "stamped up to entry 6" in run("registry", "stamp", "--authority", url).text
    done = run("registry", "verify", "--certificates", "roots.pem")
    assert done.text.endswith("up to entry 6 it existed by 2025-05-01 12:00:00 UTC\n")
    found = json.loads(run("registry", "verify", "--certificates", "roots.pem", "--json").output)
    assert found["stamped"] == {"entry": 6, "at": "2025-05-01T12:00:00+00:00"}
    assert run("registry", "verify", "--certificates", "others.pem").is_refusal(1, "trusted authority")
