"""How large a picture says it is, before anybody makes room for it: PNG, JPEG and TIFF."""

from __future__ import annotations

import struct
from collections.abc import Iterator

MOST_DIRECTORIES = 1_000  # pages of a TIFF file

_WIDTH, _LENGTH = 256, 257  # tags of TIFF 6.0, section 8
_SHORT = 3
_STANDALONE = frozenset({0x01, *range(0xD0, 0xD9)})  # markers of JPEG without a segment (ITU-T T.81, table B.1)
_END = 0xD9  # decoders stop there, whatever follows
_GREY = (b"\0", b"\4")  # colour types of PNG, the second with transparency
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # of those that begin a picture


def count_pixels(content: bytes) -> int | None:
    """Of the largest picture in a file; None if the file does not say."""
    try:
        if content.startswith(b"\x89PNG"):
            return int.from_bytes(content[16:20], "big") * int.from_bytes(content[20:24], "big") or None
        if content.startswith(b"\xff\xd8"):
            return _of_jpeg(content)
        if content.startswith((b"II*\0", b"MM\0*")):
            return _of_tiff(content)
    except struct.error:
        return None
    return None


def is_coloured(content: bytes) -> bool:
    """Whether a picture has more than shades of grey, or may have: it takes twice the memory."""
    try:
        if content.startswith(b"\x89PNG"):
            return content[25:26] not in _GREY
        if content.startswith(b"\xff\xd8"):
            return any(components > 1 for _, components in _frames(content))
    except struct.error:
        return False
    return content.startswith((b"II*\0", b"MM\0*"))


def _of_jpeg(content: bytes) -> int | None:
    return max((pixels for pixels, _ in _frames(content)), default=0) or None


def _frames(content: bytes) -> Iterator[tuple[int, int]]:
    """Pixels and components of every picture that is begun in a JPEG file."""
    position = 2
    while position + 4 <= len(content):
        if content[position] != 0xFF:
            position = content.find(b"\xff", position)  # data between segments, which decoders skip too
            if position < 0:
                break
            continue
        marker = content[position + 1]
        if marker == _END:
            break
        if marker in (0x00, 0xFF) or marker in _STANDALONE:
            position += 1 if marker == 0xFF else 2
            continue
        (length,) = struct.unpack_from(">H", content, position + 2)
        if marker in _FRAMES:
            height, width, components = struct.unpack_from(">HHB", content, position + 5)
            yield height * width, components
        position += 2 + length


def _of_tiff(content: bytes) -> int | None:
    order = "<" if content.startswith(b"II") else ">"
    (place,) = struct.unpack_from(f"{order}L", content, 4)
    largest = 0
    for _ in range(MOST_DIRECTORIES):
        if not place:
            return largest or None
        (entries,) = struct.unpack_from(f"{order}H", content, place)
        sides = {_WIDTH: 0, _LENGTH: 0}
        for index in range(entries):
            tag, kind, _, long = struct.unpack_from(f"{order}HHLL", content, place + 2 + 12 * index)
            if tag in sides:
                (short,) = struct.unpack_from(f"{order}H", content, place + 10 + 12 * index)
                sides[tag] = short if kind == _SHORT else long
        largest = max(largest, sides[_WIDTH] * sides[_LENGTH])
        (place,) = struct.unpack_from(f"{order}L", content, place + 2 + 12 * entries)
    return None  # goes round in circles
