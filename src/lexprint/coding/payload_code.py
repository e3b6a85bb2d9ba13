"""The payload code: every site says one keyed random parity of the payload's bits.

A site is known by its label, which its owner takes from nearby words, so cutting, moving or inserting text costs some sites
and shifts none. Row and polarity of a label are a keyed hash, uniform over all of them, so the null hypothesis is exact:
whatever was read, and whatever the text, without the key each message agrees with each label like a fair coin. So does
every wrong message where another one was written. One bound thus covers both errors, finding what was never written and
finding something else. Labels may weigh more or less, as long as the key has no say in it: the coins stay fair.

Whoever holds three texts can add them up, and what three parities add up to is a parity too, of a fourth payload; so copies
for recipients are marked otherwise (`copy_marks`).
"""

from __future__ import annotations

import hmac
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from sys import float_info
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lexprint.coding.compact_text import LONGEST, pack, unpack
from lexprint.coding.keys import MasterKey
from lexprint.coding.parity_search import Fit, Parity, best_fit
from lexprint.coding.weighted_sums import distribution_of_sum
from lexprint.errors import InputError

Payload: TypeAlias = str | int

DEFAULT_FALSE_POSITIVE = 1e-6
LONGEST_NUMBER = 128  # bits
FIRST_TURN = 1 / 1024  # of the chance of error, for sites that all weigh the same; untouched texts stay far below
SECOND_TURN = 1 - FIRST_TURN
WORTH_WEIGHING = 0.1  # chance of error of the best message, above which weights would not save it
TEXT_BITS = range(8, LONGEST_NUMBER + 1, 8)  # a text takes the fewest of these that hold it


@dataclass(frozen=True, slots=True)
class Form:
    """How a payload is laid out. A reader who does not know the form tries several; each try adds to the chance of error."""

    kind: Literal["text", "number"]
    bits: int

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= LONGEST_NUMBER:
            raise InputError(f"a payload has {self.bits} bits", needed=f"1 to {LONGEST_NUMBER} bits")

    @property
    def messages(self) -> float:
        """How many may be found."""
        return 2.0**self.bits


TEXT_FORMS = tuple(Form("text", bits) for bits in TEXT_BITS)
FORMS = TEXT_FORMS  # what a reader tries who knows nothing but the key


@dataclass(frozen=True, slots=True)
class Frame:
    """A payload as the bits that are written."""

    form: Form
    message: int


@dataclass(frozen=True, slots=True)
class LabelledBit:
    """What one site says."""

    label: bytes
    bit: int
    weight: int = 1  # above 0; the likelier it is that the bit was written, the more


@dataclass(frozen=True, slots=True)
class Decoded:
    """A payload that was found; `chance_of_error` bounds the chance of finding any that was not written."""

    payload: Payload
    message: int  # the same as bits
    form: Form
    key_id: str
    agreeing: int  # labels that say what the payload wants them to
    readable: int  # labels that say anything
    chance_of_error: float


def frame_text(payload: str) -> Frame:
    """A text in as few bits as hold it.

    >>> frame_text("ACME-2026-00417").form.bits
    72
    """
    if not payload:
        raise InputError("the payload is empty", needed="a payload of at least one character")
    try:
        size = len(payload.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InputError("the payload cannot be written in UTF-8", needed="a payload without stray bytes") from error
    for form in TEXT_FORMS if size <= LONGEST else ():
        if (packed := pack(payload, bits=form.bits)) is not None:
            return Frame(form, packed)
    raise InputError(
        f"the payload of {len(payload)} characters is too long",
        needed=f"one that packs into {LONGEST_NUMBER} bits: some 25 capital letters and digits",
    )


def frame_number(payload: int, *, bits: int) -> Frame:
    """A number in exactly so many bits, which the reader must know."""
    form = Form("number", bits)
    if not 0 <= payload < 1 << bits:
        raise InputError(f"the payload is {payload}", needed=f"a number from 0 to {(1 << bits) - 1}")
    return Frame(form, payload)


def parity_writer(key: MasterKey, frame: Frame) -> Callable[[bytes], int]:
    """What a site must say, by its label."""
    parity_of = _parities(key, frame.form)

    def bit_for(label: bytes) -> int:
        row, polarity = parity_of(label)
        return ((row & frame.message).bit_count() & 1) ^ polarity

    return bit_for


def decode(
    observations: Iterable[LabelledBit],
    keys: Sequence[MasterKey],
    *,
    forms: Sequence[Form] = FORMS,
    false_positive: float = DEFAULT_FALSE_POSITIVE,
) -> Decoded | None:
    """The payload that some key and form find in what was read, or None.

    Whatever the text, the chance that a payload is found that was not written under these keys is at most `false_positive`.
    """
    found = _best_fits(observations, keys, forms=forms, false_positive=false_positive)
    return next((one for one in found if one.chance_of_error <= false_positive), None)


def _best_fits(
    observations: Iterable[LabelledBit], keys: Sequence[MasterKey], *, forms: Sequence[Form], false_positive: float
) -> Iterator[Decoded]:
    """What each form and key finds at best, however likely it is an error; `false_positive` says how long to search."""
    readings = distinct(observations)
    if not readings:
        return
    chances = _chances_of_disagreement([reading.weight for reading in readings])
    total, tries = len(chances) - 1, len(keys) * len(forms)
    for form in sorted(forms, key=lambda form: form.bits):
        accepted = int((_of_all(chances, form.messages, tries) <= false_positive).sum())  # they never fall
        if not accepted:
            continue
        for key in keys:
            fit = _best_fit(readings, key, form, good_enough=total - accepted + 1)
            if fit is not None and (payload := _payload(form, fit.message)) is not None:
                bit_for = parity_writer(key, Frame(form, fit.message))
                agreeing = sum(reading.bit == bit_for(reading.label) for reading in readings)
                chance = float(_of_all(chances[total - fit.agreeing], form.messages, tries))
                yield Decoded(payload, fit.message, form, key.id, agreeing, len(readings), chance)


def _best_fit(readings: Sequence[LabelledBit], key: MasterKey, form: Form, *, good_enough: int) -> Fit | None:
    """The message that most labels agree with, by weight."""
    parity_of = _parities(key, form)
    parities = [_parity(reading, *parity_of(reading.label)) for reading in readings]
    return best_fit(parities, bits=form.bits, good_enough=good_enough)


def decode_in_turns(
    observations: Sequence[LabelledBit],
    weighed: Callable[[], Iterable[LabelledBit]],
    keys: Sequence[MasterKey],
    *,
    forms: Sequence[Form] = FORMS,
    false_positive: float = DEFAULT_FALSE_POSITIVE,
) -> Decoded | None:
    """First with all sites alike, which is enough for untouched texts; if that comes near, with weights, which cost time.

    Each turn has its share of `false_positive`, and the chance of error that is told is for both (Bonferroni, weighted).
    """
    nearest = 1.0
    for found in _best_fits(observations, keys, forms=forms, false_positive=false_positive * SECOND_TURN):
        if found.chance_of_error <= false_positive * FIRST_TURN:
            return replace(found, chance_of_error=min(1.0, found.chance_of_error / FIRST_TURN))
        nearest = min(nearest, found.chance_of_error)
    if nearest > max(WORTH_WEIGHING, false_positive):
        return None
    by_weight = decode(weighed(), keys, forms=forms, false_positive=false_positive * SECOND_TURN)
    return by_weight and replace(by_weight, chance_of_error=min(1.0, by_weight.chance_of_error / SECOND_TURN))


def distinct(observations: Iterable[LabelledBit]) -> list[LabelledBit]:
    """Each label once, with what most of its sites say, by weight; a label whose sites are divided says nothing.

    Sites of one label say the same by design, so they are one piece of evidence, not several: together they weigh no
    more than the heaviest of them.
    """
    found: dict[bytes, list[LabelledBit]] = defaultdict(list)
    for observation in observations:
        found[observation.label].append(observation)
    readings: list[LabelledBit] = []
    for label, same in found.items():
        surplus = sum(observation.weight if observation.bit else -observation.weight for observation in same)
        if surplus:
            heaviest = max(observation.weight for observation in same)
            readings.append(LabelledBit(label, int(surplus > 0), min(abs(surplus), heaviest)))
    return readings


def chance_of_error(disagreeing: int, weights: Sequence[int], *, bits: int, tries: int = 1) -> float:
    """Bound on the chance that any message of any try disagrees with labels of no more weight, unless it was written.

    The exact p-value of one message, times all messages: the union bound holds however messages depend on each other, and
    Sidak's, which would gain nothing at such sizes, asks for independence.
    """
    return float(_of_all(_chances_of_disagreement(weights)[disagreeing], 2.0**bits, tries))


def sites_needed(bits: int, *, tries: int = 1, false_positive: float = DEFAULT_FALSE_POSITIVE) -> int:
    """Fewest labels that prove a payload if none of them is misread, whatever they weigh."""
    readable = bits
    while tries * 2.0 ** (bits - readable) > false_positive:
        readable += 1
    return readable


def _chances_of_disagreement(weights: Sequence[int]) -> NDArray[np.float64]:
    """Chance that fair coins disagree with labels of at most 0, 1, ... all of the weight.

    Chances too small for a float are stated as the smallest one.
    """
    distribution = distribution_of_sum(weights, [0.5] * len(weights))
    return np.clip(np.cumsum(distribution), float_info.min, 1.0)


def _of_all(chance: NDArray[np.float64] | np.float64, messages: float, tries: int) -> NDArray[np.float64] | np.float64:
    """Of any message of any try, at most."""
    bound: NDArray[np.float64] | np.float64 = np.minimum(1.0, tries * messages * chance)
    return bound


def _parities(key: MasterKey, form: Form) -> Callable[[bytes], tuple[int, int]]:
    """Row and polarity of each label: bits of a keyed hash, all rows alike, the one without any bit too.

    Were that one left out, wrong messages would agree a little less or more often than half.
    """
    derived = key.derive(f"framed payload 1: {form.kind} of {form.bits} bits")
    mask = (1 << form.bits) - 1

    def parity_of(label: bytes) -> tuple[int, int]:
        drawn = int.from_bytes(hmac.digest(derived, label, "sha256"))
        return drawn >> 1 & mask, drawn & 1

    return parity_of


def _parity(reading: LabelledBit, row: int, polarity: int) -> Parity:
    return Parity(row, reading.bit ^ polarity, reading.weight)


def _payload(form: Form, message: int) -> Payload | None:
    return unpack(message, bits=form.bits) if form.kind == "text" else message
