"""Marked or not? Texts with and without a mark, untouched and attacked, scored as PAN at CLEF 2026 scores them.

The score is fidelity times balanced accuracy. Fidelity is the larger of BLEU and BERTScore, each a mean over texts, as their
evaluator has it. Their BERTScore is by roberta-large, ours by a network that is at hand, so it is not the figure that they would find.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from random import Random
from statistics import fmean
from typing import Any

from lexprint.coding.keys import MasterKey
from lexprint.engine import Engine
from lexprint.workflows import OnProgress
from lexprint.workflows.presence import detect_presence, mark_presence
from lexprint_evaluation.attack_table import Means, choose
from lexprint_evaluation.bert_score import bert_score
from lexprint_evaluation.bleu import bleu
from lexprint_evaluation.checkpoint import Checkpoint
from lexprint_evaluation.tables import markdown_table
from lexprint_evaluation.token_networks import TokenNetwork

# Overview of the task: score and balanced accuracy.
PUBLISHED: Mapping[str, tuple[float, float | None]] = {"the winner": (0.818, 0.824), "the baseline": (0.633, None)}
ORGANISERS_MODEL = "roberta-large"  # of BERTScore: pan-code, clef26/text-watermarking/evaluator


@dataclass(frozen=True)
class Trial:
    """One text under one attack, with the mark and without."""

    text: str
    attack: str
    is_found: bool
    is_false_alarm: bool
    agreeing: int  # votes in the marked text
    votes: int
    bleu: float  # of the marked text before the attack
    bert_score: float | None = None  # of the same, if a network was there to measure it


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
    bert_score: float | None = None
    bert_score_model: str | None = None

    @property
    def fidelity(self) -> float:
        return max(self.bleu, self.bert_score or 0.0)

    @property
    def balanced_accuracy(self) -> float:
        """Over all attacks, each with the same number of texts."""
        return fmean(row.balanced_accuracy for row in self.rows)

    @property
    def score(self) -> float:
        return self.fidelity * self.balanced_accuracy

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
    network: TokenNetwork | None = None,
    checkpoint: Checkpoint | None = None,
    on_progress: OnProgress | None = None,
) -> Presence:
    """Mark every text, attack it with and without its mark in the same way, and ask for the mark.

    BERTScore is measured where a network is given.
    """
    kept, done = checkpoint or Checkpoint(None), 0
    trials: list[Trial] = []
    names = list(texts)
    for number, (name, text) in enumerate(texts.items()):
        other = texts[names[number - 1]]
        cases = choose(attacks, Means(engine, other))
        asked = f"{engine.fingerprint} {seed} {name} {len(text)} {key.id}"
        marked: str = kept.once(f"{asked} marked", lambda text=text: mark_presence(engine, text, key=key))  # type: ignore[misc]
        bleu_of_text, bert_score_of_text = bleu(text, marked), None
        if network is not None:
            bert_score_of_text = kept.once(
                f"{asked} BERTScore by {network.name}", partial(bert_score, text, marked, network)
            )
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
            trials.append(Trial(name, case.title, **answer, bleu=bleu_of_text, bert_score=bert_score_of_text))
            done += 1
            if on_progress:
                on_progress(done, len(texts) * len(cases))
    return summed(trials, model=network.name if network else None)


def summed(trials: Sequence[Trial], *, model: str | None = None) -> Presence:
    """All texts together; `model` is the network that BERTScore is by, if it was measured."""
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
    by_text = {trial.text: trial for trial in trials}.values()
    measured = [trial.bert_score for trial in by_text if trial.bert_score is not None]
    bleu_of_all = fmean(trial.bleu for trial in by_text)
    return Presence(tuple(rows), bleu_of_all, fmean(measured) if measured else None, model if measured else None)


def presence_table(found: Presence) -> str:
    header = ["attack", "found", "false alarms", "balanced accuracy", "score", "votes that agree"]
    body = [
        [
            row.attack,
            f"{row.found} of {row.texts}",
            f"{row.false_alarms} of {row.texts}",
            f"{row.balanced_accuracy:.3f}",
            f"{found.fidelity * row.balanced_accuracy:.3f}",
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
        f"score: fidelity times balanced accuracy. {fidelity_in_words(found.bleu, found.bert_score, found.bert_score_model)} "
        "The attacks are ours, those of the organisers are not published.\n"
    )


def fidelity_in_words(bleu: float, bert_score: float | None, model: str | None) -> str:
    """What fidelity is, and by whom."""
    if bert_score is None:
        return f"Fidelity is BLEU, {bleu:.3f}; BERTScore is not measured."
    return (
        f"Fidelity is the larger of BLEU, {bleu:.3f}, and BERTScore, {bert_score:.3f}. BERTScore is by {model}; the "
        f"organisers take {ORGANISERS_MODEL}, so this is not the figure that they would find."
    )


def presence_json(found: Presence) -> dict[str, Any]:
    return {
        "bleu": found.bleu,
        "bert_score": found.bert_score,
        "bert_score_model": found.bert_score_model,
        "organisers_bert_score_model": ORGANISERS_MODEL,
        "fidelity": found.fidelity,
        "balanced_accuracy": found.balanced_accuracy,
        "score": found.score,
        "false_alarms": found.false_alarms,
        "rows": [{**asdict(row), "balanced_accuracy": row.balanced_accuracy} for row in found.rows],
    }
