"""Which words may stand in for the master's at a place: those that enough readers would accept, the best first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from string import punctuation

from lexprint.copies.places import Place
from lexprint.settings import CopySettings
from lexprint.substitution.acceptance import first_look
from lexprint.substitution.candidates import Candidate
from lexprint.substitution.facts import may_be_exchanged
from lexprint.substitution.lexicon import is_form_of_same_word
from lexprint.substitution.substituter import Substituter, Weighed


@dataclass(frozen=True, slots=True)
class Alternative:
    """A word that may stand in place of the master's."""

    word: str
    acceptance: float  # logit that readers accept the exchange
    entailment: float  # SR, the weaker of both ways
    likely_edit: str | None  # what the masked LM would rather put in its place


@dataclass(frozen=True, slots=True)
class Alternatives:
    """All that may stand at a place, the best first; there is at least one."""

    place: Place
    words: tuple[Alternative, ...]
    likely_edit: str | None = None  # what the masked LM would rather put in place of the master's word

    @property
    def best(self) -> Alternative:
        return self.words[0]

    @property
    def likely_edits(self) -> tuple[str, ...]:
        """Those of the words here, the master's among them, that an edit of another one leads to."""
        edited = {self.likely_edit, *(one.likely_edit for one in self.words)}
        return tuple(word for word in (self.place.gap.word, *(one.word for one in self.words)) if word in edited)


@dataclass(frozen=True, slots=True)
class _Queue:
    place: Place
    waiting: list[Candidate]
    accepted: list[Alternative] = field(default_factory=list)


def find_alternatives(places: Sequence[Place], substituter: Substituter, settings: CopySettings) -> list[Alternatives]:
    """Alternatives of the places that have any; every round asks about one word of each place, so batches are full."""
    proposed = substituter.most_probable([place.gap for place in places], matters=_may_stand)
    queues = [
        _Queue(place, _worth_weighing(place, candidates, substituter)[: settings.most_weighed])
        for place, candidates in zip(places, proposed, strict=True)
    ]
    while asked := [queue for queue in queues if queue.waiting and len(queue.accepted) < settings.most_words]:
        exchanges = [(queue.place.gap, queue.waiting.pop(0)) for queue in asked]
        looks = substituter.look_back(exchanges)
        weighed = substituter.weigh_back(exchanges, looks)
        for queue, (_, one), exchange, look in zip(asked, exchanges, weighed, looks, strict=True):
            if exchange is not None and _is_accepted(exchange, substituter):
                least = min(exchange.entailment, exchange.entailment_back)
                queue.accepted.append(Alternative(one.word, exchange.acceptance, least, look.first))
    return [
        Alternatives(queue.place, _distinct(queue.accepted), _likely_edit(candidates, queue.place.gap.word))
        for queue, candidates in zip(queues, proposed, strict=True)
        if queue.accepted
    ]


def _is_accepted(exchange: Weighed, substituter: Substituter) -> bool:
    return exchange.acceptance - substituter.acceptance_floor > substituter.settings.guard_band


def _worth_weighing(place: Place, candidates: Sequence[Candidate], substituter: Substituter) -> list[Candidate]:
    """Those that a first look likes best come first; none that changes a fact or repeats a word of the sentence."""
    gap = place.gap
    standing = frozenset(word.strip(punctuation) for word in f"{gap.left} {gap.right}".lower().split())
    looked = sorted(
        (-first_look(one), one.word, one)
        for one in candidates
        if substituter.may_be_accepted(one) and _may_stand(gap.word, one.word)
    )
    return [one for *_, one in looked if not is_form_of_any(one.word, standing)]


def _may_stand(word: str, candidate: str) -> bool:
    return candidate != word and may_be_exchanged(word, candidate)


def _distinct(accepted: Sequence[Alternative]) -> tuple[Alternative, ...]:
    """By acceptance, without a second form of any word."""
    kept: list[Alternative] = []
    for one in sorted(accepted, key=lambda one: (-one.acceptance, one.word)):
        if not is_form_of_any(one.word, (other.word for other in kept)):
            kept.append(one)
    return tuple(kept)


def is_form_of_any(word: str, others: Iterable[str]) -> bool:
    return any(is_form_of_same_word(word, other) for other in others)


def _likely_edit(candidates: Iterable[Candidate], word: str) -> str | None:
    return next((one.word for one in candidates if one.word != word), None)
