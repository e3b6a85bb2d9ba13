"""Writes `word_lists/refused.tsv`: pairs of words that readers refused nearly whenever a model had chosen them.

Only judgements of chosen words count (later rounds and calibration): there a model was already sure of the exchange.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import judgements
from judgements import SHIPPED, SO_SO, Judged
from lexprint.substitution.lexicon import lexicon
from lexprint.substitution.lists import REFUSED

CHOSEN = ("round2", "round3", "round4", "calibration")
READINGS, SHARE = 4, 0.7  # so often read, and so many of them refused
HEAD = "# refused of readings\tgroups of lemmas, divided by |; made by training/refused.py from training/judgements"

Pair = tuple[str, str]


def refused(rows: Iterable[Judged]) -> dict[Pair, tuple[int, int]]:
    """Pairs of lemmas, with how often they were refused and read."""
    verdicts: defaultdict[Pair, list[int]] = defaultdict(list)
    for row in rows:
        for word, verdict in row.verdicts.items():
            one, other = sorted((_lemma(row.gap.word), _lemma(word)))
            if one != other:
                verdicts[one, other].append(verdict)
    counts = {pair: (sum(one < SO_SO for one in found), len(found)) for pair, found in verdicts.items()}
    return {pair: (bad, read) for pair, (bad, read) in counts.items() if read >= READINGS and bad >= SHARE * read}


def _lemma(word: str) -> str:
    grammar = lexicon().get(word)
    return word if grammar is None or word in grammar.lemmas else min(grammar.lemmas)


def main() -> None:
    rows = judgements.read(SHIPPED / f"{name}.jsonl.gz" for name in CHOSEN)
    lines = [f"{bad} of {read}\t{one} | {other}" for (one, other), (bad, read) in sorted(refused(rows).items())]
    REFUSED.write_text("\n".join([HEAD, *lines]) + "\n", "utf-8")
    print(f"{len(lines)} pairs")


if __name__ == "__main__":
    main()
