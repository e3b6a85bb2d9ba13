"""`lexprint trace`: whose copy a leak was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console, keys
from lexprint.cli.files import (
    PIPE,
    READABLE,
    FileAnswer,
    OpenedFile,
    is_folder,
    open_file,
    print_each,
    require_writable,
)
from lexprint.cli.registry import REGISTRY, document_id
from lexprint.cli.report import print_report, require_report_name, write_case, write_report, write_signed
from lexprint.errors import InputError, SecretError

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring
    from lexprint.reports.report import Report


def trace(
    leak: str = typer.Argument(..., metavar="LEAK", help=f"{READABLE} A folder means every file in it."),
    registry: str = REGISTRY,
    document: str | None = typer.Option(
        None, "--document", metavar="DOCUMENT", help="Its id or name; else it is found by its wording."
    ),
    error_bound: float | None = typer.Option(
        None,
        "--error-bound",
        help="Maximum probability of naming an innocent copy, over all copies and all traces of the document; "
        "else what was promised when it was issued.",
    ),
    report: list[str] = typer.Option(
        [],
        "--report",
        metavar="FILE",
        help="Write the report: .html or .pdf to read, .json signed. May be given more than once.",
    ),
    case: str | None = typer.Option(
        None,
        "--case",
        metavar="FILE",
        help="Write leak, report, signature, public key and audit extract to one .zip, for lexprint report verify.",
    ),
    key: Path | None = keys.KEY,
    profile: str | None = typer.Option(
        None, "--profile", metavar="NAME", help="Settings with which blind copies were marked, such as dense."
    ),
    authority: str | None = typer.Option(
        None,
        "--authority",
        metavar="URL",
        envvar="LEXPRINT_AUTHORITY",
        help="RFC 3161 timestamp authority, to timestamp the signed report.",
    ),
    as_json: bool = typer.Option(False, "--json", help="Print the signed report as JSON instead."),
) -> None:
    """Find out which copy a leak was made from.

    Copies are named only within the error bound; the evidence is compared word by word, without a language model. Every
    trace is kept in the registry, signed if there is a key. Exit code 0 if a copy is named, 1 if none can be, or if no
    registered document is like the leak. For a folder, one line is printed for each file, and the exit code is the
    worst of them.
    """
    traced = partial(
        _traced,
        registry=registry,
        document=document,
        error_bound=error_bound,
        key=key,
        profile=profile,
        authority=authority,
    )
    if is_folder(leak):
        if report or case:
            option = "--report" if report else "--case"
            raise InputError(f"{option} is for one leak, and a folder was given", needed="lexprint report, for each")
        raise typer.Exit(print_each(leak, lambda name: _outcome(traced(open_file(name))), as_json=as_json))
    for target in report:
        require_report_name(target, option="--report")
        require_writable(target, leak)
    if case is not None:
        require_writable(case, leak, *report)
        require_signing(registry, key)
    with console.progress("tracing"):
        given = open_file(leak)
        made = traced(given)
    for target in report:
        write_report(made, target)
    if case is not None:
        write_case(made, given.content, case, leak_name=given.name, registry=registry, keyring=own_keys(registry, key))
    if as_json:
        write_signed(made, PIPE)
    else:
        print_report(made)
    console.say(_summary(made, [*report, *([case] if case else [])]))
    if not made.accused:
        raise typer.Exit(1)


def _traced(
    given: OpenedFile,
    *,
    registry: str,
    document: str | None,
    error_bound: float | None,
    key: Path | None,
    profile: str | None,
    authority: str | None,
) -> Report:
    from lexprint.formats.protocol import remarks_of
    from lexprint.registry.protocol import open_existing_registry
    from lexprint.settings import load_settings
    from lexprint.workflows.tracing import trace as trace_leak

    load_settings(profile=profile)  # refused before the work if it is unknown; the engine is made when it is needed
    keyring = own_keys(registry, key)
    with open_existing_registry(registry, keys=keyring) as opened:
        return trace_leak(
            opened,
            given.text,
            error_bound=error_bound,
            document_id=None if document is None else document_id(opened, document),
            leak_digest=given.digest,
            protected=given.protected,
            remarks=remarks_of(given.source),
            keys=keyring,
            engine=partial(console.build_engine, profile=profile),
            authority=authority,
        )


def require_signing(registry: str, key: Path | None) -> None:
    if own_keys(registry, key) is None:
        raise SecretError("there is no key to sign a case with", needed="--key FILE; run: lexprint key new")


def own_keys(registry: str, key: Path | None) -> Keyring | None:
    """Those that are named; of those at hand, only if copies of this registry were issued with one of them.

    Else a report would bear the signature of somebody who has nothing to do with it, only because they ran the command.
    """
    from lexprint.registry.protocol import open_existing_registry

    keyring = keys.keys_at_hand(key)
    if key is not None or keyring is None:
        return keyring
    with open_existing_registry(registry) as opened:
        issued_with = {document.key_id for document in opened.documents()}
    if issued_with and not issued_with & {one.id for one in keyring}:
        console.say(
            f"key {keyring.newest.id}, which is at hand, issued no copy of this registry and is not used; "
            f"to sign, use the owner's: --key FILE of key {' or '.join(sorted(issued_with))}"
        )
        return None
    return keyring


def _outcome(made: Report) -> FileAnswer:
    from lexprint.reports.signed_file import report_bytes
    from lexprint.reports.wording import headline

    named = "; ".join(f"copy {copy.number} is that of {console.printable(copy.recipient)}" for copy in made.accused)
    parts = (headline(made).rstrip("."), named, f"report {made.id}")
    value: dict[str, object] = json.loads(report_bytes(made))
    return FileAnswer("; ".join(filter(None, parts)), value, exit_code=0 if made.accused else 1)


def _summary(made: Report, targets: Sequence[str]) -> str:
    signed = "not signed: there is no key" if made.signature is None else f"signed with key {made.signature.key_id}"
    written = f", written to {' and '.join(targets)}" if targets else ""
    return f"report {made.id}, {signed}{written}; run: lexprint report show {made.id}"
