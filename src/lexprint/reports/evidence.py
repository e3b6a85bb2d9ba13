"""The evidence of a report: what was read in the leak, and of a named copy only what the leak shows of it.

A report is read by people who may hold an excerpt of a copy, or have put one into a text of their own. Were they told the words of the
copy everywhere, they could write passages in its name that its recipient never let out. So sites that cannot be read in the leak are
left out, and what a copy says is told only where the leak around is like that copy. Counts and chances are of all sites that were read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from lexprint.registry.records import CopySite, DocumentRecord
from lexprint.reports.report import Evidence, share
from lexprint.text.span import Span
from lexprint.tracing.verdict import Observation

CONTEXT_WORDS = 5  # on each side of a site
CONTEXT_CHARACTERS = 120  # in which to look for them
LONGEST_SEEN = 60  # characters; what stands at a site is a word, or a few
AROUND, AGREEING = 9, 8  # of so many readable sites next to each other so many agree; by chance in 1 of 50 places


def evidence_of(
    record: DocumentRecord, observations: Sequence[Observation], codewords: Sequence[Sequence[int]]
) -> tuple[Evidence, ...]:
    """For the accused copies; without any, where the marks are is nobody's business."""
    return _rows(record, observations, codewords, is_told=_is_alike_around)


def whole_evidence_of(
    record: DocumentRecord, observations: Sequence[Observation], codewords: Sequence[Sequence[int]]
) -> tuple[Evidence, ...]:
    """Every site that was read, whatever it says; only for whom the owner of the registry chooses."""
    return _rows(record, observations, codewords, is_told=np.ones_like)


def _rows(
    record: DocumentRecord,
    observations: Sequence[Observation],
    codewords: Sequence[Sequence[int]],
    *,
    is_told: Callable[[NDArray[np.bool_]], NDArray[np.bool_]],
) -> tuple[Evidence, ...]:
    read = [(one, one.symbol) for one in observations if one.symbol is not None]
    agreeing = [np.array([codeword[one.site] == symbol for one, symbol in read], dtype=bool) for codeword in codewords]
    told_of = [is_told(one) for one in agreeing]
    evidence: list[Evidence] = []
    for place, (observation, symbol) in enumerate(read):
        site = record.sites[observation.site]
        given = tuple(
            site.words[codeword[observation.site]] if told[place] else None
            for codeword, told in zip(codewords, told_of, strict=True)
        )
        if not any(given):
            continue
        before, after = _context(record.text, site.span)
        evidence.append(
            Evidence(
                site=observation.site + 1,
                offset=site.span.start,
                before=before,
                word=site.word,
                after=after,
                words=site.words,
                symbol=symbol,
                seen=None if observation.seen is None else _storable(observation.seen)[:LONGEST_SEEN],
                given=given,
                is_doubtful=observation.is_doubtful,
                acceptances=_acceptances(site),
            )
        )
    return tuple(evidence)


def _is_alike_around(agreeing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each readable site whether nearly all of the nearest ones, in the order of the text, agree with the copy."""
    around = min(AROUND, len(agreeing))
    if not around:
        return agreeing
    sums = np.convolve(agreeing, np.ones(around, dtype=np.int64), mode="valid")  # (sites - around + 1,)
    nearest = np.clip(np.arange(len(agreeing)) - around // 2, 0, len(sums) - 1)
    return np.asarray(sums[nearest] >= around - (AROUND - AGREEING))


def _acceptances(site: CopySite) -> tuple[Decimal, ...]:
    """Of each other word; none where one is not known."""
    known = [site.figures_of(word).acceptance for word in site.others]
    return tuple(share(one) for one in known if one is not None) if None not in known else ()


def _context(text: str, span: Span) -> tuple[str, str]:
    """A few words before and after, up to the edge of the word itself."""
    start, end = max(0, span.start - CONTEXT_CHARACTERS), span.end + CONTEXT_CHARACTERS
    before, after = _storable(text[start : span.start]), _storable(text[span.end : end])
    words_before, words_after = before.split(), after.split()
    if start:
        words_before = words_before[1:]  # the first may be half a word
    if end < len(text):
        words_after = words_after[:-1]
    left, right = " ".join(words_before[-CONTEXT_WORDS:]), " ".join(words_after[:CONTEXT_WORDS])
    return f"{left} " if before[-1:].isspace() else left, f" {right}" if after[:1].isspace() else right


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
