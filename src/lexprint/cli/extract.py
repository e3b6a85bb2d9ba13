"""`lexprint extract`: bits, a message or a payload out of a text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console
from lexprint.cli.files import read_json_file, read_text_file
from lexprint.cli.keys import KEY, load_keys
from lexprint.errors import InputError

if TYPE_CHECKING:
    from lexprint.watermark.records import Record
    from lexprint.workflows import Extracted, ExtractedPayload

LEAST_CHANCE = 1e-15  # nobody believes a smaller one: keys are lost and machines fail more often

PAYLOAD_BITS = typer.Option(None, "--payload-bits", help="The payload is a number of so many bits.")
FALSE_POSITIVE = typer.Option(1e-6, "--false-positive", help="Chance of finding a payload that was never written.")


def extract(
    source: str = typer.Argument(..., metavar="IN", help="A text file, or - for standard input."),
    message: bool = typer.Option(False, "--message", help="Print what the bits say as text."),
    payload: bool = typer.Option(False, "--payload", help="Look for a payload; --key says so too."),
    key: Path | None = KEY,
    payload_bits: int | None = PAYLOAD_BITS,
    false_positive: float = FALSE_POSITIVE,
    fingerprint: str | None = typer.Option(None, "--fingerprint", help="That of the copy; refuse to read any other."),
    record: str | None = typer.Option(None, "--record", help="The record of the copy; names what marked it."),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    gap: int | None = console.GAP,
    threads: int = console.THREADS,
    batch_size: int = console.BATCH_SIZE,
    as_json: bool = console.AS_JSON,
) -> None:
    """Read the bits of a text, or the payload that was written with your key.

    Every text says something: whether it was ever marked, bits alone do not tell. A payload does: it is found with a stated
    chance of error, or nothing is. Exit code 1 if a message was asked for and the bits are no text, or no payload is found.
    """
    from lexprint import workflows

    wants_payload = payload or key is not None or payload_bits is not None
    if wants_payload and message:
        raise InputError("a message and a payload were asked for", needed="one of the two")
    keyring = load_keys(key) if wants_payload else None
    given = read_text_file(source)
    marked_with = _marked_with(fingerprint, record)
    engine = console.build_engine(settings=settings, profile=profile, gap=gap, threads=threads, batch_size=batch_size)
    if keyring is not None:
        with console.progress("reading") as on_progress:
            framed = workflows.extract_payload(
                engine,
                given.text,
                keys=keyring,
                bits=payload_bits,
                marked_with=marked_with,
                false_positive=false_positive,
                on_progress=on_progress,
            )
        _tell(framed, keys=len(keyring), as_json=as_json)
        return
    with console.progress("reading") as on_progress:
        found = workflows.extract(engine, given.text, marked_with=marked_with, on_progress=on_progress)
    if as_json:
        console.print_json(workflows.as_json(found))
    elif message and found.message is not None:
        console.print_line(found.message)
    elif not message:
        console.print_line("".join(map(str, found.bits)))
    console.say(_summary(found, marked_with))
    if message and found.message is None:
        console.say("lexprint: the bits are no text; needed: a text marked with --message, and what marked it")
        raise typer.Exit(1)


def _tell(found: ExtractedPayload, *, keys: int, as_json: bool) -> None:
    """That nothing is found is an answer, not a failure; the exit code says it to scripts."""
    from lexprint import workflows

    if as_json:
        console.print_json(workflows.as_json(found))
    elif found.payload is not None:
        console.print_line(str(found.payload))
    if (decoded := found.decoded) is not None:
        console.say(
            f"payload of {console.counted(decoded.form.bits, 'bit')} found with key {decoded.key_id}: "
            f"{decoded.agreeing:,} of {decoded.readable:,} distinct sites agree, chance of error "
            f"{_at_most(decoded.chance_of_error)}; fingerprint {found.fingerprint}"
        )
        return
    console.say(
        f"nothing found: {console.counted(found.readable, 'distinct site')} in {console.counted(found.words, 'word')}, "
        f"{console.counted(keys, 'key')} tried, chance of error at most {found.false_positive:.0e}; "
        f"fingerprint {found.fingerprint}"
    )
    raise typer.Exit(1)


def _at_most(chance: float) -> str:
    return f"at most {chance:.0e}" if chance > LEAST_CHANCE else f"below {LEAST_CHANCE:.0e}"


def _marked_with(fingerprint: str | None, record: str | None) -> Record | str | None:
    if fingerprint is not None and record is not None:
        raise InputError("--fingerprint and --record were both given", needed="one of the two")
    return fingerprint if record is None else load_record(record)


def load_record(name: str) -> Record:
    """The record in a file."""
    from lexprint.watermark.records import read_record

    return read_record(read_json_file(name), name=Path(name).name)


def _summary(found: Extracted, marked_with: Record | str | None) -> str:
    parts = [f"{console.counted(len(found.sites), 'bit')} in {console.counted(found.words, 'word')}"]
    if found.sites:
        parts.append(f"least reliability {min(site.clearance for site in found.sites):.4f}")
    if marked_with is not None and not isinstance(marked_with, str):
        agreeing = sum(one == other for one, other in zip(marked_with.bits, found.bits, strict=False))
        parts.append(f"{agreeing} of the record's {len(marked_with.bits)} bits agree")
    return f"{', '.join(parts)}; fingerprint {found.fingerprint}"
