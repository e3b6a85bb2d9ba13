"""What became of reports, and cases to hand over, over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from lexprint.registry.audit import CASE_DOWNLOADED
from lexprint.registry.reviews import Review, Status, reviews
from lexprint.server import case_schemas, schemas
from lexprint.server.files import find_file
from lexprint.server.guarding import guarded_router
from lexprint.server.limits import OnProgress
from lexprint.server.record_routes import genuine_report, stored_report
from lexprint.server.routes import Limit, Offset, TheCaller, TheService, disposition, page
from lexprint.server.service import Service
from lexprint.server.verbs import Answer
from lexprint.workflows.cases import make_case
from lexprint.workflows.report_search import ListedReport, ReportQuery, find_reports, listed_reports, search_reports
from lexprint.workflows.statuses import review_report

SHOWN_NOTE = 200  # characters of a note in a list

searching = guarded_router("trace")
reviewing = guarded_router("trace")
packing = guarded_router("trace", is_idempotent=True)


DocumentSought = Annotated[
    schemas.Name | None, Query(description="Its id, or a part of its name; a report of no document has none.")
]
CopySought = Annotated[int | None, Query(ge=1, le=10_000_000, description="A copy that it names.")]
SinceSought = Annotated[datetime | None, Query(description="Saved from then on; without a zone, in UTC.")]
StatusSought = Annotated[Status | None, Query(description="What became of it.")]


@searching.get("/reports", response_model=schemas.Page[schemas.ReportInfo])
def show_reports(
    service: TheService,
    document: DocumentSought = None,
    copy: CopySought = None,
    since: SinceSought = None,
    status: StatusSought = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Reports of traced leaks, newest first, all or those that are sought."""
    registry = service.registry
    documents = None if document is None else _documents_called(service, document)
    query = ReportQuery(documents=documents, copy=copy, since=since, status=status)
    trusted = {key.public_key.fingerprint for key in service.keyring or ()}
    if copy is not None:  # which copies a report names is known once it is read
        found = search_reports(registry, query, trusted=trusted)[::-1]
        shown, total = found[offset : offset + limit], len(found)
    else:
        ids = find_reports(registry, query)[::-1]
        shown, total = listed_reports(registry, ids[offset : offset + limit], trusted=trusted), len(ids)
    return page([_report_info(one) for one in shown], total=total, offset=offset)


def _documents_called(service: Service, sought: str) -> set[str]:
    part = sought.strip().casefold()
    return {one.id for one in service.registry.documents() if part == one.id or part in one.name.casefold()}


def _report_info(one: ListedReport) -> Answer:
    report = one.report
    return {
        "id": one.stored.id,
        "document_id": one.stored.document_id,
        "saved_at": one.stored.saved_at,
        "document_name": report and report.document and report.document.name,
        "verdict": one.verdict,
        "accused": one.accused,
        "is_signed": report is not None and report.signature is not None,
        "status": one.status,
        "notes": sum(1 for review in one.said if review.note.strip()),
        "last_note": next((review.note[:SHOWN_NOTE] for review in reversed(one.said) if review.note.strip()), None),
    }


@reviewing.get("/reports/{report_id}/reviews", response_model=list[case_schemas.ReviewInfo])
def show_reviews(report_id: schemas.DocumentId, service: TheService) -> list[Answer]:
    """What people made of a report, the oldest first."""
    stored_report(service, report_id)
    return [_review_json(review) for review in reviews(service.registry).get(report_id, [])]


@reviewing.post("/reports/{report_id}/reviews", response_model=case_schemas.ReviewInfo, status_code=201)
def add_review(
    report_id: schemas.DocumentId, asked: case_schemas.ReviewRequest, service: TheService, caller: TheCaller
) -> Answer:
    """Keep a note on a report, or what became of it; the report itself does not change."""
    service.require_keys()
    report = genuine_report(service, report_id)
    review = review_report(service.registry, report, status=asked.status, note=asked.note)
    details = {"report": report_id, "review": review.number, "token": caller.id}
    service.registry.record_event("review served", details)
    return _review_json(review)


@packing.post("/reports/{report_id}/case", response_class=Response)
async def download_case(
    report_id: schemas.DocumentId, asked: schemas.Given, service: TheService, caller: TheCaller
) -> Response:
    """Leak, report, signature, key, timestamp and audit extract as one ZIP file; the leak must be the one that was traced."""

    def work(on_progress: OnProgress) -> bytes:
        report = genuine_report(service, report_id)
        leak, name = (asked.text or "").encode(), "leak.txt"
        if asked.file is not None:
            file = find_file(service.registry, caller.id, asked.file)
            leak, name = file.content, file.name
        case = make_case(service.registry, report, leak, leak_name=name, keys=service.keyring)
        service.registry.record_event(CASE_DOWNLOADED, {"report": report_id, "token": caller.id})
        return case

    content = await service.desk.run(work, seconds=service.limits.seconds)
    return Response(content, media_type="application/zip", headers=disposition(f"case-{report_id}.zip"))


def _review_json(review: Review) -> Answer:
    return {"number": review.number, "status": review.status, "note": review.note, "at": review.at}
