"""The verbs, files and jobs over HTTP: parse, call, serialise."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, File, Header, Query, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response, StreamingResponse

from lexprint.formats.hidden_contents import hidden_warnings
from lexprint.formats.source import open_source
from lexprint.server import schemas, verbs
from lexprint.server.access import Caller
from lexprint.server.files import add_file, delete_file, find_file, safe_name
from lexprint.server.guarding import guarded_router, the_caller, the_service
from lexprint.server.job_store import Job, add_job, end_job, find_job, list_jobs
from lexprint.server.limits import OnProgress
from lexprint.server.problems import Refusal
from lexprint.server.service import Service
from lexprint.server.verbs import VERBS, Answer, Desk
from lexprint.text.segmentation import segment
from lexprint.tracing.verdict import ERROR_BOUND

POLL_SECONDS = 0.3  # between two looks at a job that is followed

marking = guarded_router("mark")
tracing = guarded_router("trace")
shared = guarded_router("mark", "trace")

TheService = Annotated[Service, Depends(the_service)]
TheCaller = Annotated[Caller, Depends(the_caller)]
Prefer = Annotated[str | None, Header(description="`respond-async` makes it a job, which is answered with 202.")]
Limit = Annotated[int, Query(ge=1, le=500)]
Offset = Annotated[int, Query(ge=0, le=10_000_000)]
Answered: dict[int | str, dict[str, Any]] = {202: {"model": schemas.JobInfo, "description": "A job, as was preferred"}}


@marking.post("/substitutes", response_model=schemas.SubstitutesAnswer)
async def substitutes(asked: schemas.SubstitutesRequest, service: TheService, caller: TheCaller) -> Answer:
    """Rank what may stand in for a word of a text."""
    _require_short(service, asked.text)
    desk = Desk(service, caller, service.engine)
    return await service.models.run(
        lambda on_progress: verbs.substitutes(desk, asked, on_progress), seconds=service.limits.seconds
    )


@marking.post("/capacity", response_model=schemas.CapacityAnswer, responses=Answered)
async def capacity(
    asked: schemas.CapacityRequest, service: TheService, caller: TheCaller, prefer: Prefer = None
) -> Answer | Response:
    """How many bits a text can carry, where, and at what price in meaning."""
    return await _answer("capacity", asked, service, caller, prefer)


@marking.post("/embed", response_model=schemas.EmbedAnswer, responses=Answered)
async def embed(
    asked: schemas.EmbedRequest, service: TheService, caller: TheCaller, prefer: Prefer = None
) -> Answer | Response:
    """Write bits, a message or a payload into a text."""
    return await _answer("embed", asked, service, caller, prefer)


@marking.post("/extract", response_model=schemas.ExtractAnswer, responses=Answered)
async def extract(
    asked: schemas.ExtractRequest, service: TheService, caller: TheCaller, prefer: Prefer = None
) -> Answer | Response:
    """Read the bits of a text, or its payload."""
    return await _answer("extract", asked, service, caller, prefer)


@marking.post("/recover", response_model=schemas.RecoverAnswer, responses=Answered)
async def recover(
    asked: schemas.RecoverRequest, service: TheService, caller: TheCaller, prefer: Prefer = None
) -> Answer | Response:
    """The original of a marked text."""
    return await _answer("recover", asked, service, caller, prefer)


@marking.post("/analyse", response_model=schemas.JobInfo, status_code=202)
def analyse(asked: schemas.AnalyseRequest, service: TheService, caller: TheCaller) -> Answer:
    """Find where copies of a document may differ; a job."""
    return _queued("analyse", asked, service, caller)


@marking.post("/issue", response_model=schemas.JobInfo, status_code=202)
def issue(asked: schemas.IssueRequest, service: TheService, caller: TheCaller) -> Answer:
    """Make a copy of a document for each recipient, and record it; a job."""
    if (asked.error_bound or 0.0) > ERROR_BOUND and "admin" not in caller.scopes:
        # It is promised to all who trace: who may issue could else register a text again to be traced loosely.
        raise Refusal(403, f"an error bound above {ERROR_BOUND:g} needs the scope admin", code="Forbidden")
    _ = service.keys
    return _queued("issue", asked, service, caller)


@tracing.post("/trace", response_model=schemas.TraceAnswer)
async def trace(asked: schemas.TraceRequest, service: TheService, caller: TheCaller) -> Answer:
    """Find out which copy a leak was made from; no model is asked, unless blind copies are registered."""
    desk, seconds = Desk(service, caller, service.engine), service.limits.seconds
    is_blind = await service.desk.run(lambda _: verbs.has_blind_documents(service), seconds=seconds)
    bench = service.models if is_blind else service.desk
    return await bench.run(lambda on_progress: verbs.trace(desk, asked, on_progress), seconds=seconds)


async def _answer(
    verb: str, asked: schemas.Given, service: Service, caller: Caller, prefer: str | None
) -> Answer | Response:
    """At once, or as a job."""
    if "respond-async" in (prefer or "").lower():
        job = await run_in_threadpool(_queued, verb, asked, service, caller)
        return JSONResponse(job, 202, headers={"Preference-Applied": "respond-async"})
    desk = Desk(service, caller, service.engine)

    def work(on_progress: OnProgress) -> Answer:
        _require_short(service, desk.open(asked).text)
        return VERBS[verb][1](desk, asked, on_progress)

    return await service.models.run(work, seconds=service.limits.seconds)


def _require_short(service: Service, text: str) -> None:
    if (words := len(text.split())) > service.limits.words:
        raise Refusal(
            413,
            f"the text has {words} words, and {service.limits.words} are answered at once; "
            "ask for a job with the header Prefer: respond-async",
            code="TooLong",
        )


def _queued(verb: str, asked: schemas.Given, service: Service, caller: Caller) -> Answer:
    if asked.file is not None:
        find_file(service.registry, caller.id, asked.file)  # refused now rather than later
    request = asked.model_dump_json(exclude_unset=True)
    job = add_job(service.registry, caller.id, verb, request, most=service.limits.queued_jobs)
    service.new_job.set()
    return job_json(job)


# Files


@shared.post("/files", response_model=schemas.UploadedFile, status_code=201)
async def upload(file: Annotated[UploadFile, File()], service: TheService, caller: TheCaller) -> Answer:
    """Send a document or a leak: Word, HTML, Markdown, plain text; PDF and images to be traced."""
    content, name = await file.read(), safe_name(file.filename)

    def work(on_progress: OnProgress) -> Answer:
        source = open_source(content, name=name, limits=service.reading)
        stored = add_file(service.registry, caller, content, name=name, kind=source.kind, limits=service.limits)
        words = segment(source.text).word_count
        facts = {"characters": len(source.text), "words": words, "is_writable": source.is_writable}
        return verbs.file_json(stored) | facts | {"warnings": list(hidden_warnings(content))}

    return await service.desk.run(work, seconds=service.limits.seconds)


@shared.get("/files/{file_id}", response_model=schemas.FileInfo)
def show_file(file_id: schemas.Identifier, service: TheService, caller: TheCaller) -> Answer:
    """What is known of a file of yours."""
    return verbs.file_json(find_file(service.registry, caller.id, file_id))


@shared.get("/files/{file_id}/text", response_model=schemas.FileText)
async def show_text(file_id: schemas.Identifier, service: TheService, caller: TheCaller) -> Answer:
    """The text of a file of yours, in which spans are counted."""

    def work(on_progress: OnProgress) -> Answer:
        file = find_file(service.registry, caller.id, file_id)
        source = open_source(file.content, name=file.name, limits=service.reading)
        return {"id": file_id, "text": source.text}

    return await service.desk.run(work, seconds=service.limits.seconds)


@shared.get("/files/{file_id}/content", response_class=Response)
def download(file_id: schemas.Identifier, service: TheService, caller: TheCaller) -> Response:
    """A file of yours."""
    file = find_file(service.registry, caller.id, file_id)
    service.registry.record_event("file downloaded", {"file": file_id, "sha256": file.digest, "token": caller.id})
    return attachment(file.content, file.name)


@shared.delete("/files/{file_id}", status_code=204)
def remove_file(file_id: schemas.Identifier, service: TheService, caller: TheCaller) -> None:
    """Delete a file of yours before its time."""
    delete_file(service.registry, caller.id, file_id)


def attachment(content: bytes, name: str) -> Response:
    """To be saved, never shown: what people upload must not run as a page of ours."""
    return Response(content, media_type="application/octet-stream", headers=disposition(name))


def disposition(name: str) -> dict[str, str]:
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}


# Jobs


@shared.get("/jobs", response_model=schemas.Page[schemas.JobInfo])
def show_jobs(service: TheService, caller: TheCaller, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """Your jobs, newest first."""
    jobs, total = list_jobs(service.registry, caller.id, limit=limit, offset=offset)
    return page([job_json(job) | {"part": None, "result": None} for job in jobs], total=total, offset=offset)


@shared.get("/jobs/{job_id}", response_model=schemas.JobInfo)
def show_job(job_id: schemas.Identifier, service: TheService, caller: TheCaller) -> Answer:
    """A job of yours, with its result once it is done."""
    return job_json(find_job(service.registry, caller.id, job_id))


@shared.delete("/jobs/{job_id}", response_model=schemas.JobInfo)
def stop_job(job_id: schemas.Identifier, service: TheService, caller: TheCaller) -> Answer:
    """Cancel a job of yours; one that is finished is deleted, with its result."""
    return job_json(end_job(service.registry, caller.id, job_id))


@shared.get("/jobs/{job_id}/events", response_class=StreamingResponse)
async def follow_job(job_id: schemas.Identifier, service: TheService, caller: TheCaller) -> StreamingResponse:
    """Progress as server-sent events, until the job is finished; the last one has its result."""
    first = await run_in_threadpool(find_job, service.registry, caller.id, job_id)
    return StreamingResponse(_events(first, service, caller), media_type="text/event-stream")


async def _events(job: Job, service: Service, caller: Caller) -> AsyncIterator[str]:
    told, part = None, None
    while True:
        if (job.state, job.done, job.total, job.doing, job.result) != told:
            told = (job.state, job.done, job.total, job.doing, job.result)
            name = job.state if job.is_finished else "progress"
            info = job_json(job)
            if info["part"] == part:  # once is enough
                info["part"] = None
            else:
                part = info["part"]
            yield f"event: {name}\ndata: {schemas.JobInfo(**info).model_dump_json()}\n\n"
        if job.is_finished or service.stopping.is_set():
            return
        await asyncio.sleep(POLL_SECONDS)
        job = await run_in_threadpool(find_job, service.registry, caller.id, job.id)


def job_json(job: Job) -> Answer:
    return {
        "id": job.id,
        "verb": job.verb,
        "state": job.state,
        "done": job.done,
        "total": job.total,
        "doing": job.doing,
        "attempts": job.attempts,
        "part": None if job.is_finished else job.result,
        "result": job.result if job.is_finished else None,
        "problem": job.problem,
        "created_at": job.created_at.isoformat(),
        "finished_at": None if job.finished_at is None else job.finished_at.isoformat(),
    }


def page(items: list[Answer], *, total: int, offset: int) -> Answer:
    following = offset + len(items)
    return {"items": items, "total": total, "next_offset": following if items and following < total else None}
