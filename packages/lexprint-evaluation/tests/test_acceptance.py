"""Acceptance beside what readers said, by hand and on fakes."""

import gzip
import json
from math import inf
from pathlib import Path

import numpy as np
import pytest
from tests.fakes import FakeEngine

from lexprint.errors import FormatError, InputError
from lexprint.models.protocols import Gap
from lexprint.substitution.acceptance import first_look, logit_of
from lexprint.testing import FakeMaskedLM, fake_families
from lexprint_evaluation.acceptance import (
    FLOORS,
    Opinion,
    ahead_at_first_look,
    area_under_curve,
    blocks,
    figure_tables,
    figures_json,
    figures_of,
    knows_readers,
    look,
    reliability,
    weigh,
)
from lexprint_evaluation.datasets import Judged, judgements

FAMILY, OTHERS = fake_families()[0], fake_families()[1]
JUDGED = [
    Judged(Gap("He saw the ", FAMILY[0], " of it."), {FAMILY[1]: 2, FAMILY[2]: 1, OTHERS[0]: 0, "unheard": 1}),
    Judged(Gap("They had the ", OTHERS[0], " at home."), {OTHERS[1]: 1, FAMILY[0]: 0}),
]


def opinion(verdict: int, share: float, *, number: int = 0, word: str = "other", is_weighed: bool = True) -> Opinion:
    logit = logit_of(share)
    pair = logit if is_weighed else None
    return Opinion(number, word, verdict, logit, logit, -1.0, 0.5, first_look=logit, pair=pair)


def test_areas_by_hand() -> None:
    """Pairs in the right order over all pairs; equal values count half, and one kind alone has no area."""
    values = np.array([5.0, 4.0, 3.0, 3.0, -inf])
    assert area_under_curve(values, np.array([True, False, True, False, False])) == pytest.approx((3 + 1.5) / 6)
    assert area_under_curve(values, np.array([False, False, False, False, True])) == 0.0
    assert area_under_curve(values, np.ones(5, dtype=bool)) is None


def test_bins_and_their_error() -> None:
    """What is predicted beside what was said, weighed by the number of candidates; 1 is in the last bin."""
    opinions = [opinion(1, 0.95), opinion(2, 0.93), opinion(0, 0.97), opinion(0, 0.25), Opinion(0, "unheard", 1)]
    bins = reliability([*opinions, opinion(1, 1 - 1e-12)])
    assert [one.candidates for one in bins] == [0, 0, 1, 0, 0, 0, 0, 0, 0, 4]
    assert bins[2].predicted == pytest.approx(0.25)
    assert bins[2].acceptable == 0.0
    figures = figures_of(JUDGED, opinions)
    assert figures.calibration_error == pytest.approx((3 * abs(0.95 - 2 / 3) + 0.25) / 4)


def test_first_candidates_and_unknown_ones() -> None:
    """Shares of the first 2, 5 and 10 per cent; a word that has no opinion is behind all others."""
    opinions = [opinion(2, 0.9), opinion(1, 0.8), *(opinion(0, 0.1 + number / 1000) for number in range(18))]
    figures = figures_of(JUDGED, [*opinions, Opinion(1, "unheard", 2)])
    own = figures.rankings[0]
    assert own.ranked_by == "acceptance"
    assert [(top.acceptable, top.good) for top in own.tops] == [(1.0, 1.0), (1.0, 0.5), (2 / 3, 1 / 3)]
    assert own.auc_acceptable == pytest.approx(2 / 3)
    assert own.auc_good == pytest.approx(0.5)
    assert figures.unknown == 1
    result = figures_json(figures)
    assert (result["auc_acceptable"], result["auc_good"], result["top5_acceptable"]) == (own.auc_acceptable, 0.5, 1.0)


def test_sites_of_a_floor() -> None:
    """The best weighed word of each judged word counts, unless it changes a fact or is below the floor."""
    judged = [*JUDGED, Judged(Gap("They will ", "remain", " here."), {"leave": 1, "stay": 2})]
    opinions = [
        opinion(0, 0.86),
        opinion(2, 0.92),
        opinion(2, 0.99, is_weighed=False),
        opinion(1, 0.81, number=1),
        opinion(1, 0.99, number=2, word="leave"),
        opinion(2, 0.7, number=2, word="stay"),
    ]
    points = {point.floor: point for point in figures_of(judged, opinions).sites}
    assert tuple(points) == FLOORS
    assert (points[0.9].sites, points[0.9].acceptable, points[0.9].good) == (1, 1.0, 1.0)
    assert (points[0.8].sites, points[0.8].good) == (2, 0.5)
    assert (points[0.5].sites, points[0.5].share) == (3, 1.0)
    assert (points[0.975].sites, points[0.975].good) == (0, None)


def test_opinions_are_those_of_the_substituter() -> None:
    """A first look at every candidate, SR, and then both ways for those ahead."""
    substituter = FakeEngine().substituter
    opinions = look(substituter, JUDGED, range(2))
    assert [one.word for one in opinions] == [word for judged in JUDGED for word in judged.verdicts]
    (looked,) = substituter.look_at([(JUDGED[0].gap, [FAMILY[1]])])
    there = looked.candidates[FAMILY[1]]
    assert (opinions[0].candidate, opinions[0].first_look) == (there, first_look(there))
    assert opinions[0].entailment == substituter.entailments([(JUDGED[0].gap, FAMILY[1])])[0]
    assert not opinions[3].is_known
    ahead = ahead_at_first_look(opinions, 0.5)
    assert len(ahead) == 3
    assert min(opinions[index].first_look for index in ahead) >= sorted(one.first_look for one in opinions)[-3]
    assert ahead_at_first_look(opinions, 1.0) == [0, 1, 2, 4, 5]
    exchanges = [(JUDGED[0].gap, opinions[0].candidate)]
    (weighed,) = substituter.weigh_back(exchanges, substituter.look_back(exchanges))
    assert weighed is not None
    assert weigh(substituter, JUDGED, opinions[:1]) == [weighed.acceptance]
    assert "of the first 5%" in figure_tables(figures_of(JUDGED, opinions))


def test_blocks_cover_everything() -> None:
    """Each index once, in order."""
    assert [index for block in blocks(10, 4) for index in block] == list(range(10))


def test_models_that_were_never_told() -> None:
    """The fake was told what readers accept."""
    assert knows_readers(FakeMaskedLM())


def test_nothing_judged() -> None:
    """A file without candidates cannot be measured on."""
    with pytest.raises(InputError, match="no judged candidates"):
        figures_of([], [])


@pytest.mark.parametrize("place", ["judgements/dev.jsonl.gz", "dev.jsonl.gz", "dev.jsonl"])
def test_reading_judgements(tmp_path: Path, place: str) -> None:
    """From the data folder, or from a folder that holds the file itself."""
    row = {"source": "novel", "left": "a ", "word": "large", "right": " house", "judged": {"big": 2}, "suggested": []}
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    content = f"{json.dumps(row)}\n\n".encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    assert judgements(tmp_path, "dev") == [Judged(Gap("a ", "large", " house"), {"big": 2})]
    with pytest.raises(InputError, match=r"test\.jsonl"):
        judgements(tmp_path, "test")


@pytest.mark.parametrize(
    "content", [b"{", b"[]\n", b'{"left": ""}\n', b'{"left":"","word":"","right":"","judged":{"a":3}}']
)
def test_damaged_judgements(tmp_path: Path, content: bytes) -> None:
    """One sentence for whatever is not as described."""
    (tmp_path / "dev.jsonl").write_bytes(content)
    with pytest.raises(FormatError, match=r"dev\.jsonl"):
        judgements(tmp_path, "dev")
