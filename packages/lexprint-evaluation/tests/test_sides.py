"""What each side remembers of the models, on fakes."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.fakes import FakeEngine

from lexprint.models.protocols import MaskedLM
from lexprint.testing import FakeMaskedLM, fake_text
from lexprint_evaluation.schemes import schemes
from lexprint_evaluation.sides import Side

TEXT = fake_text(words=120, seed=5)
BITS = Random(2).choices((0, 1), k=120)


class CountingMaskedLM(FakeMaskedLM):
    asked = 0

    def predict(self, gaps: Any) -> Any:
        self.asked += len(gaps)
        return super().predict(gaps)


class CountingEngine(FakeEngine):
    def _load_masked_lm(self) -> MaskedLM:
        return CountingMaskedLM()


def marked_by(cache: Path | None, name: str, side: Side) -> tuple[str, int]:
    """What an engine makes of the text, and how much it asked the masked LM for that."""
    engine = CountingEngine(cache=cache)
    (scheme,) = schemes(engine, [name], side=side)
    marked = scheme.embed(TEXT, BITS).text
    assert isinstance(engine.masked_lm, CountingMaskedLM)
    return marked, engine.masked_lm.asked


@pytest.mark.parametrize("name", ["paper", "lexprint"])
def test_a_side_asks_once_and_tells_the_other_nothing(tmp_path: Path, name: str) -> None:
    """The same side in another table asks nothing, the other side asks all over; the text is the same."""
    alone, asked = marked_by(None, name, "writer")
    assert asked > 0
    assert marked_by(tmp_path / "answers", name, "writer") == (alone, asked)
    assert marked_by(tmp_path / "answers", name, "writer") == (alone, 0)
    assert marked_by(tmp_path / "answers", name, "reader") == (alone, asked)
    assert marked_by(tmp_path / "answers", name, "reader") == (alone, 0)


def test_profiles_share_nothing(tmp_path: Path) -> None:
    """Their settings change what is proposed."""
    _, asked = marked_by(None, "paper", "writer")
    marked_by(tmp_path / "answers", "lexprint", "writer")
    assert marked_by(tmp_path / "answers", "paper", "writer")[1] == asked


def test_gaps_share_what_the_models_said(tmp_path: Path) -> None:
    """Where bits go changes no answer."""
    _, asked = marked_by(None, "paper-f2", "writer")
    marked_by(tmp_path / "answers", "paper", "writer")
    assert marked_by(tmp_path / "answers", "paper-f2", "writer")[1] < asked
