"""Bodies of mail as they travel: as they are, quoted-printable or base64 (RFC 2045, section 6).

An edit changes the bytes of its word and no others, but for base64, in which all that follows moves.
"""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from array import array
from collections.abc import Sequence

IDENTITY = ("", "7bit", "8bit", "binary")
LONGEST_LINE = 76  # of quoted-printable, by the standard

_QUOTED = re.compile(rb"=([0-9A-Fa-f]{2})|=(\r?\n)|([^=])", re.DOTALL)
_LINE = re.compile(rb"([^\r\n]*)(\r?\n|\r|\Z)")
_BASE64 = re.compile(rb"((?:[A-Za-z0-9+/=]+\r?\n)*[A-Za-z0-9+/=]*)([ \t\r\n]*)")

ByteEdit = tuple[int, int, bytes]  # start, end, replacement


def decode_body(body: bytes, transfer: str) -> bytes | None:
    """What the body says; None if it could not be written again as it is written."""
    if transfer in IDENTITY:
        return body
    if transfer == "quoted-printable":
        decoded, _ = _decode_quoted(body)
        return decoded if decoded == quopri.decodestring(body) else None
    if transfer == "base64":
        return _decode_base64(body)
    return None


def edit_body(body: bytes, transfer: str, edits: Sequence[ByteEdit]) -> bytes:
    """The body with edits at offsets of what it says; edits are sorted and apart."""
    if transfer in IDENTITY:
        return _applied(body, edits)
    if transfer == "quoted-printable":
        return _edit_quoted(body, edits)
    decoded = _decode_base64(body)
    assert decoded is not None, "such a body is never edited"
    return _encode_base64(_applied(decoded, edits), body)


def _applied(content: bytes, edits: Sequence[ByteEdit]) -> bytes:
    pieces, cursor = [], 0
    for start, end, replacement in edits:
        pieces += [content[cursor:start], replacement]
        cursor = end
    return b"".join([*pieces, content[cursor:]])


def _decode_quoted(body: bytes) -> tuple[bytes, array[int]]:
    """The bytes it stands for, and where each begins; lone = signs stand for nothing, as such a body is refused."""
    decoded, starts = bytearray(), array("q")
    for match in _QUOTED.finditer(body):
        if match[1]:
            decoded.append(int(match[1], 16))
        elif match[3]:
            decoded += match[3]
        else:
            continue  # a line that goes on in the next
        starts.append(match.start())
    return bytes(decoded), starts


def _edit_quoted(body: bytes, edits: Sequence[ByteEdit]) -> bytes:
    _, starts = _decode_quoted(body)
    raw_edits = []
    for start, end, replacement in edits:
        last = starts[end - 1]
        width = 3 if body[last : last + 1] == b"=" else 1
        raw_edits.append((starts[start], last + width, _quoted(replacement)))
    longest = max(LONGEST_LINE, *(len(match[1]) for match in _LINE.finditer(body)))
    newline = b"\r\n" if b"\r\n" in body else b"\n"
    return b"".join(
        _wrapped(match[1], longest, newline) + match[2] for match in _LINE.finditer(_applied(body, raw_edits))
    )


def _quoted(content: bytes) -> bytes:
    return b"".join(bytes([byte]) if 32 < byte < 127 and byte != 61 else b"=%02X" % byte for byte in content)


def _wrapped(line: bytes, longest: int, newline: bytes) -> bytes:
    """A line that has become too long goes on in the next."""
    pieces = []
    while len(line) > longest:
        cut = longest - 1
        cut -= next((back for back in (1, 2) if line[cut - back : cut - back + 1] == b"="), 0)
        pieces.append(line[:cut] + b"=" + newline)
        line = line[cut:]
    return b"".join(pieces) + line


def _decode_base64(body: bytes) -> bytes | None:
    match = _BASE64.fullmatch(body)
    if match is None:
        return None
    try:
        decoded = base64.b64decode(b"".join(match[1].split()), validate=True)
    except binascii.Error:
        return None
    return decoded if _encode_base64(decoded, body) == body else None


def _encode_base64(content: bytes, like: bytes) -> bytes:
    """In lines of the same length as another body's, with its line ends."""
    match = _BASE64.fullmatch(like)
    assert match is not None
    newline = b"\r\n" if b"\r\n" in like else b"\n"
    written = match[1].split()
    width = len(written[0]) if len(written) > 1 else max([LONGEST_LINE, *map(len, written)])
    encoded = base64.b64encode(content)
    lines = [encoded[start : start + width] for start in range(0, len(encoded), width)]
    ends_line = match[1].endswith(b"\n")
    return newline.join(lines) + (newline if ends_line else b"") + match[2]
