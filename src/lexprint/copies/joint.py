"""Sites of one sentence must hold together: each exchange must still be acceptable when all the others are made.

A sentence bears one site in a few words, and one; no two of them may bring the same word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from lexprint.copies.alternatives import Alternatives, is_form_of_any
from lexprint.copies.places import Place
from lexprint.models.protocols import Gap
from lexprint.substitution.substituter import Substituter
from lexprint.text.document import Document, Sentence
from lexprint.text.editing import Edit, apply_edits


def hold_together(
    found: Mapping[int, Sequence[Alternatives]], document: Document, substituter: Substituter, *, words_per_site: int
) -> Iterator[Alternatives]:
    """The alternatives, by sentence, that the sentences bear all at once, in the order of the text."""
    kept = {
        number: _best_apart(one, 1 + len(document.sentences[number]) // words_per_site) for number, one in found.items()
    }
    asked = [
        (alternatives, _others_exchanged(document.sentences[number], alternatives.place, sites))
        for number, sites in kept.items()
        if len(sites) > 1
        for alternatives in sites
    ]
    looks = substituter.look_at([(gap, [alternatives.best.word]) for alternatives, gap in asked])
    failing = {
        (alternatives.place.sentence, alternatives.place.position)
        for (alternatives, _), look in zip(asked, looks, strict=True)
        if not substituter.may_be_accepted(look.candidates[alternatives.best.word])
    }
    for number in sorted(kept):
        for alternatives in sorted(kept[number], key=lambda one: one.place.position):
            if (number, alternatives.place.position) not in failing:
                yield alternatives


def _best_apart(found: Sequence[Alternatives], most: int) -> list[Alternatives]:
    """So many of a sentence at most, the best, each without what another one brings."""
    kept: list[Alternatives] = []
    brought: list[str] = []
    for one in sorted(found, key=lambda one: (-one.best.acceptance, one.place.position)):
        own = tuple(word for word in one.words if not is_form_of_any(word.word, brought))
        if own and len(kept) < most:
            kept.append(replace(one, words=own))
            brought += [word.word for word in own]
    return kept


def _others_exchanged(sentence: Sentence, place: Place, sites: Iterable[Alternatives]) -> Gap:
    """The place in its sentence with every other site exchanged."""
    own = sentence.words[place.position].view_span
    edits = [
        Edit(sentence.words[one.place.position].view_span, one.place.written(one.best.word))
        for one in sites
        if one.place.position != place.position
    ]
    left = apply_edits(sentence.view[: own.start], [edit for edit in edits if edit.span.end <= own.start])
    right = [Edit(edit.span.shifted(-own.end), edit.replacement) for edit in edits if edit.span.start >= own.end]
    return Gap(left, place.gap.word, apply_edits(sentence.view[own.end :], right))
