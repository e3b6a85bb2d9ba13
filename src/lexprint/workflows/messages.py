"""A message as bits and back, without any protection: what the paper's plain sequence of bits may say."""

from __future__ import annotations

from collections.abc import Sequence

from lexprint.errors import InputError

END_OF_MESSAGE = "\0"  # written after a message where there is room: what follows it was never written


def message_bits(message: str) -> tuple[int, ...]:
    """Bits of the UTF-8 form, the highest bit of each byte first.

    >>> message_bits("H")
    (0, 1, 0, 0, 1, 0, 0, 0)
    """
    try:
        content = message.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError("the message cannot be written in UTF-8", needed="a message without stray bytes") from error
    return tuple(byte >> place & 1 for byte in content for place in range(7, -1, -1))


def message_of(bits: Sequence[int]) -> str | None:
    """Whole bytes up to the end of the message, as text; None if they are none."""
    octets = ("".join(map(str, bits[start : start + 8])) for start in range(0, len(bits) - 7, 8))
    content, _, _ = bytes(int(octet, 2) for octet in octets).partition(END_OF_MESSAGE.encode())
    try:
        return content.decode("utf-8") or None
    except UnicodeDecodeError:
        return None
