"""Sheets of words that schemes would exchange, and what readers said of them."""

import json
import re
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from tests.fakes import FakeEngine

from lexprint.errors import FormatError
from lexprint.testing import fake_text
from lexprint.text.span import Span
from lexprint_evaluation.confidence import wilson_interval
from lexprint_evaluation.reading_scores import read_key, read_sheet, score_table, scores_above, scores_json, scores_of
from lexprint_evaluation.reading_sheet import (
    KEPT,
    Exchange,
    Marked,
    Sheet,
    Text,
    exchangers,
    make_sheet,
    mark,
    sheet_key,
    sheet_lines,
)
from lexprint_evaluation.schemes import blind_schemes

TEXT = Text("tale", "They bought a large house.\nThe old dog slept  near the fire, and nobody spoke.")


def exchange(word: str, candidate: str) -> Exchange:
    start = TEXT.text.index(word)
    return Exchange(Span(start, start + len(word)), candidate)


ONE = Marked(
    "one", 15, 3, (frozenset({exchange("large", "big"), exchange("dog", "hound"), exchange("slept", "dozed")}),)
)
TWO = Marked(
    "two", 15, 2, (frozenset({exchange("large", "big"), exchange("large", "great"), exchange("house", "home")}),)
)


def sheet(*, per_scheme: int = 0, controls: int = 0, seed: int = 1) -> Sheet:
    return make_sheet([ONE, TWO], [TEXT], per_scheme=per_scheme, controls=controls, seed=seed)


def test_a_line_for_each_word() -> None:
    """Candidates of all schemes stand together, in one sentence with plain spaces, and the key knows whose they are."""
    made = sheet()
    lines = {line.gap.word: line for line in made.lines}
    assert set(lines) == {"large", "dog", "slept", "house"}
    assert lines["large"].candidates == {"big": ("one", "two"), "great": ("two",)}
    assert (lines["slept"].gap.left, lines["slept"].gap.right) == ("The old dog ", " near the fire, and nobody spoke.")
    rows = [json.loads(line) for line in sheet_lines(made).splitlines()]
    assert all(row["judged"] == {} and row["candidates"] for row in rows)
    assert not re.search(r"\b(one|two|kept)\b", sheet_lines(made))


def test_order_and_names_say_nothing() -> None:
    """Identifiers differ by seed, and the same seed gives the same sheet."""
    assert sheet_lines(sheet()) == sheet_lines(sheet())
    assert not {line.id for line in sheet().lines} & {line.id for line in sheet(seed=2).lines}


def test_controls_offer_the_authors_word() -> None:
    """The sentence has a candidate in place, and that word is in no other line."""
    made = sheet(controls=2)
    kept = [line for line in made.lines if KEPT in {name for names in line.candidates.values() for name in names}]
    assert len(kept) == 2
    for line in kept:
        (word,) = line.candidates
        others = {one.candidate for found in (ONE, TWO) for one in found.exchanges[0] if one.span.of(TEXT.text) == word}
        assert line.gap.word in others
        assert word not in {one.gap.word for one in made.lines}


def test_so_many_words_of_each_scheme() -> None:
    """A site is drawn with all of its candidates; how many sites there are does not change."""
    made = sheet(per_scheme=1)
    counts = Counter(name for line in made.lines for names in line.candidates.values() for name in names)
    assert counts["one"] == 1
    assert counts["two"] in (1, 2)
    assert [one.sites for one in made.schemes] == [3, 2]


def test_exchanges_of_our_own_schemes() -> None:
    """Copies may have every alternative of a site; blind marks have a site for each bit, whichever word stands there."""
    text = Text("fake", fake_text(words=120, seed=3))
    engine = FakeEngine()
    found = exchangers(engine, copies=["lexprint", "dense"], blind=["paper"], rivals=[], trained=None, seed=1)
    marked = {name: mark(name, exchange, [text]) for name, exchange in found.items()}
    assert list(marked) == ["issued, lexprint", "issued, dense", "blind, paper"]
    assert 0 < marked["issued, lexprint"].sites <= marked["issued, dense"].sites
    assert len(marked["issued, dense"].best_acceptance) == marked["issued, dense"].sites
    assert not marked["blind, paper"].best_acceptance
    (scheme,) = blind_schemes(engine, ["paper"])
    written = scheme.embed(text.text, Random("1 fake").choices((0, 1), k=len(text.text)))
    blind = marked["blind, paper"]
    assert blind.sites == len(written.bits) > 0
    assert {Exchange(edit.span, edit.replacement) for edit in written.edits} < blind.exchanges[0]
    assert all(one.candidate != one.span.of(text.text) for every in marked.values() for one in every.exchanges[0])


def judged_sheet(made: Sheet, verdicts: dict[str, int]) -> bytes:
    rows = [json.loads(line) for line in sheet_lines(made).splitlines()]
    for row in rows:
        row["judged"] = {word: verdicts[word] for word in row["candidates"] if word in verdicts}
    return "\n".join(map(json.dumps, rows)).encode()


def test_scores_by_hand() -> None:
    """A word counts for each scheme that would choose it; what was passed over does not count."""
    made = sheet()
    key = read_key(sheet_key(made, fingerprint="f").encode(), name="key.json")
    content = judged_sheet(made, {"big": 2, "great": 1, "hound": 0, "dozed": 2})
    scores = {one.scheme: one for one in scores_of(key, read_sheet(content, key, name="sheet.jsonl"))}
    one, two, kept = scores["one"], scores["two"], scores[KEPT]
    assert (one.judged, one.sites_per_word, one.good) == (3, 0.2, wilson_interval(2, 3))
    assert (two.judged, two.so_so, two.bad) == (2, wilson_interval(1, 2), wilson_interval(0, 2))
    assert (kept.judged, kept.good, kept.sites_per_word) == (0, None, None)
    table = score_table(list(scores.values()))
    assert [line.split("|")[1].strip() for line in table.splitlines()[2:]] == ["two", "one", "kept"]
    assert scores_json(key, list(scores.values()))["schemes"][0]["judged"] == 3


def test_scores_above_a_threshold() -> None:
    """Words and sites of schemes that ask for acceptance, by how much they have of it."""
    shares = {exchange("large", "big"): 0.9, exchange("large", "great"): 0.5, exchange("house", "home"): 0.6}
    asked = replace(TWO, acceptance=(shares,))
    made = make_sheet([ONE, asked], [TEXT], per_scheme=0, controls=0, seed=1)
    key = read_key(sheet_key(made, fingerprint="f").encode(), name="key.json")
    verdicts = read_sheet(judged_sheet(made, {"big": 2, "great": 1, "home": 0}), key, name="sheet.jsonl")
    low, high, beyond = scores_above(key, verdicts, [0.55, 0.8, 0.95])
    assert (low.scheme, low.judged, low.sites_per_word) == ("two, above 0.55", 2, 2 / 15)
    assert low.bad == wilson_interval(1, 2)
    assert (high.judged, high.sites_per_word, high.good) == (1, 1 / 15, wilson_interval(1, 1))
    assert (beyond.judged, beyond.sites_per_word, beyond.good) == (0, 0.0, None)


def test_wilson() -> None:
    """As tables have it; none of nothing."""
    found = wilson_interval(8, 10)
    assert found is not None
    assert found.low == pytest.approx(0.4902, abs=1e-4)
    assert found.high == pytest.approx(0.9433, abs=1e-4)
    assert wilson_interval(0, 0) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: [], "single verdict"),
        (lambda rows: [*rows, rows[0]], "twice"),
        (lambda rows: [{**rows[0], "judged": {"unheard": 1}}], "another key"),
        (lambda rows: [{**rows[0], "id": "0", "judged": {"big": 1}}], "another key"),
        (lambda rows: [{**rows[0], "judged": {rows[0]["candidates"][0]: 3}}], "verdict"),
        (lambda rows: [{**rows[0], "judged": {rows[0]["candidates"][0]: True}}], "verdict"),
        (lambda rows: [{**rows[0], "judged": 2}], "damaged"),
        (lambda rows: [3], "damaged"),
    ],
)
def test_a_sheet_that_does_not_fit(change: object, words: str) -> None:
    """Each is refused with one sentence."""
    made = sheet()
    key = read_key(sheet_key(made, fingerprint="f").encode(), name="key.json")
    rows = [json.loads(line) for line in sheet_lines(made).splitlines()]
    assert callable(change)
    content = "\n".join(map(json.dumps, change(rows))).encode()
    with pytest.raises(FormatError, match=words):
        read_sheet(content, key, name="sheet.jsonl")


@pytest.mark.parametrize("content", [b"{", b"{}", b'{"format": "key to a reading sheet 1"}'])
def test_a_key_that_is_none(content: bytes) -> None:
    """Neither is another JSON file."""
    with pytest.raises(FormatError, match="reading-sheet"):
        read_key(content, name="key.json")
