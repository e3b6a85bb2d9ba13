"""`lexprint extract`: bits, a message or a payload out of a document."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console
from lexprint.cli.files import READABLE, FileAnswer, is_folder, open_file, print_each, read_json_file
from lexprint.cli.keys import KEY, load_keys
from lexprint.errors import InputError

if TYPE_CHECKING:
    from lexprint.watermark.records import Record
    from lexprint.workflows import ExtractedBits, ExtractedPayload

LEAST_CHANCE = 1e-15  # nobody believes a smaller one: keys are lost and machines fail more often

PAYLOAD_BITS = typer.Option(None, "--payload-bits", help="The payload is a number of so many bits.")
FALSE_POSITIVE = typer.Option(1e-6, "--false-positive", help="Chance of finding a payload that was never written.")


def extract(
    source: str = typer.Argument(..., metavar="IN", help=f"{READABLE} A folder means every file in it."),
    message: bool = typer.Option(False, "--message", help="Print what the bits say as text."),
    payload: bool = typer.Option(False, "--payload", help="Look for a payload; implied by --key."),
    key: Path | None = KEY,
    payload_bits: int | None = PAYLOAD_BITS,
    false_positive: float = FALSE_POSITIVE,
    fingerprint: str | None = typer.Option(None, "--fingerprint", help="Expected fingerprint."),
    record: str | None = typer.Option(
        None, "--record", metavar="FILE", help="The record of the copy; its settings are used."
    ),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    gap: int | None = console.GAP,
    threads: int = console.THREADS,
    batch_size: int = console.BATCH_SIZE,
    as_json: bool = console.AS_JSON,
) -> None:
    """Read the bits of a document, or the payload that was written with your key.

    Any text yields bits: whether it was ever marked, they do not tell. A payload does: it is found with a stated
    chance of error, or nothing is. Exit code 1 if a message was asked for and the bits are no text, or no payload is found.
    For a folder, one line is printed for each file, and the exit code is the worst of them.
    """
    with console.getting_ready():
        from lexprint import workflows

        wants_payload = payload or key is not None or payload_bits is not None
        if wants_payload and message:
            raise InputError("a message and a payload were asked for", needed="one of the two")
        keyring = load_keys(key) if wants_payload else None
        marked_with = _marked_with(fingerprint, record)
        engine = console.build_engine(
            settings=settings,
            profile=profile,
            gap=gap,
            threads=threads,
            batch_size=batch_size,
            arguments=_settings_of(marked_with, is_chosen=bool(settings or profile)),
        )

    def read(name: str) -> _Answer:
        with console.progress("reading", engine) as on_progress:
            given = open_file(name)
            if keyring is None:
                found = workflows.extract(
                    engine, given.text, marked_with=marked_with, protected=given.protected, on_progress=on_progress
                )
                return _of_bits(found, marked_with, wants_message=message)
            read_payload = workflows.extract_payload(
                engine,
                given.text,
                keys=keyring,
                bits=payload_bits,
                marked_with=marked_with,
                protected=given.protected,
                false_positive=false_positive,
                on_progress=on_progress,
            )
        return _of_payload(read_payload, keys=len(keyring))

    if is_folder(source):
        raise typer.Exit(print_each(source, lambda name: _outcome(read(name)), as_json=as_json))
    answer = read(source)
    if as_json:
        console.print_json(answer.value)
    elif answer.said is not None:
        console.print_line(answer.said)
    for sentence in answer.sentences:
        console.say(sentence)
    if answer.said is None:
        raise typer.Exit(1)


@dataclass(frozen=True)
class _Answer:
    said: str | None  # None: no payload, or no text; an answer, not a failure, and the exit code says it to scripts
    sentences: tuple[str, ...]
    value: dict[str, object]


def _outcome(answer: _Answer) -> FileAnswer:
    if answer.said is None:
        return FileAnswer(answer.sentences[-1].removeprefix("lexprint: "), answer.value, exit_code=1)
    return FileAnswer(answer.said, answer.value)


def _of_bits(found: ExtractedBits, marked_with: Record | str | None, *, wants_message: bool) -> _Answer:
    from lexprint import workflows

    value, summary = workflows.as_json(found), _summary(found, marked_with)
    if not wants_message:
        return _Answer("".join(map(str, found.bits)), (summary,), value)
    if found.message is not None:
        return _Answer(found.message, (summary,), value)
    refusal = "lexprint: the bits are no text; needed: a text marked with --message, and what marked it"
    return _Answer(None, (summary, refusal), value)


def _of_payload(found: ExtractedPayload, *, keys: int) -> _Answer:
    from lexprint import workflows

    value = workflows.as_json(found)
    if (decoded := found.decoded) is not None:
        sentence = (
            f"payload of {console.counted(decoded.form.bits, 'bit')} found with key {decoded.key_id}: "
            f"{decoded.agreeing:,} of {decoded.readable:,} distinct sites agree, chance of error "
            f"{_at_most(decoded.chance_of_error)}; fingerprint {found.fingerprint}"
        )
        return _Answer(str(decoded.payload), (sentence,), value)
    sentence = (
        f"nothing found: {console.counted(found.readable, 'distinct site')} in {console.counted(found.words, 'word')}, "
        f"{console.counted(keys, 'key')} tried, chance of error at most {found.false_positive:.0e}; "
        f"fingerprint {found.fingerprint}"
    )
    return _Answer(None, (sentence,), value)


def _at_most(chance: float) -> str:
    return f"at most {chance:.0e}" if chance > LEAST_CHANCE else f"below {LEAST_CHANCE:.0e}"


def _marked_with(fingerprint: str | None, record: str | None) -> Record | str | None:
    if fingerprint is not None and record is not None:
        raise InputError("--fingerprint and --record were both given", needed="one of the two")
    return fingerprint if record is None else load_record(record)


def _settings_of(marked_with: Record | str | None, *, is_chosen: bool) -> dict[str, object]:
    """Those that marked the copy, as its record has them, unless the user names others."""
    from lexprint.workflows.fingerprints import flat_settings

    if marked_with is None or isinstance(marked_with, str) or is_chosen:
        return {}
    return flat_settings(marked_with.settings)


def load_record(name: str) -> Record:
    """The record in a file."""
    from lexprint.watermark.records import read_record

    return read_record(read_json_file(name), name=Path(name).name)


def _summary(found: ExtractedBits, marked_with: Record | str | None) -> str:
    parts = [f"{console.counted(len(found.sites), 'bit')} in {console.counted(found.words, 'word')}"]
    if found.sites:
        parts.append(f"least reliability {min(site.clearance for site in found.sites):.4f}")
    if marked_with is not None and not isinstance(marked_with, str):
        agreeing = sum(one == other for one, other in zip(marked_with.bits, found.bits, strict=False))
        parts.append(f"{agreeing} of the record's {len(marked_with.bits)} bits agree")
    return f"{', '.join(parts)}; fingerprint {found.fingerprint}"
