"""Where the parts of a message stand in its file, and which of them say the same; the email package tells neither.

Its reading of a message is the one that counts: a part is found here only if its bytes decode to what that package read.
"""

from __future__ import annotations

import re
from binascii import Error as BinasciiError, a2b_base64
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage, MIMEPart

from lexprint.formats.transfer_encodings import decode_body
from lexprint.text.span import Span

MOST_PARTS = 100

_HEADERS_END = re.compile(rb"(?:\A|\r?\n)\r?\n")
_SIGNATURES = ("DKIM-Signature", "ARC-Message-Signature", "DomainKey-Signature", "Content-MD5")
_SIGNED_TYPES = {"multipart/signed", "application/pgp-signature", "application/pkcs7-signature"}
_ENCRYPTED_TYPES = {"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"}
_ARMOUR = re.compile(rb"^-----BEGIN PGP (SIGNED )?MESSAGE-----", re.MULTILINE)


@dataclass(frozen=True)
class Leaf:
    """A part that holds something; `others` say the same in another form."""

    part: MIMEPart
    others: tuple[MIMEPart, ...] = ()
    is_inner: bool = False  # of a message within the message

    @property
    def is_body(self) -> bool:
        """Whether it is of what somebody wrote, and no file."""
        return is_body(self.part) and not self.is_inner


def is_body(part: MIMEPart) -> bool:
    is_text = part.get_content_type() in ("text/plain", "text/html")
    return is_text and part.get_filename() is None and part.get_content_disposition() != "attachment"


def leaves(message: EmailMessage) -> Iterator[Leaf]:
    """Parts in order, also those of forwarded messages; of alternatives, the first plain text that is not blank."""
    waiting = [Leaf(message)]
    seen = 0
    while waiting and seen < MOST_PARTS:
        leaf = waiting.pop(0)
        part = leaf.part
        seen += 1
        if part.get_content_type() == "multipart/alternative":
            waiting[:0] = _alternatives(list(part.iter_parts()), is_inner=leaf.is_inner)
        elif is_encoded_message(part):
            yield leaf
        elif part.is_multipart():
            is_inner = leaf.is_inner or part.get_content_maintype() == "message"
            waiting[:0] = [Leaf(one, is_inner=is_inner) for one in part.iter_parts()]
        else:
            yield leaf


def is_encoded_message(part: MIMEPart) -> bool:
    """Whether it is a message in base64, which is not allowed, and which some programs send all the same."""
    return part.get_content_maintype() == "message" and transfer_of(part) == "base64"


def content_of(part: MIMEPart) -> bytes:
    """What a part holds, decoded; also if it is a message that should not have been encoded."""
    if is_encoded_message(part):
        *_, inner = part.walk()
        encoded = inner.get_payload()
        try:
            return a2b_base64(str(encoded).encode("ascii", "ignore"))
        except BinasciiError:
            return b""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _alternatives(parts: list[MIMEPart], *, is_inner: bool) -> list[Leaf]:
    plain = [one for one in parts if one.get_content_type() == "text/plain" and _says_something(one)]
    chosen = plain[0] if plain else parts[-1] if parts else None
    if chosen is None:
        return []
    others = (one for part in parts if part is not chosen for one in part.walk())
    texts = tuple(one for one in others if one.get_content_maintype() in ("text", "message") and _says_something(one))
    return [Leaf(chosen, texts, is_inner)]


def _says_something(part: MIMEPart) -> bool:
    payload = part.get_payload(decode=True)  # None for a message
    return not isinstance(payload, bytes) or bool(payload.strip())


def sealed_by(message: EmailMessage, content: bytes) -> str | None:
    """How a message is sealed against changes, in a word for a message to its owner; None: not at all."""
    types = {part.get_content_type() for part in message.walk()}
    armour = _ARMOUR.search(content)
    if types & _ENCRYPTED_TYPES or (armour is not None and not armour[1]):
        return "encrypted mail"
    if types & _SIGNED_TYPES or armour is not None:
        return "signed mail"
    if any(name in message for name in _SIGNATURES):
        return "mail that a server has signed"
    return None


def body_spans(message: EmailMessage, content: bytes) -> dict[int, Span]:
    """Where the bodies of parts are, by the identity of the part; those that cannot be found for sure are left out."""
    found: dict[int, Span] = {}
    waiting: list[tuple[MIMEPart, Span]] = [(message, Span(0, len(content)))]
    while waiting:
        part, whole = waiting.pop()
        headers = _HEADERS_END.search(content, whole.start, whole.end)
        if headers is None:
            continue
        body = Span(headers.end(), whole.end)
        if part.get_content_maintype() == "multipart":
            inner = list(part.iter_parts())
            spans = _between_boundaries(content, body, str(part.get_boundary() or ""))
            if len(inner) == len(spans):
                waiting += zip(inner, spans, strict=True)
        elif not part.is_multipart():
            payload = part.get_payload(decode=True)
            if decode_body(content[body.start : body.end], transfer_of(part)) == payload:
                found[id(part)] = body
    return found


def transfer_of(part: MIMEPart) -> str:
    return str(part.get("Content-Transfer-Encoding", "")).strip().lower()


def _between_boundaries(content: bytes, body: Span, boundary: str) -> list[Span]:
    """Parts between lines that bear the boundary; the line end before such a line is not of the part."""
    if not boundary or not boundary.isascii():
        return []
    line = re.compile(rb"(?:\A|\r?\n)--%s(--)?[ \t]*(?:\r?\n|\Z)" % re.escape(boundary.encode()))
    spans: list[Span] = []
    start: int | None = None
    position = body.start
    # The line end of the headers may be the one before the first boundary, which is then at the beginning.
    if content.startswith(b"--" + boundary.encode(), body.start):
        position = max(0, body.start - 1)
    while (match := line.search(content, position, body.end)) is not None:
        if start is not None:
            spans.append(Span(start, max(start, match.start())))
        if match[1]:
            return spans
        start = match.end()
        position = max(match.end() - 1, position + 1)  # two boundaries may share a line end
    return [*spans, Span(start, body.end)] if start is not None else spans
