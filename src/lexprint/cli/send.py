"""`lexprint send`: copies by mail, each to its recipient, once."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from lexprint.cli import console, keys
from lexprint.cli.files import read_json_file, read_text_file
from lexprint.cli.issue import say_warnings
from lexprint.cli.registry import REGISTRY
from lexprint.errors import FormatError, InputError

PASSWORD_VARIABLE = "LEXPRINT_SMTP_PASSWORD"
TEXT = "Please find the document attached."


def send(
    copies: Path = typer.Argument(..., metavar="COPIES", help="Folder that lexprint issue wrote."),
    to: str = typer.Option(..., "--to", metavar="FILE", help="The recipients with addresses: a CSV with a header."),
    sender: str = typer.Option(..., "--from", metavar="ADDRESS", help="Who sends them."),
    smtp: str | None = typer.Option(
        None, "--smtp", metavar="URL", help="smtp://USER@HOST:PORT, or smtps://; password in LEXPRINT_SMTP_PASSWORD."
    ),
    eml: Path | None = typer.Option(None, "--eml", metavar="FOLDER", help="Write the messages there, send nothing."),
    subject: str | None = typer.Option(
        None, "--subject", help="Of every message; else that of the mail with --body, or the name of the document."
    ),
    text: str | None = typer.Option(None, "--text", metavar="FILE", help="What the messages say."),
    body: bool = typer.Option(
        False, "--body", help="The copy is the message, not an attachment: plain text, HTML or mail."
    ),
    per_minute: float = typer.Option(60.0, "--per-minute", min=0.1, help="Messages a minute, at most."),
    again: bool = typer.Option(False, "--again", help="Send once more what may have arrived, but is not known to."),
    registry: str = REGISTRY,
    key: Path | None = keys.KEY,
) -> None:
    """Send every recipient their copy by mail, or write ready messages with --eml.

    Each is sent at most once, and recorded in the registry with its address. If it is interrupted, run the same command again:
    what was sent is not sent twice. Of a message that was under way at that moment nobody knows whether it arrived; it is named,
    and sent again only with --again, under the same Message-ID.
    """
    from lexprint.formats.hidden_contents import hidden_warnings
    from lexprint.registry.protocol import open_existing_registry
    from lexprint.workflows.copy_files import sole_writer, write_together
    from lexprint.workflows.letters import Letter, own_subject
    from lexprint.workflows.mailing import MailServer, parcels, send as send_copies, write_messages
    from lexprint.workflows.recipients import read_people

    if (smtp is None) == (eml is None):
        raise InputError("a mail server or a folder is needed, and one of the two", needed="--smtp URL or --eml FOLDER")
    if eml is not None and eml.resolve() == copies.resolve():
        raise InputError("messages would replace the copies", needed="another folder with --eml")
    document_id = _document_in(copies)
    people = read_people(read_text_file(to).text, name=Path(to).name)
    server = None if smtp is None else MailServer.of(smtp)
    with open_existing_registry(registry, keys=keys.keys_at_hand(key)) as opened:
        sending = parcels(opened, document_id, copies, {one.name: one.address for one in people})
        name = opened.document(document_id).name
        said = TEXT if text is None else read_text_file(text).text
        first = sending[0]
        own = own_subject(first.content, name=first.copy.file_name) if body else None
        letter = Letter(sender, subject or own or name, said, is_body=body)
        say_warnings(hidden_warnings(first.content))  # all carry the same
        if eml is not None:
            with sole_writer(eml):
                write_together(eml, write_messages(sending, letter))
            console.say(
                f"{console.counted(len(sending), 'message')} written to {eml}; nothing was sent or recorded as sent"
            )
            return
        assert server is not None
        with console.progress("sending") as on_progress, sole_writer(copies):  # one sender at a time
            unsent = send_copies(
                opened,
                sending,
                letter,
                server=server,
                password=os.environ.get(PASSWORD_VARIABLE),
                per_minute=per_minute,
                again=again,
                on_sent=on_progress.copies,
            )
    missing = len(unsent.doubtful) + len(unsent.refused)
    console.say(f"{len(sending) - missing:,} of {len(sending):,} copies sent")
    if unsent.doubtful:
        numbers = ", ".join(map(str, unsent.doubtful))
        console.say(f"not known whether they arrived: copies {numbers}; ask the recipients, or use --again")
    if unsent.refused:
        numbers = ", ".join(map(str, unsent.refused))
        console.say(f"refused by the mail server: copies {numbers}; mend their addresses if need be, and run it again")
    if unsent:
        raise typer.Exit(1)


def _document_in(folder: Path) -> str:
    """Of the manifest; who has a copy and what its file is, the registry says."""
    manifests = sorted(folder.glob("*-manifest.json")) if folder.is_dir() else []
    if len(manifests) != 1:
        raise FormatError(
            str(folder), found=f"a folder with {len(manifests)} manifests", needed="one that lexprint issue wrote"
        )
    value = read_json_file(str(manifests[0]))
    try:
        return str(value["document"]["id"])  # type: ignore[index] # whatever it is
    except (KeyError, TypeError) as error:
        raise FormatError(manifests[0].name, found="no manifest", needed="what lexprint issue wrote") from error
