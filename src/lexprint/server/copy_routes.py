"""Copies at download: a document store asks for somebody's copy, which is issued when it is first asked for.

Whoever may ask in somebody's name may also leak in it. So each download is in the audit log with its token, a token may be for
one recipient alone, and nobody gets a first copy under a name that looks like another's. Whoever holds a token for one recipient
is put on no list by it: it opens the copies that others have planned for them, and no document that they were never to have.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from lexprint.registry.look_alikes import look_alike
from lexprint.registry.packing import person
from lexprint.registry.records import DocumentRecord, IssuedCopy
from lexprint.server import issued_files, schemas
from lexprint.server.access import Caller
from lexprint.server.guarding import guarded_router
from lexprint.server.limits import OnProgress
from lexprint.server.problems import Refusal, not_found
from lexprint.server.routes import TheCaller, TheService, attachment
from lexprint.server.service import Service
from lexprint.workflows.issuing import Master, issue_one
from lexprint.workflows.scratch import scratch_folder

Recipient = Annotated[schemas.Name, Path(description="As its owner calls them.")]

fetching = guarded_router("copies", "mark", is_idempotent=True)


@fetching.post(
    "/documents/{document_id}/copies/{recipient:path}",
    response_class=Response,
    responses={201: {"description": "The copy, issued just now"}},
)
async def fetch_copy(
    document_id: schemas.DocumentId, recipient: Recipient, service: TheService, caller: TheCaller
) -> Response:
    """The copy of one recipient: issued when it is first asked for, and the same bytes ever after."""
    if caller.recipient is not None and person(caller.recipient) != person(recipient):
        raise _not_theirs()

    def work(on_progress: OnProgress) -> Response:
        return _fetched(service, caller, document_id, " ".join(recipient.split()))

    return await service.desk.run(work, seconds=service.limits.seconds)


def _not_theirs() -> Refusal:
    """In the same words whether there is such a document or copy, or not."""
    return Refusal(403, "this token opens the copies that one recipient was given, and this is none", code="Forbidden")


def _fetched(service: Service, caller: Caller, document_id: str, recipient: str) -> Response:
    number = _number_of(service, document_id, recipient)
    if number is None and caller.recipient is not None:
        raise _not_theirs()
    record = service.registry.document(document_id)
    is_first = number is None
    if number is None:
        _require_no_double(service, caller, document_id, recipient)
        number = _issue(service, record, recipient)
    for copy, content in issued_files.copy_contents(service, record, _copies(service, record, number, recipient)):
        details = {"document": document_id, "number": number, "token": caller.id}
        service.registry.record_event("copy downloaded", details)
        response = attachment(content, copy.file_name)
        response.status_code = 201 if is_first else 200
        return response
    raise not_found("the file of copy", str(number))


def _number_of(service: Service, document_id: str, recipient: str) -> int | None:
    """None: they have none yet."""
    with service.registry.reading() as statements:
        rows = statements.rows(
            "SELECT copies.number FROM copies JOIN documents ON copies.document = documents.serial "
            "JOIN recipients ON copies.recipient = recipients.serial "
            "WHERE documents.id = :id AND recipients.person = :person",
            id=document_id,
            person=person(recipient),
        )
    return rows[0]["number"] if rows else None


def _copies(service: Service, record: DocumentRecord, number: int, recipient: str) -> list[IssuedCopy]:
    """The one copy; if a killed process planned it and came no further, it is issued now."""
    copies = service.registry.copies(record.id, numbers=[number])
    if all(copy.is_issued for copy in copies):
        return copies
    _issue(service, record, recipient)
    return service.registry.copies(record.id, numbers=[number])


def _issue(service: Service, record: DocumentRecord, recipient: str) -> int:
    found = issued_files.find_master(service, record)
    if found is None:
        raise not_found("the file of document", record.id)
    kept, source = found
    master = Master.of(kept.content, source, file_name=kept.name, name=record.name)
    with scratch_folder() as folder:
        done = issue_one(
            record,
            master,
            recipient,
            keyring=service.keys,
            registry=service.registry,
            folder=folder,
            settings=service.engine.settings,
        )
    return done.copies[0].number


def _require_no_double(service: Service, caller: Caller, document_id: str, recipient: str) -> None:
    """Refuse a new name that can be mistaken for a known one: its copy, leaked, would seem to be that of the other.

    The refusal tells that there is somebody of such a name, so who tries names is in the audit log too.
    """
    for one in service.registry.recipients():
        if person(one.name) != person(recipient) and look_alike(one.name, recipient):
            service.registry.record_event("copy refused", {"document": document_id, "token": caller.id})
            raise Refusal(
                409,
                "another recipient is called nearly the same; if they are two, issue it to both first",
                code="Double",
            )
