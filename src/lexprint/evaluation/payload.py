"""Keyed payloads on attacked texts: what is found again, and what is found where nothing is.

Beside it the raw bit error rate of the sites in order, sentence by sentence, as Yoo et al. count it (ACL 2023, "Robust
Multi-bit Natural Language Watermarking through Invariant Features"): missing and surplus bits are errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from types import MappingProxyType

from lexprint.coding.framed import Form, Observation, decode, frame_number, parity_writer
from lexprint.coding.keys import MasterKey
from lexprint.engine import Engine
from lexprint.evaluation.attacks import (
    Attack,
    crop,
    delete_words,
    insert_words,
    shuffle_sentences,
    substitute_words,
)
from lexprint.evaluation.metrics import bit_errors
from lexprint.evaluation.tables import markdown_table
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed_unchecked
from lexprint.watermark.extract import extract
from lexprint.watermark.framed import embed_by_label, observe
from lexprint.watermark.scheme import Scheme
from lexprint.workflows import OnProgress
from lexprint.workflows.marking import scheme_of

UNTOUCHED = "untouched"
SHARES = (0.025, 0.05)

PAYLOAD_ATTACKS: Mapping[str, Attack] = MappingProxyType(
    {
        UNTOUCHED: lambda text, chooser: text,
        **{
            f"{share:.1%} of words {name}": partial(attack, share=share)
            for share in SHARES
            for name, attack in (("deleted", delete_words), ("inserted", insert_words), ("replaced", substitute_words))
        },
        "sentences shuffled": shuffle_sentences,
        "a fifth cut": partial(crop, kept=0.8),
    }
)

# Yoo et al. 2023, Table 2, IMDB: word deletion, insertion, substitution.
PUBLISHED_BIT_ERRORS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "2.5% of words deleted": (0.219, 0.074),
        "2.5% of words inserted": (0.303, 0.106),
        "2.5% of words replaced": (0.273, 0.110),
        "5.0% of words deleted": (0.392, 0.200),
        "5.0% of words inserted": (0.355, 0.163),
        "5.0% of words replaced": (0.343, 0.177),
    }
)


@dataclass(frozen=True)
class PayloadRow:
    """One attack on every text."""

    attack: str
    trials: int
    recovered: int
    wrong: int  # another payload was found
    readable: float  # labels, on average
    agreeing: float  # of those, how many say what was written
    bits: int  # written to sites in order
    bit_errors: int  # of those, wrong, missing or surplus ones


@dataclass(frozen=True)
class Strangers:
    """Texts without a mark, and marked ones under other keys."""

    readings: int
    keys: int  # tried on each
    found: int


def payload_rows(
    engine: Engine,
    texts: Sequence[str],
    attacks: Mapping[str, Attack],
    *,
    bits: int,
    false_positive: float,
    seed: int,
    repeats: int = 1,
    on_progress: OnProgress | None = None,
) -> tuple[list[PayloadRow], list[list[Observation]]]:
    """Every text is marked once and attacked so often in every way; also what was read of the untouched ones.

    Bits in order are counted for the first attack of each kind: they cost as much again.
    """
    found: dict[str, list[tuple[bool, bool, int, int, int, int]]] = {name: [] for name in attacks}
    untouched = []
    form = Form("number", bits)
    trials = [(name, repeat) for name in attacks for repeat in range(1 if name == UNTOUCHED else repeats)]
    for number, text in enumerate(texts):
        scheme = scheme_of(engine)  # what is known of a sentence is known of its attacked forms that are the same
        chooser = Random(f"{seed} {number}")
        key = MasterKey.generate()
        frame = frame_number(chooser.getrandbits(bits), bits=bits)
        bit_for = parity_writer(key, frame)
        marked = embed_by_label(segment(text), bit_for, scheme).text
        plain_bits = chooser.choices((0, 1), k=len(text))
        plain = embed_unchecked(segment(text), plain_bits, scheme).text
        for index, (name, repeat) in enumerate(trials):
            attack, own_seed = attacks[name], f"{seed} {number} {name} {repeat}"
            document = segment(attack(marked, Random(own_seed)))
            observations = observe(document, extract(document, scheme).sites)
            decoded = decode(observations, (key,), forms=(form,), false_positive=false_positive)
            written, errors = (0, 0) if repeat else _in_order(plain, attack, scheme, seed=own_seed)
            found[name].append(
                (
                    decoded is not None and decoded.message == frame.message,
                    decoded is not None and decoded.message != frame.message,
                    len(observations),
                    sum(one.bit == bit_for(one.label) for one in observations),
                    written,
                    errors,
                )
            )
            if name == UNTOUCHED:
                untouched.append(observations)
            if on_progress:
                on_progress(number * len(trials) + index + 1, len(texts) * len(trials))
    return [_row(name, trials) for name, trials in found.items()], untouched


def _in_order(marked: str, attack: Attack, scheme: Scheme, *, seed: str) -> tuple[int, int]:
    """Bits written and errors when each sentence is attacked and read by itself."""
    written = errors = 0
    chooser = Random(seed)
    for sentence in segment(marked).sentences:
        own = sentence.span.of(marked)
        before = extract(segment(own), scheme).bits
        leak = attack(own, chooser)
        written += len(before)
        errors += bit_errors(before, extract(segment(leak), scheme).bits if leak.strip() else ())
    return written, errors


def _row(name: str, trials: Sequence[tuple[bool, bool, int, int, int, int]]) -> PayloadRow:
    recovered, wrong, readable, agreeing, bits, errors = (sum(column) for column in zip(*trials, strict=True))
    return PayloadRow(name, len(trials), recovered, wrong, readable / len(trials), agreeing / len(trials), bits, errors)


def strangers(readings: Sequence[Sequence[Observation]], *, keys: int, bits: int, false_positive: float) -> Strangers:
    """Each reading under keys that wrote nothing there."""
    found = sum(
        decode(reading, (MasterKey.generate(),), forms=(Form("number", bits),), false_positive=false_positive)
        is not None
        for reading in readings
        for _ in range(keys)
    )
    return Strangers(len(readings), keys, found)


def payload_table(rows: Sequence[PayloadRow]) -> str:
    header = ["attack", "trials", "recovered", "wrong", "sites read", "agreeing", "BER in order"]
    header += ["ContextLS, IMDB", "Yoo et al., IMDB"]
    return markdown_table(header, list(_cells(rows)))


def _cells(rows: Sequence[PayloadRow]) -> Iterator[list[str]]:
    for row in rows:
        published = PUBLISHED_BIT_ERRORS.get(row.attack)
        yield [
            row.attack,
            str(row.trials),
            f"{row.recovered / row.trials:.1%}",
            str(row.wrong),
            f"{row.readable:.0f}",
            f"{row.agreeing:.0f}",
            f"{row.bit_errors / row.bits:.3f}" if row.bits else "-",
            *(("-", "-") if published is None else (f"{figure:.3f}" for figure in published)),
        ]
