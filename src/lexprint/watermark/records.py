"""What is kept of a marked copy: enough to read it with the right models and to restore the original exactly.

The text itself is not in it, only a digest and the words at the sites.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from math import isfinite
from typing import Any

from lexprint.errors import FormatError
from lexprint.settings import Settings
from lexprint.text.editing import Edit
from lexprint.text.pairs import Pair
from lexprint.text.span import Span
from lexprint.watermark.sites import Marked, Site


@dataclass(frozen=True)
class Record:
    """A marked copy, without its text; `sites` point into the text before it was marked.

    >>> site = Site(0, 1, Span(2, 5), "big", "big", Pair("big", "large"), entailment=0.99, clearance=0.01)
    >>> record = Record("0.1.0", "paper@1", {}, "5eed", "ca9a", digest_of("a large house."), 4, (1,), (site,))
    >>> record.edits
    (Edit(span=Span(start=2, end=5), replacement='large'),)
    >>> read_record(record_json(record)) == record
    True
    """

    version: str  # of lexprint
    profile: str
    settings: Mapping[str, object] = field(repr=False)  # as JSON: another version may have others
    fingerprint: str
    canary: str  # what the models answered to some fixed questions where it was marked
    digest: str  # of the marked text
    words: int
    bits: tuple[int, ...]  # written to the first sites; later sites stayed as they were
    sites: tuple[Site, ...] = field(repr=False)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """From the original to the marked text."""
        written = zip(self.sites, self.bits, strict=False)
        return tuple(Edit(site.span, site.pair.word(bit)) for site, bit in written if site.bit != bit)


def record_of(marked: Marked, *, version: str, settings: Settings, canary: str, words: int) -> Record:
    return Record(
        version=version,
        profile=settings.profile,
        settings=settings_json(settings),
        fingerprint=marked.fingerprint,
        canary=canary,
        digest=digest_of(marked.text),
        words=words,
        bits=marked.bits,
        sites=marked.sites,
    )


def digest_of(text: str) -> str:
    """SHA-256 of a text, whatever its encoding was."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def settings_json(settings: Settings) -> dict[str, object]:
    """Values that decide where bits are; the profile's name is none."""
    return {name: value for name, value in asdict(settings).items() if name != "profile"}


def site_json(site: Site) -> dict[str, object]:
    return {
        "sentence": site.sentence,
        "position": site.position,
        "span": [site.span.start, site.span.end],
        "found": site.found,
        "word": site.word,
        "pair": list(site.pair),
        "bit": site.bit,
        "entailment": site.entailment,
        "reliability": site.clearance,
    }


def record_json(record: Record) -> dict[str, object]:
    """What `read_record` reads; `bit` and `written` of a site are what the marked text says there."""
    sites = [site_json(site) for site in record.sites]
    for site, entry, bit in zip(record.sites, sites, _standing(record), strict=True):
        entry |= {"bit": bit, "written": site.found if bit == site.bit else site.pair.word(bit)}
    return {
        "lexprint": record.version,
        "profile": record.profile,
        "settings": record.settings,
        "fingerprint": record.fingerprint,
        "canary": record.canary,
        "sha256": record.digest,
        "words": record.words,
        "bits": "".join(map(str, record.bits)),
        "sites": sites,
    }


def _standing(record: Record) -> tuple[int, ...]:
    return record.bits + tuple(site.bit for site in record.sites[len(record.bits) :])


def read_record(value: object, *, name: str = "the record") -> Record:
    """A record from its JSON; whatever is not one is refused.

    >>> read_record({"bits": "101"})
    Traceback (most recent call last):
    lexprint.errors.FormatError: the record is corrupt, or not a record; needed: the JSON that lexprint embed wrote
    """
    try:
        record = _parsed(value)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise FormatError(
            name, found="corrupt, or not a record", needed="the JSON that lexprint embed wrote"
        ) from error
    return record


def _parsed(value: Any) -> Record:
    record = Record(
        version=_text(value["lexprint"]),
        profile=_text(value["profile"]),
        settings=dict(value["settings"]),
        fingerprint=_text(value["fingerprint"]),
        canary=_text(value["canary"]),
        digest=_text(value["sha256"]),
        words=_count(value["words"]),
        bits=tuple(map(int, _text(value["bits"]))),
        sites=tuple(map(_parsed_site, value["sites"])),
    )
    in_order = all(one.span.end <= other.span.start for one, other in pairwise(record.sites))
    if not in_order or not set(record.bits) <= {0, 1} or len(record.bits) > len(record.sites):
        raise ValueError("sites out of order, or bits without a site")
    return record


def _parsed_site(value: Any) -> Site:
    start, end = map(_count, value["span"])
    found, pair = _text(value["found"]), Pair(*map(_text, value["pair"]))
    entailment, clearance = float(value["entailment"]), float(value["reliability"])
    site = Site(
        sentence=_count(value["sentence"]),
        position=_count(value["position"]),
        span=Span(start, end),
        found=found,
        word=_text(value["word"]),
        pair=pair,
        entailment=entailment,
        clearance=clearance,
    )
    if site.word not in pair or len(found) != len(site.span) or not isfinite(entailment + clearance):
        raise ValueError("a site that contradicts itself")
    return site


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise TypeError("not a count")
    return value
