"""Words that schemes would exchange in a text, for readers to judge by the rubric without knowing who chose them.

A line of the sheet is a word in its sentence with the candidates of all schemes, in the format of the judgements; the key knows
which scheme would put which of them there. Controls show a sentence with a candidate in place and offer the author's own word:
what readers say of it is what any word can hope for.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeAlias

from lexprint.copies.analysis import analyse
from lexprint.engine import Engine
from lexprint.models.protocols import Gap
from lexprint.settings import find_profile
from lexprint.text.document import Document
from lexprint.text.protection import protected_spans
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint_evaluation.marked_text import MarkingScheme
from lexprint_evaluation.schemes import schemes
from lexprint_evaluation.sides import substituter_of

KEY_FORMAT = "key to a reading sheet 2"
KEPT = "kept"  # controls: the author's own words

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class Text:
    name: str
    text: str = field(repr=False)
    protected: tuple[Span, ...] = ()


@dataclass(frozen=True, order=True)
class Exchange:
    """A word of a text, and another that a scheme would put in its place."""

    span: Span
    candidate: str


@dataclass(frozen=True)
class Exchanges:
    """What a scheme would do to one text."""

    sites: int  # words at which marked texts differ
    found: frozenset[Exchange]
    acceptance: Mapping[Exchange, float] = field(default_factory=dict)  # where the scheme asks for it


Exchanger: TypeAlias = Callable[[Text], Exchanges]


@dataclass(frozen=True)
class Marked:
    """All exchanges of one scheme, by text."""

    scheme: str
    words: int
    sites: int
    exchanges: tuple[frozenset[Exchange], ...]
    acceptance: tuple[Mapping[Exchange, float], ...] = ()

    @property
    def best_acceptance(self) -> list[float]:
        """That of the best exchange at each site, in ascending order; empty where nobody was asked."""
        best: defaultdict[tuple[int, Span], float] = defaultdict(float)
        for number, known in enumerate(self.acceptance):
            for one, share in known.items():
                best[number, one.span] = max(share, best[number, one.span])
        return sorted(best.values())


@dataclass(frozen=True)
class Line:
    """What a reader sees, and which schemes would choose each candidate."""

    id: str
    document: str
    gap: Gap
    candidates: Mapping[str, tuple[str, ...]]  # in the order in which they are shown
    acceptance: Mapping[str, float] = field(default_factory=dict)  # of candidates, where a scheme asks for it


@dataclass(frozen=True)
class Sheet:
    id: str
    seed: int
    schemes: tuple[Marked, ...]
    lines: tuple[Line, ...]


def exchangers(
    engine: Engine,
    *,
    copies: Sequence[str],
    blind: Sequence[str],
    rivals: Sequence[str],
    trained: Path | None,
    seed: int,
) -> dict[str, Exchanger]:
    """Issued copies and blind marks by profile, and rivals by name; `trained` is the file of AWT."""
    found = {f"issued, {profile}": _copies(engine, profile) for profile in copies}
    for profile, scheme in zip(blind, schemes(engine, blind), strict=True):
        found[f"blind, {profile}"] = _marks(scheme, seed)
    for name, scheme in zip(rivals, schemes(engine, rivals, trained=trained), strict=True):
        found[name] = _marks(scheme, seed)
    return found


def _copies(engine: Engine, profile: str) -> Exchanger:
    """Every word that some copy may have in place of the master's."""
    settings = find_profile(profile)
    substituter = substituter_of(engine, "writer", settings=settings)

    def exchanges(text: Text) -> Exchanges:
        protected = protected_spans(text.text, spans=text.protected)
        sites = analyse(segment(text.text), substituter, settings.copies, protected=protected)
        acceptance = {
            Exchange(site.span, word): figures.acceptance or 0.0
            for site in sites
            for word, figures in zip(site.words[1:], site.figures, strict=True)
        }
        return Exchanges(len(sites), frozenset(acceptance), acceptance)

    return exchanges


def _marks(scheme: MarkingScheme, seed: int) -> Exchanger:
    """Random bits and their opposites, so that few words that could be exchanged are missed.

    Where a blind mark has its later sites depends on the bits of the earlier ones, so sites are those of the first alone. AWT
    spreads a bit over several words.
    """

    def exchanges(text: Text) -> Exchanges:
        bits = Random(f"{seed} {text.name}").choices((0, 1), k=len(text.text))
        one, opposite = (scheme.embed(text.text, chosen) for chosen in (bits, [1 - bit for bit in bits]))
        edits = frozenset(Exchange(edit.span, edit.replacement) for edit in (*one.edits, *opposite.edits))
        return Exchanges(max(len(one.bits), len(one.edits)), edits)

    return exchanges


def mark(scheme: str, exchange: Exchanger, texts: Sequence[Text]) -> Marked:
    found = [exchange(text) for text in texts]
    return Marked(
        scheme,
        words=sum(segment(text.text).word_count for text in texts),
        sites=sum(one.sites for one in found),
        exchanges=tuple(one.found for one in found),
        acceptance=tuple(one.acceptance for one in found),
    )


def make_sheet(marked: Sequence[Marked], texts: Sequence[Text], *, per_scheme: int, controls: int, seed: int) -> Sheet:
    """So many words of each scheme (0: all), and controls at other words, in random order."""
    chooser = Random(f"{seed} reading sheet")
    places: defaultdict[tuple[int, Span], defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in marked:
        for number, exchange in _drawn(one, per_scheme, chooser):
            places[number, exchange.span][exchange.candidate].append(one.scheme)
    kept = set(chooser.sample(sorted(places), min(controls, len(places) // 2)))
    contexts = [_Contexts(text.text) for text in texts]
    known = [_known(marked, number) for number in range(len(texts))]
    shown: list[tuple[str, Gap, dict[str, tuple[str, ...]], dict[str, float]]] = []
    for number, span in sorted(places):
        candidates = {word: tuple(names) for word, names in places[number, span].items()}
        gap = contexts[number].gap(span)
        if (number, span) in kept:
            other = chooser.choice(sorted(candidates))
            gap, candidates = gap.with_word(other), {gap.word: (KEPT,)}
        order = chooser.sample(sorted(candidates), len(candidates))
        shares = {word: known[number][Exchange(span, word)] for word in order if Exchange(span, word) in known[number]}
        shown.append((texts[number].name, gap, {word: candidates[word] for word in order}, shares))
    chooser.shuffle(shown)
    digest = hashlib.sha256(repr((seed, shown)).encode()).hexdigest()[:12]
    lines = tuple(Line(_id(digest, index), *one) for index, one in enumerate(shown))
    return Sheet(digest, seed, tuple(marked), lines)


def _known(marked: Sequence[Marked], number: int) -> dict[Exchange, float]:
    """Acceptance of all that was asked about in one text; the same by every profile."""
    return {one: share for scheme in marked if scheme.acceptance for one, share in scheme.acceptance[number].items()}


def _drawn(marked: Marked, count: int, chooser: Random) -> list[tuple[int, Exchange]]:
    """All exchanges of a scheme, or those of so many sites."""
    every = [(number, one) for number, found in enumerate(marked.exchanges) for one in sorted(found)]
    sites = sorted({(number, one.span) for number, one in every})
    if not count or count >= len(sites):
        return every
    chosen = set(chooser.sample(sites, count))
    return [(number, one) for number, one in every if (number, one.span) in chosen]


class _Contexts:
    """Words of a text in their sentences."""

    def __init__(self, text: str) -> None:
        self._document: Document = segment(text)
        self._starts = [sentence.span.start for sentence in self._document.sentences]

    def gap(self, span: Span) -> Gap:
        text = self._document.text
        sentence = self._document.sentences[max(0, bisect_right(self._starts, span.start) - 1)].span
        parts = (text[sentence.start : span.start], span.of(text), text[span.end : max(span.end, sentence.end)])
        return Gap(*(_SPACES.sub(" ", part) for part in parts))


def _id(sheet: str, index: int) -> str:
    """Says nothing of the scheme."""
    return hashlib.sha256(f"{sheet} {index}".encode()).hexdigest()[:8]


def sheet_lines(sheet: Sheet) -> str:
    """JSON lines for readers; they fill `judged` with 2 (good), 1 (so-so) or 0 (bad) for each candidate."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in _rows(sheet))


def _rows(sheet: Sheet) -> Iterator[dict[str, object]]:
    for line in sheet.lines:
        yield {
            "id": line.id,
            "document": line.document,
            "left": line.gap.left,
            "word": line.gap.word,
            "right": line.gap.right,
            "candidates": list(line.candidates),
            "judged": {},
            "suggested": [],
        }


def sheet_key(sheet: Sheet, *, fingerprint: str) -> str:
    """Who would choose what; not for readers."""
    key = {
        "format": KEY_FORMAT,
        "sheet": sheet.id,
        "seed": sheet.seed,
        "fingerprint": fingerprint,
        "schemes": {
            one.scheme: {"words": one.words, "sites": one.sites, "acceptance": one.best_acceptance}
            for one in sheet.schemes
        },
        "lines": {line.id: {word: list(names) for word, names in line.candidates.items()} for line in sheet.lines},
        "acceptance": {line.id: dict(line.acceptance) for line in sheet.lines if line.acceptance},
    }
    return json.dumps(key, ensure_ascii=False, indent=1) + "\n"
