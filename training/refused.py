"""Writes two word lists: pairs that readers refused nearly whenever a model had chosen them (`word_lists/refused.tsv`), and pairs
that they called hardly ever interchangeable when they saw the two words alone (`word_lists/unlike.tsv`).

For the first, only judgements of chosen words count (later rounds and calibration): there a model was already sure of the exchange.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterable, Iterator

import judgements
from judgements import SHIPPED, SO_SO, Judged
from lexprint.substitution.function_words import partners
from lexprint.substitution.lexicon import lexicon
from lexprint.substitution.lists import REFUSED, UNLIKE

CHOSEN = ("round2", "round3", "round4", "round5", "round7", "calibration")
READ = ("train", *CHOSEN)
READINGS, SHARE = 4, 0.7  # so often read, and so many of them refused
HIGHEST = 2  # of 9, in both directions: hardly ever interchangeable
ACCEPTED_READINGS, ACCEPTED_SHARE = 3, 0.6  # who read the pair in sentences knows better than who saw the words alone
MADE = "made by training/refused.py from training/judgements"
REFUSED_HEAD = f"# refused of readings\tgroups of lemmas, divided by |; {MADE}"
UNLIKE_HEAD = f"# at most, of 9\tgroups of lemmas, divided by |, that readers hardly ever call interchangeable; {MADE}"

Pair = tuple[str, str]


def verdicts_by_pair(rows: Iterable[Judged]) -> dict[Pair, list[int]]:
    """What was said of each pair of lemmas, in whatever sentence."""
    verdicts: defaultdict[Pair, list[int]] = defaultdict(list)
    for row in rows:
        for word, verdict in row.verdicts.items():
            one, other = sorted((_lemma(row.gap.word), _lemma(word)))
            if one != other:
                verdicts[one, other].append(verdict)
    return verdicts


def refused(rows: Iterable[Judged]) -> dict[Pair, tuple[int, int]]:
    """Pairs of lemmas, with how often they were refused and read."""
    counts = {pair: (sum(one < SO_SO for one in found), len(found)) for pair, found in verdicts_by_pair(rows).items()}
    return {pair: (bad, read) for pair, (bad, read) in counts.items() if read >= READINGS and bad >= SHARE * read}


def rated() -> Iterator[tuple[str, str, float]]:
    """Pairs of words that readers saw alone, with the higher rating of the two directions, from 0 to 9."""
    with gzip.open(SHIPPED / "pairs.tsv.gz", "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                one, other, there, back = line.rstrip("\n").split("\t")
                yield one, other, max(float(there), float(back))


def unlike(rows: Iterable[Judged]) -> dict[Pair, float]:
    """Pairs of lemmas with a low rating, but for those that were mostly accepted where they were read in sentences."""
    found: dict[Pair, float] = {}
    for one, other, rating in rated():
        first, second = sorted((_lemma(one), _lemma(other)))
        found[first, second] = max(rating, found.get((first, second), 0.0))
    read = verdicts_by_pair(rows)
    return {
        pair: rating
        for pair, rating in found.items()
        if rating <= HIGHEST and not _is_accepted(read.get(pair, ())) and pair[1] not in partners().get(pair[0], ())
    }


def _is_accepted(verdicts: Iterable[int]) -> bool:
    said = [one >= SO_SO for one in verdicts]
    return len(said) >= ACCEPTED_READINGS and sum(said) >= ACCEPTED_SHARE * len(said)


def _lemma(word: str) -> str:
    grammar = lexicon().get(word)
    return word if grammar is None or word in grammar.lemmas else min(grammar.lemmas)


def _read(names: Iterable[str]) -> Iterable[Judged]:
    return judgements.read(SHIPPED / f"{name}.jsonl.gz" for name in names)


def main() -> None:
    lines = [
        f"{bad} of {read}\t{one} | {other}" for (one, other), (bad, read) in sorted(refused(_read(CHOSEN)).items())
    ]
    REFUSED.write_text("\n".join([REFUSED_HEAD, *lines]) + "\n", "utf-8")
    others: defaultdict[tuple[str, float], list[str]] = defaultdict(list)
    for (one, other), rating in unlike(_read(READ)).items():
        others[one, rating].append(other)
    rows = [f"{rating:g}\t{one} | {' '.join(sorted(several))}" for (one, rating), several in sorted(others.items())]
    UNLIKE.write_text("\n".join([UNLIKE_HEAD, *rows]) + "\n", "utf-8")
    print(f"{len(lines)} pairs refused, {sum(map(len, others.values()))} unlike")


if __name__ == "__main__":
    main()
