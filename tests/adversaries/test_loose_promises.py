"""Nobody is blamed by way of a looser bound that somebody registers beside the document."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.workflows.leaks import issue

from lexprint.registry.protocol import Registry, open_registry
from lexprint.registry.records import IssuedCopy
from lexprint.workflows.tracing import trace


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "registry.db")) as registry:
        yield registry


def test_a_decoy_loosens_nothing(registry: Registry) -> None:
    """The same text, registered again with a bound of one half, is traced with the stricter of the two."""
    issued = issue(registry)
    decoy = replace(issued.record, id="d" * 16, name="decoy", error_bound=0.5)
    copies = [
        IssuedCopy(decoy.id, one, f"Victim {one}", tuple(map(int, 1 - issued.codewords[one - 1])), f"decoy-{one}.txt")
        for one in range(1, 4)
    ]
    registry.add_document(decoy, copies)
    report = trace(registry, issued.copy(17))
    assert float(report.error_bound) == 1e-6
    assert [copy.recipient for copy in report.accused] == ["Recipient 17"]
    assert all("Victim" not in copy.recipient for copy in trace(registry, issued.record.text).accused)


def test_a_promise_is_sealed(registry: Registry) -> None:
    """Who changes it in the database is found out by the audit log."""
    issue(registry)
    assert registry.verify_audit() is None
    with registry.writing() as statements:
        statements.change("UPDATE documents SET error_bound = '0.5'")
    assert registry.verify_audit() is not None
