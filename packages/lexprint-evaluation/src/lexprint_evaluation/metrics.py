"""What the paper measures of a marked text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from lexprint.models.protocols import Entailment, SentenceEncoder


def bit_errors(written: Sequence[int], read: Sequence[int]) -> int:
    """Bits that say something else; missing and surplus ones count."""
    wrong = sum(one != other for one, other in zip(written, read, strict=False))
    return wrong + abs(len(written) - len(read))


class BitRates:
    """What follows from counts of words, bits and errors, for any row that has them."""

    words: int
    bits: int
    bit_errors: int

    @property
    def bits_per_word(self) -> float:
        return self.bits / self.words

    @property
    def bit_error_rate(self) -> float:
        return self.bit_errors / self.bits if self.bits else 0.0


@dataclass(frozen=True)
class Means:
    """Over the sentences in which a word was exchanged, and over all; None where there are none."""

    changed: float | None
    all: float | None


def entailment_means(entailment: Entailment, pairs: Sequence[tuple[str, str]]) -> Means:
    """SR: that the original entails the marked sentence, read whole; what is too long for the model is left out."""
    fitting = [pair for pair in pairs if all(map(entailment.fits, pair))]
    distinct = list(dict.fromkeys(fitting))
    answers = dict(zip(distinct, map(float, entailment.entails(distinct)), strict=True))
    return _means(fitting, [answers[pair] for pair in fitting])


def similarity_means(encoder: SentenceEncoder, pairs: Sequence[tuple[str, str]]) -> Means:
    """SS: cosine of the vectors of original and marked sentence."""
    distinct = list(dict.fromkeys(sentence for pair in pairs for sentence in pair))
    vectors = dict(zip(distinct, encoder.encode(distinct), strict=True))
    return _means(pairs, [float(vectors[one] @ vectors[other]) for one, other in pairs])


def _means(pairs: Sequence[tuple[str, str]], figures: Sequence[float]) -> Means:
    changed = [figure for (one, other), figure in zip(pairs, figures, strict=True) if one != other]
    return Means(_mean(changed), _mean(figures))


def mean_of(means: Sequence[Means]) -> Means:
    """Every set counts the same, as in the paper."""
    return Means(_mean([one.changed for one in means]), _mean([one.all for one in means]))


def _mean(figures: Iterable[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return fmean(known) if known else None


def share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
