"""One copy for each recipient, recorded before it exists.

What a killed process leaves behind: first the document and its planned copies are recorded in one transaction, with
codewords; then files appear, whole, a group at a time; then the group is marked as issued. So no copy is unknown to the
registry, none is marked that is not on disk, and the same command run again makes what is missing, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from lexprint.coding.codewords import biases
from lexprint.coding.keys import Keyring
from lexprint.coding.payload_code import SECOND_TURN
from lexprint.engine import Engine
from lexprint.errors import InputError
from lexprint.registry.packing import person
from lexprint.registry.protocol import Registry
from lexprint.registry.records import Code, CopySite, DocumentRecord, IssuedCopy
from lexprint.settings import Settings
from lexprint.text.editing import Edit
from lexprint.text.protection import PROTECTIONS, Protection, protected_spans
from lexprint.tracing.verdict import ERROR_BOUND
from lexprint.workflows.analysing import find_analysis
from lexprint.workflows.blind_marking import document_secret, mark_copies
from lexprint.workflows.copy_files import sole_writer
from lexprint.workflows.fingerprints import require_fingerprint
from lexprint.workflows.marking import OnProgress
from lexprint.workflows.planning import (
    CODEWORDS,
    Master as Master,
    Plan,
    Planner,
    fewest_sites,
    record_plan,
)
from lexprint.workflows.results import Analysis, IssuedDocument
from lexprint.workflows.review import ReviewLine, is_reviewed_so, keep_reviewed
from lexprint.workflows.unaltered import require_unaltered
from lexprint.workflows.writing import OnCopies, write_copies

SITES_FOR_TARDOS = (
    400  # from which on a code against colluders catches them; with fewer, fair coins trace single leaks best
)
EDITED_SHARE = 0.1  # of the words of a leak, for which a text should still have sites enough


@dataclass(frozen=True, kw_only=True)
class IssueOptions:
    """What the issuer wants of the copies."""

    code: Code | None = None  # None: chosen by the number of sites
    protected_phrases: tuple[str, ...] = ()
    protections: frozenset[Protection] = PROTECTIONS
    review: tuple[ReviewLine, ...] | None = None  # None: nobody struck out a pair
    error_bound: float | None = None  # None: what was promised for the document, or lexprint's own


def issue(
    engine: Engine,
    master: Master,
    recipients: Sequence[str],
    *,
    keyring: Keyring,
    registry: Registry,
    folder: Path,
    options: IssueOptions | None = None,
    analysis: Analysis | None = None,
    to_scratch: bool = False,
    on_progress: OnProgress | None = None,
    on_copies: OnCopies | None = None,
) -> IssuedDocument:
    """Write a copy for each recipient to the folder; those who have one already keep it, others get the next numbers.

    `analysis` is what `analyse_document` found with the same options, if somebody asked it before. A service writes `to_scratch`: nobody
    gets what is there, and what leaves it later is logged then.
    """
    options = options or IssueOptions()
    _require_ready(master, recipients)
    with sole_writer(folder):
        record = _known_document(engine, master, registry, options)
        if record is None:
            analysis = analysis or find_analysis(
                registry,
                engine,
                master.text,
                protected=master.source.protected,
                protected_phrases=options.protected_phrases,
                protections=options.protections,
                on_progress=on_progress,
            )
            record = _new_document(engine, master, analysis, keyring, registry, options)
        else:
            require_unaltered(registry, record.id)
        planner = Planner(record, recipients, master, keyring, registry, folder, engine.settings)
        return _issue_planned(planner, to_scratch=to_scratch, on_copies=on_copies)


def issue_one(
    record: DocumentRecord,
    master: Master,
    recipient: str,
    *,
    keyring: Keyring,
    registry: Registry,
    folder: Path,
    settings: Settings,
) -> IssuedDocument:
    """The copy of one recipient of a registered document, made in a folder that nobody sees; no model is asked."""
    if record.issuing == "blind":
        raise InputError(
            f"copies of {record.name} are blind, and made by the models", needed="to issue it with this recipient first"
        )
    if master.text != record.text:  # the same bytes, read as another format: edits would go astray
        raise InputError(
            f"the file of {record.name} reads as another text than was issued", needed="the file under the name it had"
        )
    with sole_writer(folder):
        return _issue_planned(
            Planner(record, [recipient], master, keyring, registry, folder, settings), to_scratch=True
        )


def _issue_planned(planner: Planner, *, to_scratch: bool, on_copies: OnCopies | None = None) -> IssuedDocument:
    master, record = planner.master, planner.record
    plan = record_plan(planner.plan, planner.registry)
    contents = (_copy_bytes(master, record, copy) for copy in plan.missing)
    return write_copies(
        plan,
        contents,
        planner.registry,
        folder=planner.folder,
        to_scratch=to_scratch,
        warnings=master.warnings,
        on_copies=on_copies,
    )


def is_analysed(engine: Engine, master: Master, registry: Registry, options: IssueOptions) -> bool:
    """Whether an earlier run found the sites, so that copies can be made without asking a model."""
    return _known_document(engine, master, registry, options) is not None


def issue_blind(
    engine: Engine,
    master: Master,
    recipients: Sequence[str],
    *,
    keyring: Keyring,
    registry: Registry,
    folder: Path,
    error_bound: float | None = None,
    to_scratch: bool = False,
    on_marked: OnCopies | None = None,
    on_copies: OnCopies | None = None,
) -> IssuedDocument:
    """The same by the paper's scheme, whose sites are found again in a leak by the models that found them.

    Each copy is marked on its own, which takes longer, and only what its format protects stays as it is: a reader of
    another format does not know those parts, and what they seem to say is noise. All copies are marked before any is
    recorded: which sites a text has depends on what was written before them, so it may be too short for one copy alone.
    """
    _require_ready(master, recipients)
    with sole_writer(folder):
        record = _known_blind_document(engine, master, registry) or _new_blind_document(
            engine, master, keyring, registry, error_bound=error_bound or ERROR_BOUND
        )
        require_fingerprint(engine, record)  # else these copies would be read otherwise than those before
        _require_promised(record, error_bound)
        secret = document_secret(keyring.find(record.key_id), record)
        planner = Planner(record, recipients, master, keyring, registry, folder, engine.settings)
        contents: dict[bytes, bytes] = {}  # by salt

        def marked() -> Plan:
            plan = planner.plan()
            unmarked = [copy.salt for copy in plan.missing if copy.salt not in contents]
            marking = mark_copies(
                engine,
                master.text,
                unmarked,
                secret=secret,
                needed=fewest_sites(plan.compared, error_bound=record.error_bound * SECOND_TURN),
                recipients=plan.compared,
                protected=master.source.protected,
            )
            for salt, edits in zip(unmarked, marking, strict=True):
                contents[salt] = master.source.with_edits(edits)
                if on_marked is not None:
                    on_marked(len(contents), len(plan.missing))
            return plan

        plan = record_plan(marked, registry)
        missing = (contents[copy.salt] for copy in plan.missing)
        return write_copies(
            plan,
            missing,
            registry,
            folder=folder,
            to_scratch=to_scratch,
            warnings=master.warnings,
            on_copies=on_copies,
        )


def comfortable_sites(recipients: int, *, error_bound: float = ERROR_BOUND) -> int:
    """Sites with which a leak is still traced when some of its words were edited."""
    return fewest_sites(recipients, wrong=EDITED_SHARE, error_bound=error_bound)


def _require_ready(master: Master, recipients: Sequence[str]) -> None:
    if not master.source.is_writable:
        master.source.with_edits(())  # says in the format's own words what to start from
    if not recipients:
        raise InputError("there are no recipients", needed="at least one")
    if len(set(map(person, recipients))) < len(recipients):
        raise InputError("a recipient is named twice", needed="each recipient once")


def _known_document(engine: Engine, master: Master, registry: Registry, options: IssueOptions) -> DocumentRecord | None:
    """The document of an earlier run, if it has nothing that is now protected or struck out."""
    record = registry.find_document(
        digest=master.digest,
        issuing="registered",
        fingerprint=engine.copies_fingerprint,
        name=master.name,
        code=options.code,
        text=master.text,
    )
    if record is not None:
        _require_promised(record, options.error_bound)
    if record is None or (
        options.review is not None and not is_reviewed_so(record.sites, options.review, code=record.code)
    ):
        return None
    protected = protected_spans(
        master.text,
        protections=options.protections,
        phrases=options.protected_phrases,
        spans=master.source.protected,
    )
    return None if any(site.span.overlaps(span) for site in record.sites for span in protected) else record


def _new_document(
    engine: Engine, master: Master, analysis: Analysis, keyring: Keyring, registry: Registry, options: IssueOptions
) -> DocumentRecord:
    sites = analysis.sites if options.review is None else keep_reviewed(analysis.sites, options.review)
    code: Code = options.code or ("tardos" if len(sites) >= SITES_FOR_TARDOS else "independent")
    if code == "tardos":
        sites = tuple(site.with_others(site.others[:1]) for site in sites)  # its decoder is of two words a site
    key = keyring.newest
    parts = [
        registry.id,
        master.digest,
        master.name,
        "registered",
        code,
        key.id,
        engine.copies_fingerprint,
        master.text,
    ]
    document_id = _identity(*parts, *(" ".join([f"{site.span.start}", *site.words]) for site in sites))
    secret = key.derive(CODEWORDS, document=document_id)
    return DocumentRecord(
        id=document_id,
        name=master.name,
        text=master.text,
        digest=master.digest,
        issuing="registered",
        code=code,
        sites=sites,
        biases=tuple(biases(secret, sites=len(sites), code=code).tolist()),
        key_id=key.id,
        fingerprint=engine.copies_fingerprint,
        created_at=datetime.now(UTC),
        error_bound=options.error_bound or ERROR_BOUND,
    )


def _require_promised(record: DocumentRecord, error_bound: float | None) -> None:
    """What was promised to the first recipients holds for all: nobody loosens it afterwards."""
    if error_bound is not None and error_bound > record.error_bound:
        raise InputError(
            f"{record.name} was issued with an error bound of {record.error_bound:g}, not {error_bound:g}",
            needed="the same bound or none, or another --name",
        )


def _known_blind_document(engine: Engine, master: Master, registry: Registry) -> DocumentRecord | None:
    found = registry.find_document(
        digest=master.digest, issuing="blind", fingerprint=engine.fingerprint, name=master.name, text=master.text
    )
    if found is not None:
        require_unaltered(registry, found.id)
    return found


def _new_blind_document(
    engine: Engine, master: Master, keyring: Keyring, registry: Registry, *, error_bound: float
) -> DocumentRecord:
    key = keyring.newest
    return DocumentRecord(
        id=_identity(registry.id, master.digest, master.name, "blind", key.id, engine.fingerprint, master.text),
        name=master.name,
        text=master.text,
        digest=master.digest,
        issuing="blind",
        code="independent",
        sites=(),
        biases=(),
        key_id=key.id,
        fingerprint=engine.fingerprint,
        created_at=datetime.now(UTC),
        error_bound=error_bound,
        canary=engine.canary,
    )


def _identity(*parts: str) -> str:
    """The same id for the same document of a registry, so that two runs at once cannot register it twice."""
    return sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _copy_bytes(master: Master, record: DocumentRecord, copy: IssuedCopy) -> bytes:
    return master.source.with_edits(copy_edits(record.sites, copy.codeword))


def copy_edits(sites: Sequence[CopySite], codeword: Sequence[int]) -> tuple[Edit, ...]:
    """From the master to a copy: only words that differ."""
    chosen = ((site, site.words[symbol]) for site, symbol in zip(sites, codeword, strict=True))
    return tuple(Edit(site.span, word) for site, word in chosen if word != site.word)
