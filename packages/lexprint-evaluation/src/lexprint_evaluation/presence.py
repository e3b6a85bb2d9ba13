"""Marked or not? Texts with and without a mark, untouched and attacked, scored as PAN at CLEF 2026 scores them.

The score is fidelity times balanced accuracy. Fidelity is the larger of BLEU and BERTScore; BERTScore asks for a model of a hub and
is not measured here, so our score is a lower bound of what the organisers would find for the same labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from statistics import fmean
from typing import Any

from lexprint.coding.keys import MasterKey
from lexprint.engine import Engine
from lexprint.workflows import OnProgress
from lexprint.workflows.presence import detect_presence, mark_presence
from lexprint_evaluation.attack_table import Means, choose
from lexprint_evaluation.bleu import bleu
from lexprint_evaluation.checkpoint import Checkpoint
from lexprint_evaluation.tables import markdown_table

# Overview of the task: score and balanced accuracy.
PUBLISHED: Mapping[str, tuple[float, float | None]] = {"the winner": (0.818, 0.824), "the baseline": (0.633, None)}


@dataclass(frozen=True)
class Trial:
    """One text under one attack, with the mark and without."""

    text: str
    attack: str
    is_found: bool
    is_false_alarm: bool
    agreeing: int  # votes in the marked text
    votes: int
    fidelity: float  # BLEU of the marked text before the attack


@dataclass(frozen=True)
class PresenceRow:
    """All texts under one attack."""

    attack: str
    texts: int
    found: int
    false_alarms: int
    agreeing: int
    votes: int

    @property
    def balanced_accuracy(self) -> float:
        return (self.found + self.texts - self.false_alarms) / (2 * self.texts)


@dataclass(frozen=True)
class Presence:
    """The whole table."""

    rows: tuple[PresenceRow, ...]
    bleu: float

    @property
    def balanced_accuracy(self) -> float:
        """Over all attacks, each with the same number of texts."""
        return fmean(row.balanced_accuracy for row in self.rows)

    @property
    def score(self) -> float:
        return self.bleu * self.balanced_accuracy

    @property
    def false_alarms(self) -> float:
        return sum(row.false_alarms for row in self.rows) / sum(row.texts for row in self.rows)


def measure(
    engine: Engine,
    texts: Mapping[str, str],
    attacks: Sequence[str],
    *,
    key: MasterKey,
    seed: int,
    checkpoint: Checkpoint | None = None,
    on_progress: OnProgress | None = None,
) -> Presence:
    """Mark every text, attack it with and without its mark in the same way, and ask for the mark."""
    kept, done = checkpoint or Checkpoint(None), 0
    trials: list[Trial] = []
    names = list(texts)
    for number, (name, text) in enumerate(texts.items()):
        other = texts[names[number - 1]]
        cases = choose(attacks, Means(engine, other))
        asked = f"{engine.fingerprint} {seed} {name} {len(text)} {key.id}"
        marked: str = kept.once(f"{asked} marked", lambda text=text: mark_presence(engine, text, key=key))  # type: ignore[misc]
        fidelity = bleu(text, marked)
        for case in cases:

            def ask(case: Any = case, text: str = text, marked: str = marked, name: str = name) -> dict[str, Any]:
                with_mark, without = (
                    detect_presence(engine, case.run(one, Random(f"{seed} {name} {case.title}")), key=key)
                    for one in (marked, text)
                )
                return {
                    "is_found": with_mark.is_marked,
                    "is_false_alarm": without.is_marked,
                    "agreeing": with_mark.agreeing,
                    "votes": with_mark.votes,
                }

            answer = kept.once(f"{asked} {len(other) if case.name == 'copied into another' else ''} {case.title}", ask)
            trials.append(Trial(name, case.title, **answer, fidelity=fidelity))
            done += 1
            if on_progress:
                on_progress(done, len(texts) * len(cases))
    return summed(trials)


def summed(trials: Sequence[Trial]) -> Presence:
    by_attack: dict[str, list[Trial]] = {}
    for trial in trials:
        by_attack.setdefault(trial.attack, []).append(trial)
    rows = [
        PresenceRow(
            attack,
            len(some),
            sum(trial.is_found for trial in some),
            sum(trial.is_false_alarm for trial in some),
            sum(trial.agreeing for trial in some),
            sum(trial.votes for trial in some),
        )
        for attack, some in by_attack.items()
    ]
    fidelity = {trial.text: trial.fidelity for trial in trials}
    return Presence(tuple(rows), fmean(fidelity.values()))


def presence_table(found: Presence) -> str:
    header = ["attack", "found", "false alarms", "balanced accuracy", "BLEU x it", "votes that agree"]
    body = [
        [
            row.attack,
            f"{row.found} of {row.texts}",
            f"{row.false_alarms} of {row.texts}",
            f"{row.balanced_accuracy:.3f}",
            f"{found.bleu * row.balanced_accuracy:.3f}",
            f"{row.agreeing / row.votes:.0%}" if row.votes else "-",
        ]
        for row in found.rows
    ]
    of_all = f"{sum(row.texts for row in found.rows)}"
    total = [
        "all",
        f"{sum(row.found for row in found.rows)} of {of_all}",
        f"{sum(row.false_alarms for row in found.rows)} of {of_all}",
        f"{found.balanced_accuracy:.3f}",
        f"{found.score:.3f}",
        "",
    ]
    others = [
        [
            f"{name}, published, other attacks",
            "",
            "",
            "-" if accuracy is None else f"{accuracy:.3f}",
            f"{score:.3f}",
            "",
        ]
        for name, (score, accuracy) in PUBLISHED.items()
    ]
    return (
        f"{markdown_table(header, [*body, total, *others])}\n"
        f"BLEU {found.bleu:.3f}; BERTScore is not measured. The attacks are ours, those of the organisers are not published.\n"
    )


def presence_json(found: Presence) -> dict[str, Any]:
    return {
        "bleu": found.bleu,
        "bert_score": None,
        "balanced_accuracy": found.balanced_accuracy,
        "score": found.score,
        "false_alarms": found.false_alarms,
        "rows": [{**asdict(row), "balanced_accuracy": row.balanced_accuracy} for row in found.rows],
    }
