"""The right copy is named under every disturbance, an innocent never, and any string at all can be traced."""

from __future__ import annotations

import random
from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binomtest, kstest
from tests.tracing.masters import (
    CONTENT,
    DISTURBANCES,
    SECRET,
    codewords_of,
    copy_of,
    edited,
    make_record,
    make_text,
    mixed,
    salts,
)

from lexprint.coding.codewords import codewords
from lexprint.registry.records import Code, DocumentRecord
from lexprint.text.editing import Edit, apply_edits
from lexprint.tracing import verdict
from lexprint.tracing.verdict import Finding, are_in_company, chances, trace_document

RECIPIENTS = 1_000
SHORT = {"pasted", "excerpt"}  # a third of the text: at 0.12 sites a word there are too few for a thousand recipients


def traced(name: str, *, seed: int, most: int = 2) -> tuple[Finding, int]:
    """A disturbed copy of a text of 1,000 words, and whose it was."""
    record = make_record(1_000, density=0.2 if name in SHORT else 0.12, seed=seed, most=most)
    issued = codewords_of(record, RECIPIENTS)
    draw = random.Random(
        f"leak {seed}"
    )  # another row of numbers than the master's, else strange text would be the same
    number = draw.randint(1, RECIPIENTS)
    leak = DISTURBANCES[name](copy_of(record, issued[number - 1]), draw)
    return trace_document(leak, record, range(1, RECIPIENTS + 1), issued), number


@pytest.mark.parametrize("name", DISTURBANCES)
@pytest.mark.parametrize("most", [2, 4])
def test_the_right_copy_is_named(name: str, most: int) -> None:
    """And no other, whatever was done to the text, and however many words a site has."""
    for seed in range(3 if most == 2 else 2):
        finding, number = traced(name, seed=seed, most=most)
        assert finding.verdict == "one copy"
        assert [suspect.number for suspect in finding.accused] == [number]
        assert finding.ranking[0] == finding.accused[0]
        assert finding.accused[0].family_p_value <= finding.error_bound


@pytest.mark.slow
@pytest.mark.parametrize("name", DISTURBANCES)
def test_the_right_copy_is_named_nearly_always(name: str) -> None:
    """In 100 trials at least 99 times, short excerpts 95 times; an innocent never."""
    right = 0
    for seed in range(1_000, 1_100):
        finding, number = traced(name, seed=seed)
        assert {suspect.number for suspect in finding.accused} <= {number}
        right += finding.verdict == "one copy"
    assert right >= (95 if name in SHORT else 99)


def test_evidence_is_told_word_by_word() -> None:
    """Each observation's span holds what it says was seen; matches count the sites that agree."""
    record = make_record(300, seed=1, most=4)
    issued = codewords_of(record, 50)
    leak = edited(copy_of(record, issued[6]), random.Random(1))
    finding = trace_document(leak, record, range(1, 51), issued)
    assert [observation.site for observation in finding.observations] == list(range(len(record.sites)))
    for observation in finding.observations:
        assert (observation.span is None) == (observation.seen is None)
        if observation.span is not None:
            assert observation.span.of(leak) == observation.seen
        if observation.symbol is not None and observation.seen in CONTENT:
            assert record.sites[observation.site].words[observation.symbol] == observation.seen
    assert {observation.symbol for observation in finding.observations} >= {0, 1, 2}
    agreeing = sum(seen.symbol == issued[6][seen.site] for seen in finding.observations)
    assert finding.accused[0].matches == agreeing <= finding.readable == finding.accused[0].readable
    assert (finding.compared, finding.code, finding.error_bound) == (50, "independent", 1e-6)
    assert len(finding.ranking) == 20


def test_numbers_are_those_given() -> None:
    """Copies may be compared in any order and under any numbers."""
    record = make_record(500, seed=2)
    issued = codewords_of(record, 10)
    finding = trace_document(copy_of(record, issued[3]), record, [70, 71, 72, 5, 74, 75, 76, 77, 78, 79], issued)
    assert [suspect.number for suspect in finding.accused] == [5]


@pytest.mark.parametrize("code", ["independent", "tardos"])
def test_innocent_texts_accuse_nobody(code: Code) -> None:
    """The master itself, another document, an older version, a copy that was never issued."""
    record = make_record(1_000, code=code, seed=3)
    issued = codewords_of(record, 10_000)
    never = codewords(SECRET + b"never", salts([1]), np.array(record.biases))[0]
    older = edited(record.text, random.Random(1), share=0.3)
    for leak in (record.text, make_text(1_000, random.Random(2)), older, copy_of(record, never), ""):
        finding = trace_document(leak, record, range(1, 10_001), issued)
        assert (finding.verdict, finding.accused) == ("inconclusive", ())
        assert finding.compared == 10_000


@pytest.mark.parametrize(("most", "words"), [(2, 500), (4, 350)])
def test_never_issued_fingerprints_have_uniform_p_values(most: int, words: int) -> None:
    """Against a leak of somebody's copy: 10,000 strangers, ties broken at random, Kolmogorov and Smirnov; none accused."""
    record = make_record(words, seed=4, most=most)
    leak = edited(copy_of(record, codewords_of(record, 1)[0]), random.Random(4))
    never = codewords(SECRET + b"never", salts(range(1, 10_001)), np.array(record.biases), choices=record.choices)
    finding = trace_document(leak, record, range(1, 10_001), never)
    assert finding.verdict == "inconclusive"
    read = [seen for seen in finding.observations if seen.symbol is not None]
    places = [seen.site for seen in read]
    shown = np.array([seen.symbol for seen in read], dtype=np.uint8)
    p_values = chances(
        never[:, places],
        shown,
        np.array(record.biases)[places],
        code="independent",
        error_bound=1e-6,
        choices=[record.choices[place] for place in places],
    )
    values = np.append(np.sort(np.unique(p_values)), 0.0)
    below = np.array([values[np.searchsorted(values[:-1], one) - 1] if one > values[0] else 0.0 for one in p_values])
    uniform = np.random.default_rng(5).random(len(p_values))
    assert kstest(below + uniform * (p_values - below), "uniform").pvalue > 0.001
    assert finding.ranking[0].p_value == p_values.min()


def lured(record: DocumentRecord, draw: random.Random) -> DocumentRecord:
    """The same master, in which edits of half of the sites' words lead to another of them."""
    return replace(
        record,
        sites=tuple(replace(site, likely_edits=site.words) if draw.random() < 0.5 else site for site in record.sites),
    )


def rewritten(record: DocumentRecord, codeword: np.ndarray, draw: random.Random) -> str:
    """A copy of which a third of the marked words went where edits lead, else to a strange one, and others changed too."""
    words = [
        site.words[symbol]
        if draw.random() > 0.34
        else draw.choice([one for one in site.likely_edits if one != site.words[symbol]] or CONTENT)
        for site, symbol in zip(record.sites, codeword.tolist(), strict=True)
    ]
    leak = apply_edits(record.text, [Edit(site.span, word) for site, word in zip(record.sites, words, strict=True)])
    return edited(leak, draw, share=0.05)


@pytest.mark.parametrize("most", [2, 4])
def test_whoever_follows_likely_edits_is_named(most: int) -> None:
    """Two leaks in three and more, and with less chance of error than where the registry knows no likely edits; nobody else."""
    right = surer = 0
    for seed in range(12):
        draw = random.Random(f"lured {seed}")
        record = lured(make_record(1_000, density=0.09, seed=seed, most=most), draw)
        issued = codewords_of(record, RECIPIENTS)
        leak = rewritten(record, issued[9], draw)
        plain = replace(record, sites=tuple(replace(site, likely_edits=()) for site in record.sites))
        wary, unaware = (trace_document(leak, one, range(RECIPIENTS), issued) for one in (record, plain))
        assert {suspect.number for suspect in (*wary.accused, *unaware.accused)} <= {9}
        assert any(seen.is_doubtful for seen in wary.observations)
        assert not any(seen.is_doubtful for seen in unaware.observations)
        right += wary.verdict == "one copy"
        surer += wary.ranking[0].p_value < unaware.ranking[0].p_value
    assert right >= 8
    assert surer >= 10


def test_doubts_are_for_edited_leaks_only() -> None:
    """An untouched copy is as certain as without likely edits; and the tardos code has its own decoder."""
    record = lured(make_record(500, seed=1), random.Random(1))
    issued = codewords_of(record, 20)
    finding = trace_document(copy_of(record, issued[3]), record, range(20), issued)
    assert not any(seen.is_doubtful for seen in finding.observations)
    assert finding.ranking[0].p_value == pytest.approx(0.5**finding.readable)
    secret = lured(make_record(500, seed=1, code="tardos"), random.Random(1))
    issued = codewords_of(secret, 20)
    leak = edited(copy_of(secret, issued[3]), random.Random(1))
    assert not any(seen.is_doubtful for seen in trace_document(leak, secret, range(20), issued).observations)


@pytest.mark.parametrize("most", [2, 4])
def test_doubts_do_not_hurt_innocents(most: int) -> None:
    """100,000 strangers: chances are exceeded no more often than they say, in the tails too, and no stranger is accused."""
    strangers, chosen = 100_000, np.random.default_rng(3)
    choices = [2 + place % (most - 1) for place in range(60)]
    fair = np.full(60, 0.5)
    never = codewords(SECRET + b"never", salts(range(strangers)), fair, choices=choices)
    shown = codewords(SECRET, salts([1]), fair, choices=choices)[0]
    doubtful = (chosen.random(60) < 0.5).tolist()
    p_values = chances(never, shown, fair, code="independent", error_bound=1e-6, choices=choices, doubtful=doubtful)
    for bound in (0.5, 0.1, 0.01, 0.001, 0.0001):
        found = int(np.count_nonzero(p_values <= bound))
        assert binomtest(found, strangers, bound, alternative="greater").pvalue > 1e-4
        assert found > 0
    assert p_values.min() * strangers > 1e-6


def test_more_words_tell_more() -> None:
    """An untouched copy is told from innocents by every coin that chose its words."""
    record = make_record(300, density=0.1, seed=5, most=4)
    issued = codewords_of(record, 1)
    finding = trace_document(copy_of(record, issued[0]), record, [1], issued)
    coins = sum(
        min(seen.symbol + 1, len(record.sites[seen.site].words) - 1)
        for seen in finding.observations
        if seen.symbol is not None
    )
    assert finding.ranking[0].p_value == pytest.approx(0.5**coins)
    assert coins > finding.readable


@pytest.mark.parametrize("code", ["independent", "tardos"])
def test_two_who_mix_their_copies_are_both_named(code: Code) -> None:
    """Several copies, from a text in which each differing word was taken from either."""
    record = make_record(3_000, density=0.15, code=code, seed=6)
    issued = codewords_of(record, RECIPIENTS)
    leak = copy_of(record, mixed(issued[[10, 20]], "random", random.Random(6)))
    finding = trace_document(leak, record, range(RECIPIENTS), issued)
    assert finding.verdict == "several copies"
    assert {suspect.number for suspect in finding.accused} == {10, 20}


@pytest.mark.parametrize(("most", "sites"), [(2, 120), (4, 80)])
def test_company_tells_two_who_mix_a_short_text(most: int, sites: int) -> None:
    """With so many sites a copy alone often fits too badly; beside the other it is told. Never anybody else."""
    alone = together = 0
    for seed in range(10):
        fair, choices = np.full(sites, 0.5), [2 + place % (most - 1) for place in range(sites)]
        issued = codewords(SECRET + bytes([seed]), salts(range(RECIPIENTS)), fair, choices=choices)
        draw = random.Random(seed)
        shown = np.array([draw.choice(held) for held in issued[[10, 20]].T.tolist()], dtype=np.uint8)
        found = chances(issued, shown, fair, code="independent", error_bound=1e-6, choices=choices)
        accused = set(np.flatnonzero(found * RECIPIENTS <= 1e-6).tolist())
        assert accused <= {10, 20}
        together += bool(accused)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(verdict, "COINS_FOR_JOINT_TESTS", 1e9)
            found = chances(issued, shown, fair, code="independent", error_bound=1e-6, choices=choices)
        alone += bool(np.any(found * RECIPIENTS <= 1e-6))
    assert together >= 8
    assert together > alone


def test_company_is_paid_for_where_it_can_help() -> None:
    """What is barely enough to tell one copy is all for that; with more, tests alone have four fifths of the bound."""
    issued = codewords(SECRET, salts(range(RECIPIENTS)), np.full(80, 0.5))
    for sites, price in ((59, 1.0), (60, 1.25)):
        read, shown = issued[:, :sites], issued[3, :sites]
        found = chances(read, shown, np.full(sites, 0.5), code="independent", error_bound=1e-6)
        assert found[3] == pytest.approx(price * 0.5**sites)
        assert are_in_company(shown, code="independent", copies=RECIPIENTS, error_bound=1e-6) == (price > 1)


def test_the_bound_is_the_users() -> None:
    """Evidence that is enough for one bound is not for a stricter one."""
    record = make_record(300, density=0.1, seed=7)
    issued = codewords_of(record, 20)
    leak = copy_of(record, issued[4])
    finding = trace_document(leak, record, range(20), issued, error_bound=1e-4)
    assert finding.verdict == "one copy"
    assert trace_document(leak, record, range(20), issued, error_bound=1e-12).verdict == "inconclusive"


def test_codewords_must_fit_the_record() -> None:
    """A matrix of another document is refused."""
    record = make_record(200, seed=8)
    with pytest.raises(ValueError, match="needed: 3 copies"):
        trace_document("", record, [1, 2, 3], np.zeros((3, 1), dtype=np.uint8))


TOTAL = {code: make_record(120, code=code, seed=9) for code in ("independent", "tardos")}


@settings(max_examples=150)
@given(
    st.sampled_from(["independent", "tardos"]),
    st.text(st.characters(codec=None, exclude_categories=()), max_size=300)
    | st.lists(st.sampled_from(TOTAL["tardos"].text.split()), max_size=80).map(" ".join)
    | st.tuples(st.integers(0, 900), st.integers(0, 900), st.text(max_size=9)).map(
        lambda cut: TOTAL["tardos"].text[cut[0] : cut[1]] + cut[2] + TOTAL["tardos"].text[: cut[0]]
    ),
)
def test_any_string_can_be_traced(code: Code, leak: str) -> None:
    """No leak raises, and what is observed is really there."""
    record = TOTAL[code]
    finding = trace_document(leak, record, range(12), codewords_of(record, 12))
    assert 0.0 <= finding.covered_share <= 1.0
    assert 0.0 <= finding.edited_share <= 1.0
    assert all(seen.span is None or seen.span.of(leak) == seen.seen for seen in finding.observations)


@pytest.mark.parametrize("code", ["independent", "tardos"])
def test_tracing_takes_no_time(code: Code) -> None:
    """10,000 words, 1,500 sites, 1,000 recipients: under a second of one core."""
    record = make_record(10_000, density=0.15, code=code, seed=10)
    issued = codewords_of(record, RECIPIENTS)
    leak = edited(copy_of(record, issued[5]), random.Random(10))
    start = process_time()
    assert trace_document(leak, record, range(RECIPIENTS), issued).verdict == "one copy"
    assert process_time() - start < 1.0


@pytest.mark.slow
@pytest.mark.parametrize("code", ["independent", "tardos"])
def test_a_hundred_thousand_recipients_take_seconds(code: Code) -> None:
    """Under ten seconds of one core."""
    record = make_record(10_000, density=0.15, code=code, seed=10)
    issued = codewords_of(record, 100_000)
    leak = edited(copy_of(record, issued[5]), random.Random(10))
    start = process_time()
    assert trace_document(leak, record, range(100_000), issued).verdict == "one copy"
    assert process_time() - start < 10.0
