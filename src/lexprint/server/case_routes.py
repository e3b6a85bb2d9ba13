"""What became of reports, and cases to hand over, over HTTP."""

from __future__ import annotations

from starlette.responses import Response

from lexprint.registry.audit import CASE_DOWNLOADED
from lexprint.registry.reviews import Review, reviews
from lexprint.server import case_schemas, schemas
from lexprint.server.files import find_file
from lexprint.server.guarding import guarded_router
from lexprint.server.limits import OnProgress
from lexprint.server.record_routes import genuine_report, stored_report
from lexprint.server.routes import TheCaller, TheService, disposition
from lexprint.server.verbs import Answer
from lexprint.workflows.cases import make_case
from lexprint.workflows.statuses import review_report

reviewing = guarded_router("trace")
packing = guarded_router("trace", is_idempotent=True)


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
