"""`lexprint embed`: bits, a message or a payload into a document."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console
from lexprint.cli.extract import FALSE_POSITIVE, PAYLOAD_BITS
from lexprint.cli.files import DOCUMENT, PIPE, OpenedFile, open_file, require_writable, write_bytes
from lexprint.cli.keys import KEY, load_keys
from lexprint.errors import InputError

if TYPE_CHECKING:
    from lexprint.coding.keys import MasterKey
    from lexprint.engine import Engine
    from lexprint.workflows import Embedded, EmbeddedPayload

MOST_DIGITS = 40  # of a number that is a payload; 128 bits have 39


def embed(
    source: str = typer.Argument(..., metavar="IN", help=DOCUMENT),
    target: str = typer.Argument(..., metavar="OUT", help="Where the marked copy goes, or - for standard output."),
    bits: str | None = typer.Option(None, "--bits", metavar="BITS", help="What to write, as zeros and ones."),
    message: str | None = typer.Option(None, "--message", help="What to write, as text; each byte takes eight bits."),
    payload: str | None = typer.Option(
        None, "--payload", help="What to write under your key, to every site: it survives cutting and editing."
    ),
    key: Path | None = KEY,
    payload_bits: int | None = PAYLOAD_BITS,
    false_positive: float = FALSE_POSITIVE,
    force: bool = console.FORCE,
    record: str | None = typer.Option(None, "--record", metavar="FILE", help="Where to keep the restoration record."),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    gap: int | None = console.GAP,
    threads: int = console.THREADS,
    batch_size: int = console.BATCH_SIZE,
    as_json: bool = typer.Option(False, "--json", help="Print the record on standard output."),
) -> None:
    """Write bits, a message or a payload into an English document, by swapping a few words.

    The marked copy is read back before it is written. Everything but the swapped words stays as it was; code, links and
    the like are left alone. Keep the record: with it the original can be restored exactly. A payload needs a key
    (`lexprint key new`) and is found again with that key alone, also in parts of the text.
    """
    with console.getting_ready():
        from lexprint.text.languages import require_english_only

        _require_one({"--bits": bits, "--message": message, "--payload": payload})
        if payload is None and (key is not None or payload_bits is not None):
            raise InputError("--key and --payload-bits are for payloads, none was given", needed="--payload")
        if [target, record, PIPE if as_json else None].count(PIPE) > 1:
            raise InputError("two things would go to standard output", needed="--record FILE, or a file for the text")
        require_writable(target, source)
        if record is not None:
            require_writable(record, source, target)
        keyring = None if payload is None else load_keys(key)
        given = open_file(source)
        given.require_writable(target)
        if not force:
            require_english_only(given.text)
        engine = console.build_engine(
            settings=settings, profile=profile, gap=gap, threads=threads, batch_size=batch_size
        )
    marked: Embedded | EmbeddedPayload
    if payload is not None and keyring is not None:
        value = payload if payload_bits is None else _parse_number(payload)
        marked = _with_payload(
            engine, given, value, key=keyring.newest, payload_bits=payload_bits, false_positive=false_positive
        )
    else:
        marked = _marked(engine, given, bits=bits, message=message)
    content = given.with_edits(marked.record.edits, target=target)
    _write(marked, content, target=target, record=record, mode=given.mode, as_json=as_json)


def _require_one(given: dict[str, str | None]) -> None:
    named = [name for name, value in given.items() if value is not None]
    if not named:
        raise InputError(f"neither {' nor '.join(given)} was given", needed="one of them")
    if len(named) > 1:
        raise InputError(f"{' and '.join(named)} were both given", needed="one of them")


def _marked(engine: Engine, given: OpenedFile, *, bits: str | None, message: str | None) -> Embedded:
    from lexprint import workflows

    with console.progress("marking", engine) as on_progress:
        if message is not None:
            return workflows.embed_message(
                engine, given.text, message, protected=given.protected, on_progress=on_progress
            )
        wanted = _parse_bits(bits or "")
        return workflows.embed(engine, given.text, wanted, protected=given.protected, on_progress=on_progress)


def _with_payload(
    engine: Engine,
    given: OpenedFile,
    payload: str | int,
    *,
    key: MasterKey,
    payload_bits: int | None,
    false_positive: float,
) -> EmbeddedPayload:
    from lexprint import workflows

    with console.progress("marking", engine) as on_progress:
        return workflows.embed_payload(
            engine,
            given.text,
            payload,
            key=key,
            bits=payload_bits,
            protected=given.protected,
            false_positive=false_positive,
            on_progress=on_progress,
        )


def _parse_number(given: str) -> int:
    if not (given.isascii() and given.isdigit() and len(given) <= MOST_DIGITS):
        raise InputError("--payload is no number, though --payload-bits was given", needed="a whole number")
    return int(given)


def _parse_bits(given: str) -> list[int]:
    if not given or set(given) - set("01"):
        found = "--bits holds other characters than 0 and 1" if given else "--bits is empty"
        raise InputError(found, needed="zeros and ones, such as 10110")
    return [int(bit) for bit in given]


def _write(
    marked: Embedded | EmbeddedPayload,
    content: bytes,
    *,
    target: str,
    record: str | None,
    mode: int | None,
    as_json: bool,
) -> None:
    """The record first: a marked text without its record could not be restored."""
    from lexprint.workflows import as_json as json_of

    value = json_of(marked)
    if record is not None:
        write_bytes(record, console.json_text(value).encode(), mode=mode)
    write_bytes(target, content, mode=mode)
    if as_json:
        console.print_json(value)
    console.say(_summary(marked))


def _summary(marked: Embedded | EmbeddedPayload) -> str:
    from lexprint.workflows import EmbeddedPayload

    kept = marked.record
    written = f"{console.counted(len(kept.bits), 'bit')} written"
    sites, words = len(kept.sites), console.counted(kept.words, "word")
    swapped = console.counted(len(kept.edits), "word")
    if isinstance(marked, EmbeddedPayload):
        found = marked.decoded
        bits = console.counted(found.form.bits, "bit")
        spare = f"{marked.spare:,} of {found.readable:,} distinct sites may be lost"
        written = f"payload of {bits} written with key {found.key_id} ({spare})"
    return f"{written} to {sites:,} sites of {words}, {swapped} swapped; fingerprint {kept.fingerprint}"
