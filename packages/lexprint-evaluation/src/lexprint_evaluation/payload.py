"""Keyed payloads on attacked texts: what is found again, and what is found where nothing is.

Beside it the raw bit error rate of the sites in order, sentence by sentence, as Yoo et al. count it (ACL 2023, "Robust
Multi-bit Natural Language Watermarking through Invariant Features"): missing and surplus bits are errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from random import Random
from types import MappingProxyType
from typing import Any

from lexprint.coding.keys import MasterKey
from lexprint.coding.payload_code import (
    Form,
    Frame,
    LabelledBit,
    decode,
    decode_in_turns,
    distinct,
    frame_number,
    parity_writer,
)
from lexprint.engine import Engine
from lexprint.models.protocols import MaskedLM
from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.watermark.extract import extract
from lexprint.watermark.labels import embed_by_label, observe, weigh
from lexprint.watermark.scheme import Scheme
from lexprint.watermark.sites import Site
from lexprint.workflows import OnProgress
from lexprint.workflows.marking import scheme_of
from lexprint_evaluation.attack_table import UNTOUCHED
from lexprint_evaluation.attacks import Attack
from lexprint_evaluation.checkpoint import Checkpoint
from lexprint_evaluation.metrics import bit_errors
from lexprint_evaluation.tables import markdown_table

KEYS_MADE = datetime(2026, 1, 1, tzinfo=UTC)
TRIED_ON = 5  # texts that other keys are tried on, each as it was and as it was marked

IN_ORDER = (UNTOUCHED, "deletion", "insertion", "substitution")  # what may befall a sentence

# Yoo et al. 2023, Table 2, IMDB: word deletion, insertion, substitution.
PUBLISHED_BIT_ERRORS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "deletion 2.5%": (0.219, 0.074),
        "insertion 2.5%": (0.303, 0.106),
        "substitution 2.5%": (0.273, 0.110),
        "deletion 5%": (0.392, 0.200),
        "insertion 5%": (0.355, 0.163),
        "substitution 5%": (0.343, 0.177),
    }
)


@dataclass(frozen=True)
class Trial:
    """One reading of one copy."""

    recovered: bool
    alike: bool  # recovered also if all sites weigh the same
    wrong: bool  # another payload was found
    readable: int  # labels
    agreeing: int  # of those, how many say what was written
    bits: int = 0  # written to sites in order
    bit_errors: int = 0  # of those, wrong, missing or surplus ones


@dataclass(frozen=True)
class PayloadRow:
    """One attack on every text; sums of what `Trial` has."""

    attack: str
    trials: int
    recovered: int
    alike: int
    wrong: int
    readable: float  # on average
    agreeing: float  # on average
    bits: int
    bit_errors: int


@dataclass(frozen=True)
class Strangers:
    """Few texts, without a mark and marked, each read once and then asked under many keys that wrote nothing there."""

    readings: int
    keys: int  # tried on each reading
    found: int


@dataclass(frozen=True)
class Mark:
    """What one copy of a text carries: drawn by the seed, as a run that was cut has to go on with the same."""

    key: MasterKey
    frame: Frame

    @classmethod
    def of(cls, seed: str, *, bits: int) -> Mark:
        chooser = Random(seed)
        key = MasterKey(chooser.randbytes(32), created_at=KEYS_MADE)
        return cls(key, frame_number(chooser.getrandbits(bits), bits=bits))


@dataclass(frozen=True)
class Stranger:
    """What was read where the reader's key has written nothing."""

    alike: Sequence[LabelledBit]
    weighed: Sequence[LabelledBit]


def payload_rows(
    engine: Engine,
    texts: Mapping[str, str],
    attacks: Mapping[str, Attack],
    *,
    bits: int,
    false_positive: float,
    seed: int,
    repeats: int = 1,
    marks: int = 1,
    checkpoint: Checkpoint | None = None,
    on_progress: OnProgress | None = None,
) -> list[PayloadRow]:
    """Every text, by its name, is marked so often, each time under another key, and read untouched.

    The first copy is also attacked, so often in every way.
    """
    checkpoint = checkpoint or Checkpoint(None)
    found: dict[str, list[Trial]] = {name: [] for name in attacks}
    for number, (name, text) in enumerate(texts.items()):
        scheme = scheme_of(engine)  # what is known of a sentence is known of its attacked forms that are the same

        def measure(text: str = text, scheme: Scheme = scheme, own_seed: str = f"{seed} {name}") -> list[Any]:
            trials = _trials(
                engine.masked_lm,
                scheme,
                text,
                attacks,
                bits=bits,
                false_positive=false_positive,
                seed=own_seed,
                repeats=repeats,
                marks=marks,
            )
            return [(attack, asdict(trial)) for attack, trial in trials]

        asked = f"{engine.fingerprint} {seed} {bits} {false_positive} {repeats} {marks} {len(text)} {name}"
        for attack, trial in checkpoint.once(asked, measure):
            found[attack].append(Trial(**trial))
        if on_progress:
            on_progress(number + 1, len(texts))
    return [_row(attack, trials) for attack, trials in found.items()]


def _trials(
    masked_lm: MaskedLM,
    scheme: Scheme,
    text: str,
    attacks: Mapping[str, Attack],
    *,
    bits: int,
    false_positive: float,
    seed: str,
    repeats: int,
    marks: int,
) -> Iterator[tuple[str, Trial]]:
    for number in range(marks):
        mark = Mark.of(f"{seed} {number}", bits=bits)
        marked = embed_by_label(segment(text), parity_writer(mark.key, mark.frame), scheme).text
        for name, attack in attacks.items():
            for repeat in range(1 if name == UNTOUCHED else 0 if number else repeats):
                own_seed = f"{seed} {name} {repeat}"
                document = segment(attack(marked, Random(own_seed)))
                sites = extract(document, scheme).sites
                in_order = (
                    _in_order(marked, attack, scheme, seed=own_seed)
                    if name.partition(" ")[0] in IN_ORDER and not number
                    else (0, 0)
                )
                yield name, trial_of(document, sites, mark, masked_lm, false_positive=false_positive, in_order=in_order)


def trial_of(
    document: Document,
    sites: Sequence[Site],
    mark: Mark,
    masked_lm: MaskedLM,
    *,
    false_positive: float,
    in_order: tuple[int, int] = (0, 0),
) -> Trial:
    """What becomes of a mark, by what was read."""
    observations = observe(document, sites)
    form = (mark.frame.form,)
    found = decode_in_turns(
        observations,
        lambda: weigh(document, sites, masked_lm),
        (mark.key,),
        forms=form,
        false_positive=false_positive,
    )
    alike = decode(observations, (mark.key,), forms=form, false_positive=false_positive)
    bit_for = parity_writer(mark.key, mark.frame)
    readings = distinct(observations)
    return Trial(
        recovered=found is not None and found.message == mark.frame.message,
        alike=alike is not None and alike.message == mark.frame.message,
        wrong=found is not None and found.message != mark.frame.message,
        readable=len(readings),
        agreeing=sum(one.bit == bit_for(one.label) for one in readings),
        bits=in_order[0],
        bit_errors=in_order[1],
    )


def _in_order(marked: str, attack: Attack, scheme: Scheme, *, seed: str) -> tuple[int, int]:
    """Bits written and errors when each sentence is attacked and read by itself.

    The same seed makes the same edits as in the whole text, so that little is asked anew.
    """
    written = errors = 0
    chooser = Random(seed)
    for sentence in segment(marked).sentences:
        own = sentence.span.of(marked)
        before = extract(segment(own), scheme).bits
        leak = attack(own, chooser)
        written += len(before)
        errors += bit_errors(before, extract(segment(leak), scheme).bits if leak.strip() else ())
    return written, errors


def _row(name: str, trials: Sequence[Trial]) -> PayloadRow:
    count = max(1, len(trials))
    return PayloadRow(
        attack=name,
        trials=len(trials),
        recovered=sum(trial.recovered for trial in trials),
        alike=sum(trial.alike for trial in trials),
        wrong=sum(trial.wrong for trial in trials),
        readable=sum(trial.readable for trial in trials) / count,
        agreeing=sum(trial.agreeing for trial in trials) / count,
        bits=sum(trial.bits for trial in trials),
        bit_errors=sum(trial.bit_errors for trial in trials),
    )


def strangers(
    engine: Engine,
    texts: Mapping[str, str],
    *,
    keys: int,
    bits: int,
    false_positive: float,
    seed: int,
    checkpoint: Checkpoint | None = None,
) -> Strangers:
    """The first texts, as they were and as they were marked, under so many keys in all that wrote nothing there."""
    chosen = dict(list(texts.items())[:TRIED_ON])

    def measure() -> dict[str, int]:
        readings = [
            reading
            for name, text in chosen.items()
            for reading in readings_of(engine, text, f"{seed} {name} 0", bits=bits)
        ]
        each = -(-keys // len(readings))
        found = sum(
            _finds(reading, bits=bits, false_positive=false_positive) for reading in readings for _ in range(each)
        )
        return asdict(Strangers(len(readings), each, found))

    sizes = ", ".join(f"{name} of {len(text)}" for name, text in chosen.items())
    asked = f"{engine.fingerprint} {seed} {bits} {false_positive} {keys} other keys on {sizes}"
    return Strangers(**(checkpoint or Checkpoint(None)).once(asked, measure))


def _finds(reading: Stranger, *, bits: int, false_positive: float) -> bool:
    """Whether a new key finds anything."""
    found = decode_in_turns(
        reading.alike,
        lambda: reading.weighed,
        (MasterKey.generate(),),
        forms=(Form("number", bits),),
        false_positive=false_positive,
    )
    return found is not None


def readings_of(engine: Engine, text: str, seed: str, *, bits: int) -> Iterator[Stranger]:
    """What is read of a text, and of its copy with the mark of the seed."""
    scheme, mark = scheme_of(engine), Mark.of(seed, bits=bits)
    marked = embed_by_label(segment(text), parity_writer(mark.key, mark.frame), scheme).text
    for one in (text, marked):
        document = segment(one)
        sites = extract(document, scheme).sites
        yield Stranger(observe(document, sites), weigh(document, sites, engine.masked_lm))


def payload_table(rows: Sequence[PayloadRow]) -> str:
    header = ["attack", "trials", "recovered", "if unweighed", "wrong", "sites read", "agreeing", "BER in order"]
    header += ["ContextLS, IMDB", "Yoo et al., IMDB"]
    return markdown_table(header, list(_cells(rows)))


def strangers_note(found: Strangers) -> str:
    """What other keys found. Keys on one reading are no texts of their own, so both numbers are said."""
    return (
        f"Other keys: {found.readings} readings, half of texts without a mark and half of marked ones, each under "
        f"{found.keys:,} keys that wrote nothing there; something found {found.found} times."
    )


def _cells(rows: Sequence[PayloadRow]) -> Iterator[list[str]]:
    for row in rows:
        published = PUBLISHED_BIT_ERRORS.get(row.attack)
        yield [
            row.attack,
            str(row.trials),
            f"{row.recovered / row.trials:.1%}",
            f"{row.alike / row.trials:.1%}",
            str(row.wrong),
            f"{row.readable:.0f}",
            f"{row.agreeing:.0f}",
            f"{row.bit_errors / row.bits:.3f}" if row.bits else "-",
            *(("-", "-") if published is None else (f"{figure:.3f}" for figure in published)),
        ]
