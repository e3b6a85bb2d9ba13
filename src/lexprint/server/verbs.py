"""Each verb as the service does it: a request from the wire, a workflow, an answer for the wire.

Requests that are answered at once and jobs both come here, so both give the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, TypeAlias

from lexprint import workflows
from lexprint.engine import Engine
from lexprint.formats.encodings import decode_text
from lexprint.formats.hidden_contents import hidden_warnings
from lexprint.formats.plain_text import PlainText
from lexprint.formats.protocol import remarks_of
from lexprint.formats.source import Source, open_source
from lexprint.reports.report import Report
from lexprint.reports.signed_file import report_json
from lexprint.reports.wording import agreements, chance_in_words, explanation, headline, lead_in_words
from lexprint.server import schemas
from lexprint.server.access import Caller
from lexprint.server.files import StoredFile, add_file, find_file, keep_forever
from lexprint.server.limits import OnPart, OnProgress
from lexprint.server.parts import growing
from lexprint.server.problems import Refusal
from lexprint.server.service import Service
from lexprint.text.editing import Edit
from lexprint.text.languages import require_english_only
from lexprint.text.protection import PROTECTIONS
from lexprint.tracing.verdict import ERROR_BOUND
from lexprint.watermark.records import read_record
from lexprint.workflows.analysing import find_analysis
from lexprint.workflows.issuing import (
    IssueOptions,
    Master,
    comfortable_sites,
    issue as issue_copies,
    issue_blind,
)
from lexprint.workflows.planning import fewest_sites
from lexprint.workflows.recipients import read_recipients
from lexprint.workflows.review import ReviewLine
from lexprint.workflows.scratch import scratch_folder
from lexprint.workflows.strictness import phrases_kept
from lexprint.workflows.tracing import rank_copies, trace as trace_leak

Answer: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Desk:
    """Who asks, and with which engine it is done."""

    service: Service
    caller: Caller
    engine: Engine
    on_part: OnPart | None = None  # told what a long verb has found so far

    def open(self, given: schemas.Given) -> Opened:
        """The text or file of a request."""
        if given.file is None:
            # As it stands, whatever it looks like: spans count in what was sent.
            content, name = (given.text or "").encode(), "document.txt"
            return Opened(PlainText(decode_text(content, name=name), name), content, name, is_file=False)
        file = find_file(self.service.registry, self.caller.id, given.file)
        source = open_source(file.content, name=file.name, limits=self.service.reading)
        return Opened(source, file.content, file.name, is_file=True)

    def keep(self, content: bytes, *, name: str, kind: str) -> StoredFile:
        return add_file(self.service.registry, self.caller, content, name=name, kind=kind, limits=self.service.limits)


@dataclass(frozen=True)
class Opened:
    source: Source
    content: bytes
    name: str
    is_file: bool

    @property
    def text(self) -> str:
        return self.source.text


def substitutes(desk: Desk, asked: schemas.SubstitutesRequest, on_progress: OnProgress) -> Answer:
    return workflows.as_json(
        workflows.find_substitutes(desk.engine, asked.text, word=asked.word, occurrence=asked.occurrence)
    )


def capacity(desk: Desk, asked: schemas.CapacityRequest, on_progress: OnProgress) -> Answer:
    source = desk.open(asked).source
    found = workflows.capacity(desk.engine, source.text, protected=source.protected, on_progress=on_progress)
    return workflows.as_json(found)


def embed(desk: Desk, asked: schemas.EmbedRequest, on_progress: OnProgress) -> Answer:
    opened = desk.open(asked)
    _require_writable(opened)
    if not asked.any_language:
        require_english_only(opened.text)
    protected = opened.source.protected
    marked: workflows.Embedded | workflows.EmbeddedPayload
    if asked.payload is not None:
        marked = workflows.embed_payload(
            desk.engine,
            opened.text,
            asked.payload,
            key=desk.service.keys.newest,
            bits=asked.payload_bits,
            false_positive=asked.false_positive,
            protected=protected,
            on_progress=on_progress,
        )
    elif asked.message is not None:
        marked = workflows.embed_message(
            desk.engine, opened.text, asked.message, protected=protected, on_progress=on_progress
        )
    else:
        bits = map(int, asked.bits or "")
        marked = workflows.embed(desk.engine, opened.text, bits, protected=protected, on_progress=on_progress)
    return {"record": workflows.as_json(marked)} | _changed(desk, opened, marked.text, marked.record.edits)


def extract(desk: Desk, asked: schemas.ExtractRequest, on_progress: OnProgress) -> Answer:
    source = desk.open(asked).source
    if asked.what == "bits":
        found = workflows.extract(
            desk.engine,
            source.text,
            marked_with=asked.fingerprint,
            protected=source.protected,
            on_progress=on_progress,
        )
        return workflows.as_json(found)
    return workflows.as_json(
        workflows.extract_payload(
            desk.engine,
            source.text,
            keys=desk.service.keys,
            bits=asked.payload_bits,
            marked_with=asked.fingerprint,
            false_positive=asked.false_positive,
            protected=source.protected,
            on_progress=on_progress,
        )
    )


def recover(desk: Desk, asked: schemas.RecoverRequest, on_progress: OnProgress) -> Answer:
    opened = desk.open(asked)
    if asked.record is not None:
        found = workflows.restore(opened.text, read_record(asked.record))
    else:
        found = workflows.recover(
            desk.engine,
            opened.text,
            marked_with=asked.fingerprint,
            protected=opened.source.protected,
            on_progress=on_progress,
        )
    return workflows.as_json(found) | _changed(desk, opened, found.text, found.edits)


def _require_writable(opened: Opened) -> None:
    if not opened.source.is_writable:
        opened.source.with_edits(())  # says in the format's own words what to start from


def _changed(desk: Desk, opened: Opened, text: str, edits: tuple[Edit, ...]) -> Answer:
    """A text for a text, a file for a file."""
    if not opened.is_file:
        return {"text": text, "file": None}
    _require_writable(opened)
    content = opened.source.with_edits(edits)
    file = desk.keep(content, name=opened.name, kind=opened.source.kind)
    return {"text": None, "file": file_json(file)}


def file_json(file: StoredFile) -> Answer:
    return {
        "id": file.id,
        "name": file.name,
        "kind": file.kind,
        "sha256": file.digest,
        "size": file.size,
        "created_at": file.created_at.isoformat(),
    }


def analyse(desk: Desk, asked: schemas.AnalyseRequest, on_progress: OnProgress) -> Answer:
    """With the text, for whoever shows the sites in it."""
    opened = desk.open(asked)
    analysis = find_analysis(
        desk.service.registry,
        desk.service.engine_as_strict(asked.strictness),
        opened.text,
        protected=opened.source.protected,
        protected_phrases=(*asked.protected_phrases, *phrases_kept(asked.strictness)),
        protections=PROTECTIONS - set(asked.unprotected),
        on_progress=on_progress,
        on_sites=growing(desk.on_part),
    )
    facts = {"text": opened.text, "kind": opened.source.kind, "is_writable": opened.source.is_writable}
    told = {"serves": _serves(), "warnings": list(hidden_warnings(opened.content))}
    return facts | workflows.as_json(analysis) | told


@cache
def _serves() -> list[dict[str, int]]:
    """How many sites so many recipients need, if a leak is whole, and if a tenth of its words was edited."""
    return [
        {
            "recipients": recipients,
            "sites": fewest_sites(recipients),
            "sites_if_edited": comfortable_sites(recipients),
        }
        for recipients in (1, 10, 100, 1_000, 10_000, 100_000)
    ]


def issue(desk: Desk, asked: schemas.IssueRequest, on_progress: OnProgress) -> Answer:
    """Copies are recorded, not kept: from the master each can be made again, byte for byte. Blind ones are kept."""
    opened = desk.open(asked)
    master = Master.of(opened.content, opened.source, file_name=opened.name, name=asked.name or None)
    registry, keyring = desk.service.registry, desk.service.keys
    with scratch_folder() as folder:
        if asked.scheme == "blind":
            if "languages" not in asked.unprotected:
                require_english_only(opened.text)
            done = issue_blind(
                desk.engine,
                master,
                _recipients(asked),
                keyring=keyring,
                registry=registry,
                folder=folder,
                error_bound=asked.error_bound,
                to_scratch=True,
                on_marked=on_progress,
            )
            for copy in done.copies:
                content = (folder / copy.file_name).read_bytes()
                keep_forever(registry, content, name=copy.file_name, kind=opened.source.kind)
        else:
            done = issue_copies(
                desk.service.engine_as_strict(asked.strictness),
                master,
                _recipients(asked),
                keyring=keyring,
                registry=registry,
                folder=folder,
                options=_issue_options(asked),
                to_scratch=True,
                on_progress=on_progress,
            )
    keep_forever(registry, opened.content, name=opened.name, kind=opened.source.kind)
    return workflows.as_json(done) | {"compared": done.compared}


def _recipients(asked: schemas.IssueRequest) -> tuple[str, ...]:
    if asked.recipients is not None:
        return tuple(" ".join(name.split()) for name in asked.recipients)
    return read_recipients(asked.recipients_table or "", name="the list of recipients")


def _issue_options(asked: schemas.IssueRequest) -> IssueOptions:
    review = None
    if asked.kept is not None:
        review = tuple(
            ReviewLine(one.number, is_kept=True, sentence="", word=one.word, other=one.other, entailment=0.0)
            for one in asked.kept
        )
    return IssueOptions(
        code=asked.code,
        protected_phrases=(*filter(str.strip, asked.protected_phrases), *phrases_kept(asked.strictness)),
        protections=PROTECTIONS - set(asked.unprotected),
        review=review,
        error_bound=asked.error_bound,
    )


def trace(desk: Desk, asked: schemas.TraceRequest, on_progress: OnProgress) -> Answer:
    if (asked.error_bound or 0.0) > ERROR_BOUND and "admin" not in desk.caller.scopes:
        # With a loose bound, answers would tell how near a text is to copies that nobody may name.
        raise Refusal(403, f"an error bound above {ERROR_BOUND:g} needs the scope admin", code="Forbidden")
    opened = desk.open(asked)
    service = desk.service
    report = trace_leak(
        service.registry,
        opened.text,
        error_bound=asked.error_bound,
        document_id=asked.document,
        leak_digest=sha256(opened.content).hexdigest(),
        protected=opened.source.protected,
        remarks=remarks_of(opened.source),
        keys=service.keyring,
        engine=desk.engine,
        authority=service.authority,
    )
    service.registry.record_event("trace served", {"report": report.id, "token": desk.caller.id})
    return report_answer(report)


def rank(desk: Desk, asked: schemas.RankingRequest) -> Answer:
    opened = desk.open(asked)
    service = desk.service
    ranking = rank_copies(
        service.registry,
        opened.text,
        document_id=asked.document,
        protected=opened.source.protected,
        keys=service.keyring,
        engine=desk.engine,
    )
    service.registry.record_event("ranking served", {"document": asked.document, "token": desk.caller.id})
    copies = [
        {"number": one.number, "matches": one.matches, "readable": one.readable, "p_value": one.p_value}
        for one in ranking.copies
    ]
    lead = ranking.lead
    figures = {"leader": lead.number, "chance": lead.chance, "further_sites": lead.further}
    return {"lead": lead_in_words(lead), **figures, "copies": copies}


def report_answer(report: Report) -> Answer:
    """The report with its verdict in words."""
    worst = max((copy.family_p_value for copy in report.accused), default=None)
    return report_json(report) | {
        "headline": headline(report),
        "explanation": explanation(report),
        "agreements": agreements(report),
        "chance_of_error": None if worst is None else chance_in_words(worst),
    }


def has_blind_documents(service: Service) -> bool:
    """Whether a trace may need the models."""
    with service.registry.reading() as statements:
        return bool(statements.rows("SELECT 1 AS one FROM documents WHERE issuing = 'blind' LIMIT 1"))


Verb: TypeAlias = Callable[[Desk, Any, OnProgress], Answer]

# What may be a job; the request is stored as JSON and read again by the process that does it.
VERBS: Mapping[str, tuple[type[schemas.Request], Verb]] = {
    "capacity": (schemas.CapacityRequest, capacity),
    "embed": (schemas.EmbedRequest, embed),
    "extract": (schemas.ExtractRequest, extract),
    "recover": (schemas.RecoverRequest, recover),
    "analyse": (schemas.AnalyseRequest, analyse),
    "issue": (schemas.IssueRequest, issue),
}
