"""Phrases that may stand for each other: "because of" and "owing to", "said that he" and "said he"; and words, in some company.

Networks are asked about single words only, and do not see that "began" and "started" are alike before "to". Which phrases say the same is
kept as data, in `phrases.tsv`, each with what must stand before or after it and with the share of readers that accepted the exchange in
sentences where these conditions held.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from lexprint.copies.places import is_protected, stands_alone
from lexprint.substitution.acceptance import logit_of
from lexprint.substitution.exclusions import ARTICLES, FUNCTION_WORDS, begins_with_vowel_sound
from lexprint.substitution.substituter import Substituter
from lexprint.text.document import Document, Sentence
from lexprint.text.pairs import Figures, Pair
from lexprint.text.span import Span
from lexprint.watermark.sites import Site

PHRASES = Path(__file__).with_name("phrases.tsv")
LONGEST_SEEN = 160  # characters on each side, in which conditions look
ANYTHING, BUT = "-", "!"  # in a column of conditions: none; what must not stand there
NOTHING = "-"  # as another phrase: the words are left out


@dataclass(frozen=True, slots=True)
class Rule:
    """A phrase, another one that may stand in its place, and where."""

    words: tuple[str, ...]
    other: str  # empty: the words are left out
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None
    unlike_before: bool  # the condition names what must not stand there
    unlike_after: bool
    acceptance: float  # share of readers

    def holds_between(self, left: str, right: str) -> bool:
        """Whether what stands beside the phrase is as the rule asks."""
        before = self.before is None or (self.before.search(left) is None) == self.unlike_before
        return before and (self.after is None or (self.after.match(right) is None) == self.unlike_after)


@dataclass(frozen=True, slots=True)
class _Found:
    """A phrase in a sentence, without the words at its ends that all its others share."""

    first: int  # word of the sentence
    last: int  # and the one behind
    word: str
    others: tuple[tuple[str, float], ...]  # with their acceptance, the best first


def phrase_sites(
    document: Document, substituter: Substituter, protected: Sequence[Span], *, most_words: int
) -> Iterator[Site]:
    """Phrases that copies may exchange, in order; `protected` spans hold none."""
    floor = substituter.settings.acceptance_floor
    starts = [span.start for span in protected]
    for number, sentence in enumerate(document.sentences):
        if stands_alone(sentence) or not substituter.may_be_entailed(sentence.view):
            continue
        found = [
            one
            for one in _apart(_phrases(sentence, floor, most_words))
            if _is_whole(document, sentence, one) and not is_protected(_span(sentence, one), protected, starts)
        ]
        pairs = [(sentence.view, _exchanged(sentence, one, other)) for one in found for other, _ in one.others]
        entailments = iter(substituter.mutual_entailments(pairs))
        for one in found:
            figures = tuple(Figures(next(entailments), share) for _, share in one.others)
            yield _site(number, sentence, document, one, figures, floor)


def _phrases(sentence: Sentence, floor: float, most_words: int) -> Iterator[_Found]:
    spelled = [word.text for word in sentence.words]
    standing = frozenset(word.lower() for word in spelled)
    for first, word in enumerate(spelled):
        others: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
        for rule in _rules().get(word.lower() if first == 0 else word, ()):
            words = tuple(spelled[first : first + len(rule.words)])
            says_so = _says(words, rule.words, begins=first == 0) and _fits(sentence, first, words, rule)
            if rule.acceptance > floor and says_so and not _brings_again(rule, standing):
                # What may be left out is told with the word behind, which stays.
                seen = words if rule.other else (*words, spelled[first + len(words)])
                other = rule.other or seen[-1]
                known = others[seen]
                known[other] = max(rule.acceptance, known.get(other, 0.0))
        for words, some in others.items():
            best = sorted(some.items(), key=lambda one: (-one[1], one[0]))[:most_words]
            yield _trimmed(first, words, best)


def _says(words: tuple[str, ...], wanted: tuple[str, ...], *, begins: bool) -> bool:
    return words == wanted or (begins and words == (wanted[0].capitalize(), *wanted[1:]))


def _fits(sentence: Sentence, first: int, words: tuple[str, ...], rule: Rule) -> bool:
    """Whether the words are apart by single spaces, with a word or a mark behind, and stand where the rule asks."""
    last = first + len(words)
    seen = words if rule.other else (*words, *(word.text for word in sentence.words[last : last + 1]))
    if first + len(seen) >= len(sentence) or sentence.excerpt(first, first + len(seen)) != " ".join(seen):
        return False
    if _needs_another_article(sentence, first, words, rule.other or seen[-1]):
        return False
    start, end = sentence.words[first].view_span.start, sentence.words[last - 1].view_span.end
    return rule.holds_between(
        sentence.view[max(0, start - LONGEST_SEEN) : start], sentence.view[end : end + LONGEST_SEEN]
    )


def _needs_another_article(sentence: Sentence, first: int, words: tuple[str, ...], other: str) -> bool:
    """Whether "a" would have to become "an", or the other way."""
    follows = first > 0 and sentence.words[first - 1].text.lower() in ARTICLES
    return follows and begins_with_vowel_sound(words[0].lower()) != begins_with_vowel_sound(other.lower())


def _brings_again(rule: Rule, standing: frozenset[str]) -> bool:
    """Whether a word with a meaning of its own would stand in the sentence twice."""
    return any(
        word in standing and word not in FUNCTION_WORDS and word not in rule.words for word in rule.other.split()
    )


def _trimmed(first: int, words: tuple[str, ...], others: Sequence[tuple[str, float]]) -> _Found:
    """Without what all share at both ends; of each phrase at least a word is left."""
    split = [other.split() for other, _ in others]
    if first == 0:
        split = [[one[0].capitalize(), *one[1:]] for one in split]
    start, end = 0, 0
    while all(len(one) > start + 1 and one[start] == words[start] for one in (*split, words)):
        start += 1
    while all(len(one) > start + end + 1 and one[-1 - end] == words[-1 - end] for one in (*split, words)):
        end += 1
    kept = [" ".join(one[start : len(one) - end]) for one in split]
    return _Found(
        first + start,
        first + len(words) - end,
        " ".join(words[start : len(words) - end]),
        tuple((text, share) for text, (_, share) in zip(kept, others, strict=True)),
    )


def _apart(found: Iterator[_Found]) -> list[_Found]:
    """The most acceptable, with a word between any two, in the order of the sentence."""
    kept: list[_Found] = []
    for one in sorted(found, key=lambda one: (-one.others[0][1], one.first, one.last)):
        if all(one.last < other.first or other.last < one.first for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.first)


def _span(sentence: Sentence, one: _Found) -> Span:
    return Span(sentence.words[one.first].span.start, sentence.words[one.last - 1].span.end)


def _is_whole(document: Document, sentence: Sentence, one: _Found) -> bool:
    """Whether the text has the phrase as models see it: on one line, with single spaces and nothing unseen between."""
    return _span(sentence, one).of(document.text) == one.word


def _exchanged(sentence: Sentence, one: _Found, other: str) -> str:
    start, end = sentence.words[one.first].view_span.start, sentence.words[one.last - 1].view_span.end
    return f"{sentence.view[:start]}{other}{sentence.view[end:]}"


def _site(
    number: int, sentence: Sentence, document: Document, one: _Found, figures: tuple[Figures, ...], floor: float
) -> Site:
    best, *further = (other for other, _ in one.others)
    share = one.others[0][1]
    return Site(
        sentence=number,
        position=one.first,
        span=_span(sentence, one),
        found=one.word,
        word=one.word,
        pair=Pair.of(one.word, best),
        entailment=figures[0].entailment,
        clearance=logit_of(share) - logit_of(floor),
        acceptance=share,
        further=tuple(further),
        likely_edits=_likely_edits([one.word, best, *further]),
        figures=figures,
    )


def _likely_edits(phrases: Sequence[str]) -> tuple[str, ...]:
    """Those that are another one with a word left out, or a word for a word, as a careless editor or an attacker writes."""
    words = {one for one in phrases if " " not in one}
    return tuple(
        one
        for one in phrases
        if (one in words and len(words) > 1) or any(one != other and _is_within(one, other) for other in phrases)
    )


def _is_within(short: str, long: str) -> bool:
    """Whether all words of the one stand in the other, in their order.

    >>> _is_within("the", "of the"), _is_within("of the", "the")
    (True, False)
    """
    remaining = iter(long.lower().split())
    return all(word in remaining for word in short.lower().split())


@cache
def _rules() -> Mapping[str, tuple[Rule, ...]]:
    """By their first word."""
    named: dict[str, str] = {}
    found: dict[str, list[Rule]] = defaultdict(list)
    for line in PHRASES.read_text("utf-8").splitlines():
        if line.startswith("{"):
            name, pattern = line.split("\t")
            named[name] = _filled(pattern, named)
        elif line and not line.startswith("#"):
            phrase, other, before, after, share = line.split("\t")
            words = tuple(phrase.split())
            conditions = (
                _condition(_filled(before, named), r"(?:{}) $"),
                _condition(_filled(after, named), r" (?:{})"),
            )
            found[words[0]].append(
                Rule(
                    words,
                    "" if other == NOTHING else other,
                    *conditions,
                    before.startswith(BUT),
                    after.startswith(BUT),
                    float(share),
                )
            )
    return MappingProxyType({word: tuple(rules) for word, rules in found.items()})


def _filled(pattern: str, named: Mapping[str, str]) -> str:
    """A pattern with those that it names by {name}, of which all are known by now."""
    for name, part in named.items():
        pattern = pattern.replace(name, part)
    return pattern


def _condition(column: str, form: str) -> re.Pattern[str] | None:
    return None if column == ANYTHING else re.compile(form.replace("{}", column.removeprefix(BUT)))


@cache
def phrases_digest() -> str:
    """Names the contents of the list."""
    return sha256(PHRASES.read_bytes()).hexdigest()
