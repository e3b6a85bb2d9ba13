"""One copy for each recipient, recorded before it exists.

What a killed process leaves behind: first the document and its planned copies are recorded in one transaction, with
codewords; then files appear, whole, a group at a time; then the group is marked as issued. So no copy is unknown to the
registry, none is marked that is not on disk, and the same command run again makes what is missing, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from math import ceil
from pathlib import Path
from typing import TypeAlias

import numpy as np

from lexprint import __version__
from lexprint.coding.codewords import biases, codewords, new_salt
from lexprint.coding.framed import CopyNumber
from lexprint.coding.keys import Keyring
from lexprint.engine import Engine
from lexprint.errors import InputError, RegistryConflict, RegistryError, TooFewSites, UnknownDocument
from lexprint.formats.source import Source
from lexprint.text.editing import Edit
from lexprint.text.protection import PROTECTIONS, Protection, protected_spans
from lexprint.text.span import Span
from lexprint.tracing.packing import person
from lexprint.tracing.records import Code, CopySite, DocumentRecord, IssuedCopy
from lexprint.tracing.registry import Registry
from lexprint.tracing.significance import sites_needed
from lexprint.tracing.verdict import ERROR_BOUND
from lexprint.watermark.analysis import Judges, analyse, requirements
from lexprint.workflows.copy_files import copy_file_name, digest_of_file, safe_part, sole_writer, write_together
from lexprint.workflows.marking import OnProgress, counting, in_paragraphs, segmented
from lexprint.workflows.payloads import embed_payloads
from lexprint.workflows.results import Analysis, Issued, as_json
from lexprint.workflows.review import ReviewLine, is_reviewed_so, keep_reviewed

SITES_FOR_TARDOS = (
    400  # from which on a code against colluders catches them; with fewer, fair coins trace single leaks best
)
EDITED_SHARE = 0.1  # of the words of a leak, for which a text should still have sites enough
USUAL_SITES_PER_WORD = 0.08  # in running text; for texts without any site
GROUP = 64  # copies written and marked at once
MAX_RETRIES = 100  # of others who record copies of the same document between planning and recording

OnCopies: TypeAlias = Callable[[int, int], None]  # copies done, copies in all


@dataclass(frozen=True)
class Master:
    """What copies are made of."""

    source: Source = field(repr=False)
    name: str  # as its owner calls it
    digest: str  # SHA-256 of the file
    extension: str  # of the names of its copies
    mode: int | None = None  # permissions of its copies; None: as usual

    @property
    def text(self) -> str:
        return self.source.text


def analyse_document(
    engine: Engine,
    text: str,
    *,
    protected: Iterable[Span] = (),
    protected_phrases: Iterable[str] = (),
    protections: Collection[Protection] = PROTECTIONS,
    on_progress: OnProgress | None = None,
) -> Analysis:
    """Where copies of a text may differ; `protected` are spans besides those that are found in the text itself.

    >>> from lexprint import Engine
    >>> analyse_document(Engine(), "Too short.").sites
    ()
    """
    document = segmented(text)
    found = protected_spans(text, protections=protections, phrases=protected_phrases, spans=protected)
    asked = requirements(engine.settings.substitution)
    judges = Judges(engine.substituter, engine.masked_lm, engine.sentence_encoder, asked)
    sites = analyse(document, judges, protected=found, on_words=counting(document.word_count, on_progress))
    return Analysis(in_paragraphs(document, sites), engine.fingerprint)


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the issuer wants of the copies."""

    code: Code | None = None  # None: chosen by the number of sites
    protected_phrases: tuple[str, ...] = ()
    protections: frozenset[Protection] = PROTECTIONS
    review: tuple[ReviewLine, ...] | None = None  # None: nobody struck out a pair
    error_bound: float = ERROR_BOUND


def issue(
    engine: Engine,
    master: Master,
    recipients: Sequence[str],
    *,
    keyring: Keyring,
    registry: Registry,
    folder: Path,
    wishes: Wishes | None = None,
    analysis: Analysis | None = None,
    on_progress: OnProgress | None = None,
    on_copies: OnCopies | None = None,
) -> Issued:
    """Write a copy for each recipient to the folder; those who have one already keep it, others get the next numbers.

    `analysis` is what `analyse_document` found with the same wishes, if somebody asked it before.
    """
    wishes = wishes or Wishes()
    _require_ready(master, recipients)
    with sole_writer(folder):
        record = _known_document(engine, master, registry, wishes)
        if record is None:
            analysis = analysis or analyse_document(
                engine,
                master.text,
                protected=master.source.protected,
                protected_phrases=wishes.protected_phrases,
                protections=wishes.protections,
                on_progress=on_progress,
            )
            record = _new_document(engine, master, analysis, keyring, registry, wishes)
        plan = _recorded(
            lambda: _plan(record, recipients, master, keyring, registry, folder=folder, error_bound=wishes.error_bound),
            registry,
        )
        contents = (_copy_bytes(master, record, copy) for copy in plan.missing)
        return _write_copies(plan, contents, master, registry, folder=folder, on_copies=on_copies)


def is_analysed(engine: Engine, master: Master, registry: Registry, wishes: Wishes) -> bool:
    """Whether an earlier run found the sites, so that copies can be made without asking a model."""
    return _known_document(engine, master, registry, wishes) is not None


def issue_blind(
    engine: Engine,
    master: Master,
    recipients: Sequence[str],
    *,
    keyring: Keyring,
    registry: Registry,
    folder: Path,
    error_bound: float = ERROR_BOUND,
    on_marked: OnCopies | None = None,
    on_copies: OnCopies | None = None,
) -> Issued:
    """The same by the paper's scheme: each copy carries its number under the master key and can be read without registry.

    Each copy is marked on its own, which takes longer, and only what its format protects stays as it is: a reader of
    another format does not know those parts, and what they seem to say is noise to the payload. All copies are marked
    before any is recorded: which sites a text has depends on what was written before them, so it may be too short for one
    number alone.
    """
    _require_ready(master, recipients)
    with sole_writer(folder):
        record = registry.find_document(
            digest=master.digest, issuing="blind", fingerprint=engine.fingerprint, name=master.name
        ) or _new_blind_document(engine, master, keyring)
        key = keyring.find(record.key_id)
        plan = _plan(record, recipients, master, keyring, registry, folder=folder, error_bound=error_bound)
        payloads = [CopyNumber(copy.number) for copy in plan.missing]
        contents: list[bytes] = []
        marking = embed_payloads(
            engine,
            master.text,
            payloads,
            key=key,
            protected=master.source.protected,
            false_positive=error_bound,
        )
        for marked in marking:
            contents.append(master.source.with_edits(marked.record.edits))
            if on_marked is not None:
                on_marked(len(contents), len(payloads))
        _record(plan, registry)
        return _write_copies(plan, iter(contents), master, registry, folder=folder, on_copies=on_copies)


def comfortable_sites(recipients: int, *, error_bound: float = ERROR_BOUND) -> int:
    """Sites with which a leak is still traced when some of its words were edited."""
    return sites_needed(recipients, wrong=EDITED_SHARE, error_bound=error_bound)


def _require_ready(master: Master, recipients: Sequence[str]) -> None:
    if not master.source.is_writable:
        raise InputError(f"{master.name} is {master.source.kind}, which is only read", needed="the source document")
    if not recipients:
        raise InputError("there are no recipients", needed="at least one")
    if len(set(map(person, recipients))) < len(recipients):
        raise InputError("a recipient is named twice", needed="each recipient once")


def _known_document(engine: Engine, master: Master, registry: Registry, wishes: Wishes) -> DocumentRecord | None:
    """The document of an earlier run, if it has nothing that is now protected or struck out."""
    record = registry.find_document(
        digest=master.digest,
        issuing="registered",
        fingerprint=engine.fingerprint,
        name=master.name,
        code=wishes.code,
    )
    if record is None or (
        wishes.review is not None and not is_reviewed_so(record.sites, wishes.review, code=record.code)
    ):
        return None
    protected = protected_spans(
        master.text,
        protections=wishes.protections,
        phrases=wishes.protected_phrases,
        spans=master.source.protected,
    )
    return None if any(site.span.overlaps(span) for site in record.sites for span in protected) else record


def _new_document(
    engine: Engine, master: Master, analysis: Analysis, keyring: Keyring, registry: Registry, wishes: Wishes
) -> DocumentRecord:
    sites = analysis.sites if wishes.review is None else keep_reviewed(analysis.sites, wishes.review)
    code: Code = wishes.code or ("tardos" if len(sites) >= SITES_FOR_TARDOS else "independent")
    if code == "tardos":
        sites = tuple(replace(site, further=()) for site in sites)  # its decoder is of two words a site
    key = keyring.newest
    parts = [registry.id, master.digest, master.name, "registered", code, key.id, engine.fingerprint]
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
        fingerprint=engine.fingerprint,
        created_at=datetime.now(UTC),
    )


def _new_blind_document(engine: Engine, master: Master, keyring: Keyring) -> DocumentRecord:
    key = keyring.newest
    return DocumentRecord(
        id=_identity(master.digest, master.name, "blind", key.id, engine.fingerprint),
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
    )


CODEWORDS = "codewords"  # purpose of the derived key


def _identity(*parts: str) -> str:
    """The same id for the same document of a registry, so that two runs at once cannot register it twice."""
    return sha256(json.dumps(parts).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class _Plan:
    """Copies for some recipients; nothing of it is recorded yet."""

    record: DocumentRecord
    copies: tuple[IssuedCopy, ...]
    unrecorded: tuple[IssuedCopy, ...]  # those that the registry does not know
    missing: tuple[IssuedCopy, ...]  # those whose files are yet to be written
    compared: int  # copies of the document in all

    @property
    def is_new(self) -> bool:
        """Whether the registry does not know the document."""
        return self.compared == len(self.unrecorded)


def _plan(
    record: DocumentRecord,
    recipients: Sequence[str],
    master: Master,
    keyring: Keyring,
    registry: Registry,
    *,
    folder: Path,
    error_bound: float,
) -> _Plan:
    """A copy for everyone who has none; whatever must be refused is refused here."""
    known = _known_copies(registry, record.id)
    by_person = {person(copy.recipient): copy for copy in known}
    newcomers = [recipient for recipient in recipients if person(recipient) not in by_person]
    compared = len(known) + len(newcomers)
    if record.issuing == "registered":
        _require_sites(record, compared, error_bound=error_bound)
    after = max((copy.number for copy in known), default=0)
    planned = _new_copies(record, newcomers, range(after + 1, after + 1 + len(newcomers)), master, keyring)
    for copy in planned:
        if digest_of_file(folder / copy.file_name) is not None:
            raise _foreign(folder / copy.file_name)
    _require_own_manifest(record, folder)
    by_person |= {person(copy.recipient): copy for copy in planned}
    copies = sorted((by_person[person(recipient)] for recipient in recipients), key=lambda copy: copy.number)
    missing = [copy for copy in copies if not _is_there(copy, folder)]
    return _Plan(record, tuple(copies), tuple(planned), tuple(missing), compared)


def _recorded(planned: Callable[[], _Plan], registry: Registry) -> _Plan:
    """A plan that is in the registry, before any file appears; made again where others issue the document meanwhile.

    Of several at once one is recorded each time, so as many may come between as there are others.
    """
    for _ in range(MAX_RETRIES):
        plan = planned()
        try:
            _record(plan, registry)
        except RegistryConflict:
            continue
        return plan
    raise RegistryError("others keep issuing this document at the same time; run it again when they are done")


def _record(plan: _Plan, registry: Registry) -> None:
    """In one transaction."""
    if plan.is_new:
        registry.add_document(plan.record, plan.unrecorded)
    elif plan.unrecorded:
        registry.plan_copies(plan.record.id, plan.unrecorded)


def _known_copies(registry: Registry, document_id: str) -> list[IssuedCopy]:
    """None if the document is not registered; one that is has copies."""
    try:
        return registry.copies(document_id)
    except UnknownDocument:
        return []


def _require_sites(record: DocumentRecord, recipients: int, *, error_bound: float) -> None:
    needed, found = sites_needed(recipients, wrong=0.0, error_bound=error_bound), len(record.sites)
    if found < needed:
        words = segmented(record.text).word_count
        per_word = found / words if found else USUAL_SITES_PER_WORD
        missing = ceil((needed - found) / per_word)
        raise TooFewSites(needed=needed, found=found, recipients=recipients, words_missing=missing)


def _new_copies(
    record: DocumentRecord, recipients: Sequence[str], numbers: Sequence[int], master: Master, keyring: Keyring
) -> list[IssuedCopy]:
    if not recipients:
        return []
    salts = [new_salt() for _ in numbers]
    symbols: Iterable[tuple[int, ...]] = [()] * len(numbers)
    if record.issuing == "registered":
        secret = keyring.find(record.key_id).derive(CODEWORDS, document=record.id)
        drawn = codewords(secret, salts, np.array(record.biases), choices=record.choices)
        symbols = map(tuple, drawn.tolist())
    return [
        IssuedCopy(
            document_id=record.id,
            number=number,
            recipient=recipient,
            codeword=codeword,
            salt=salt,
            file_name=copy_file_name(record.name, number, recipient, extension=master.extension),
        )
        for number, recipient, codeword, salt in zip(numbers, recipients, symbols, salts, strict=True)
    ]


def _is_there(copy: IssuedCopy, folder: Path) -> bool:
    """Whether the file of an issued copy is in the folder; somebody else's file of that name is never overwritten."""
    found = digest_of_file(folder / copy.file_name)
    if found is None or copy.digest is None:
        return False
    if found != copy.digest:
        raise _foreign(folder / copy.file_name)
    return True


def _foreign(path: Path) -> InputError:
    return InputError(
        f"{path} is there already and is another file", needed="an empty folder, or to move that file away"
    )


def _copy_bytes(master: Master, record: DocumentRecord, copy: IssuedCopy) -> bytes:
    return master.source.with_edits(copy_edits(record.sites, copy.codeword))


def copy_edits(sites: Sequence[CopySite], codeword: Sequence[int]) -> tuple[Edit, ...]:
    """From the master to a copy: only words that differ."""
    chosen = ((site, site.words[symbol]) for site, symbol in zip(sites, codeword, strict=True))
    return tuple(Edit(site.span, word) for site, word in chosen if word != site.word)


def _write_copies(
    plan: _Plan,
    contents: Iterator[bytes],
    master: Master,
    registry: Registry,
    *,
    folder: Path,
    on_copies: OnCopies | None,
) -> Issued:
    done = len(plan.copies) - len(plan.missing)
    for start in range(0, len(plan.missing), GROUP):
        group = plan.missing[start : start + GROUP]
        files = dict(zip((copy.file_name for copy in group), islice(contents, len(group)), strict=True))
        digests = [sha256(content).hexdigest() for content in files.values()]
        for copy, digest in zip(group, digests, strict=True):
            _require_same(copy, digest, folder)
        there = {copy.file_name for copy in group if digest_of_file(folder / copy.file_name) is not None}
        absent = {name: content for name, content in files.items() if name not in there}
        write_together(folder, absent, mode=master.mode)
        issued = [(copy.number, digest) for copy, digest in zip(group, digests, strict=True)]
        registry.mark_issued(plan.record.id, issued, datetime.now(UTC))
        done += len(group)
        if on_copies is not None:
            on_copies(done, len(plan.copies))
    copies = registry.copies(plan.record.id)
    wanted = {copy.number for copy in plan.copies}
    manifest = _manifest_name(plan.record)
    here = [copy for copy in copies if copy.is_issued and (folder / copy.file_name).is_file()]
    _write_manifest(plan.record, here, folder, manifest)
    return Issued(
        document=plan.record,
        copies=tuple(copy for copy in copies if copy.number in wanted),
        written=len(plan.missing),
        compared=plan.compared,
        manifest=manifest,
    )


def _require_same(copy: IssuedCopy, digest: str, folder: Path) -> None:
    """A copy made again must be the copy that was sent, and nobody else's file may stand in its place."""
    if copy.digest not in (None, digest):
        raise RegistryError(
            f"copy {copy.number} cannot be made again as it was issued, SHA-256 {str(copy.digest)[:12]}; "
            "use the version of lexprint that issued it"
        )
    if digest_of_file(folder / copy.file_name) not in (None, digest):
        raise _foreign(folder / copy.file_name)


def _manifest_name(record: DocumentRecord) -> str:
    return f"{safe_part(record.name)}-manifest.json"


def _require_own_manifest(record: DocumentRecord, folder: Path) -> None:
    """The folder of another document, or of another version of this one, keeps its manifest."""
    path = folder / _manifest_name(record)
    if digest_of_file(path) is None:
        return
    with suppress(OSError, ValueError, KeyError, TypeError):
        if json.loads(path.read_bytes())["document"]["id"] == record.id:
            return
    raise _foreign(path)


def _write_manifest(record: DocumentRecord, copies: Sequence[IssuedCopy], folder: Path, name: str) -> None:
    """What is in the folder, the same bytes whenever that is the same."""
    listed = as_json(Issued(record, tuple(copies), written=0, compared=len(copies), manifest=name))
    content = json.dumps({"lexprint": __version__, **listed}, ensure_ascii=False, indent=2) + "\n"
    write_together(folder, {name: content.encode()})
