"""Planned copies become files: whole, a group at a time, and recorded as issued once they are there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from lexprint import __version__
from lexprint.errors import RegistryError
from lexprint.registry.audit import COPIES_AGAIN, as_ranges
from lexprint.registry.protocol import Registry
from lexprint.registry.records import DocumentRecord, IssuedCopy
from lexprint.workflows.copy_files import digest_of_file, write_together
from lexprint.workflows.planning import Plan, foreign_file, manifest_name
from lexprint.workflows.results import IssuedDocument, as_json

GROUP = 64  # copies written and marked at once

OnCopies: TypeAlias = Callable[[int, int], None]  # copies done, copies in all


def write_copies(
    plan: Plan,
    contents: Iterator[bytes],
    registry: Registry,
    *,
    folder: Path,
    to_scratch: bool,
    warnings: tuple[str, ...],
    on_copies: OnCopies | None,
) -> IssuedDocument:
    """Those of the plan that are missing, with these contents."""
    done = len(plan.copies) - len(plan.missing)
    new = {copy.salt for copy in plan.unrecorded}  # recorded by this run
    for start in range(0, len(plan.missing), GROUP):
        group = plan.missing[start : start + GROUP]
        files = dict(zip((copy.file_name for copy in group), islice(contents, len(group)), strict=True))
        digests = [sha256(content).hexdigest() for content in files.values()]
        for copy, digest in zip(group, digests, strict=True):
            _require_same(copy, digest, folder)
        there = {copy.file_name for copy in group if digest_of_file(folder / copy.file_name) is not None}
        absent = {name: content for name, content in files.items() if name not in there}
        again = [copy.number for copy in group if copy.file_name in absent and copy.salt not in new]
        if again and not to_scratch:  # before they are: whoever ends the process in between is in the log all the same
            details = {"document": plan.record.id, "numbers": as_ranges(again), "count": len(again)}
            registry.record_event(COPIES_AGAIN, details)
        write_together(folder, absent)
        issued = [(copy.number, digest) for copy, digest in zip(group, digests, strict=True)]
        registry.mark_issued(plan.record.id, issued, datetime.now(UTC))
        done += len(group)
        if on_copies is not None:
            on_copies(done, len(plan.copies))
    copies = registry.copies(plan.record.id)
    wanted = {copy.number for copy in plan.copies}
    manifest = manifest_name(plan.record)
    here = [copy for copy in copies if copy.is_issued and (folder / copy.file_name).is_file()]
    _write_manifest(plan.record, here, folder, manifest)
    return IssuedDocument(
        document=plan.record,
        copies=tuple(copy for copy in copies if copy.number in wanted),
        written=len(plan.missing),
        compared=plan.compared,
        manifest=manifest,
        warnings=warnings,
    )


def _require_same(copy: IssuedCopy, digest: str, folder: Path) -> None:
    """A copy made again must be the copy that was sent, and nobody else's file may stand in its place."""
    if copy.digest not in (None, digest):
        raise RegistryError(
            f"copy {copy.number} cannot be made again as it was issued, SHA-256 {str(copy.digest)[:12]}; "
            "use the version of lexprint that issued it"
        )
    if digest_of_file(folder / copy.file_name) not in (None, digest):
        raise foreign_file(folder / copy.file_name)


def _write_manifest(record: DocumentRecord, copies: Sequence[IssuedCopy], folder: Path, name: str) -> None:
    """What is in the folder, the same bytes whenever that is the same."""
    listed = as_json(IssuedDocument(record, tuple(copies), written=0, compared=len(copies), manifest=name))
    listed.pop("warnings")  # of the moment, for whoever issues
    content = json.dumps({"lexprint": __version__, **listed}, ensure_ascii=False, indent=2) + "\n"
    write_together(folder, {name: content.encode()})
