"""Messages with copies: the copy as an attachment, or as the message itself.

Nothing of a message tells copies apart but the words in it and the name of its file. Whom a message goes to is said by the
registry and the list alone: a mail that is the master may have been to others, who must not be given somebody's copy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from lexprint.errors import InputError
from lexprint.formats.encodings import decode_text
from lexprint.formats.html_text import read_html
from lexprint.formats.page_as_text import page_as_text
from lexprint.formats.recognition import recognise

CONTENT_TYPES = {
    "Word document": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "OpenDocument text": "application/vnd.oasis.opendocument.text",
    "HTML": "text/html",
    "Markdown": "text/markdown",
    "plain text": "text/plain",
}
# Whatever relays it: all is in seven bits, and headers of a mail that is attached stay as they are.
_POLICY = SMTP.clone(cte_type="7bit", refold_source="none")
_OF_THE_BODY = ("content-", "mime-version")  # how the headers of a mail begin that belong to its text


@dataclass(frozen=True)
class Letter:
    """What stands in every message, besides the copy."""

    sender: str
    subject: str
    text: str
    is_body: bool = False  # whether the copy is the body of the message, instead of an attachment


@dataclass(frozen=True)
class Enclosure:
    """The file of a copy, to whom it goes, and under which id."""

    name: str
    content: bytes = field(repr=False)
    address: str
    message_id: str


def message_with(enclosed: Enclosure, letter: Letter, *, at: datetime | None = None) -> EmailMessage:
    """Ready to be sent; dated when it is."""
    kind = recognise(enclosed.content, name=enclosed.name)
    message = _as_body(enclosed, kind) if letter.is_body else _attached(enclosed, kind, letter.text)
    try:
        message["From"], message["To"], message["Subject"] = letter.sender, enclosed.address, letter.subject
        recipients = message["To"].addresses
    except (ValueError, IndexError) as error:
        raise InputError("an address or the subject cannot stand in a message", needed="one line each") from error
    if len(recipients) != 1:
        raise InputError(
            "a copy would go to several addresses", needed="one for each recipient: whose copy would it be?"
        )
    message["Message-ID"] = enclosed.message_id
    if at is not None:
        message["Date"] = format_datetime(at)
    return message


def own_subject(content: bytes, *, name: str) -> str | None:
    """That of a mail, which no copy changes; None for other files."""
    if recognise(content, name=name) != "mail":
        return None
    return str(message_from_bytes(content, policy=_POLICY)["Subject"] or "").strip() or None


def _attached(enclosed: Enclosure, kind: str, text: str) -> EmailMessage:
    message = EmailMessage(policy=_POLICY)
    message.set_content(text)
    if kind == "mail":  # which base64 is not allowed for
        message.add_attachment(message_from_bytes(enclosed.content, policy=_POLICY), filename=enclosed.name)
        return message
    main, _, sub = CONTENT_TYPES.get(kind, "application/octet-stream").partition("/")
    message.add_attachment(enclosed.content, maintype=main, subtype=sub, filename=enclosed.name)
    return message


def _as_body(enclosed: Enclosure, kind: str) -> EmailMessage:
    if kind == "mail":
        return _without_its_way(message_from_bytes(enclosed.content, policy=_POLICY))
    message = EmailMessage(policy=_POLICY)
    if kind == "HTML":
        page = read_html(enclosed.content, name=enclosed.name).encoded.text
        message.set_content(page_as_text(page))
        message.add_alternative(page, subtype="html")
    elif kind in ("plain text", "Markdown"):
        message.set_content(decode_text(enclosed.content, name=enclosed.name).text)
    else:
        raise InputError(
            f"{enclosed.name} cannot be the body of a message", needed="plain text, HTML or mail, or an attachment"
        )
    return message


def _without_its_way(mail: EmailMessage) -> EmailMessage:
    """A mail without the headers that say from whom it came, who else has it, and how it went."""
    for name in {name for name in mail if not name.lower().startswith(_OF_THE_BODY)}:
        del mail[name]
    return mail
