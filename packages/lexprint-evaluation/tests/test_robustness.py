"""Schemes under attack: who is named, who never is, and what the tables say."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from tests.fakes import FakeEngine

from lexprint.errors import InputError
from lexprint.settings import Settings, SubstitutionSettings
from lexprint.testing import fake_text
from lexprint_evaluation import robustness
from lexprint_evaluation.marked_text import MarkedText
from lexprint_evaluation.robustness import BlindIssue, Case, Reading, RegisteredIssue, SchemeIssue, one_copy
from lexprint_evaluation.trial_registry import outcome_of

TEXT = " ".join(["word0"] * 80)
NOTHING = Case("untouched", "", one_copy(lambda text, chooser: text))


class LastDigit:
    """Every word says its last digit."""

    name = "last digit"

    def embed(self, text: str, bits: Sequence[int]) -> MarkedText:
        words = [f"{word[:-1]}{bit}" for word, bit in zip(text.split(), bits, strict=False)]
        return MarkedText(" ".join(words), tuple(bits[: len(words)]), ())

    def extract(self, text: str) -> tuple[int, ...]:
        return tuple(int(word[-1]) for word in text.split())


@pytest.fixture
def issue() -> SchemeIssue:
    return SchemeIssue(LastDigit(), TEXT, recipients=1000, seed="1")


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8, acceptance_floor=0.5)))


def test_an_untouched_copy_is_named(issue: SchemeIssue) -> None:
    """Every bit is read, and nobody else is accused."""
    found = robustness.leak_and_read(issue, NOTHING, recipients=1000, seed="1")
    assert found == Reading("right", 80, 0)


def test_a_lost_word_shifts_all_bits(issue: SchemeIssue) -> None:
    """Bits in order do not survive a cut at the beginning, and nobody is accused."""
    case = Case("cut", "", one_copy(lambda text, chooser: text.partition(" ")[2]))
    found = robustness.leak_and_read(issue, case, recipients=1000, seed="1")
    assert found.outcome == "inconclusive"
    assert found.errors > 20


def test_thirty_bits_name_one_of_a_thousand() -> None:
    """And twenty-nine do not: 1,000 recipients times 2 to the power of -30 is just below 1e-6."""
    codewords = np.random.default_rng(1).integers(2, size=(1000, 40), dtype=np.uint8)
    bits = codewords[7].tolist()
    assert robustness.accused_in_order(bits[:30], codewords) == {7}
    assert robustness.accused_in_order(bits[:29], codewords) == set()
    assert robustness.accused_in_order([], codewords) == set()
    assert robustness.accused_in_order([*bits, 1, 1, 1], codewords) == {7}


def test_nobody_is_accused_of_chance() -> None:
    """Random bits lead nowhere, five hundred times."""
    generator = np.random.default_rng(2)
    codewords = generator.integers(2, size=(1000, 60), dtype=np.uint8)
    assert not any(robustness.accused_in_order(generator.integers(2, size=60).tolist(), codewords) for _ in range(500))


def test_colluders(issue: SchemeIssue) -> None:
    """One of two is enough; bit errors have no meaning there."""
    case = Case(
        "first half", "2", lambda copies, chooser: " ".join([*copies[0].split()[:60], *copies[1].split()[60:]]), 2
    )
    found = robustness.leak_and_read(issue, case, recipients=1000, seed="1")
    assert (found.outcome, found.written) == ("right", 0)
    assert outcome_of({1, 5}, [1, 2]) == "wrong"


def test_our_blind_scheme_finds_its_sites_again(engine: FakeEngine) -> None:
    """All of them in an untouched copy, about half in half of it."""
    (issuer,) = robustness.issuers(engine, ["paper"]).values()
    issue = issuer(fake_text(words=300, seed=1), recipients=50, seed="1")
    whole = robustness.leak_and_read(issue, NOTHING, recipients=50, seed="1")
    assert (whole.errors, whole.found) == (0, whole.sites)
    half = Case("half", "", one_copy(lambda text, chooser: text[: len(text) // 2]))
    found = robustness.leak_and_read(issue, half, recipients=50, seed="1")
    assert found.sites is not None
    assert found.found is not None
    assert 0.3 < found.found / found.sites < 0.7


def test_blind_copies_are_read_under_their_key(engine: FakeEngine) -> None:
    """The recipient's number comes back; a copy of another key says nothing."""
    issue, other = (BlindIssue(engine, fake_text(words=900, seed=1), recipients=8, seed=seed) for seed in "12")
    whole = issue.read(issue.copy(5), [5])
    assert (whole.outcome, whole.errors, whole.found) == ("right", 0, whole.sites)
    assert other.read(issue.copy(5), [5]).outcome == "inconclusive"


def test_registered_copies_are_traced_against_their_master(engine: FakeEngine) -> None:
    """Never as another copy's; where sites are too few to say, nothing is said."""
    issue = RegisteredIssue(engine, fake_text(words=200, seed=1), recipients=8, seed="1")
    assert issue.read(issue.copy(3), [3]).outcome in {"right", "inconclusive"}


def test_every_attack_can_be_made_but_those_that_need_wordnet(engine: FakeEngine) -> None:
    """All strengths, seeded; an unknown name is one sentence."""
    names = ["deletion", "synonyms by a masked LM", "copied into another", "noise", "OCR", "marked again", "collusion"]
    cases = robustness.cases(engine, other="Another text altogether.", wanted=names)
    assert [case.attack for case in cases] == sorted((case.attack for case in cases), key=names.index)
    assert [case.strength for case in cases[:4]] == ["2.5%", "5%", "7.5%", "10%"]
    copies = [fake_text(words=60, seed=1)] * 3
    for case in cases:
        assert case.leak(copies[: case.copies], Random(1)) == case.leak(copies[: case.copies], Random(1))
    with pytest.raises(InputError, match="no attack burning; needed: some of untouched, deletion"):
        robustness.cases(engine, other="", wanted=["burning"])


def test_tables_and_plot() -> None:
    """Attacks down, schemes across; a dash where there is nothing to say."""
    from lexprint_evaluation.plots import robustness_plot

    collusion = Case("collusion", "2, random", lambda copies, chooser: copies[0], 2)
    rows = [
        robustness.robustness_row(
            "one", NOTHING, [Reading("right", 10, 1, 10, 9), Reading("inconclusive", 10, 3, 10, 7)]
        ),
        robustness.robustness_row("two", NOTHING, [Reading("right", 10, 0)] * 2),
        robustness.robustness_row("one", collusion, [Reading("wrong", 0, 0)] * 2),
        robustness.robustness_row("two", collusion, [Reading("right", 0, 0)] * 2),
    ]
    assert (rows[0].bit_error_rate, rows[0].found_again, rows[2].bit_error_rate) == (0.2, 0.8, None)
    text = robustness.robustness_tables(rows)
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    assert ["untouched", "", "50%", "100%"] in lines
    assert ["collusion", "2, random", "0%", "100%"] in lines
    assert ["untouched", "", "80%", "-"] in lines
    assert "innocent was accused: 2 of 8" in text
    picture = robustness_plot(rows)
    assert b"collusion" in picture
    assert picture == robustness_plot(rows)
