"""Writes `copies/phrases.tsv`: phrases that readers accepted in place of others, of those in `training/judgements/phrases.tsv.gz`.

Readers judged each in sentences of Wikipedia, of novels, reviews and speeches, and of documents
written for this, where its conditions hold. A phrase has the share that accepted it; what few have read is drawn towards the share of all.
Others looked for ordinary sentences in which a row would do harm, and wrote one down: such rows (`objections.tsv.gz`) are left out.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass

from judgements import SHIPPED
from lexprint.copies.phrases import PHRASES
from lexprint.substitution.facts import may_be_exchanged

# Modality, and duty: who "failed to" do what he did not do was bound to.
IN_BOTH = frozenset("may might must shall should can cannot could will would ought fail fails failed".split())
READINGS = 3  # fewer tell nothing
WEIGHT = 3.0  # readings that the share of all counts for
LEAST, LEAST_GOOD = 0.9, 0.6  # share of readers that accept it, and that would notice nothing
MOST = 0.99  # nothing is certain
HEAD = "# {name}\tpattern that conditions use; made by training/phrases.py from training/judgements\n"
COLUMNS = "# phrase\tanother\tbefore\tafter\tshare of readers that accept it\n"


@dataclass(frozen=True)
class Row:
    """A phrase, what may stand for it and where, and what readers said."""

    exchange: tuple[str, str, str, str]
    good: int
    so_so: int
    bad: int

    @property
    def may_change_a_fact(self) -> bool:
        """Whether one states modality or duty and the other does not, or the lists of facts have two words apart."""
        phrase, other, *_ = self.exchange
        if IN_BOTH & set(phrase.split()) != IN_BOTH & set(other.split()):
            return True
        return " " not in phrase and other.isalpha() and not may_be_exchanged(phrase.lower(), other.lower())

    @property
    def readings(self) -> int:
        return self.good + self.so_so + self.bad

    @property
    def accepted(self) -> int:
        return self.good + self.so_so


def _rows_of(name: str) -> list[list[str]]:
    with gzip.open(SHIPPED / name, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


def read() -> tuple[list[str], list[Row]]:
    """Lines that name patterns, and the rows."""
    lines = _rows_of("phrases.tsv.gz")
    named = ["\t".join(line) for line in lines if line[0].startswith("{")]
    rows = [line for line in lines if not line[0].startswith("{")]
    return named, [Row((row[0], row[1], row[2], row[3]), *map(int, row[4:])) for row in rows]


def objected() -> frozenset[tuple[str, ...]]:
    """Exchanges against which somebody has found a sentence."""
    return frozenset(tuple(row[:4]) for row in _rows_of("objections.tsv.gz"))


def accepted(rows: list[Row]) -> Iterator[tuple[Row, float]]:
    """Those that enough readers accept, each with their share."""
    usual = sum(row.accepted for row in rows) / sum(row.readings for row in rows)
    harmful = objected()
    for row in rows:
        if row.may_change_a_fact or row.exchange in harmful:
            continue
        share = min((row.accepted + WEIGHT * usual) / (row.readings + WEIGHT), MOST)
        if row.readings >= READINGS and share >= LEAST and row.good >= LEAST_GOOD * row.readings:
            yield row, share


def main() -> None:
    named, rows = read()
    kept = sorted(accepted(rows), key=lambda one: one[0].exchange)
    lines = ("\t".join((*row.exchange, f"{share:.2f}")) for row, share in kept)
    PHRASES.write_text(HEAD + "\n".join([*named, ""]) + COLUMNS + "\n".join([*lines, ""]), "utf-8")
    print(f"{len(kept)} of {len(rows)} phrases kept")


if __name__ == "__main__":
    main()
