"""A case: a leak, the report on it, and all that it takes to verify both, in one ZIP file.

Whatever follows from the signed report is made anew when a case is verified, and must be the same. The rest (leak, PDF, audit
extract) is listed with its digest, and the list is signed with the key of the report. A verified case is, byte for byte, what
lexprint wrote: another program that opens it can see nothing else in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from lexprint import __version__
from lexprint.errors import BadSignature, FormatError, InputError, ReportError, SecretError
from lexprint.formats.zip_package import LARGEST_MEMBER, open_package, pack
from lexprint.registry.audit import CASE_MADE, REPORT_REVIEWED, review_digest, time_text
from lexprint.registry.protocol import Registry
from lexprint.registry.records import AuditEntry
from lexprint.registry.reviews import Review, read_status, reviews, status_of
from lexprint.reports.audit_extract import extract_bytes, require_extract
from lexprint.reports.page import report_page
from lexprint.reports.pdf import report_pdf
from lexprint.reports.report import Report
from lexprint.reports.signatures import (
    canonical_json,
    parsed_signature,
    require_intact,
    signature_json,
    signature_of,
    signed_bytes,
)
from lexprint.reports.signed_file import content_json, read_report, report_bytes, stamped_bytes
from lexprint.workflows.unaltered import require_unaltered

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring, MasterKey

FORMAT = 1
KIND = "lexprint case"  # so that the signature of a list is that of nothing else
BEGINNING = b"PK"  # of every ZIP file
LIST, REPORT, PDF, AUDIT, STATUS = "case.json", "report.json", "report.pdf", "audit.json", "status.json"
_LEAK = re.compile(r"leak(\.[a-z0-9]{1,8})?")
_MEMBER = re.compile(r"[a-z-]{1,16}(\.[a-z0-9]{1,8})?")
MOST_CELLS = 400_000  # of the table of a report, whose page is made to compare it: some seconds
_LEAST_MEMBERS = 6
_MOST_MEMBERS = 12


def make_case(registry: Registry, report: Report, leak: bytes, *, leak_name: str, keys: Keyring | None) -> bytes:
    """The ZIP file of a signed report of the registry and the leak it is of, with all that is known of the report by now.

    The same for the same report and leak, until somebody says something of the report or does something with its document.
    """
    key = signing_key(report, keys)
    require_leak(report, leak, name=leak_name)
    if len(leak) > LARGEST_MEMBER:
        raise InputError(f"{leak_name} is too large for a case", needed=f"at most {LARGEST_MEMBER:,} bytes")
    require_unaltered(registry, None if report.document is None else report.document.id)
    extract = extract_bytes(registry.audit(), report)
    members = {
        _leak_member(leak_name): leak,
        **_derived(report),
        PDF: report_pdf(report),
        AUDIT: extract,
        STATUS: _status_bytes(_reviewed(reviews(registry), require_extract(extract, report, name=AUDIT), report)),
    }
    listed = {
        "kind": KIND,
        "format": FORMAT,
        "version": __version__,
        "report": report.id,
        "members": {name: sha256(content).hexdigest() for name, content in members.items()},
    }
    content = canonical_json({"case": listed, **signature_json(signature_of(listed, key))}) + b"\n"
    case = pack(dict(sorted({LIST: content, **members}.items())))
    details = {"report": report.id, "document": report.document and report.document.id}
    registry.record_event(CASE_MADE, details | {"case": sha256(case).hexdigest()})
    return case


def signing_key(report: Report, keys: Keyring | None) -> MasterKey:
    """The one that signed it."""
    if report.signature is None:
        raise ReportError(f"report {report.id} is not signed; needed: one that was traced with a master key")
    signer = report.signature.signer
    key = next((key for key in keys or () if key.public_key == signer), None)
    if key is None:
        raise SecretError(f"report {report.id} was signed with key {signer.id}", needed="that key, with --key")
    return key


def require_leak(report: Report, leak: bytes, *, name: str) -> None:
    if sha256(leak).hexdigest() != report.leak.digest:
        raise InputError(f"{name} is not the leak of report {report.id}", needed="the file that was traced")


def is_case(content: bytes) -> bool:
    return content.startswith(BEGINNING)


def read_case(content: bytes, *, name: str) -> Report:
    """The report of a case, all of which was verified but for one thing: who signed it. See `require_signer`."""
    members = _members(content, name=name)
    report = read_report(members[REPORT], name=f"{REPORT} in {name}")
    if report.signature is None:
        raise ReportError(f"the report in {name} is not signed; needed: a case that lexprint made")
    if len(report.evidence) * len(report.accused) > MOST_CELLS:
        raise ReportError(f"the report in {name} is too large to make its page; needed: its JSON file alone")
    version = _require_listed(members, report, name=name)
    for member, expected in _derived(report).items():
        if member not in members or members[member] != expected:
            by_another = "" if version == __version__ else f"; the case was made by lexprint {version}: verify with it"
            raise ReportError(f"{member} in {name} is not what the signed report gives{by_another}")
    leaks = [member for member in members if _LEAK.fullmatch(member)]
    known = {*leaks, LIST, PDF, AUDIT, STATUS, *_derived(report)}
    if len(leaks) != 1 or set(members) != known:
        raise ReportError(f"{name} holds other files than a case does; needed: the case as it was made")
    if sha256(members[leaks[0]]).hexdigest() != report.leak.digest:
        raise ReportError(
            f"{leaks[0]} in {name} is not the leak that the report is of; needed: the case as it was made"
        )
    _require_status(members[STATUS], require_extract(members[AUDIT], report, name=name), report, name=name)
    if pack(dict(sorted(members.items()))) != content:
        raise ReportError(f"{name} holds more than its files; needed: the case as it was made, not packed anew")
    return report


def status_in_case(content: bytes, *, name: str) -> tuple[str, tuple[str, ...]]:
    """The status that a report had when its case was made, and all notes on it; of a case that was verified."""
    found = json.loads(_members(content, name=name)[STATUS])
    return found["status"], tuple(one["note"] for one in found["reviews"] if one["note"])


def _reviewed(said: Mapping[str, Sequence[Review]], extract: Sequence[AuditEntry], report: Report) -> Sequence[Review]:
    """What people made of the report, as far as the extract knows of it."""
    return said.get(report.id, ())[: len(_digests_of_reviews(extract, report))]


def _digests_of_reviews(extract: Sequence[AuditEntry], report: Report) -> list[str]:
    found = [json.loads(entry.details) for entry in extract if entry.event == REPORT_REVIEWED]
    return [details["sha256"] for details in found if details["report"] == report.id]


def _status_bytes(said: Sequence[Review]) -> bytes:
    listed = [{"number": one.number, "status": one.status, "note": one.note, "at": time_text(one.at)} for one in said]
    return canonical_json({"status": status_of(said), "reviews": listed}) + b"\n"


def _require_status(content: bytes, extract: Sequence[AuditEntry], report: Report, *, name: str) -> None:
    """Refuse another status or other notes than those that are in the log."""
    try:
        listed: list[dict[str, Any]] = json.loads(content)["reviews"]
        said = [
            Review(report.id, one["number"], read_status(one["status"]), one["note"], datetime.fromisoformat(one["at"]))
            for one in listed
        ]
        digests = [
            review_digest(
                report_id=report.id, number=one.number, status=one.status, note=one.note, at=time_text(one.at)
            )
            for one in said
        ]
        is_fitting = content == _status_bytes(said) and digests == _digests_of_reviews(extract, report)
    except (InputError, KeyError, RecursionError, TypeError, ValueError):
        is_fitting = False
    if not is_fitting:
        raise ReportError(f"{STATUS} in {name} is not what the audit extract says; needed: the case as it was made")


def _derived(report: Report) -> dict[str, bytes]:
    """All that follows from a signed report, so that `openssl` can verify signature and timestamp without lexprint."""
    assert report.signature is not None
    signature = report.signature
    derived = {
        REPORT: report_bytes(report),
        "report.html": report_page(report).encode(),
        "signed.json": signed_bytes(content_json(report), signature.public_key),
        "signature.bin": bytes.fromhex(signature.value),
        "public-key.pem": signature.signer.pem.encode(),
    }
    if report.timestamp is not None:
        derived |= {"timestamp.tsr": report.timestamp, "stamped.json": stamped_bytes(report)}
    return derived


def _leak_member(name: str) -> str:
    """Only the ending of its name is kept, and only a plain one: nothing is ever unpacked to a place that a leaker chose."""
    member = f"leak{PurePath(name).suffix.lower()}"
    return member if _LEAK.fullmatch(member) else "leak"


def _members(content: bytes, *, name: str) -> dict[str, bytes]:
    package = open_package(content, name=name)
    if not _LEAST_MEMBERS <= len(package.members) <= _MOST_MEMBERS or not {LIST, REPORT} <= set(package.members):
        raise FormatError(name, found="a ZIP file that is no case", needed="what lexprint report case wrote")
    if not all(_MEMBER.fullmatch(member) for member in package.members):
        raise FormatError(name, found="a file name that no case holds", needed="what lexprint report case wrote")
    members: dict[str, bytes] = {}
    for member in package.members:
        members[member] = package.read(member)
        if sum(map(len, members.values())) > len(content):  # a case is not compressed
            raise FormatError(name, found="a file that unpacks to more", needed="what lexprint report case wrote")
    return members


def _require_listed(members: Mapping[str, bytes], report: Report, *, name: str) -> str:
    """Refuse members that the signed list does not have as they are; gives the version that made the list."""
    assert report.signature is not None
    try:
        value: dict[str, Any] = json.loads(members[LIST])
        envelope = parsed_signature(value)
        listed = value["case"]
        is_written_so = members[LIST] == canonical_json(value) + b"\n" and envelope is not None
        found = (listed["kind"], listed["format"], listed["report"], type(listed["version"]))
        digests_are_text = all(type(digest) is str for digest in listed["members"].values())
        is_written_so = is_written_so and found == (KIND, FORMAT, report.id, str) and digests_are_text
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise _no_list(name) from error
    if not is_written_so or envelope is None:
        raise _no_list(name)
    signature, key_id = envelope
    if signature.public_key != report.signature.public_key:
        raise BadSignature(f"{LIST} in {name}")
    require_intact(listed, signature, key_id, name=f"{LIST} in {name}")
    digests = {member: sha256(content).hexdigest() for member, content in members.items() if member != LIST}
    if digests != listed["members"]:
        differing = sorted({member for member, _ in digests.items() ^ listed["members"].items()})
        raise ReportError(
            f"{name} is not as it was signed: {differing[0]} was changed, added or removed; needed: the case as it was made"
        )
    return str(listed["version"])


def _no_list(name: str) -> ReportError:
    return ReportError(f"{LIST} in {name} is corrupt, or not that of a case; needed: the case as it was made")
