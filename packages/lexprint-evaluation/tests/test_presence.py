"""The score of the PAN task."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.fakes import FakeEngine

from lexprint.coding.keys import MasterKey
from lexprint.models.protocols import Floats
from lexprint.settings import Settings, SubstitutionSettings
from lexprint.testing import fake_text
from lexprint_evaluation import presence
from lexprint_evaluation.bleu import bleu
from lexprint_evaluation.checkpoint import Checkpoint
from lexprint_evaluation.presence import Trial
from lexprint_evaluation.token_networks import TokenNetwork

TEXTS = {f"text {seed}": fake_text(words=260, seed=seed) for seed in range(3)}
ATTACKS = ("untouched", "shuffle", "deletion 5%", "copied into another")


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8)))


def test_untouched_and_shuffled_marks_are_found(engine: FakeEngine) -> None:
    """All of them, with all votes; a text without a mark seldom."""
    found = presence.measure(engine, TEXTS, ATTACKS, key=MasterKey.generate(), seed=1)
    untouched, deleted, shuffled, copied = found.rows
    assert [row.attack for row in found.rows] == ["untouched", "deletion 5%", "shuffle", "copied into another"]
    assert (untouched.found, untouched.agreeing) == (3, untouched.votes)
    assert shuffled.found == 3
    assert deleted.agreeing < deleted.votes
    assert copied.votes > untouched.votes
    assert 0.5 < found.score <= found.bleu < 1.0  # equal where every text is told right


def test_an_interrupted_run_resumes(engine: FakeEngine, tmp_path: Path) -> None:
    """What was measured is not measured again, and the table is the same."""
    key, calls = MasterKey.generate(), []
    options = {"key": key, "seed": 1, "on_progress": lambda done, total: calls.append((done, total))}
    whole = presence.measure(engine, TEXTS, ("untouched",), checkpoint=Checkpoint(tmp_path / "a"), **options)  # type: ignore[arg-type]
    again = presence.measure(engine, TEXTS, ("untouched",), checkpoint=Checkpoint(tmp_path / "a"), **options)  # type: ignore[arg-type]
    assert whole == again
    assert calls == [(1, 3), (2, 3), (3, 3)] * 2


def test_balanced_accuracy() -> None:
    """Half of what is found plus half of what is left in peace."""
    trials = [Trial(str(n), "untouched", n < 8, n < 1, 9, 10, bleu=0.9) for n in range(10)]
    found = presence.summed(trials)
    assert found.balanced_accuracy == pytest.approx((0.8 + 0.9) / 2)
    assert found.score == pytest.approx(0.9 * 0.85)
    assert found.false_alarms == pytest.approx(0.1)
    table = presence.presence_table(found)
    assert "| untouched " in table
    assert "BERTScore is not measured" in table
    assert "0.818" in table


def test_the_larger_fidelity_counts() -> None:
    """BERTScore where it is above BLEU, named by its network; BLEU where it is not."""
    by_network = [
        Trial(str(n), attack, True, False, 9, 10, bleu=0.9, bert_score=0.97) for n in range(2) for attack in "ab"
    ]
    found = presence.summed(by_network, model="a network")
    assert found.fidelity == found.score == pytest.approx(0.97)
    assert "0.970. BERTScore is by a network; the organisers take roberta-large" in presence.presence_table(found)
    answer = presence.presence_json(found)
    assert (answer["bert_score_model"], answer["organisers_bert_score_model"]) == ("a network", "roberta-large")
    lower = [Trial("0", "a", True, False, 9, 10, bleu=0.9, bert_score=0.8)]
    assert presence.summed(lower, model="a network").score == pytest.approx(0.9)


def test_a_network_is_asked_of_every_text(engine: FakeEngine, tmp_path: Path) -> None:
    """Once each, also if the run resumes; without one BERTScore is left out."""
    asked: list[int] = []

    def vectors(sentences: Sequence[str]) -> list[Floats]:
        asked.append(len(sentences))
        return [np.eye(4, dtype=np.float32)[:2] for _ in sentences]

    network = TokenNetwork("a fake", vectors)
    key, checkpoint = MasterKey.generate(), tmp_path / "kept"
    for _ in range(2):
        found = presence.measure(
            engine, TEXTS, ("untouched",), key=key, seed=1, network=network, checkpoint=Checkpoint(checkpoint)
        )
        assert (found.bert_score, found.bert_score_model) == (1.0, "a fake")
    assert len(asked) == len(TEXTS)


def test_bleu() -> None:
    """One for the same text, less for each word, nothing for lost sentences."""
    text = "The old house stands near the river. Nobody has lived there since the war."
    one = bleu(text, text.replace("old", "big"))
    two = bleu(text, text.replace("old", "big").replace("river", "water"))
    assert 0 < two < one < 1
    assert bleu(text, "The old house stands near the river.") == pytest.approx(0.5)
    assert bleu("Yes.", "Yes.") == 1.0
    assert bleu("", "") == 1.0
