"""Copies of many documents: what `lexprint issue` makes of each, by any number of workers."""

from pathlib import Path

import pytest
from tests.fakes import FakeEngine
from tests.scale.corpora import contents

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.engine import Engine
from lexprint.formats.source import open_source
from lexprint.registry.protocol import open_registry
from lexprint.scale.batch import Report
from lexprint.scale.issuing import issue_folder
from lexprint.scale.jobs import Item, Product
from lexprint.scale.pools import LocalPool
from lexprint.scale.tasks import Analysing
from lexprint.testing import fake_text
from lexprint.workflows.analysing import find_analysis
from lexprint.workflows.issuing import IssueOptions
from lexprint.workflows.tracing import trace

KEYS = Keyring((MasterKey.generate(),))


def run(tmp_path: Path, name: str, *, workers: int = 1, recipients: tuple[str, ...] = ("Ada", "Bo")) -> Report:
    with open_registry(str(tmp_path / f"{name}.db")) as registry:
        return issue_folder(
            LocalPool(workers),
            FakeEngine(),
            tmp_path / "in",
            tmp_path / name,
            recipients,
            keyring=KEYS,
            registry=registry,
            options=IssueOptions(),
        )


@pytest.fixture(autouse=True)
def _documents(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for number, name in enumerate(("memo.txt", "deep/memo.txt", "plan.md")):
        (tmp_path / "in" / name).write_text(fake_text(words=700, seed=number))
    (tmp_path / "in" / "short.txt").write_text("Too short.")


def test_sites_are_the_same_from_any_worker(tmp_path: Path) -> None:
    """So are files and numbers; each copy is traced to its recipient."""
    reports = [run(tmp_path, f"out{workers}", workers=workers) for workers in (1, 2)]
    assert set(contents(tmp_path / "out1")) == set(contents(tmp_path / "out2"))
    sites = []
    for name in ("out1", "out2"):
        with open_registry(str(tmp_path / f"{name}.db")) as registry:
            sites.append({one.name: registry.document(one.id).sites for one in registry.documents()})
    assert sites[0] == sites[1]
    assert reports[0] == reports[1]
    assert [failure.kind for failure in reports[0].failures] == ["TooFewSites"]
    leak = (tmp_path / "out1" / "deep" / "memo.txt" / "deep-memo-0002-Bo.txt").read_text()
    with open_registry(str(tmp_path / "out1.db")) as registry:
        report = trace(registry, leak)
    assert [copy.recipient for copy in report.accused] == ["Bo"]


def test_more_recipients_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run skips what is there, and new recipients cost no analysis."""
    run(tmp_path, "out")
    again = run(tmp_path, "out")
    assert (again.done, again.skipped, len(again.failures)) == (0, 3, 1)
    (tmp_path / "in" / "short.txt").unlink()
    monkeypatch.setattr(FakeEngine, "masked_lm", None)  # nobody may ask
    more = run(tmp_path, "out", recipients=("Ada", "Bo", "Cy"))
    assert (more.done, more.skipped, more.failures) == (3, 0, ())
    assert len(contents(tmp_path / "out")) == 3 * (3 + 1)


def test_what_was_analysed_before_is_not_analysed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what another verb has looked at nor what a batch has, though nothing of it was issued yet."""
    (tmp_path / "in" / "short.txt").unlink()
    text = (tmp_path / "in" / "memo.txt").read_text()
    asked: list[str] = []
    perform = Analysing.perform

    def counted(self: Analysing, engine: Engine, item: Item) -> Product:
        asked.append(item.name)
        return perform(self, engine, item)

    monkeypatch.setattr(Analysing, "perform", counted)
    with open_registry(str(tmp_path / "out.db")) as registry:
        find_analysis(registry, FakeEngine(), text)
    assert run(tmp_path, "out").done == 3
    assert sorted(asked) == ["deep/memo.txt", "plan.md"]
    with open_registry(str(tmp_path / "out.db")) as registry:
        monkeypatch.setattr(FakeEngine, "masked_lm", None)  # nobody may ask
        for name in ("deep/memo.txt", "plan.md"):
            source = open_source((tmp_path / "in" / name).read_bytes(), name=Path(name).name)
            assert find_analysis(registry, FakeEngine(), source.text, protected=source.protected).sites
