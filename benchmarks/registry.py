"""Issuing to many, and finding a leak's document among many.

    python -m benchmarks.registry [--documents 10000] [--recipients 1000] [--issued 10000] [--text FILE]

Once, real models analyse a text, which is then issued to a thousand: what the copies cost beside the analysis. All other sites
come from the fakes, so no model's time is in those figures. Every document ends with the same two paragraphs, as those of a
company do, so much of a leak's wording is common to all of them.
"""

from __future__ import annotations

import argparse
import hashlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np
from tests.fakes import FakeEngine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.engine import Engine
from lexprint.formats.source import open_source
from lexprint.registry.protocol import Registry, open_registry
from lexprint.registry.records import CopySite, DocumentRecord, IssuedCopy
from lexprint.testing import fake_text
from lexprint.text.editing import apply_edits
from lexprint.text.pairs import Pair
from lexprint.text.segmentation import segment
from lexprint.text.shingles import kept_shingles, shingles
from lexprint.workflows import Analysis
from lexprint.workflows.analysing import analyse_document
from lexprint.workflows.issuing import Master, copy_edits, issue
from lexprint.workflows.tracing import trace

ISSUED_WORDS = 2_000
COPIES = 1_000
STORED_WORDS = 500
PAGE = Path(__file__).with_name("paper.txt")
WORDS_PER_SITE = 6
LEAK_WORDS = 400
LEAKS = 20
REAL = 20  # documents that leaks are made of
COMMON = "\n\n".join(fake_text(words=120, seed=seed) for seed in (-1, -2))


def main(arguments: Sequence[str] | None = None) -> dict[str, float]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--recipients", type=int, default=1_000)
    parser.add_argument("--issued", type=int, default=10_000)
    parser.add_argument("--text", type=Path, default=PAGE, help="what real models analyse; a page by default")
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        figures = measure_cost(Path(folder), options.text)
        figures |= measure_issue(Path(folder), recipients=options.issued)
        return figures | measure_lookup(Path(folder), documents=options.documents, recipients=options.recipients)


def measure_cost(folder: Path, path: Path) -> dict[str, float]:
    """What issuing a thousand copies costs in all, beside the analysis alone; both in one run, with real models."""
    content = path.read_bytes()
    master = Master(open_source(content, name=path.name), "text", hashlib.sha256(content).hexdigest(), ".txt")
    engine = Engine()
    analyse_document(engine, "The models are read from disk once, whoever asks first.")
    start = time.perf_counter()
    analysis = analyse_document(engine, master.source.text)
    alone = time.perf_counter() - start
    with open_registry(str(folder / "cost.db")) as registry:
        start = time.perf_counter()
        issue(
            engine,
            master,
            [f"Recipient {number}" for number in range(COPIES)],
            keyring=Keyring((MasterKey.generate(),)),
            registry=registry,
            folder=folder / "cost",
            analysis=analysis,
        )
        copies = time.perf_counter() - start
    print(
        f"issue with real models: analysis of {analysis.words:,} words, {len(analysis.sites)} sites: {alone:.1f} s; "
        f"{COPIES:,} copies: {copies:.1f} s more, {(alone + copies) / alone:.2f} times the analysis in all"
    )
    return {"analysis_seconds": alone, "issue_1000_seconds": copies, "issue_per_analysis": (alone + copies) / alone}


def measure_issue(folder: Path, *, recipients: int) -> dict[str, float]:
    """Copies of one document, after its analysis: planned, recorded, written and marked as issued."""
    text = fake_text(words=ISSUED_WORDS, seed=1)
    content = text.encode()
    engine, keyring = FakeEngine(), Keyring((MasterKey.generate(),))
    master = Master(open_source(content, name="memo.txt"), "memo", hashlib.sha256(content).hexdigest(), ".txt")
    analysis: Analysis = analyse_document(engine, text)
    people = [f"Recipient {number}" for number in range(recipients)]
    with open_registry(str(folder / "issued.db")) as registry:
        start = time.perf_counter(), time.process_time()
        issue(
            engine,
            master,
            people,
            keyring=keyring,
            registry=registry,
            folder=folder / "copies",
            analysis=analysis,
        )
        seconds, processor = time.perf_counter() - start[0], time.process_time() - start[1]
        leak = (folder / "copies" / f"memo-{recipients:04}-Recipient-{recipients - 1}.txt").read_text()
        start = time.perf_counter(), time.process_time()
        report = trace(registry, leak)
        tracing = time.process_time() - start[1]
    assert [copy.recipient for copy in report.accused] == people[-1:]
    print(
        f"issue: {recipients:,} copies of {analysis.words:,} words, {len(analysis.sites)} sites: {seconds:.1f} s "
        f"({processor:.1f} s of processor time); tracing one of them {tracing:.2f} s"
    )
    return {"issue_seconds": seconds, "issue_cpu_seconds": processor, "issue_trace_cpu_seconds": tracing}


def measure_lookup(folder: Path, *, documents: int, recipients: int) -> dict[str, float]:
    """How long a leak takes to find its document, and to be traced, in a full registry."""
    path = folder / "full.db"
    real = min(REAL, documents)
    with open_registry(str(path)) as registry:
        start = time.perf_counter()
        for record, copies in (document(number, recipients) for number in range(real)):
            registry.add_document(record, copies)
            registry.mark_issued(record.id, [(copy.number, record.digest) for copy in copies], record.created_at)
        each = (time.perf_counter() - start) / real
    fill(path, documents - real, recipients)
    megabytes = sum(file.stat().st_size for file in folder.glob("full.db*")) / 1e6
    print(
        f"registry: {documents:,} documents, {recipients:,} recipients each: {megabytes:,.0f} MB; "
        f"{each:.2f} s to record one document and its copies"
    )
    with open_registry(str(path)) as registry:
        finding, tracing = leaks(registry, real, recipients)
    figures = {"registry_megabytes": megabytes, "registry_document_seconds": each}
    for name, times in (("find_document", finding), ("trace", tracing)):
        clock, processor = np.median(times, axis=0)
        slowest = max(one for one, _ in times)
        print(f"{name}: median {clock:.3f} s, slowest {slowest:.3f} s; {processor:.3f} s of processor time")
        figures |= {f"{name}_seconds": clock, f"{name}_slowest_seconds": slowest, f"{name}_cpu_seconds": processor}
    return figures


def fill(path: Path, documents: int, recipients: int) -> None:
    """Rows like those of the first document, written straight to the tables: by the registry it would take an hour.

    Other documents' shingles are any numbers, but for those of the common paragraphs.
    """
    random = np.random.default_rng(1)
    common = np.array(shingles(COMMON), dtype=np.int64)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;")
        (size,) = connection.execute("SELECT length(codeword) FROM copies LIMIT 1").fetchone()
        (first,) = connection.execute("SELECT max(serial) FROM documents").fetchone()
        for serial in range(first + 1, first + 1 + documents):
            identity = f"{serial:016x}"
            connection.execute(
                "INSERT INTO documents SELECT ?, ?, ?, text, digest, issuing, code, sites, biases, site_count, word_count, "
                "key_id, fingerprint, lower(hex(randomblob(32))), created_at FROM documents WHERE serial = ?",
                (serial, identity, f"Report {serial}", first),
            )
            own = random.integers(-(2**63), 2**63 - 1, size=STORED_WORDS - 3)
            rows = [(one, serial) for one in kept_shingles([*own.tolist(), *common.tolist()])]
            connection.executemany("INSERT OR IGNORE INTO shingles VALUES (?, ?)", rows)
            connection.execute(
                "INSERT INTO copies (document, number, recipient, salt, codeword, file_name, digest, issued_at) "
                "SELECT ?, number, recipient, randomblob(16), randomblob(?), file_name, lower(hex(randomblob(32))), issued_at "
                "FROM copies WHERE document = ?",
                (serial, size, first),
            )


Times: TypeAlias = list[tuple[float, float]]  # on the clock, and of processor time


def leaks(registry: Registry, documents: int, recipients: int) -> tuple[Times, Times]:
    """Times of excerpts that end with the common paragraphs; each must be found and traced."""
    random = Random(1)
    finding: Times = []
    tracing: Times = []
    for _ in range(LEAKS):
        number, copy = random.randrange(documents), random.randrange(recipients)
        record, copies = document(number, recipients)
        issued = apply_edits(record.text, copy_edits(record.sites, copies[copy].codeword))
        leak = " ".join(issued.removesuffix(COMMON).split(" ")[-LEAK_WORDS:]) + COMMON
        start = time.perf_counter(), time.process_time()
        found = registry.likely_documents(shingles(leak), limit=8)
        finding.append((time.perf_counter() - start[0], time.process_time() - start[1]))
        assert found[0].document_id == record.id
        start = time.perf_counter(), time.process_time()
        report = trace(registry, leak)
        tracing.append((time.perf_counter() - start[0], time.process_time() - start[1]))
        assert copies[copy].recipient in {one.recipient for one in report.accused}, "the copy was not found"
    return finding, tracing


def document(number: int, recipients: int) -> tuple[DocumentRecord, list[IssuedCopy]]:
    """A document and its copies, the same whenever it is asked for."""
    text = f"{fake_text(words=STORED_WORDS, seed=number)}\n\n{COMMON}"
    sites = tuple(made_sites(text))
    random = np.random.default_rng(number)
    words = [tuple(row) for row in random.integers(0, 2, size=(recipients, len(sites)), dtype=np.uint8).tolist()]
    digest = hashlib.sha256(text.encode()).hexdigest()
    record = DocumentRecord(
        id=digest[:16],
        name=f"Report {number}",
        text=text,
        digest=digest,
        issuing="registered",
        code="independent",
        sites=sites,
        biases=(0.5,) * len(sites),
        key_id="00000000",
        fingerprint="benchmark",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    copies = [
        IssuedCopy(record.id, index + 1, f"Recipient {index}", codeword, f"Report-{number}-{index + 1:04}.txt")
        for index, codeword in enumerate(words)
    ]
    return record, copies


def made_sites(text: str) -> Iterator[CopySite]:
    """Every few words a site, with a word that is not in any text for the other."""
    end = len(text) - len(COMMON)
    for index, word in enumerate(segment(text[:end]).words):
        if index % WORDS_PER_SITE == 0 and word.text.isalpha() and word.text.islower():
            yield CopySite(word.span, word.text, Pair.of(word.text, f"{word.text}x"), 0.97)


if __name__ == "__main__":
    main()
