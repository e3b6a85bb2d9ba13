"""Somebody who passes a case on wants it to blame another one, or to say more than the issuer signed, or less."""

import io
import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.cli.conftest import Run
from tests.server.served import bearer, fake_engine
from tests.workflows.leaks import Issued, issue

from lexprint.coding.keys import Keyring, MasterKey, create_key_file
from lexprint.errors import FormatError, ReportError
from lexprint.formats.zip_package import pack
from lexprint.registry.protocol import open_registry
from lexprint.reports.page import report_page
from lexprint.reports.signatures import canonical_json, signature_json, signature_of
from lexprint.reports.signed_file import read_report, report_bytes, sign
from lexprint.server.app import create_app
from lexprint.server.tokens import create_token
from lexprint.workflows.cases import read_case, status_in_case

Members = dict[str, bytes]
NOTE = "Ada was away, and her copy lay in the copier."


@pytest.fixture
def issued(keyring: Keyring, tmp_path: Path) -> Issued:
    """A document of fifty copies; `leak.txt` is the seventeenth."""
    with open_registry("lexprint.db", keys=keyring) as registry:
        made = issue(registry)
        for number in (17, 18):
            registry.record_event("copy shown", {"document": made.record.id, "number": number})
            again = {"document": made.record.id, "numbers": [[number, number]], "count": 1}
            registry.record_event("copies written again", again)
        issue(registry, number=2, name="minutes.docx")
    (tmp_path / "leak.txt").write_text(made.copy(17))
    return made


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The owner's key, and her folder as it is once `case.zip` has been made: that takes longer than most tests of it."""
    folder = tmp_path_factory.mktemp("kept")
    create_key_file(folder / "lexprint.key")
    return folder


@pytest.fixture
def keyring(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Keyring:
    """The same for all tests, in the working folder."""
    for name in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY", "LEXPRINT_AUTHORITY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    shutil.copy2(kept / "lexprint.key", tmp_path)
    return Keyring.load(tmp_path / "lexprint.key")


@pytest.fixture
def members(run: Run, issued: Issued, kept: Path, tmp_path: Path) -> Members:
    """What is in `case.zip`, that of the leak."""
    if (kept / "case.zip").exists():
        shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    else:
        done = run("trace", "leak.txt", "--key", "lexprint.key", "--case", "case.zip")
        assert done.code == 0, done.errors
        shutil.copytree(tmp_path, kept, dirs_exist_ok=True)
    with zipfile.ZipFile("case.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def listed(members: Members, key: MasterKey) -> Members:
    """The members with a list of them that is signed with a key."""
    case = json.loads(members["case.json"])["case"]
    rest = {name: content for name, content in members.items() if name != "case.json"}
    case |= {"members": {name: sha256(content).hexdigest() for name, content in rest.items()}}
    return rest | {"case.json": canonical_json({"case": case, **signature_json(signature_of(case, key))}) + b"\n"}


def packed(members: Members) -> bytes:
    return pack(dict(sorted(members.items())))


def test_a_case_is_verified_whole(run: Run, members: Members, keyring: Keyring) -> None:
    """By the key at hand or a fingerprint; it holds leak, report in three forms, signature, key and extract."""
    names = "audit.json case.json leak.txt public-key.pem report.html report.json report.pdf signature.bin signed.json status.json"
    assert list(members) == names.split()
    for trust in ((), ("--trust", keyring.newest.public_key.fingerprint)):
        done = run("report", "verify", "case.zip", *trust)
        assert (done.code, done.text.split(" with ")[0]) == (0, "valid: case.zip is as it was signed"), done.errors
    assert run("report", "verify", "case.zip", "--trust", "ab" * 32).is_refusal(1, "untrusted key")
    assert members["leak.txt"] == Path("leak.txt").read_bytes()


def test_the_extract_is_of_the_named_copy(members: Members) -> None:
    """When others were shown or written out again is nobody's business who has the case."""
    events = [(entry["event"], json.loads(entry["details"])) for entry in json.loads(members["audit.json"])]
    assert [details["number"] for event, details in events if event == "copy shown"] == [17]
    assert [details["numbers"] for event, details in events if event == "copies written again"] == [[[17, 17]]]


def test_the_same_case_again(run: Run, members: Members) -> None:
    """Equal bytes as long as nothing was done or said, and every time it is logged."""
    report = read_report(members["report.json"])
    for _ in range(2):
        made = run("report", "case", report.id, "again.zip", "--leak", "leak.txt")
        assert made.code == 0, made.errors
        assert Path("again.zip").read_bytes() == Path("case.zip").read_bytes()
    with open_registry("lexprint.db") as registry:
        assert [entry.event for entry in registry.audit()].count("case made") == 3


def test_openssl_verifies_the_signature(members: Members, tmp_path: Path) -> None:
    """Others need no lexprint for it."""
    for name in ("public-key.pem", "signed.json", "signature.bin"):
        (tmp_path / name).write_bytes(members[name])
    command = "openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin -in signed.json -sigfile signature.bin"
    assert b"Success" in subprocess.run(command.split(), cwd=tmp_path, capture_output=True, check=True).stdout


def test_nothing_may_be_changed_added_or_left_out(members: Members) -> None:
    """Whatever it is."""
    for name, content in members.items():
        for changed in (content + b" ", content[:-1] + bytes([content[-1] ^ 1]), b""):
            with pytest.raises(ReportError):
                read_case(packed(members | {name: changed}), name="case.zip")
        with pytest.raises((ReportError, FormatError)):
            read_case(packed({one: part for one, part in members.items() if one != name}), name="case.zip")
    for name in ("leak.pdf", "more.txt", "timestamp.tsr"):
        with pytest.raises(ReportError):
            read_case(packed(members | {name: b"Bo did it."}), name="case.zip")


def test_nothing_hides_between_the_members(members: Members) -> None:
    """Before, behind or beside them, where another program would see it; nor are they packed anew."""
    case = packed(members)
    anew = io.BytesIO()
    with zipfile.ZipFile(anew, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    commented = case[:-2] + b"\x05\x00Bo..."[:2] + b"Bo..."
    for forged in (commented, anew.getvalue(), pack(members | {}) + b"\0" * 3, b"PK" + case):
        with pytest.raises((ReportError, FormatError)):
            read_case(forged, name="case.zip")
    assert read_case(case, name="case.zip").accused[0].number == 17


def test_another_name_on_the_page(members: Members, keyring: Keyring) -> None:
    """Even who can sign lists cannot put a page beside a report that says something else."""
    report = read_report(members["report.json"])
    other = replace(report, accused=(replace(report.accused[0], recipient="Bo"),))
    forged = listed(members | {"report.html": report_page(other).encode()}, keyring.newest)
    with pytest.raises(ReportError, match=r"report\.html .* is not what the signed report gives"):
        read_case(packed(forged), name="case.zip")


def test_another_leak_for_a_report(members: Members, issued: Issued, keyring: Keyring) -> None:
    """The report says of which file it is."""
    forged = listed(members | {"leak.txt": issued.copy(18).encode()}, keyring.newest)
    with pytest.raises(ReportError, match="not the leak"):
        read_case(packed(forged), name="case.zip")


def test_a_list_by_somebody_else(members: Members) -> None:
    """The list is signed with the key of the report, or worth nothing."""
    with pytest.raises(ReportError, match=r"signature of case\.json"):
        read_case(packed(listed(members, MasterKey.generate())), name="case.zip")


def test_a_whole_case_by_somebody_else(members: Members) -> None:
    """All signed anew with one key: the entry that saved the owner's report does not fit the stranger's."""
    stranger = MasterKey.generate()
    report = sign(replace(read_report(members["report.json"]), signature=None), stranger)
    forged = members | {"report.json": report_bytes(report), "report.html": report_page(report).encode()}
    assert report.signature is not None
    forged |= {"public-key.pem": stranger.public_key.pem.encode()}
    forged |= {"signature.bin": bytes.fromhex(report.signature.value)}
    signed = json.loads(members["signed.json"]) | {"public_key": report.signature.public_key}
    forged |= {"signed.json": canonical_json(signed)}
    with pytest.raises(ReportError, match="audit extract"):
        read_case(packed(listed(forged, stranger)), name="case.zip")


@pytest.mark.parametrize(
    "tamper",
    [
        lambda entries: entries[:-1],
        lambda entries: entries[1:][::-1],
        lambda entries: [*entries, entries[-1]],
        lambda entries: [{**entries[0], "at": "2020-01-01T00:00:00.000000+00:00"}, *entries[1:]],
        lambda entries: [{**entries[0], "more": 1}, *entries[1:]],
        lambda entries: {"entries": entries},
        lambda entries: [],
    ],
)
def test_the_extract_is_of_the_log(
    members: Members, keyring: Keyring, tamper: Callable[[list[object]], object]
) -> None:
    """Each entry is as it was hashed, in order, and one saved this very report."""
    entries = json.loads(members["audit.json"])
    forged = listed(members | {"audit.json": canonical_json(tamper(entries)) + b"\n"}, keyring.newest)
    with pytest.raises(ReportError, match="audit extract"):
        read_case(packed(forged), name="case.zip")


def test_the_extract_keeps_silent_on_others(members: Members, issued: Issued) -> None:
    """On other documents and on copies that are not named; rankings, which somebody may have used to climb, are in it."""
    entries = json.loads(members["audit.json"])
    details = [json.loads(entry["details"]) for entry in entries]
    assert {one.get("number") for one in details} == {None, 17}
    assert {one["document"] for one in details} == {issued.record.id}
    assert [entry["event"] for entry in entries][-1] == "report saved"
    assert b"Recipient" not in members["audit.json"]


def test_the_extract_does_not_tell_whom_other_reports_name(run: Run, issued: Issued, tmp_path: Path) -> None:
    """Copy 18 was named for another leak of the document, copy 19 is later: whoever gets this case learns of neither."""
    for number in (18, 17, 19):
        (tmp_path / "other.txt").write_text(issued.copy(number))
        assert run("trace", "other.txt", "--key", "lexprint.key").code == 0
    assert run("trace", "leak.txt", "--key", "lexprint.key", "--case", "case.zip").code == 0
    assert run("report", "verify", "case.zip").code == 0
    with zipfile.ZipFile("case.zip") as archive:
        entries = [(one["event"], json.loads(one["details"])) for one in json.loads(archive.read("audit.json"))]
    assert [details["accused"] for event, details in entries if event == "leak traced"] == [[17], [17]]
    assert [event for event, _ in entries].count("turn taken") == 3, "that other texts were traced is told"


def test_rankings_are_in_the_extract(run: Run, issued: Issued) -> None:
    """Who asked how well copies agree with texts of theirs, before the trace, is seen by those who get the case."""
    assert run("registry", "rank", "leak.txt", "--document", issued.record.id).code == 0
    assert run("trace", "leak.txt", "--key", "lexprint.key", "--case", "case.zip").code == 0
    with zipfile.ZipFile("case.zip") as archive:
        assert "copies ranked" in [entry["event"] for entry in json.loads(archive.read("audit.json"))]


def test_a_case_needs_report_key_and_leak(run: Run, members: Members, issued: Issued, tmp_path: Path) -> None:
    """The leak that was traced, the key that signed; without a key nothing is traced, for a trace takes a turn."""
    report = read_report(members["report.json"])
    (tmp_path / "other.txt").write_text(issued.copy(18))
    done = run("report", "case", report.id, "other.zip", "--leak", "other.txt")
    assert done.is_refusal(2, "not the leak")
    create_key_file(tmp_path / "new.key")
    done = run("report", "case", report.id, "other.zip", "--leak", "leak.txt", "--key", "new.key")
    assert done.is_refusal(1, "untrusted key")
    (tmp_path / "lexprint.key").unlink()
    assert run("report", "case", report.id, "other.zip", "--leak", "leak.txt").is_refusal(3, "--key")
    assert run("trace", "other.txt", "--case", "other.zip").is_refusal(3, "sign a case")
    with open_registry("lexprint.db") as registry:
        assert len(registry.reports()) == 1
    assert not Path("other.zip").exists()


@pytest.mark.parametrize("name", ["../../leak.txt", "leak.txt\n", "leak.averylongending", "leak.t t"])
def test_the_leaker_does_not_choose_where_a_leak_is_unpacked(
    run: Run, members: Members, issued: Issued, name: str
) -> None:
    """Only a plain ending of its name is kept."""
    from lexprint.workflows.cases import make_case

    report = read_report(members["report.json"])
    with open_registry("lexprint.db") as registry:
        case = make_case(registry, report, members["leak.txt"], leak_name=name, keys=Keyring.load("lexprint.key"))
    with zipfile.ZipFile(io.BytesIO(case)) as archive:
        assert {one for one in archive.namelist() if "leak" in one} <= {"leak", "leak.txt"}


def test_hostile_zip_files(run: Run, members: Members, tmp_path: Path) -> None:
    """Bombs, and names that no case has, are refused in one sentence."""
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in members:
            archive.writestr(name, bytes(3_000_000))
    slip = packed(members | {"../../etc/passwd": b""})
    for content in (bomb.getvalue(), slip, b"PK", b"PK\3\4" + bytes(100), Path("case.zip").read_bytes()[:-30]):
        (tmp_path / "hostile.zip").write_bytes(content)
        assert run("report", "verify", "hostile.zip").is_refusal(2, "hostile.zip")


def test_a_case_that_takes_all_memory_to_draw(members: Members) -> None:
    """A stranger signs a report that names a thousand copies at a thousand places: no page is made of it to compare."""
    stranger, report = MasterKey.generate(), read_report(members["report.json"])
    named = tuple(replace(report.accused[0], number=number) for number in range(1_000))
    rows = tuple(replace(report.evidence[0], site=site, given=(None,) * 1_000) for site in range(1_000))
    large = sign(replace(report, verdict="several copies", accused=named, evidence=rows, signature=None), stranger)
    case = packed(listed(members | {"report.json": report_bytes(large)}, stranger))
    assert len(case) < 8_000_000
    with pytest.raises(ReportError, match="too large"):
        read_case(case, name="case.zip")


def opened(case: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(case)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_dismissed_report_makes_a_case_that_says_so(run: Run, members: Members) -> None:
    """With the present status and every note, beside the log entries that they are verified by; whoever verifies it is told."""
    report = read_report(members["report.json"])
    assert run("report", "note", report.id, "Is this so?").code == 0
    assert run("report", "note", report.id, NOTE, "--status", "dismissed").code == 0
    made = run("report", "case", report.id, "again.zip", "--leak", "leak.txt")
    assert made.code == 0, made.errors
    case = Path("again.zip").read_bytes()
    assert read_case(case, name="again.zip") == report
    assert status_in_case(case, name="again.zip") == ("dismissed", ("Is this so?", NOTE))
    done = run("report", "verify", "again.zip")
    assert (done.code, "dismissed" in done.text, NOTE in done.text) == (0, True, True)
    events = [entry["event"] for entry in json.loads(opened(case)["audit.json"])]
    assert events.count("report reviewed") == 2
    assert status_in_case(Path("case.zip").read_bytes(), name="case.zip") == ("open", ())


def test_a_status_that_the_log_does_not_have(run: Run, members: Members, keyring: Keyring) -> None:
    """Even who can sign lists cannot write another one, drop a note or leave the entry of the dismissal out alone."""
    report = read_report(members["report.json"])
    assert run("report", "note", report.id, NOTE, "--status", "dismissed").code == 0
    assert run("report", "case", report.id, "again.zip", "--leak", "leak.txt").code == 0
    case = opened(Path("again.zip").read_bytes())
    said = json.loads(case["status.json"])
    entries = [one for one in json.loads(case["audit.json"]) if one["event"] != "report reviewed"]
    for forged in (
        {"status.json": canonical_json(said | {"status": "confirmed"}) + b"\n"},
        {"status.json": canonical_json({"status": "open", "reviews": []}) + b"\n"},
        {"status.json": canonical_json(said | {"reviews": [said["reviews"][0] | {"note": "Ada did it."}]}) + b"\n"},
        {"status.json": b"{}\n"},
        {"audit.json": canonical_json(entries) + b"\n"},
    ):
        with pytest.raises(ReportError, match="status"):
            read_case(packed(listed(case | forged, keyring.newest)), name="case.zip")


def test_who_traced_is_in_the_case(run: Run, issued: Issued, keyring: Keyring) -> None:
    """The tracer's token, and who made it: whoever searched for a text that names Ada is known to those who get the case."""
    with open_registry("lexprint.db", keys=keyring) as registry:
        app = create_app(fake_engine(), registry, keyring=keyring)
        written, tracer = create_token(registry, "Mallory", scopes={"trace"})
        with TestClient(app, base_url="http://localhost", headers=bearer(written)) as client:
            leak = issued.copy(17)
            report = client.post("/v1/trace", json={"text": leak}).json()["report"]
            case = client.post(f"/v1/reports/{report['id']}/case", json={"text": leak}).content
    read_case(case, name="case.zip")
    entries = [(one["event"], json.loads(one["details"])) for one in json.loads(opened(case)["audit.json"])]
    assert [details["token"] for event, details in entries if event == "trace served"] == [tracer.id]
    (created,) = [details for event, details in entries if event == "token created"]
    assert (created["token"], created["name"], created["by"]) == (tracer.id, "Mallory", {"command": "lexprint"})
