"""What the registry knows, over HTTP: documents, copies, recipients, reports; and its administration."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from lexprint import __version__
from lexprint.registry.records import DocumentSummary, IssuedCopy
from lexprint.reports.page import report_page
from lexprint.reports.report import Report
from lexprint.reports.signed_file import read_report, report_bytes, require_signer
from lexprint.server import issued_files, metrics, schemas, token_schemas, verbs
from lexprint.server.guarding import guarded_router
from lexprint.server.limits import OnProgress
from lexprint.server.problems import Refusal, not_found
from lexprint.server.routes import Limit, Offset, TheCaller, TheService, attachment, disposition, page, shared, tracing
from lexprint.server.service import Service
from lexprint.server.tokens import create_token, list_tokens, revoke_token, token_json
from lexprint.server.verbs import Answer

IN_MEMORY = 8 << 20  # bytes of an archive; larger ones are on disk while they are sent
CHUNK = 1 << 16
CopyNumber = Annotated[int, Path(ge=1, le=10_000_000)]

marking = guarded_router("mark")
administration = guarded_router("admin", keeps_answers=False)
open_routes = APIRouter()


@shared.get("/documents", response_model=schemas.Page[schemas.DocumentInfo])
def show_documents(service: TheService, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """Documents that copies were made of, newest first."""
    found = service.registry.documents()[::-1]
    return page(
        [_document_json(service, one) for one in found[offset : offset + limit]], total=len(found), offset=offset
    )


@shared.get("/documents/{document_id}", response_model=schemas.DocumentInfo)
def show_document(document_id: schemas.DocumentId, service: TheService) -> Answer:
    """One document."""
    return _document_json(service, _summary(service, document_id))


@marking.get("/documents/{document_id}/copies", response_model=schemas.Page[schemas.CopyInfo])
def show_copies(document_id: schemas.DocumentId, service: TheService, limit: Limit = 100, offset: Offset = 0) -> Answer:
    """Its copies, by number."""
    summary = _summary(service, document_id)
    numbers = range(offset + 1, min(offset + limit, summary.planned) + 1)
    copies = service.registry.copies(document_id, numbers=numbers)
    return page([_copy_json(copy) for copy in copies], total=summary.planned, offset=offset)


@marking.get("/documents/{document_id}/copies/{number}/content", response_class=Response)
def download_copy(
    document_id: schemas.DocumentId, number: CopyNumber, service: TheService, caller: TheCaller
) -> Response:
    """The file of one copy, byte for byte as it was issued."""
    record = service.registry.document(document_id)
    copies = service.registry.copies(document_id, numbers=[number])
    for copy, content in issued_files.copy_contents(service, record, copies):
        details = {"document": document_id, "number": number, "token": caller.id}
        service.registry.record_event("copy downloaded", details)
        return attachment(content, copy.file_name)
    raise not_found("the file of copy", str(number))


@marking.get("/documents/{document_id}/archive", response_class=StreamingResponse)
async def download_archive(
    document_id: schemas.DocumentId, service: TheService, caller: TheCaller
) -> StreamingResponse:
    """All issued copies and their list, as a ZIP file."""

    def work(on_progress: OnProgress) -> tuple[IO[bytes], str]:
        record = service.registry.document(document_id)
        archive: IO[bytes] = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 # closed when it is sent
        listed = []
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for copy, content in issued_files.copy_contents(service, record, service.registry.copies(document_id)):
                on_progress(copy.number, 0)
                packed.writestr(zipfile.ZipInfo(copy.file_name), content)
                listed.append(_copy_json(copy))
            packed.writestr("manifest.json", json.dumps({"document": document_id, "copies": listed}, indent=2))
        if not listed:
            archive.close()
            raise not_found("the copies of document", document_id)
        details = {"document": document_id, "copies": len(listed), "token": caller.id}
        service.registry.record_event("archive downloaded", details)
        archive.seek(0)
        return archive, record.name

    archive, name = await service.desk.run(work, seconds=service.limits.seconds)
    return StreamingResponse(_sent(archive), media_type="application/zip", headers=disposition(f"{name}.zip"))


def _sent(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK):
            yield chunk


@marking.get("/recipients", response_model=schemas.Page[schemas.RecipientInfo])
def show_recipients(service: TheService, limit: Limit = 100, offset: Offset = 0) -> Answer:
    """Everyone who was to be given a copy, by name."""
    found = service.registry.recipients()
    items = [{"name": one.name, "planned": one.planned, "issued": one.issued} for one in found[offset : offset + limit]]
    return page(items, total=len(found), offset=offset)


@tracing.get("/reports/{report_id}", response_model=schemas.TraceAnswer)
def show_report(report_id: schemas.DocumentId, service: TheService) -> Answer:
    """A report, with its verdict in words; its signature is checked on the way, and that it is one of this service."""
    return verbs.report_answer(genuine_report(service, report_id))


@tracing.get("/reports/{report_id}/signed", response_class=Response)
def download_report(report_id: schemas.DocumentId, service: TheService, caller: TheCaller) -> Response:
    """The file that was signed, for `lexprint report verify`."""
    report = genuine_report(service, report_id)
    service.registry.record_event("report downloaded", {"report": report_id, "token": caller.id})
    return attachment(report_bytes(report), f"report-{report_id}.json")


@tracing.get("/reports/{report_id}/page", response_class=Response)
def download_report_page(report_id: schemas.DocumentId, service: TheService, caller: TheCaller) -> Response:
    """The same as a page that prints well."""
    report = genuine_report(service, report_id)
    service.registry.record_event("report downloaded", {"report": report_id, "token": caller.id})
    headers = disposition(f"report-{report_id}.html")
    return Response(report_page(report), media_type="text/html; charset=utf-8", headers=headers)


@administration.get("/audit", response_model=schemas.Page[schemas.AuditInfo])
def show_audit(service: TheService, limit: Limit = 100, offset: Offset = 0) -> Answer:
    """What was done, newest first."""
    found = service.registry.audit()[::-1]
    items = [
        {
            "sequence": one.sequence,
            "at": one.at,
            "event": one.event,
            "details": json.loads(one.details),
            "hash": one.hash,
        }
        for one in found[offset : offset + limit]
    ]
    return page(items, total=len(found), offset=offset)


@administration.post("/ranking", response_model=schemas.Ranking)
async def rank(asked: schemas.RankingRequest, service: TheService, caller: TheCaller) -> Answer:
    """How well copies agree with a leak, named or not; logged, since whoever sees it can write what points to any copy."""
    desk, seconds = verbs.Desk(service, caller, service.engine), service.limits.seconds
    is_blind = await service.desk.run(lambda _: verbs.has_blind_documents(service), seconds=seconds)
    bench = service.models if is_blind else service.desk
    return await bench.run(lambda _: verbs.rank(desk, asked), seconds=seconds)


@administration.get("/tokens", response_model=list[token_schemas.TokenInfo])
def show_tokens(service: TheService) -> list[Answer]:
    """All tokens, revoked and expired ones too."""
    return [token_json(token) for token in list_tokens(service.registry)]


@administration.post("/tokens", response_model=token_schemas.NewToken, status_code=201)
def new_token(asked: token_schemas.TokenRequest, service: TheService, caller: TheCaller) -> Answer:
    """A new token, which is shown this once."""
    expires_at = None if asked.days is None else datetime.now(UTC) + timedelta(days=asked.days)
    written, token = create_token(
        service.registry,
        asked.name,
        scopes=asked.scopes,
        expires_at=expires_at,
        recipient=asked.recipient,
        by=caller.id,
    )
    return token_json(token) | {"token": written}


@administration.delete("/tokens/{token_id}", response_model=token_schemas.TokenInfo)
def end_token(token_id: schemas.TokenId, service: TheService, caller: TheCaller) -> Answer:
    """Revoke a token."""
    return token_json(revoke_token(service.registry, token_id, by=caller.id))


@administration.get("/metrics", response_class=PlainTextResponse)
async def show_metrics(service: TheService) -> Response:
    """For Prometheus, of this process; if the database is slow to count the jobs, they are those of the last time."""
    pending = {"models": service.models.pending, "desk": service.desk.pending}
    written = service.metrics.text(
        metrics.gauge("lexprint_jobs", "Jobs.", label="state", values=await service.job_counts.recent()),
        metrics.gauge("lexprint_pending", "Requests that wait or run.", label="bench", values=pending),
        metrics.single_gauge("lexprint_failed_logins", "Failed logins.", service.failed_logins.count),
    )
    return Response(written, media_type=metrics.MEDIA_TYPE)


@shared.get("/openapi.json", include_in_schema=False)
def show_schema(request: Request) -> Answer:
    """This interface, for programs."""
    schema: Answer = request.app.openapi()
    return schema


@open_routes.get("/health", response_model=schemas.Health)
async def health() -> Answer:
    """Whether the process answers."""
    return {"status": "ok", "version": __version__}


@open_routes.get("/ready", response_model=schemas.Health)
def ready(service: TheService) -> Answer:
    """Whether it can work: the registry answers, and it is not stopping."""
    if service.stopping.is_set():
        raise Refusal(503, "the service is stopping", code="Stopping")
    with service.registry.reading() as statements:
        statements.rows("SELECT 1 AS one")
    return {"status": "ok", "version": __version__}


def _summary(service: Service, document_id: str) -> DocumentSummary:
    name = service.registry.document(document_id).name
    return next(one for one in service.registry.versions(name) if one.id == document_id)


def _document_json(service: Service, one: DocumentSummary) -> Answer:
    return {
        "id": one.id,
        "name": one.name,
        "version": one.version,
        "issuing": one.issuing,
        "code": one.code,
        "sha256": one.digest,
        "key_id": one.key_id,
        "fingerprint": one.fingerprint,
        "created_at": one.created_at,
        "words": one.words,
        "sites": one.sites,
        "planned": one.planned,
        "issued": one.issued,
        "has_files": issued_files.has_master(service, one.digest),
    }


def _copy_json(copy: IssuedCopy) -> Answer:
    return {
        "number": copy.number,
        "recipient": copy.recipient,
        "file_name": copy.file_name,
        "sha256": copy.digest,
        "issued_at": None if copy.issued_at is None else copy.issued_at.isoformat(),
    }


def genuine_report(service: Service, report_id: str) -> Report:
    """A report that somebody acts upon: if it is signed, then with a key of this service."""
    report = stored_report(service, report_id)
    if service.keyring is not None and report.signature is not None:
        require_signer(report, {key.public_key.fingerprint for key in service.keyring}, name=f"report {report_id}")
    return report


def stored_report(service: Service, report_id: str) -> Report:
    with service.registry.reading() as statements:
        if not statements.rows("SELECT id FROM reports WHERE id = :id", id=report_id):
            raise not_found("report", report_id)
    return read_report(service.registry.report(report_id).text.encode(), name=f"report {report_id}")
