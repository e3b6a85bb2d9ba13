"""The same on Ray, in real processes of its own; left out where ray is not installed."""

from pathlib import Path

import pytest
from tests.scale import corpora

from lexprint.scale.batch import run_folder
from lexprint.scale.jobs import Item, Job
from lexprint.scale.pools import LocalPool
from lexprint.scale.tasks import Embedding

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
pytest.importorskip("ray", reason="the extra ray is not installed")


@pytest.fixture(autouse=True)
def _known_to_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray's processes find the tests where this one does."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


def test_outputs_are_the_same_bytes(tmp_path: Path) -> None:
    """Two actors make what one process makes."""
    from lexprint.scale.ray_pool import RayPool

    corpus = corpora.write_corpus(tmp_path / "in")
    task = Embedding(bits=corpora.BITS)
    alone = run_folder(LocalPool(1), corpora.engine(), task, corpus, tmp_path / "alone")
    spread = run_folder(RayPool(2), corpora.engine(), task, corpus, tmp_path / "spread")
    assert alone == spread
    assert corpora.contents(tmp_path / "alone") == corpora.contents(tmp_path / "spread")


def test_a_killed_actor_loses_nothing(tmp_path: Path) -> None:
    """Ray starts another, which does the work again."""
    from lexprint.scale.ray_pool import RayPool

    jobs = [Job(str(number), (Item(str(number), f"text {number}"),)) for number in range(8)]
    (tmp_path / "once").mkdir()
    outcomes = list(RayPool(2).run(corpora.engine(), corpora.Deadly("3", tmp_path / "once", 1), jobs))
    made = {result.name: getattr(result, "content", None) for outcome in outcomes for result in outcome.results}
    assert made == {str(number): f"TEXT {number}" for number in range(8)}
    assert len(outcomes) == 8
