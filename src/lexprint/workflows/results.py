"""What the verbs give back: frozen values, and the one function that turns any of them into JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, singledispatch
from statistics import fmean

from lexprint.coding.payload_code import Decoded, Payload
from lexprint.registry.records import CopySite, DocumentRecord, IssuedCopy
from lexprint.substitution.substituter import Substitute
from lexprint.text.comparison import Change
from lexprint.text.document import Document
from lexprint.text.editing import Edit
from lexprint.text.span import Span
from lexprint.watermark.records import Record, record_json, site_json
from lexprint.watermark.sites import Site
from lexprint.workflows.messages import message_of


@dataclass(frozen=True)
class Substitutes:
    """What may stand in for one word of a text, the best first."""

    sentence: str
    word: str
    itself: Substitute  # how the models rate leaving the word as it is
    substitutes: tuple[Substitute, ...]
    fingerprint: str


@dataclass(frozen=True)
class Embedded:
    """A marked text, already read back, and what to keep of it."""

    text: str = field(repr=False)
    record: Record


@dataclass(frozen=True)
class ExtractedBits:
    """What a text says; `sites` point into it."""

    sites: tuple[Site, ...] = field(repr=False)
    words: int
    fingerprint: str

    @property
    def bits(self) -> tuple[int, ...]:
        return tuple(site.bit for site in self.sites)

    @property
    def message(self) -> str | None:
        """The bits as text up to the end of the message, or None: what they say is no text."""
        return message_of(self.bits)


@dataclass(frozen=True, kw_only=True)
class EmbeddedPayload:
    """A text that carries a payload, already read back, and what to keep of it."""

    text: str = field(repr=False)
    record: Record
    decoded: Decoded  # what a reader with the key finds
    needed: int  # labels that would have been enough

    @property
    def spare(self) -> int:
        """How many distinct sites a copy may lose without losing the payload, if none of the others is misread."""
        return self.decoded.readable - self.needed


@dataclass(frozen=True, kw_only=True)
class ExtractedPayload:
    """What a text says under the keys that were tried; that it says nothing is an answer too."""

    decoded: Decoded | None
    sites: tuple[Site, ...] = field(repr=False)
    readable: int  # sites that differ in what stands beside them, less those that contradict each other
    words: int
    false_positive: float  # chance of error that was allowed
    fingerprint: str

    @property
    def is_found(self) -> bool:
        return self.decoded is not None

    @property
    def payload(self) -> Payload | None:
        return None if self.decoded is None else self.decoded.payload


@dataclass(frozen=True)
class RecoveredText:
    """An original, the most probable one or the exact one; `edits` lead to it from the marked text."""

    text: str = field(repr=False)
    edits: tuple[Edit, ...]
    sites: int
    is_exact: bool
    fingerprint: str  # of what marked the text, or of what read it


@dataclass(frozen=True)
class Paragraph:
    """Part of a text between blank lines, and what it can carry."""

    span: Span
    words: int
    sites: tuple[Site, ...] = field(repr=False)


@dataclass(frozen=True)
class _Measured:
    """A text by paragraphs, and what sites it has."""

    paragraphs: tuple[Paragraph, ...]
    fingerprint: str

    @property
    def words(self) -> int:
        return sum(paragraph.words for paragraph in self.paragraphs)

    def _per_word(self, number: int) -> float:
        return number / self.words if self.words else 0.0


@dataclass(frozen=True)
class TextCapacity(_Measured):
    """How many bits a text can carry as it stands, where, and at what price in meaning."""

    @property
    def sites(self) -> tuple[Site, ...]:
        return tuple(site for paragraph in self.paragraphs for site in paragraph.sites)

    @property
    def bits(self) -> int:
        return len(self.sites)

    @property
    def bits_per_word(self) -> float:
        return self._per_word(self.bits)

    @property
    def mean_entailment(self) -> float | None:
        """Mean SR of exchanging the word at a site; None where there is no site."""
        return mean_entailment(self.sites)


@dataclass(frozen=True)
class Analysis(_Measured):
    """Where copies of a text may differ, when the registry knows the sites."""

    @cached_property
    def sites(self) -> tuple[CopySite, ...]:
        return tuple(
            CopySite(site.span, site.word, site.pair, site.entailment, site.further, site.likely_edits, site.figures)
            for paragraph in self.paragraphs
            for site in paragraph.sites
        )

    @property
    def sites_per_word(self) -> float:
        return self._per_word(len(self.sites))

    @property
    def mean_entailment(self) -> float | None:
        """Mean SR of exchanging the word at a site, in its whole sentence; None where there is no site."""
        return mean_entailment(self.sites)


@dataclass(frozen=True)
class IssuedDocument:
    """Copies of a document for some recipients, all of them recorded and on disk."""

    document: DocumentRecord
    copies: tuple[IssuedCopy, ...]  # for these recipients, in order of their numbers
    written: int  # files that were not there yet
    compared: int  # copies of the document in all, against which a leak will be compared
    manifest: str  # name of the file that lists the copies
    warnings: tuple[str, ...] = ()  # what should be known before they are given away

    @property
    def is_known(self) -> bool:
        """Whether every file was there already."""
        return self.written == 0


@dataclass(frozen=True)
class Difference:
    """What differs between two texts, word by word."""

    one: Document = field(repr=False)
    other: Document = field(repr=False)
    changes: tuple[Change, ...]


def mean_entailment(sites: Sequence[Site] | Sequence[CopySite]) -> float | None:
    return fmean(site.entailment for site in sites) if sites else None


@singledispatch
def as_json(result: object) -> dict[str, object]:
    """A result of this module as JSON, without the text."""
    raise TypeError(f"no JSON for {type(result).__name__}")


@as_json.register
def _(result: Substitutes) -> dict[str, object]:
    return asdict(result)


@as_json.register
def _(result: Embedded) -> dict[str, object]:
    return record_json(result.record)


@as_json.register
def _(result: ExtractedBits) -> dict[str, object]:
    return {
        "fingerprint": result.fingerprint,
        "words": result.words,
        "bits": "".join(map(str, result.bits)),
        "message": result.message,
        "sites": [site_json(site) for site in result.sites],
    }


@as_json.register
def _(result: EmbeddedPayload) -> dict[str, object]:
    return record_json(result.record) | _decoded_json(result.decoded) | {"needed": result.needed}


@as_json.register
def _(result: ExtractedPayload) -> dict[str, object]:
    return {
        "fingerprint": result.fingerprint,
        "words": result.words,
        **_decoded_json(result.decoded),
        "readable": result.readable,
        "false_positive": result.false_positive,
        "sites": [site_json(site) for site in result.sites],
    }


def _decoded_json(decoded: Decoded | None) -> dict[str, object]:
    if decoded is None:
        return {"payload": None}
    return {
        "payload": decoded.payload,
        "payload_bits": decoded.form.bits,
        "key": decoded.key_id,
        "agreeing": decoded.agreeing,
        "readable": decoded.readable,
        "chance_of_error": decoded.chance_of_error,
    }


@as_json.register
def _(result: RecoveredText) -> dict[str, object]:
    return {
        "fingerprint": result.fingerprint,
        "exact": result.is_exact,
        "sites": result.sites,
        "edits": [{"span": [edit.span.start, edit.span.end], "replacement": edit.replacement} for edit in result.edits],
    }


@as_json.register
def _(result: TextCapacity) -> dict[str, object]:
    return {
        "fingerprint": result.fingerprint,
        "words": result.words,
        "bits": result.bits,
        "bits_per_word": result.bits_per_word,
        "mean_entailment": result.mean_entailment,
        "paragraphs": [
            {
                "span": [paragraph.span.start, paragraph.span.end],
                "words": paragraph.words,
                "bits": len(paragraph.sites),
                "mean_entailment": mean_entailment(paragraph.sites),
            }
            for paragraph in result.paragraphs
        ],
        "sites": [site_json(site) for site in result.sites],
    }


@as_json.register
def _(result: Analysis) -> dict[str, object]:
    return {
        "fingerprint": result.fingerprint,
        "words": result.words,
        "sites_per_word": result.sites_per_word,
        "mean_entailment": result.mean_entailment,
        "sites": [
            {
                "span": [site.span.start, site.span.end],
                "word": site.word,
                "other": site.pair.other(site.word),
                "further": list(site.further),
                "entailment": site.entailment,
                "acceptances": [site.figures_of(word).acceptance for word in site.others],
            }
            for site in result.sites
        ],
    }


@as_json.register
def _(result: IssuedDocument) -> dict[str, object]:
    document = result.document
    return {
        "document": {
            "id": document.id,
            "name": document.name,
            "sha256": document.digest,
            "issuing": document.issuing,
            "code": document.code,
            "sites": len(document.sites),
            "key": document.key_id,
            "fingerprint": document.fingerprint,
        },
        "copies": [
            {"number": copy.number, "recipient": copy.recipient, "file": copy.file_name, "sha256": copy.digest}
            for copy in result.copies
        ],
        "warnings": list(result.warnings),
    }


@as_json.register
def _(result: Difference) -> dict[str, object]:
    return {
        "words": result.one.word_count,
        "other_words": result.other.word_count,
        "changes": [
            {
                "span": [change.span.start, change.span.end],
                "text": change.span.of(result.one.text),
                "other_span": [change.other_span.start, change.other_span.end],
                "other_text": change.other_span.of(result.other.text),
            }
            for change in result.changes
        ],
    }
