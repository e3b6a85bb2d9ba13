"""Routes that the page needs beside those of programs: what a copy says, and whether a report is genuine."""

from __future__ import annotations

from typing import Annotated

from fastapi import File, UploadFile

from lexprint.coding.keys import Keyring
from lexprint.errors import BadSignature, ForeignSignature, FormatError, ReportError
from lexprint.formats.source import open_source
from lexprint.registry.records import DocumentRecord, IssuedCopy
from lexprint.reports.report import Report
from lexprint.reports.signed_file import read_report, require_signer
from lexprint.server import issued_files, page_schemas, schemas, verbs
from lexprint.server.guarding import guarded_router
from lexprint.server.limits import OnProgress
from lexprint.server.page_schemas import Finding
from lexprint.server.problems import not_found
from lexprint.server.record_routes import CopyNumber
from lexprint.server.routes import TheCaller, TheService
from lexprint.server.service import Service
from lexprint.server.verbs import Answer
from lexprint.text.editing import apply_edits, inverse_edits
from lexprint.workflows.cases import is_case, read_case, status_in_case
from lexprint.workflows.issuing import copy_edits

reading = guarded_router("mark")
verifying = guarded_router("mark", "trace")


@reading.get("/documents/{document_id}/copies/{number}/text", response_model=page_schemas.CopyText)
async def show_copy(
    document_id: schemas.DocumentId, number: CopyNumber, service: TheService, caller: TheCaller
) -> Answer:
    """What one copy says, with the words that are its own."""

    def work(on_progress: OnProgress) -> Answer:
        record = service.registry.document(document_id)
        for copy in service.registry.copies(document_id, numbers=[number]):
            shown = _copy_text(service, record, copy)
            service.registry.record_event("copy shown", {"document": document_id, "number": number, "token": caller.id})
            return {"number": number, "recipient": copy.recipient} | shown
        raise not_found("copy", str(number))

    return await service.desk.run(work, seconds=service.limits.seconds)


def _copy_text(service: Service, record: DocumentRecord, copy: IssuedCopy) -> Answer:
    if record.issuing == "blind":
        for _, content in issued_files.copy_contents(service, record, [copy]):
            source = open_source(content, name=copy.file_name, limits=service.reading)
            return {"text": source.text, "changed": []}
        raise not_found("the file of copy", str(copy.number))
    edits = copy_edits(record.sites, copy.codeword)
    text = apply_edits(record.text, edits)
    changed = [
        {"span": (back.span.start, back.span.end), "word": back.span.of(text), "master": back.replacement}
        for back in inverse_edits(record.text, edits)
    ]
    return {"text": text, "changed": changed}


@verifying.post("/verification", response_model=page_schemas.Verification)
async def verify(file: Annotated[UploadFile, File()], service: TheService) -> Answer:
    """Whether a report, or a case with all that is in it, is as it was signed, and by a key of this service."""
    content = await file.read()
    return await service.desk.run(lambda _: _verified(service, content), seconds=service.limits.seconds)


def _verified(service: Service, content: bytes) -> Answer:
    try:
        report = read_case(content, name="the case") if is_case(content) else read_report(content)
    except BadSignature as error:
        return _answer("changed", str(error))
    except ReportError as error:
        return _answer("changed" if is_case(content) else "unreadable", str(error))
    except FormatError as error:
        return _answer("unreadable", str(error))
    finding, detail = _origin(report, service.keyring)
    if is_case(content):
        detail += f"; its status when the case was made: {status_in_case(content, name='the case')[0]}"
    return _answer(finding, detail) | {
        "signer": report.signature and report.signature.signer.fingerprint,
        "is_known": _is_known(service, report),
        "report": verbs.report_answer(report),
    }


def _answer(finding: Finding, detail: str) -> Answer:
    return {"finding": finding, "detail": detail, "signer": None, "is_known": False, "report": None}


def _origin(report: Report, keyring: Keyring | None) -> tuple[Finding, str]:
    if report.signature is None:
        return "unsigned", "the report has no signature, so anybody may have written it"
    try:
        require_signer(report, {key.public_key.fingerprint for key in keyring or ()}, name="the report")
    except ForeignSignature:
        return "foreign", (
            "the report is as it was signed, but not with a key of this service; compare the fingerprint of its key with one "
            "that its issuer gave you in another way"
        )
    return "genuine", "the report is as it was signed, with a key of this service"


def _is_known(service: Service, report: Report) -> bool:
    with service.registry.reading() as statements:
        if not statements.rows("SELECT id FROM reports WHERE id = :id", id=report.id):
            return False
    return read_report(service.registry.report(report.id).text.encode()) == report
