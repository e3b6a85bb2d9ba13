"""Payloads under a key: found again with few sites, and never where none was written."""

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom, chisquare

from lexprint.coding.keys import MasterKey
from lexprint.coding.payload_code import (
    FIRST_TURN,
    FORMS,
    SECOND_TURN,
    Decoded,
    Form,
    Frame,
    LabelledBit,
    chance_of_error,
    decode,
    decode_in_turns,
    distinct,
    frame_number,
    frame_text,
    parity_writer,
    sites_needed,
)
from lexprint.errors import InputError

DAY = datetime(2026, 1, 31, tzinfo=UTC)


def key_from(random: Random) -> MasterKey:
    return MasterKey(random.randbytes(32), created_at=DAY)


KEY, OTHER = (key_from(Random(seed)) for seed in range(2))


def observations(
    random: Random, frame: Frame, *, sites: int, error_rate: float = 0.0, erased: float = 0.0
) -> list[LabelledBit]:
    """What a reader sees of a payload: some sites are lost, some of the others misread."""
    bit_for = parity_writer(KEY, frame)
    labels = [random.randbytes(8) for _ in range(sites)]
    read = [label for label in labels if random.random() >= erased]
    return [LabelledBit(label, bit_for(label) ^ (random.random() < error_rate)) for label in read]


def coins(random: Random, count: int) -> list[LabelledBit]:
    """Sites where nothing was written; some weigh more than others."""
    return [LabelledBit(random.randbytes(8), random.getrandbits(1), random.randint(1, 5)) for _ in range(count)]


@given(st.text(alphabet="ABCXYZ0123456789-", min_size=1, max_size=12) | st.text(min_size=1, max_size=3), st.randoms())
def test_a_text_comes_back(payload: str, random: Random) -> None:
    """With just as many sites as are needed, in any order, and its length is found out."""
    frame = frame_text(payload)
    needed = sites_needed(frame.form.bits, tries=len(FORMS))
    seen = observations(Random(random.randrange(1 << 30)), frame, sites=needed + 6)  # six for rows that repeat others
    random.shuffle(seen)
    found = decode(seen, [KEY])
    assert found is not None
    assert (found.payload, found.form, found.key_id) == (payload, frame.form, KEY.id)
    assert found.agreeing == found.readable == len(seen)
    assert found.chance_of_error <= 1e-6


@given(st.integers(1, 40).flatmap(lambda bits: st.tuples(st.just(bits), st.integers(0, (1 << bits) - 1))))
def test_a_number_comes_back(case: tuple[int, int]) -> None:
    """In the bits that writer and reader agreed on; another number of bits finds nothing."""
    bits, number = case
    seen = observations(Random(number), frame_number(number, bits=bits), sites=bits + 30)
    found = decode(seen, [KEY], forms=[Form("number", bits)])
    assert found is not None
    assert found.payload == number
    assert decode(seen, [KEY], forms=[Form("number", bits + 1)]) is None
    assert decode(seen, [KEY]) is None


def test_no_other_key_finds_it() -> None:
    """Among several keys the right one does, wherever it stands."""
    random = Random(4)
    seen = observations(random, frame_text("ACME-7"), sites=80)
    assert decode(seen, [OTHER]) is None
    others = [key_from(random) for _ in range(3)]
    for ring in ([KEY, *others], [*others, KEY]):
        found = decode(seen, ring)
        assert found is not None
        assert (found.payload, found.key_id) == ("ACME-7", KEY.id)


def test_every_try_adds_to_the_chance_of_error() -> None:
    """Four keys are four times as likely to find something as one."""
    seen = observations(Random(5), frame_number(3, bits=16), sites=60)
    forms = [Form("number", 16)]
    alone, ring = (
        decode(seen, keys, forms=forms) for keys in ([KEY], [KEY, *map(key_from, map(Random, range(7, 10)))])
    )
    assert alone is not None
    assert ring is not None
    assert ring.chance_of_error == pytest.approx(4 * alone.chance_of_error)


@pytest.mark.parametrize(
    ("weights", "disagreeing", "bits"),
    [
        ((1,), 0, 1),
        ((1,) * 6, 1, 2),
        ((1, 1, 2, 3, 3, 5, 8), 4, 3),
        ((7, 7, 2, 2, 2, 2, 1, 1), 6, 0),
        ((2,) * 10, 3, 4),
    ],
)
def test_the_bound_is_the_exact_tail_of_all_messages(weights: tuple[int, ...], disagreeing: int, bits: int) -> None:
    """Counted here over every outcome of so many coins."""
    outcomes = product((0, 1), repeat=len(weights))
    hits = sum(sum(map(int.__mul__, outcome, weights)) <= disagreeing for outcome in outcomes)
    expected = min(Fraction(1), 3 * 2**bits * Fraction(hits, 2 ** len(weights)))
    assert chance_of_error(disagreeing, weights, bits=bits, tries=3) == pytest.approx(float(expected), rel=1e-12)


def test_equal_weights_are_none() -> None:
    """If all sites weigh the same, what they weigh does not matter; the bound is the binomial one."""
    for wrong in (0, 3, 20):
        bound = chance_of_error(wrong, [1] * 60, bits=16)
        assert bound == pytest.approx(min(1.0, 2**16 * binom.cdf(wrong, 60, 0.5)))
        assert chance_of_error(5 * wrong, [5] * 60, bits=16) == bound


def test_no_chance_is_called_nil() -> None:
    """Of thousands of labels that all agree, the smallest number is told; and half of them agree by chance."""
    assert 0.0 < chance_of_error(0, [1, 2] * 2000, bits=16) < 1e-280
    assert chance_of_error(3000, [1, 2] * 2000, bits=0) == pytest.approx(0.5, abs=0.02)


def test_a_message_agrees_with_what_it_did_not_write_like_coins() -> None:
    """Exactly binomial over keys, for a fixed text, and also where another message was written under the same key."""
    random = Random(11)
    sites, keys = 24, 4000
    labels = [random.randbytes(8) for _ in range(sites)]
    said = [random.getrandbits(1) for _ in range(sites)]
    counts = {"nothing": [0] * (sites + 1), "another": [0] * (sites + 1)}
    for _ in range(keys):
        key = key_from(random)
        one, other = (parity_writer(key, frame_number(number, bits=3)) for number in (2, 5))
        wanted = [one(label) for label in labels]
        counts["nothing"][sum(map(int.__eq__, wanted, said))] += 1
        counts["another"][sum(map(int.__eq__, wanted, map(other, labels)))] += 1
    middle = slice(7, 18)  # what lies outside is too rare to count by itself
    expected = binom.pmf(range(sites + 1), sites, 0.5) * keys
    for seen in counts.values():
        rest = keys - sum(seen[middle])
        observed = [*seen[middle], rest]
        assert chisquare(observed, [*expected[middle], keys - expected[middle].sum()]).pvalue > 1e-3


def test_the_chance_of_error_is_no_smaller_than_it_says() -> None:
    """Over thousands of texts without a mark, finds at any level are at most as frequent as that level, and not far below."""
    random = Random(12)
    texts, forms = 3000, [Form("number", 6)]
    found = [decode(coins(random, 50), [key_from(random)], forms=forms, false_positive=0.5) for _ in range(texts)]
    chances = [one.chance_of_error for one in found if one is not None]
    for level in (0.02, 0.05, 0.1, 0.2, 0.5):
        finds = sum(chance <= level for chance in chances)
        assert binom.sf(finds - 1, texts, level) > 1e-3
    assert sum(chance <= 0.2 for chance in chances) > 0.2 * texts / 8


@pytest.mark.parametrize("sites", [20, 60, 200])
def test_nothing_is_found_where_nothing_was_written(sites: int) -> None:
    """Neither short nor long payloads, with several keys; at one in a million no find is to be expected."""
    random = Random(sites)
    keys = [key_from(random) for _ in range(2)]
    forms = [Form("text", bits) for bits in (8, 24, 72)]
    assert all(decode(coins(random, sites), keys, forms=forms) is None for _ in range(300 // sites))


def test_nothing_is_found_in_thousands() -> None:
    """The same for one short payload."""
    random = Random(13)
    forms = [Form("number", 8)]
    assert all(decode(coins(random, 60), [KEY], forms=forms) is None for _ in range(2000))


@pytest.mark.parametrize(
    ("sites", "error_rate", "erased", "share"),
    [(40, 0.0, 0.0, 0.98), (100, 0.05, 0.2, 0.9), (80, 0.05, 0.0, 0.95), (100, 0.1, 0.0, 0.9)],
)
def test_power(sites: int, error_rate: float, erased: float, share: float) -> None:
    """Sixteen bits survive misreadings and losses as the theory says; none is read wrongly."""
    random = Random(sites)
    trials, right = 60, 0
    for _ in range(trials):
        number = random.getrandbits(16)
        seen = observations(random, frame_number(number, bits=16), sites=sites, error_rate=error_rate, erased=erased)
        found = decode(seen, [KEY], forms=[Form("number", 16)])
        assert found is None or found.payload == number
        right += found is not None
    assert right >= share * trials


def test_weights_are_worth_bits() -> None:
    """Where it is known which sites are often misread, payloads are found that equal weights do not find."""
    random = Random(15)
    found = {"weighed": 0, "equal": 0}
    for _ in range(40):
        number = random.getrandbits(16)
        frame = frame_number(number, bits=16)
        sure = [replace(one, weight=4) for one in observations(random, frame, sites=40, error_rate=0.02)]
        seen = sure + observations(random, frame, sites=30, error_rate=0.25)
        for name, read in (("weighed", seen), ("equal", [replace(one, weight=1) for one in seen])):
            decoded = decode(read, [KEY], forms=[Form("number", 16)])
            assert decoded is None or decoded.payload == number
            found[name] += decoded is not None
    assert found["weighed"] >= 36
    assert found["equal"] <= 32


def test_weights_are_asked_for_only_where_they_may_help() -> None:
    """Not where the payload is plain, nor where nothing comes near; what is told of the chance covers both turns."""
    random, forms = Random(16), [Form("number", 16)]
    frame = frame_number(77, bits=16)
    asked: list[str] = []

    def turns(name: str, seen: list[LabelledBit], weighed: list[LabelledBit]) -> Decoded | None:
        def weigh() -> list[LabelledBit]:
            asked.append(name)
            return weighed

        return decode_in_turns(seen, weigh, [KEY], forms=forms)

    plain = observations(random, frame, sites=70)
    found, alone = turns("plain", plain, []), decode(plain, [KEY], forms=forms)
    assert found is not None
    assert alone is not None
    assert found.chance_of_error == pytest.approx(alone.chance_of_error / FIRST_TURN)
    assert turns("coins", [replace(one, weight=1) for one in coins(random, 70)], plain) is None
    assert asked == []
    sure = observations(random, frame, sites=40)
    near = sure + [replace(one, bit=1 - one.bit) for one in observations(random, frame, sites=7)]
    assert turns("near", near, near) is None
    weighed = [replace(one, weight=6) for one in sure] + near[len(sure) :]
    found, alone = turns("weighed", near, weighed), decode(weighed, [KEY], forms=forms)
    assert asked == ["near", "weighed"]
    assert found is not None
    assert alone is not None
    assert (found.payload, found.agreeing, found.readable) == (77, 40, 47)
    assert found.chance_of_error == pytest.approx(alone.chance_of_error / SECOND_TURN)


def test_two_turns_keep_to_the_bound() -> None:
    """Over thousands of readings without a mark, finds are at most as frequent as was allowed."""
    random, forms = Random(17), [Form("number", 6)]
    texts, allowed, finds = 2000, 0.05, 0
    for _ in range(texts):
        weighed = coins(random, 50)
        seen = [replace(one, weight=1) for one in weighed]
        found = decode_in_turns(seen, lambda: weighed, [key_from(random)], forms=forms, false_positive=allowed)  # noqa: B023
        assert found is None or found.chance_of_error <= allowed
        finds += found is not None
    assert binom.sf(finds - 1, texts, allowed) > 1e-3


def test_a_text_survives_misreading() -> None:
    """Seventy-two bits in two hundred sites, one in twenty misread."""
    random = Random(14)
    seen = observations(random, frame_text("ACME-2026-00417"), sites=200, error_rate=0.05)
    found = decode(seen, [KEY])
    assert found is not None
    assert found.payload == "ACME-2026-00417"
    assert found.agreeing < found.readable


def test_repeated_labels_count_once() -> None:
    """By majority; a label that is divided says nothing."""
    one, two, three = b"one", b"two", b"three"
    seen = [LabelledBit(one, 1), LabelledBit(one, 1), LabelledBit(one, 0), LabelledBit(two, 0), LabelledBit(three, 1)]
    seen.append(LabelledBit(three, 0))
    assert [(reading.label, reading.bit) for reading in distinct(seen)] == [(one, 1), (two, 0)]
    weighed = [LabelledBit(one, 1, 2), LabelledBit(one, 0, 5), LabelledBit(two, 0, 3), LabelledBit(two, 0, 4)]
    assert distinct(weighed) == [LabelledBit(one, 0, 3), LabelledBit(two, 0, 4)]
    single = observations(Random(6), frame_number(9, bits=8), sites=40)
    assert decode(single * 3, [KEY], forms=[Form("number", 8)]) == decode(single, [KEY], forms=[Form("number", 8)])


@pytest.mark.parametrize("payload", ["", "\udcff", "x" * 65, "ACME-2026-00417-ACME-2026-00417-ACME"])
def test_texts_that_cannot_be_written(payload: str) -> None:
    """Nothing, stray bytes, and what is too long."""
    with pytest.raises(InputError, match="payload"):
        frame_text(payload)


@pytest.mark.parametrize(("number", "bits"), [(16, 4), (-1, 4), (0, 0), (0, 129)])
def test_numbers_that_cannot_be_written(number: int, bits: int) -> None:
    """A number must fit its bits, and bits their limits."""
    with pytest.raises(InputError):
        frame_number(number, bits=bits)


def test_sites_needed_are_enough_and_no_more() -> None:
    """At full agreement the bound is kept with them, and broken with one less."""
    for bits, tries in ((1, 1), (16, 1), (72, 128)):
        needed = sites_needed(bits, tries=tries)
        assert chance_of_error(0, [3] * needed, bits=bits, tries=tries) <= 1e-6
        assert chance_of_error(0, [3] * (needed - 1), bits=bits, tries=tries) > 1e-6
