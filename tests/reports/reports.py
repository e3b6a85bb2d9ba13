"""Reports made by hand: a leak that agrees with some copies, was edited a little and cut at the end."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from math import comb
from random import Random

from lexprint.reports.report import AccusedCopy, Evidence, Leak, Report, TracedDocument, chance
from lexprint.results import Verdict
from lexprint.text.pairs import Pair

WORDS = "big large quick rapid start begin help assist buy purchase end finish answer reply hard difficult".split()
PAIRS = [Pair.of(*WORDS[index : index + 2]) for index in range(0, len(WORDS), 2)]
MADE_AT = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


def accused_copy(number: int, recipient: str, matches: int, readable: int, *, copies: int) -> AccusedCopy:
    """With the chances of fair coins."""
    tail = sum(comb(readable, count) for count in range(matches, readable + 1)) / 2**readable
    issued_at = datetime(2026, 2, 3, 12, 0, tzinfo=UTC)
    return AccusedCopy(number, recipient, issued_at, matches, readable, chance(tail), chance(min(1.0, tail * copies)))


def evidence_of(site: int, *, random: Random, copies: int) -> Evidence:
    """The copies take turns in what the leak shows; a few words were edited, and the end is missing."""
    pair = random.choice(PAIRS)
    word = random.choice(list(pair))
    kind = random.random()
    given = tuple(random.choice(list(pair)) for _ in range(copies))
    bit = pair.bit(given[site % copies] if copies else word)
    bit = bit if random.random() < 0.97 else 1 - bit
    is_missing = site > 50
    shown = None if is_missing or kind < 0.06 else bit
    seen = None if is_missing else "tremendous" if shown is None else pair.word(bit)
    context = ("the committee wanted to ", " it before the summer")
    return Evidence(site, site * 95, context[0], word, context[1], tuple(pair), shown, seen, given)


def report_of(
    *, recipients: Sequence[str] = ("Anna Example",), verdict: Verdict = "one copy", sites: int = 64, seed: int = 4
) -> Report:
    """Copies 17, 18, ... are accused."""
    random = Random(seed)
    evidence = tuple(evidence_of(site, random=random, copies=len(recipients)) for site in range(1, sites + 1))
    readable = sum(one.symbol is not None for one in evidence)
    matches = [
        sum(one.symbol is not None and one.words[one.symbol] == one.given[place] for one in evidence)
        for place in range(len(recipients))
    ]
    accused = tuple(
        accused_copy(17 + place, name, count, readable, copies=300)
        for place, (count, name) in enumerate(zip(matches, recipients, strict=True))
    )
    return Report(
        id="5eed5eed5eed5eed",
        version="1.2.3",
        made_at=MADE_AT,
        leak=Leak("ab" * 32, 812),
        document=TracedDocument(
            id="d0c0d0c0d0c0d0c0",
            name="Board memo",
            version=2,
            created_at=datetime(2026, 2, 1, 8, 0, tzinfo=UTC),
            issuing="registered",
            code="independent",
            characters=sites * 96 + 40,
            sites=sites,
        ),
        verdict=verdict,
        accused=accused,
        documents=1,
        compared=300,
        compared_in_all=300,
        turn=1,
        readable=readable,
        matches_needed=readable // 2 + 15,
        error_bound=Decimal("1E-6"),
        covered_share=Decimal("0.8123"),
        edited_share=Decimal("0.0371"),
        evidence=evidence if accused else (),
        notes=("The leak is of version 2; version 3 was registered on 2 March 2026.",),
    )


def nothing_found() -> Report:
    """Of a text that is like no document."""
    return Report(
        id="0000000000000000",
        version="1.2.3",
        made_at=MADE_AT,
        leak=Leak("cd" * 32, 40),
        document=None,
        verdict="no document",
        accused=(),
        documents=0,
        compared=0,
        compared_in_all=0,
        turn=None,
        readable=0,
        matches_needed=None,
        error_bound=Decimal("1E-6"),
        covered_share=Decimal(0),
        edited_share=Decimal(0),
        evidence=(),
        notes=(),
    )
