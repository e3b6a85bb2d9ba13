"""A page from paper back to its copy, with a small registry instead of the models."""

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from benchmarks.paper import PAGE, Row, retyped, scan, table
from tests.tracing.masters import SECRET, copy_of, make_record, salts

from lexprint.coding.codewords import codewords
from lexprint.formats.source import open_source
from lexprint.registry.protocol import Registry, open_registry
from lexprint.registry.records import CopySite, DocumentRecord, IssuedCopy
from lexprint.text.pairs import Pair
from lexprint.text.span import Span
from lexprint.workflows.tracing import trace

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="Tesseract is not installed")

# Words of the page, each with another that could stand there.
PAIRS = dict(
    pair.split("/")
    for pair in """
    discuss/consider long/lengthy difficult/tough nearly/almost everybody/everyone situation/scenario repaired/renovated
    large/big therefore/thus decided/determined begin/start mentioned/noted small/tiny makes/produces quickly/rapidly
    bigger/larger closer/nearer examine/investigate short/brief matter/issue anybody/anyone whole/entire hard/difficult
    estimate/calculate shows/indicates recover/regain trade/commerce fall/decline thinks/believes cautious/careful
    worried/concerned detailed/comprehensive live/reside villages/settlements try/attempt help/assist journey/travel
    soon/shortly important/significant discover/find believe/think useful/beneficial
    """.split()
)
COPIES = 12
ISSUED_AT = datetime(2026, 2, 3, 12, 0, tzinfo=UTC)


def page_record() -> DocumentRecord:
    """The page with a site at every word of the list, where it stands first."""
    text = PAGE.read_text("utf-8")
    spans = sorted(Span(*found.span()) for word in PAIRS if (found := re.search(rf"\b{word}\b", text)) is not None)
    sites = tuple(CopySite(span, span.of(text), Pair.of(span.of(text), PAIRS[span.of(text)]), 0.97) for span in spans)
    assert len(sites) == len(PAIRS)
    return replace(make_record(100, text=text), sites=sites, biases=(0.5,) * len(sites))


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    """With a dozen copies of the page."""
    record = page_record()
    rows = codewords(SECRET, salts(range(1, COPIES + 1)), np.array(record.biases)).tolist()
    copies = [
        IssuedCopy(record.id, number, f"Recipient {number}", tuple(row), f"page-{number}.txt")
        for number, row in enumerate(rows, start=1)
    ]
    with open_registry(str(tmp_path / "registry.db")) as opened:
        opened.add_document(record, copies)
        opened.mark_issued(record.id, [(copy.number, "ab" * 32) for copy in copies], ISSUED_AT)
        yield opened


def leaked_text(registry: Registry, number: int) -> str:
    record = page_record()
    (copy,) = registry.copies(record.id, numbers=[number])
    return copy_of(record, np.array(copy.codeword))


def test_the_documentation_has_the_measured_table() -> None:
    """What the benchmark wrote, word for word."""
    docs = PAGE.parent.parent / "docs"
    measured = json.loads((docs / "tables" / "paper.json").read_text("utf-8"))
    rows = [Row(**row) for row in measured["rows"]]
    assert table(rows) == (docs / "tables" / "paper.md").read_text("utf-8")
    assert table(rows) in (docs / "paper.md").read_text("utf-8")


@needs_tesseract
def test_a_scan_is_traced(registry: Registry) -> None:
    """Printed, scanned at 150 dpi with skew, blur and noise, read by Tesseract: the right copy is named."""
    content = scan(leaked_text(registry, 7), 7, dots_per_inch=150)
    report = trace(registry, open_source(content, name="leak.jpg").text)
    assert [copy.number for copy in report.accused] == [7]
    assert report.readable >= 0.8 * len(PAIRS)


def test_retyped_text_is_traced(registry: Registry) -> None:
    """A typing error now and then hides nobody."""
    for number in range(1, COPIES + 1):
        content = retyped(leaked_text(registry, number), number)
        assert content.decode() != " ".join(leaked_text(registry, number).split())
        report = trace(registry, open_source(content, name="leak.txt").text)
        assert [copy.number for copy in report.accused] == [number]
