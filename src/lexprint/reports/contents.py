"""What goes into a report: the finding with names and dates, the evidence in context, and what a reader should note."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from math import ceil, log2
from statistics import fmean

from lexprint import __version__
from lexprint.registry.look_alikes import has_look_alike
from lexprint.registry.protocol import Registry
from lexprint.registry.records import DocumentRecord, DocumentSummary, IssuedCopy, LikelyDocument
from lexprint.reports.evidence import evidence_of
from lexprint.reports.report import AccusedCopy, Evidence, Leak, Report, TracedDocument, chance, share, unlisted
from lexprint.reports.wording import MARKED_WORD, agreement_in_words, counted, date_in_words, unlisted_in_words
from lexprint.tracing.collusion import SHARES
from lexprint.tracing.significance import binomial_tails, largest_p_value
from lexprint.tracing.trace_turns import Turn
from lexprint.tracing.verdict import CERTAIN, Finding, Suspect

LEAST_SHARED = 3  # passages; fewer are common to texts that have nothing to do with each other
LEAST_EXCLUDED = 0.05  # of marked words exchanged, to say that a leak is none of the recorded copies
MOST_LISTED = 8  # documents in a note


@dataclass(frozen=True)
class Traced:
    """A document that was compared with the leak."""

    record: DocumentRecord
    finding: Finding
    shared: int | None  # passages; None: the user named the document
    turn: Turn | None  # which trace of the document it is; None: it could not have named anybody
    remarks: tuple[str, ...] = ()

    @property
    def strength(self) -> tuple[bool, float]:
        """Orders what was found: accusations first, the surer the better."""
        accused = self.finding.accused
        return (bool(accused), -min((one.family_p_value for one in accused), default=1.0))


def build_report(
    registry: Registry,
    leak: Leak,
    traced: Sequence[Traced],
    left_out: Sequence[LikelyDocument],
    *,
    error_bound: float,
    at: datetime,
    remarks: tuple[str, ...] = (),
) -> Report:
    """The report on the document that says most; `traced` are all that were compared, the likeliest first.

    It says nothing of any copy that is not named. `left_out` are documents as likely that were not compared, `remarks` what
    is to be known of how the leak was read, also if nothing was found in it.
    """
    found = max(traced, key=lambda one: one.strength, default=None)  # the first of equals
    if found is None or _is_chance(found):
        return _report_of_nothing(leak, documents=len(traced), error_bound=error_bound, at=at, notes=remarks)
    finding, versions = found.finding, registry.versions(found.record.name)
    in_all = sum(one.finding.compared for one in traced)
    numbers = [suspect.number for suspect in finding.accused]
    copies = {copy.number: copy for copy in registry.copies(found.record.id, numbers=numbers)}
    # Over all copies of all documents, and all traces of this one: union bounds.
    price = in_all / max(finding.compared, 1) / (found.turn.share if found.turn else 1.0)
    accused = tuple(_accused_copy(suspect, copies[suspect.number], price=price) for suspect in finding.accused)
    evidence = evidence_of(found.record, finding.observations, [copies[number].codeword for number in numbers])
    return Report(
        id=secrets.token_hex(8),
        version=__version__,
        made_at=at.astimezone(UTC).replace(microsecond=0),
        leak=leak,
        document=_traced_document(found.record, versions),
        verdict=finding.verdict,
        accused=accused,
        documents=len(traced),
        compared=finding.compared,
        compared_in_all=in_all,
        turn=None if found.turn is None else found.turn.number,
        readable=finding.readable,
        matches_needed=_matches_needed(finding, found.record),
        error_bound=Decimal(repr(error_bound)),
        covered_share=share(finding.covered_share),
        edited_share=share(finding.edited_share),
        evidence=evidence,
        notes=(
            *remarks,
            *found.remarks,
            *_notes(registry, found, traced, versions, accused),
            *(notes_on_unlisted(evidence, accused) if finding.observations else ()),
            *_note_on_left_out(left_out),
        ),
    )


def _accused_copy(suspect: Suspect, copy: IssuedCopy, *, price: float) -> AccusedCopy:
    return AccusedCopy(
        number=suspect.number,
        recipient=copy.recipient,
        issued_at=None if copy.issued_at is None else copy.issued_at.replace(microsecond=0),
        matches=suspect.matches,
        readable=suspect.readable,
        p_value=chance(suspect.p_value),
        family_p_value=chance(min(1.0, price * suspect.family_p_value)),
    )


def _is_chance(found: Traced) -> bool:
    """Whether the leak shares so little with a document that it is no document's."""
    return not found.finding.accused and found.shared is not None and found.shared < LEAST_SHARED


def _report_of_nothing(
    leak: Leak, *, documents: int, error_bound: float, at: datetime, notes: tuple[str, ...]
) -> Report:
    return Report(
        id=secrets.token_hex(8),
        version=__version__,
        made_at=at.astimezone(UTC).replace(microsecond=0),
        leak=leak,
        document=None,
        verdict="no document",
        accused=(),
        documents=documents,
        compared=0,
        compared_in_all=0,
        turn=None,
        readable=0,
        matches_needed=None,
        error_bound=Decimal(repr(error_bound)),
        covered_share=Decimal(0),
        edited_share=Decimal(0),
        evidence=(),
        notes=notes,
    )


def _traced_document(record: DocumentRecord, versions: Sequence[DocumentSummary]) -> TracedDocument:
    return TracedDocument(
        id=record.id,
        name=record.name,
        version=_version(record, versions),
        created_at=record.created_at.astimezone(UTC).replace(microsecond=0),
        issuing=record.issuing,
        code=record.code,
        characters=len(record.text),
        sites=len(record.sites),
    )


def _matches_needed(finding: Finding, record: DocumentRecord) -> int | None:
    """The fewest matches that would have been enough, where each counts the same."""
    if finding.code != "independent" or not finding.observations or not finding.compared:
        return None
    if any(site.further for site in record.sites) or any(one.is_doubtful for one in finding.observations):
        return None
    share_alone = SHARES[0] if finding.in_company else 1.0
    bound = share_alone * largest_p_value(recipients=finding.compared, error_bound=finding.error_bound)
    tails = binomial_tails(finding.readable)
    return next((matches for matches, tail in enumerate(tails.tolist()) if tail <= bound), None)


def _notes(
    registry: Registry,
    found: Traced,
    traced: Sequence[Traced],
    versions: Sequence[DocumentSummary],
    accused: Sequence[AccusedCopy],
) -> list[str]:
    notes = [*_note_on_versions(found, versions), *_note_on_others(registry, found, traced)]
    notes += _note_on_edited_leaks(found.turn)
    notes += _note_on_few_sites(found.finding, found.record)
    notes += _note_on_the_master(found) or _note_on_unknown_copies(found.finding)
    notes += [
        f"Copy {copy.number} was planned, but that its file was written is not recorded."
        for copy in accused
        if copy.issued_at is None
    ]
    notes += [_note_on_the_name(copy) for copy in accused if has_look_alike(registry, copy.recipient)]
    return notes


def _note_on_the_name(copy: AccusedCopy) -> str:
    """By code points, for a reader cannot see them."""
    unusual = [one for one in dict.fromkeys(copy.recipient) if not (one.isascii() and one.isalpha()) and one != " "]
    points = ", ".join(f"U+{ord(one):04X}" for one in unusual)
    written = f"it is written with {points}" if points else "it is written with the letters A to Z alone"
    return (
        f"Another recipient in this registry has a name that looks like that of the recipient of copy {copy.number}, and is "
        f"somebody else: {written}. Tell them apart by the copy, not by the name."
    )


def _note_on_versions(found: Traced, versions: Sequence[DocumentSummary]) -> list[str]:
    version = _version(found.record, versions)
    newest = versions[-1]
    if newest.version == version:
        return []
    date = date_in_words(newest.created_at)
    return [
        f"Leak of an older version: it is of version {version}, and version {newest.version} was registered on {date}."
    ]


def _note_on_others(registry: Registry, found: Traced, traced: Sequence[Traced]) -> list[str]:
    others = [one for one in traced if one.record.id != found.record.id]
    if not others:
        return []
    named = ", ".join(_name(registry, one.record) for one in others[:MOST_LISTED])
    more = "" if len(others) <= MOST_LISTED else f", and {len(others) - MOST_LISTED} more"
    notes = [f"Other documents share wording with the leak, and the chances of error allow for them: {named}{more}."]
    notes += [
        f"Copies of {_name(registry, one.record)} stand out too: trace the leak again with --document {one.record.id}."
        for one in others
        if one.finding.accused
    ]
    return notes


def _name(registry: Registry, record: DocumentRecord) -> str:
    return f"{record.name} (version {_version(record, registry.versions(record.name))}, {record.id})"


def _version(record: DocumentRecord, versions: Sequence[DocumentSummary]) -> int:
    return next(one.version for one in versions if one.id == record.id)


def _note_on_edited_leaks(turn: Turn | None) -> list[str]:
    if turn is None or turn.nearest is None:
        return []
    common, different, in_a_row = turn.nearest.likeness
    traced_at = date_in_words(turn.nearest.traced_at)
    if turn.nearest.likeness.is_small_edit:
        return [
            (
                f"A text that was traced before, on {traced_at}, differs from this one at only "
                f"{different} of the {counted(common, 'marked word')} that can be read in both: one is a small edit of the other. "
                "Who traces small edits of one text may be looking for one that points to somebody."
            )
        ]
    return [
        (
            f"A text that was traced before, on {traced_at}, has the same {in_a_row:,} marked words in a row as this one, and differs "
            f"from it at {different:,} of the {common:,} that can be read in both: they have a passage in common, or one was made from "
            "the other. Who traces texts that share a passage may be looking for the rest of a copy of which they hold a part."
        )
    ]


def notes_on_unlisted(evidence: Sequence[Evidence], accused: Sequence[AccusedCopy]) -> list[str]:
    """That the list is not all, and what the rest says: agreements alone would mislead."""
    return [
        (
            f"{agreement_in_words(copy, noun=MARKED_WORD)} {rest.count:,} of these words are not listed: "
            f"{unlisted_in_words(copy, rest)}. Around them the leak is not like this copy, so they may come from elsewhere, and what "
            "a copy says elsewhere is not for those who hold a part of it. The issuer can list every one of them: "
            "lexprint report evidence."
        )
        for place, copy in enumerate(accused)
        if (rest := unlisted(copy, evidence, place)).count
    ]


def _note_on_left_out(left_out: Sequence[LikelyDocument]) -> list[str]:
    if not left_out:
        return []
    some = ", ".join(one.document_id for one in left_out[:MOST_LISTED])
    more = "" if len(left_out) <= MOST_LISTED else ", and others"
    return [
        (
            f"{counted(len(left_out), 'document')} that share as much wording with the leak were not compared, since so many "
            f"do: {some}{more}. If the leak may be of one of them, trace it again with --document."
        )
    ]


def _bits_of_site(words: int) -> float:
    """What a site tells on average: half of the copies have its first word, and each other half as many as the one before.

    >>> [_bits_of_site(words) for words in (2, 3, 4)]
    [1.0, 1.5, 1.75]
    """
    return 2.0 - 2.0 ** (2 - words)


def _note_on_few_sites(finding: Finding, record: DocumentRecord) -> list[str]:
    if not finding.observations or not finding.compared:
        return []
    bits = -log2(largest_p_value(recipients=finding.compared, error_bound=finding.error_bound))
    least = ceil(bits / fmean(_bits_of_site(len(record.sites[one.site].words)) for one in finding.observations))
    if finding.accused or finding.readable >= least:
        return []
    copies = counted(finding.compared, "copy", "copies")
    return [
        (
            f"Only {counted(finding.readable, 'marked word')} can be read in the leak; to name one of {copies} with this limit "
            f"for the chance of error, about {least} are needed. A longer part of the leak may be enough."
        )
    ]


def _note_on_unknown_copies(finding: Finding) -> list[str]:
    """A copy that is not in this registry, such as one issued after the backup that it was restored from."""
    if finding.accused or finding.excluded_share < max(LEAST_EXCLUDED, finding.edited_share):
        return []
    return [
        (
            "Not one of the copies recorded here, unless more than "
            f"{finding.excluded_share:.0%} of its readable marked words were exchanged or it was put together from several "
            f"copies: else the copy would have been named with a chance of at least {CERTAIN:.1%}. It may come from a copy "
            "that this registry does not know, issued with another one or after the backup that this one was restored from."
        )
    ]


def _note_on_the_master(found: Traced) -> list[str]:
    """Copies differ from the master at half of their sites, so a leak without any difference is of the master."""
    sites = found.record.sites
    read = [(sites[one.site], one.symbol) for one in found.finding.observations if one.symbol is not None]
    if not read or found.finding.accused or any(site.words[symbol] != site.word for site, symbol in read):
        return []
    return [
        (
            "At every place that can be read the leak has the master's own word: it may come from the master itself, or from "
            "a file that was never marked."
        )
    ]
