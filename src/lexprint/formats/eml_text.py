"""Mail: its text and its attachments, for leaks; it is only read.

What a message says twice, as plain text and as HTML, is read once. Attachments are read as files of their own; one that cannot
be read is left out, since the others may be enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage, MIMEPart
from email.policy import default
from functools import cached_property
from typing import ClassVar

from lexprint.errors import FormatError, LexprintError
from lexprint.formats.projection import whole_projection
from lexprint.formats.protocol import Source
from lexprint.text.editing import Edit
from lexprint.text.span import Span

MOST_PARTS = 100
HEADERS_READ = 16_384  # bytes in which the headers of a message begin

_HEADER = re.compile(rb"([A-Za-z][A-Za-z0-9-]{0,60}):")
_MACHINES = {b"message-id", b"mime-version", b"received", b"return-path", b"dkim-signature"}

ReadFile = Callable[[bytes, str], Source | None]  # by content and name


def is_mail(content: bytes) -> bool:
    """Whether a file begins with headers that mail programs write; people write "From:" and "To:" above memos too.

    >>> is_mail(b"From: ada@example.org\\nMessage-ID: <1@x>\\n\\nHello"), is_mail(b"From: Ada\\nTo: all\\n\\nHello")
    (True, False)
    """
    names = set()
    for line in content[:HEADERS_READ].removeprefix(b"\xef\xbb\xbf").splitlines():
        if not line.strip():
            break
        match = _HEADER.match(line)
        if match is not None:
            names.add(match.group(1).lower())
        elif not line.startswith((b" ", b"\t")):
            return False
    return b"from" in names and bool(names & _MACHINES)


@dataclass(frozen=True)
class MailText:
    """A message."""

    text: str = field(repr=False)
    name: str = field(repr=False)

    kind: ClassVar[str] = "mail"
    is_writable: ClassVar[bool] = False

    @cached_property
    def protected(self) -> tuple[Span, ...]:
        return whole_projection(self.text).protected

    def with_edits(self, edits: Sequence[Edit], *, stamp: str | None = None) -> bytes:
        raise FormatError(
            self.name,
            found="mail",
            needed="the text or the document in it, to mark that; lexprint send writes messages",
        )


def read_mail(content: bytes, *, name: str, read_file: ReadFile) -> MailText:
    """The text of all parts; `read_file` reads one that is a file of its own."""
    message = message_from_bytes(content, policy=default)
    texts = [text for part in _leaves(message) if (text := _text_of(part, read_file)).strip()]
    if not texts:
        raise FormatError(name, found="mail without a text", needed="a message with a text or a document in it")
    return MailText("\n\n".join(texts), name)


def _leaves(message: EmailMessage) -> Iterator[MIMEPart]:
    """Parts that hold something, also those of forwarded messages; of alternatives, the first that is text."""
    waiting: list[MIMEPart] = [message]
    seen = 0
    while waiting and seen < MOST_PARTS:
        part = waiting.pop(0)
        seen += 1
        if part.get_content_type() == "multipart/alternative":
            waiting[:0] = _first_alternative(list(part.iter_parts()))
        elif part.is_multipart():
            waiting[:0] = list(part.iter_parts())
        else:
            yield part


def _first_alternative(parts: list[MIMEPart]) -> list[MIMEPart]:
    plain = [one for one in parts if one.get_content_type() == "text/plain"]
    return plain[:1] or parts[-1:]


def _text_of(part: MIMEPart, read_file: ReadFile) -> str:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    if part.get_content_type() == "text/plain" and part.get_filename() is None:
        return _decoded(content, part.get_content_charset())
    is_page = part.get_content_type() == "text/html"
    try:
        found = read_file(content, part.get_filename() or ("part.html" if is_page else "part"))
    except LexprintError:
        return ""
    return "" if found is None else found.text


def _decoded(content: bytes, charset: str | None) -> str:
    try:
        return content.decode(charset or "utf-8", "replace")
    except LookupError:
        return content.decode("utf-8", "replace")
