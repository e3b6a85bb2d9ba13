"""From paper back to the copy: a page is issued, printed, scanned or photographed, read by Tesseract and traced.

    python -m benchmarks.paper --output docs/tables

One page of text (`paper.txt` beside this file) is issued to 300 recipients by the same workflows as `lexprint issue`, with
the shipped models and a registry in a temporary folder. Twenty of the copies leak in each of several ways; every leak is a
file, opened and traced as `lexprint trace` does. Everything is seeded. Written: `paper.md`, `paper.json` and `paper.png`.
Needs Tesseract.
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from benchmarks.imaging import as_file, drawn, photographed, scanned, typeset
from lexprint.coding.keys import Keyring, MasterKey
from lexprint.engine import Engine
from lexprint.formats.source import open_source
from lexprint.registry.protocol import Registry, open_registry
from lexprint.reports.report import Report
from lexprint.workflows.issuing import Master, issue
from lexprint.workflows.results import IssuedDocument
from lexprint.workflows.tracing import trace
from lexprint_evaluation.attacks import mistype
from lexprint_evaluation.tables import markdown_table

PAGE = Path(__file__).with_name("paper.txt")
RECIPIENTS = 300
LEAKS = 20
PHOTO_RESOLUTION = 220  # dots per inch of paper: an A4 page in the frame of a camera of six megapixels
WORDS_PER_TYPO = 50

Leak: TypeAlias = Callable[[str, int], bytes]  # of a copy's text, for its number
Outcome: TypeAlias = Literal["right", "wrong", "inconclusive"]


def scan(text: str, number: int, *, dots_per_inch: int) -> bytes:
    """Printed and scanned."""
    page = drawn(typeset(text), dots_per_inch=dots_per_inch)
    chooser = np.random.default_rng([dots_per_inch, number])
    return as_file(scanned(page, chooser, dots_per_inch=dots_per_inch), dots_per_inch=dots_per_inch)


def photo(text: str, number: int) -> bytes:
    """Printed and photographed."""
    page = drawn(typeset(text), dots_per_inch=PHOTO_RESOLUTION)
    return as_file(photographed(page, np.random.default_rng([PHOTO_RESOLUTION, number])))


def retyped(text: str, number: int) -> bytes:
    """By somebody who mistypes a word now and then, and keeps no line as it was."""
    return " ".join(mistype(text, Random(number), every=WORDS_PER_TYPO).split()).encode()


LEAKED: Mapping[str, tuple[str, Leak]] = MappingProxyType(
    {
        "scan, 300 dpi": ("leak.jpg", partial(scan, dots_per_inch=300)),
        "scan, 150 dpi": ("leak.jpg", partial(scan, dots_per_inch=150)),
        "photograph": ("leak.jpg", photo),
        f"retyped, a typo every {WORDS_PER_TYPO} words": ("leak.txt", retyped),
    }
)


@dataclass(frozen=True)
class Row:
    """What came of all leaks of one kind."""

    leak: str
    leaks: int
    right: int
    wrong: int
    inconclusive: int
    fewest_readable: int  # sites at which a leak showed one of the two words
    median_readable: int
    misread: int  # of all sites that were read in all leaks, those read as the word that the copy does not have
    edited_share: float  # median share of words that differ from the copy, besides marks
    largest_chance: float | None  # of error, among the right ones


@dataclass(frozen=True)
class Traced:
    """One leak and what was found."""

    outcome: Outcome
    readable: int
    misread: int
    edited_share: float
    chance: float | None


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="folder for paper.md, paper.json and paper.png")
    parser.add_argument("--leaks", type=int, default=LEAKS, help="of each kind")
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as folder, open_registry(str(Path(folder) / "registry.db")) as registry:
        issued = issue_page(registry, Path(folder) / "copies")
        print(
            f"{len(PAGE.read_text('utf-8').split())} words, {len(issued.document.sites)} sites, {len(issued.copies)} copies"
        )
        numbers = sorted(Random(1).sample(range(RECIPIENTS), options.leaks))
        rows = []
        for kind in LEAKED:
            traced = [trace_copy(registry, issued, Path(folder) / "copies", kind, number) for number in numbers]
            rows.append(row_of(kind, traced))
            print(as_line(rows[-1]), flush=True)
        if options.output is not None:
            text = (Path(folder) / "copies" / issued.copies[numbers[0]].file_name).read_text("utf-8")
            _write(options.output, issued, rows, picture(text, issued.copies[numbers[0]].number, rows))


def issue_page(registry: Registry, folder: Path) -> IssuedDocument:
    """The copies of all recipients, as files."""
    content = PAGE.read_bytes()
    key = MasterKey(bytes(range(32)), created_at=datetime(2026, 1, 1, tzinfo=UTC))  # fixed, so that figures are
    return issue(
        Engine(),
        Master(open_source(content, name=PAGE.name), PAGE.stem, sha256(content).hexdigest(), ".txt"),
        [f"Recipient {number}" for number in range(1, RECIPIENTS + 1)],
        keyring=Keyring((key,)),
        registry=registry,
        folder=folder,
    )


def trace_copy(registry: Registry, issued: IssuedDocument, folder: Path, kind: str, index: int) -> Traced:
    """Leak a copy and see whom tracing names."""
    copy = issued.copies[index]
    name, leak = LEAKED[kind]
    content = leak((folder / copy.file_name).read_text("utf-8"), copy.number)
    report = trace(registry, open_source(content, name=name).text, leak_digest=sha256(content).hexdigest())
    named = next((one for one in report.accused if one.number == copy.number), None)
    listed = sum(one.symbol not in (None, copy.codeword[one.site - 1]) for one in report.evidence)
    misread = listed if named is None else named.disagreements  # not every site is listed
    chance = float(report.accused[0].family_p_value) if report.accused else None
    return Traced(_outcome(report, copy.number), report.readable, misread, float(report.edited_share), chance)


def _outcome(report: Report, number: int) -> Outcome:
    if not report.accused:
        return "inconclusive"
    return "right" if [copy.number for copy in report.accused] == [number] else "wrong"


def row_of(kind: str, traced: Sequence[Traced]) -> Row:
    count = {outcome: sum(one.outcome == outcome for one in traced) for outcome in ("right", "wrong", "inconclusive")}
    return Row(
        leak=kind,
        leaks=len(traced),
        fewest_readable=min(one.readable for one in traced),
        median_readable=round(median(one.readable for one in traced)),
        misread=sum(one.misread for one in traced),
        edited_share=median(one.edited_share for one in traced),
        largest_chance=max((one.chance for one in traced if one.outcome == "right" and one.chance), default=None),
        **count,
    )


def as_line(row: Row) -> str:
    return (
        f"{row.leak}: {row.right} of {row.leaks} right, {row.wrong} wrong, {row.inconclusive} inconclusive; "
        f"{row.fewest_readable} to {row.median_readable} sites read (fewest, median), {row.misread} misread"
    )


def table(rows: Sequence[Row]) -> str:
    header = (
        *("leak", "right copy", "wrong", "inconclusive", "sites read: fewest", "median"),
        *("misread, all leaks", "words changed, median", "chance of error, worst"),
    )
    cells = [
        (
            *(row.leak, f"{row.right} of {row.leaks}", str(row.wrong), str(row.inconclusive)),
            *(str(row.fewest_readable), str(row.median_readable), str(row.misread), f"{row.edited_share:.1%}"),
            "-" if row.largest_chance is None else f"{row.largest_chance:.0e}",
        )
        for row in rows
    ]
    return markdown_table(header, cells)


def picture(text: str, number: int, rows: Sequence[Row]) -> bytes:
    """A few lines of one copy as printed, as scanned and as photographed, each with what came of such leaks."""
    page = drawn(typeset(text), dots_per_inch=150)
    taken = Image.open(io.BytesIO(photo(text, number)))
    smaller = taken.resize(
        (taken.width * 150 // PHOTO_RESOLUTION, taken.height * 150 // PHOTO_RESOLUTION), Image.Resampling.LANCZOS
    )
    shots = (
        (f"copy {number}, as printed", page, (130, 395)),
        ("scan, 150 dpi", Image.open(io.BytesIO(scan(text, number, dots_per_inch=150))), (130, 395)),
        ("photograph", smaller, (205, 462)),
    )
    found = {row.leak: row for row in rows}
    strips = []
    for label, image, (left, top) in shots:
        row = found.get(label)
        verdict = f": the right copy named in {row.right} of {row.leaks}" if row else ""
        strips.append((label + verdict, image.crop((left, top, left + 1000, top + 165))))
    sheet = Image.new("L", (1000, len(strips) * 205), 255)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(20)
    for index, (label, strip) in enumerate(strips):
        draw.text((4, 205 * index + 8), label, fill=0, font=font)
        sheet.paste(strip, (0, 205 * index + 38))
    target = io.BytesIO()
    sheet.quantize(16).save(target, "PNG", optimize=True)
    return target.getvalue()


def _write(folder: Path, issued: IssuedDocument, rows: Sequence[Row], shown: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "paper.md").write_text(table(rows), "utf-8")
    (folder / "paper.png").write_bytes(shown)
    content = {
        "words": len(PAGE.read_text("utf-8").split()),
        "sites": len(issued.document.sites),
        "recipients": len(issued.copies),
        "error_bound": 1e-6,
        "fingerprint": issued.document.fingerprint,
        "date": datetime.now(UTC).date().isoformat(),
        "command": "python -m benchmarks.paper --output docs/tables",
        "rows": [asdict(row) for row in rows],
    }
    (folder / "paper.json").write_text(json.dumps(content, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
