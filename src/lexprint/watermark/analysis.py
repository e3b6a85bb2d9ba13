"""Where copies of a text may differ when the issuer keeps the master: the registered scheme.

Nobody has to find these sites again from a copy, so each word is judged in its whole sentence and as it stands, whatever
its neighbours are. What is asked instead is quality: the other word must be entailed both ways, be near in meaning, be
likely there, lead back to the word, and hold together with the other sites of its sentence. Where several words do, copies
may bear any of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from math import log
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from lexprint.models.protocols import Floats, Gap, MaskedLM, SentenceEncoder
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.candidates import Candidate
from lexprint.substitution.exclusions import DETERMINERS, QUANTITIES, SUBJECTS, stands_free
from lexprint.substitution.lexicon import is_form_of_same_word
from lexprint.substitution.substituter import Substituter
from lexprint.text.document import Document, Sentence
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.span import Span
from lexprint.watermark.false_friends import (
    CLAUSE_MARKS,
    are_false_friends,
    following,
    have_opposite_roles,
    is_light_verb,
    stands_in_expression,
)
from lexprint.watermark.sites import Pair, Site

T = TypeVar("T")
OnWords: TypeAlias = Callable[[int], None]  # told how many more words are done

FIRST = 1  # the first word of a sentence has a capital, or stands where one could come
BLOCK = 256  # words judged at once: enough for full batches, and memory that does not grow with the text
CHUNK = 16  # candidates rated at once, the likeliest first; the first chunk with one that passes decides
FIXED = log(0.6)  # a word that is so sure without having been read belongs to an expression: "for the rest of his life"
NEVER = -1e9  # log-probability of what was not even proposed
WORDS_PER_SITE = 6  # of a sentence: more sites than one in so many words, and one, would change it too much at once
MOST_FURTHER = 2  # words besides the pair: each is half as frequent among copies as the one before, so more tell little
FURTHER_TRIED = 4  # of the words that rank behind the best
SIMILARITY_WEIGHT = 6.0  # of log SS beside log SR
LIKELIHOOD_WEIGHT = 0.2  # of the masked LM beside SR and SS: it decides between words that mean the same


def _both_ways(*pairs: str) -> dict[str, str]:
    return {word: twin for pair in pairs for word, twin in (pair.split(), reversed(pair.split()))}


# Function words are never proposed, yet these say the same wherever they stand.
TWINS: Mapping[str, str] = MappingProxyType(
    _both_ways(
        "almost nearly",
        "although though",
        "among amongst",
        "anybody anyone",
        "everybody everyone",
        "frequently often",
        "maybe perhaps",
        "somebody someone",
        "therefore thus",
        "till until",
        "toward towards",
    )
)
# These do where the masked LM, which has read neither, finds both about as likely: "the house that / which he built".
TWINS_IN_CONTEXT: Mapping[str, str] = MappingProxyType(
    _both_ways(
        "because since", "each every", "may might", "on upon", "quite rather", "shall will", "that which", "if whether"
    )
)
AS_LIKELY = -1.2  # log of: P(twin) over P(word)
TWINS_BEFORE_NUMBERS: Mapping[str, str] = MappingProxyType({"about": "around", "around": "about"})


@dataclass(frozen=True, slots=True)
class Floors:
    """What must be left of a sentence after an exchange."""

    entailment: float  # SR, both ways
    loss: float  # of SS, at most, in words: one weighs more in a short sentence, so 1 - SS is taken times its length
    similarity: float = 0.86  # SS, however short the sentence

    def allow(self, *, similarity: float, words: int) -> bool:
        return similarity > max(self.similarity, 1.0 - self.loss / words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """What a site must fulfil.

    Numbers trade sites for quality. These leave SR and SS of copies where the blind scheme has them, with half as many sites
    again and more; reading showed that above such floors it is the likelihood, both ways, that tells words which a reader
    would not notice from others.
    """

    alone: Floors = Floors(0.90, loss=0.7)
    together: Floors = Floors(0.88, loss=1.0)  # with all sites of the sentence exchanged
    probability: float = -6.5  # log of P(other word | sentence): of what is less likely hardly any passes the rest
    likelihood: float = -9.0  # log of: P(other word | sentence) times P(word | sentence with the other)
    fluency: float = -5.0  # log of: P(other word) over P(word), neither having been read
    fluency_in_expressions: float = -2.5  # the same where the words around leave little choice
    further_fluency: float = -3.0  # the same of words besides the pair, which need not be there


USUAL = Requirements()
# For short texts, or where a short excerpt must be traced.
DENSE = Requirements(
    alone=Floors(0.80, loss=0.79),
    together=Floors(0.78, loss=1.11),
    fluency=-5.5,
    fluency_in_expressions=-3.5,
)
DENSE_BELOW = 0.9  # floor of SR in the settings under which copies, too, may differ in more words


def requirements(settings: SubstitutionSettings) -> Requirements:
    """What fits the settings of the blind scheme: who asks less there wants more sites here too."""
    return DENSE if settings.entailment_floor < DENSE_BELOW else USUAL


@dataclass(frozen=True)
class Judges:
    """Whom a word must please."""

    substituter: Substituter
    masked_lm: MaskedLM
    encoder: SentenceEncoder
    requirements: Requirements = USUAL

    @cached_property
    def columns(self) -> Mapping[str, int]:
        """Of the masked LM's answers."""
        return {token: column for column, token in enumerate(self.masked_lm.vocabulary)}


def analyse(
    document: Document, judges: Judges, *, protected: Sequence[Span] = (), on_words: OnWords | None = None
) -> tuple[Site, ...]:
    """Every word that may differ between copies, in order; `protected` spans, in order and apart, hold none."""
    places = _places(document, judges, protected)
    chosen: dict[int, list[_Choice]] = {}
    done = 0
    for block in _blocks(places, BLOCK):
        for place, choices in zip(block, _choose(block, judges), strict=True):
            if choices:
                further = tuple(choice.other for choice in choices[1:])
                edits = {word: edit for choice in choices for word, edit in choice.edits.items()}
                chosen.setdefault(place.number, []).append(replace(choices[0], further=further, edits=edits))
        if on_words is not None:
            on_words(block[-1].words_before - done)
            done = block[-1].words_before
    together = _bear_further(_hold_together(chosen, document, judges), document, judges)
    if on_words is not None:
        on_words(document.word_count - done)
    return tuple(
        _site(document, number, choice, judges.requirements.alone.entailment)
        for number in sorted(together)
        for choice in sorted(together[number], key=lambda choice: choice.position)
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A word that may become a site."""

    number: int  # of its sentence
    position: int
    gap: Gap
    twin: str | None
    words_before: int  # in earlier sentences


@dataclass(frozen=True, slots=True)
class _Choice:
    """The other word of a site, and what speaks for it."""

    position: int
    word: str
    other: str
    entailment: float  # the weaker of both ways
    merit: float
    fluency: float
    further: tuple[str, ...] = ()  # words that do as well, the best first
    edits: Mapping[str, str] = field(default_factory=dict)  # what the masked LM would put in place of each word

    @property
    def last(self) -> str:
        """The least of all that may stand there."""
        return self.further[-1] if self.further else self.other

    @property
    def lures(self) -> tuple[str, ...]:
        """Those of its words that an edit of another one leads to."""
        words = (self.word, self.other, *self.further)
        edited = {self.edits[word] for word in words if word in self.edits}
        return tuple(word for word in words if word in edited)


def _places(document: Document, judges: Judges, protected: Sequence[Span]) -> Iterator[_Place]:
    starts = [span.start for span in protected]
    words_before = 0
    for number, sentence in enumerate(document.sentences):
        has_room = False
        twins: list[_Place] = []
        for position in range(FIRST, len(sentence)):
            word = sentence.words[position]
            if _is_protected(word.span, protected, starts):
                continue
            gap = _gap(sentence, position)
            place = _Place(number, position, gap, _twin(gap), words_before)
            may_be_replaced = judges.substituter.may_be_replaced(gap)
            has_room |= may_be_replaced
            if place.twin is not None:
                twins.append(place)
            elif may_be_replaced and not is_light_verb(gap.word):
                yield place
        if has_room:  # the sentence is short enough for the models, as another word of it has shown
            yield from twins
        words_before += len(sentence)


def _is_protected(span: Span, protected: Sequence[Span], starts: Sequence[int]) -> bool:
    before = bisect_left(starts, span.end)  # those that begin before the word ends
    return before > 0 and protected[before - 1].end > span.start


def _gap(sentence: Sentence, position: int) -> Gap:
    """A word in its whole sentence."""
    span = sentence.words[position].view_span
    return Gap(sentence.view[: span.start], sentence.words[position].text, sentence.view[span.end :])


def _twin(gap: Gap) -> str | None:
    if not stands_free(gap):
        return None
    word = following(gap)
    if gap.word in TWINS_BEFORE_NUMBERS:
        return TWINS_BEFORE_NUMBERS[gap.word] if word[:1].isdigit() or word in QUANTITIES else None
    if gap.word in ("because", "since") and word not in SUBJECTS | DETERMINERS:
        return None  # "since Monday"
    return (TWINS.get(gap.word) or TWINS_IN_CONTEXT.get(gap.word)) if word else None  # not in "It is late, though."


@dataclass(frozen=True, slots=True)
class _Candidate:
    word: str
    log_probability: float
    fluency: float  # log of its probability over that of the word in place, neither having been read

    @property
    def likelihood(self) -> float:
        return self.log_probability + min(0.0, self.fluency)


def _choose(places: Sequence[_Place], judges: Judges) -> list[tuple[_Choice, ...]]:
    """The best alternatives of each word, judged alone, the best first."""
    queues = _candidates(places, judges)
    found: dict[int, tuple[_Choice, ...]] = {}
    while asked := {index: queue[:CHUNK] for index, queue in enumerate(queues) if queue and index not in found}:
        queues = [queue[CHUNK:] for queue in queues]
        ranked = _rank(places, asked, judges)
        while ranked:  # one round for the best of each word, one for the next best
            best = {index: choices[0] for index, choices in ranked.items()}
            for index, choice in _leading_back(places, best, judges).items():
                first = index not in found
                found[index] = (*found.get(index, ()), choice)
                if first:
                    ranked[index] = ranked[index][: 1 + FURTHER_TRIED]
            ranked = {
                index: rest
                for index, choices in ranked.items()
                if (rest := _open(choices[1:], found.get(index, ()), judges))
            }
    return [found.get(index, ()) for index in range(len(places))]


def _open(choices: Sequence[_Choice], found: Sequence[_Choice], judges: Judges) -> list[_Choice]:
    """Those that may still be added to what was found for the same word."""
    if not found:
        return list(choices)
    return [
        choice
        for choice in choices
        if len(found) <= MOST_FURTHER
        and choice.fluency > judges.requirements.further_fluency
        and not _is_form_of_any(choice.other, (other.other for other in found))
    ]


def _candidates(places: Sequence[_Place], judges: Judges) -> list[list[_Candidate]]:
    """What may be asked of the other models, the likeliest first."""
    unread = judges.masked_lm.predict_blind([place.gap for place in places])  # (places, vocabulary)
    columns = judges.columns
    proposing = [index for index, place in enumerate(places) if place.twin is None]
    proposed = dict(zip(proposing, judges.substituter.most_probable([places[i].gap for i in proposing]), strict=True))
    queues = []
    for index, place in enumerate(places):
        options = [(one.word, one.log_probability) for one in proposed.get(index, ())]
        if place.twin is not None and place.twin in columns and place.gap.word in columns:
            options.append((place.twin, 0.0))  # no model need propose it
        row: Floats = unread[index]
        own = float(row[columns[place.gap.word]]) if options else 0.0
        is_expression = place.twin is None and (own > FIXED or stands_in_expression(place.gap))
        least = judges.requirements.fluency_in_expressions if is_expression else judges.requirements.fluency
        least = AS_LIKELY if place.gap.word in TWINS_IN_CONTEXT else least
        standing = frozenset(f"{place.gap.left} {place.gap.right}".lower().split())
        candidates = [
            _Candidate(word, log_probability, float(row[columns[word]]) - own)
            for word, log_probability in options
            if word != place.gap.word
            and log_probability > judges.requirements.probability
            and (word == place.twin or _may_be_paired(place.gap.word, word, standing))
        ]
        fluent = [one for one in candidates if one.fluency > least]
        queues.append(sorted(fluent, key=lambda one: (-one.likelihood, one.word)))
    return queues


def _may_be_paired(word: str, other: str, standing: Iterable[str]) -> bool:
    """No false friend, and not yet in the sentence: "a big and big house"."""
    if are_false_friends(word, other) or have_opposite_roles(word, other):
        return False
    return not _is_form_of_any(other, (near.strip(CLAUSE_MARKS) for near in standing))


def _is_form_of_any(word: str, others: Iterable[str]) -> bool:
    return any(is_form_of_same_word(word, other) for other in others)


def _rank(
    places: Sequence[_Place], asked: Mapping[int, Sequence[_Candidate]], judges: Judges
) -> dict[int, list[_Choice]]:
    """Candidates that pass on their own, the best first."""
    flat = [(index, one) for index, candidates in asked.items() for one in candidates]
    pairs = [(places[index].gap, one.word) for index, one in flat]
    verdicts = _verdicts(pairs, judges, judges.requirements.alone)
    ranked: dict[int, list[_Choice]] = {}
    for (index, one), verdict in zip(flat, verdicts, strict=True):
        if verdict is not None:
            means_the_same = log(verdict.entailment) + SIMILARITY_WEIGHT * log(verdict.similarity)
            merit = means_the_same + LIKELIHOOD_WEIGHT * one.likelihood
            position, word = places[index].position, places[index].gap.word
            choice = _Choice(position, word, one.word, verdict.entailment, merit, one.fluency)
            ranked.setdefault(index, []).append(choice)
    return {
        index: sorted(choices, key=lambda choice: (-choice.merit, choice.other)) for index, choices in ranked.items()
    }


def _leading_back(places: Sequence[_Place], choices: Mapping[int, _Choice], judges: Judges) -> dict[int, _Choice]:
    """Those whose other word would lead to the word in turn, with what edits would make of both; twins need no proof."""
    asked = {
        index: choice
        for index, choice in choices.items()
        if places[index].twin is None or judges.substituter.may_be_replaced(places[index].gap)
    }
    here = judges.substituter.most_probable([places[index].gap for index in asked])
    there = judges.substituter.most_probable(
        [places[index].gap.with_word(choice.other) for index, choice in asked.items()]
    )
    leading = {index: choice for index, choice in choices.items() if places[index].twin is not None}
    for (index, choice), one, other in zip(asked.items(), here, there, strict=True):
        likelihood = _log_probability(one, choice.other) + _log_probability(other, choice.word)
        if index in leading or likelihood > judges.requirements.likelihood:
            leading[index] = replace(choice, edits=_edit(choice.word, one) | _edit(choice.other, other))
    return leading


def _edit(word: str, candidates: Iterable[Candidate]) -> dict[str, str]:
    """The likeliest that may stand in place of the word, if there is any."""
    likeliest = next((one.word for one in candidates if one.word != word), None)
    return {} if likeliest is None else {word: likeliest}


def _log_probability(candidates: Iterable[Candidate], word: str) -> float:
    return next((one.log_probability for one in candidates if one.word == word), NEVER)


@dataclass(frozen=True, slots=True)
class _Verdict:
    entailment: float
    similarity: float


def _verdicts(exchanges: Sequence[tuple[Gap, str]], judges: Judges, floors: Floors) -> list[_Verdict | None]:
    """SR, the weaker of both ways, and SS of putting the words in; None where one of them is too low.

    A gap may hold several words. Whatever directions the settings ask for, the minimum of the rates of both sides is SR.
    """
    ratings = judges.substituter.rate(exchanges)
    passing = [index for index, rating in enumerate(ratings) if rating > floors.entailment]
    back = judges.substituter.rate(
        [(exchanges[index][0].with_word(exchanges[index][1]), exchanges[index][0].word) for index in passing]
    )
    entailments = {
        index: min(ratings[index], other)
        for index, other in zip(passing, back, strict=True)
        if other > floors.entailment
    }
    texts = {
        index: (exchanges[index][0].text, exchanges[index][0].filled(exchanges[index][1])) for index in entailments
    }
    unique = list(dict.fromkeys(text for both in texts.values() for text in both))
    vectors = dict(zip(unique, judges.encoder.encode(unique), strict=True)) if unique else {}
    verdicts: list[_Verdict | None] = [None] * len(exchanges)
    for index, (one, other) in texts.items():
        cosine = float(vectors[one] @ vectors[other])
        if floors.allow(similarity=cosine, words=len(one.split())):
            verdicts[index] = _Verdict(entailments[index], cosine)
    return verdicts


def _hold_together(
    chosen: Mapping[int, Sequence[_Choice]], document: Document, judges: Judges
) -> dict[int, list[_Choice]]:
    """For each sentence as many sites, the best first, as it can bear exchanged all at once.

    Most sentences bear all of theirs, so that is asked first; the others get them one by one. Every round is one batch over
    all sentences.
    """
    kept: dict[int, list[_Choice]] = {}
    waiting: dict[int, list[_Choice]] = {}
    for number, choices in chosen.items():
        best = _without_echoes(sorted(choices, key=lambda choice: (-choice.merit, choice.position)))
        kept[number] = best[: 1 + len(document.sentences[number]) // WORDS_PER_SITE]
    several = [number for number, choices in kept.items() if len(choices) > 1]
    for number in _failing({number: kept[number] for number in several}, document, judges):
        kept[number], waiting[number] = kept[number][:1], kept[number][1:]
    while waiting:
        tried = {number: [*kept[number], waiting[number][0]] for number in waiting}
        failing = _failing(tried, document, judges)
        kept |= {number: choices for number, choices in tried.items() if number not in failing}
        waiting = {number: rest[1:] for number, rest in waiting.items() if len(rest) > 1}
    return kept


def _bear_further(
    kept: Mapping[int, Sequence[_Choice]], document: Document, judges: Judges
) -> dict[int, Sequence[_Choice]]:
    """Sentences keep their further words if they also bear the least of all their words at once."""
    heard: dict[int, Sequence[_Choice]] = {}
    for number, choices in kept.items():
        heard[number] = [
            _unlike(choice, [one.other for one in choices if one.other != choice.other]) for choice in choices
        ]
    last = {
        number: [replace(choice, other=choice.last) for choice in choices]
        for number, choices in heard.items()
        if any(choice.further for choice in choices)
    }
    for number in _failing(last, document, judges):
        heard[number] = [replace(choice, further=()) for choice in heard[number]]
    return heard


def _unlike(choice: _Choice, others: Sequence[str]) -> _Choice:
    """Without further words that would say again what another site says."""
    return replace(choice, further=tuple(word for word in choice.further if not _is_form_of_any(word, others)))


def _without_echoes(choices: Sequence[_Choice]) -> list[_Choice]:
    """Only the best of the sites of a sentence that would bring the same word."""
    kept: list[_Choice] = []
    for choice in choices:
        if not _is_form_of_any(choice.other, (other.other for other in kept)):
            kept.append(choice)
    return kept


def _failing(sets: Mapping[int, Sequence[_Choice]], document: Document, judges: Judges) -> set[int]:
    """Numbers of the sentences that do not bear their sites all exchanged."""
    exchanges = [_exchange_all(document.sentences[number], choices) for number, choices in sets.items()]
    verdicts: list[_Verdict | None] = []
    for block in _blocks(exchanges, BLOCK):
        verdicts += _verdicts(block, judges, judges.requirements.together)
    return {number for number, verdict in zip(sets, verdicts, strict=True) if verdict is None}


def _exchange_all(sentence: Sentence, choices: Sequence[_Choice]) -> tuple[Gap, str]:
    """The stretch from the first to the last site as one gap, and what stands there with all of them exchanged."""
    ordered = sorted(choices, key=lambda choice: choice.position)
    spans = [sentence.words[choice.position].view_span for choice in ordered]
    stretch = Span(spans[0].start, spans[-1].end)
    edits = [Edit(span.shifted(-stretch.start), choice.other) for span, choice in zip(spans, ordered, strict=True)]
    gap = Gap(sentence.view[: stretch.start], stretch.of(sentence.view), sentence.view[stretch.end :])
    return gap, apply_edits(gap.word, edits)


def _blocks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    remaining = iter(items)
    while block := list(islice(remaining, size)):
        yield block


def _site(document: Document, number: int, choice: _Choice, floor: float) -> Site:
    word = document.sentences[number].words[choice.position]
    return Site(
        sentence=number,
        position=choice.position,
        span=word.span,
        found=word.span.of(document.text),
        word=word.text,
        pair=Pair.of(word.text, choice.other),
        entailment=choice.entailment,
        clearance=choice.entailment - floor,
        further=choice.further,
        lures=choice.lures,
    )
