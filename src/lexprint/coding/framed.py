"""The framed payload: every site says one keyed random parity of the payload's bits.

A site is known by its label, which its owner takes from nearby words, so cutting, moving or inserting text costs some sites
and shifts none. Row and polarity of a label are a keyed hash, uniform over all of them, so the null hypothesis is exact:
whatever was read, and whatever the text, without the key each message agrees with each label like a fair coin. So does
every wrong message where another one was written. One bound thus covers both errors, finding what was never written and
finding something else.
"""

from __future__ import annotations

import hmac
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal, TypeAlias

from lexprint.coding.compact_text import LONGEST, pack, unpack
from lexprint.coding.keys import MasterKey
from lexprint.coding.parity_search import Parity, best_fit
from lexprint.errors import InputError

Payload: TypeAlias = str | int

DEFAULT_FALSE_POSITIVE = 1e-6
LONGEST_NUMBER = 128  # bits
TEXT_BITS = range(8, LONGEST_NUMBER + 1, 8)  # a text takes the fewest of these that hold it


@dataclass(frozen=True, slots=True)
class Form:
    """How a payload is laid out. A reader who does not know the form tries several; each try adds to the chance of error."""

    kind: Literal["text", "number"]
    bits: int

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= LONGEST_NUMBER:
            raise InputError(f"a payload has {self.bits} bits", needed=f"1 to {LONGEST_NUMBER} bits")


TEXT_FORMS = tuple(Form("text", bits) for bits in TEXT_BITS)


@dataclass(frozen=True, slots=True)
class Frame:
    """A payload as the bits that are written."""

    form: Form
    message: int


@dataclass(frozen=True, slots=True)
class Observation:
    """What one site says."""

    label: bytes
    bit: int
    reliability: float = 1.0


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
    observations: Iterable[Observation],
    keys: Sequence[MasterKey],
    *,
    forms: Sequence[Form] = TEXT_FORMS,
    false_positive: float = DEFAULT_FALSE_POSITIVE,
) -> Decoded | None:
    """The payload that some key and form find in what was read, or None.

    Whatever the text, the chance that a payload is found that was not written under these keys is at most `false_positive`.
    """
    readings = distinct(observations)
    tries = len(keys) * len(forms)
    for form in sorted(forms, key=lambda form: form.bits):
        needed = _agreement_needed(len(readings), form.bits, tries=tries, false_positive=false_positive)
        if needed is None:
            continue
        for key in keys:
            parity_of = _parities(key, form)
            parities = [_parity(reading, *parity_of(reading.label)) for reading in readings]
            fit = best_fit(parities, bits=form.bits, good_enough=needed)
            if fit is not None and (payload := _payload(form, fit.message)) is not None:
                chance = chance_of_error(fit.agreeing, len(readings), bits=form.bits, tries=tries)
                return Decoded(payload, fit.message, form, key.id, fit.agreeing, len(readings), chance)
    return None


def distinct(observations: Iterable[Observation]) -> list[Observation]:
    """Each label once, with what most of its sites say; a label whose sites are divided says nothing.

    Sites of one label say the same by design, so they are one piece of evidence, not several.
    """
    found: dict[bytes, list[Observation]] = defaultdict(list)
    for observation in observations:
        found[observation.label].append(observation)
    readings: list[Observation] = []
    for label, same in found.items():
        surplus = sum(1 if observation.bit else -1 for observation in same)
        if surplus:
            bit = int(surplus > 0)
            reliability = sum(
                observation.reliability if observation.bit == bit else -observation.reliability for observation in same
            )
            readings.append(Observation(label, bit, reliability))
    return readings


def chance_of_error(agreeing: int, readable: int, *, bits: int, tries: int = 1) -> float:
    """Bound on the chance that any message of any try agrees with at least so many labels, unless it was written.

    The exact binomial tail of one message, times all messages: the union bound holds however messages depend on each
    other, and Sidak's, which would gain nothing at such sizes, asks for independence.
    """
    return min(1.0, (tries * _outcomes(readable, agreeing) << bits) / (1 << readable))


def sites_needed(bits: int, *, tries: int = 1, false_positive: float = DEFAULT_FALSE_POSITIVE) -> int:
    """Fewest labels that prove a payload if none of them is misread."""
    readable = bits
    while _agreement_needed(readable, bits, tries=tries, false_positive=false_positive) is None:
        readable += 1
    return readable


def _agreement_needed(readable: int, bits: int, *, tries: int, false_positive: float) -> int | None:
    """The least agreement that is accepted; None: not even full agreement is."""
    needed = None
    outcomes = 0
    for wrong in range(readable // 2 + 1):
        outcomes += comb(readable, wrong)
        if (tries * outcomes << bits) / (1 << readable) > false_positive:
            break
        needed = readable - wrong
    return needed


def _outcomes(readable: int, agreeing: int) -> int:
    """In how many ways so many fair coins, or more, can agree."""
    return sum(comb(readable, wrong) for wrong in range(readable - agreeing + 1))


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


def _parity(reading: Observation, row: int, polarity: int) -> Parity:
    return Parity(row, reading.bit ^ polarity, reading.reliability)


def _payload(form: Form, message: int) -> Payload | None:
    return unpack(message, bits=form.bits) if form.kind == "text" else message
