"""Tensors and settings out of the two files that published models come in: safetensors and GGUF."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from lexprint.errors import ModelError
from lexprint.models.protocols import Floats

Bytes = NDArray[np.uint8]

ALIGNMENT = 32  # bytes, where a GGUF file does not say otherwise
BLOCK = 32  # numbers that share a scale
_SCALARS = MappingProxyType({0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"})
_TEXT, _ARRAY = 8, 9


def read_safetensors(path: Path) -> dict[str, Floats]:
    """Its tensors of 32-bit floats, left on disk until they are needed."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    content = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + size)
    return {
        name: content[slice(*entry["data_offsets"])].view(np.float32).reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


@dataclass(frozen=True)
class GGUF:
    settings: Mapping[str, Any]
    tensors: Mapping[str, Floats]


def read_gguf(path: Path) -> GGUF:
    """All of a GGUF file, its tensors as 32-bit floats; only three ways of storing them are known."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ValueError
            _number(file, "I")  # the version: 2 and 3 differ in byte order only
            tensor_count, setting_count = _number(file, "Q"), _number(file, "Q")
            settings = {_text(file): _value(file, _number(file, "I")) for _ in range(setting_count)}
            entries = [_entry(file) for _ in range(tensor_count)]
            alignment = settings.get("general.alignment", ALIGNMENT)
            start = -(-file.tell() // alignment) * alignment
        content = np.memmap(path, dtype=np.uint8, mode="r", offset=start)
        tensors = {name: _tensor(content[offset:], shape, kind) for name, shape, kind, offset in entries}
    except (OSError, ValueError, KeyError, struct.error) as error:
        raise ModelError(f"{path.name} is damaged or stored in an unknown way; reinstall its package") from error
    return GGUF(settings, tensors)


def _number(file: BinaryIO, form: str) -> Any:
    return struct.unpack(f"<{form}", file.read(struct.calcsize(f"<{form}")))[0]


def _text(file: BinaryIO) -> str:
    return file.read(_number(file, "Q")).decode()


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind == _ARRAY:
        inner, count = _number(file, "I"), _number(file, "Q")
        return [_value(file, inner) for _ in range(count)]
    return _number(file, _SCALARS[kind])


def _entry(file: BinaryIO) -> tuple[str, tuple[int, ...], int, int]:
    """Name, shape, kind and offset of a tensor; GGUF counts the innermost dimension first."""
    name = _text(file)
    shape = [_number(file, "Q") for _ in range(_number(file, "I"))]
    return name, tuple(reversed(shape)), _number(file, "I"), _number(file, "Q")


def _tensor(content: Bytes, shape: tuple[int, ...], kind: int) -> Floats:
    unpack, block_bytes, block_numbers = _KINDS[kind]
    size = prod(shape) // block_numbers * block_bytes
    return unpack(content[:size].reshape(-1, block_bytes)).reshape(shape)


def _whole(blocks: Bytes) -> Floats:
    return np.ascontiguousarray(blocks).view(np.float32)


def _four_bits(blocks: Bytes) -> Floats:
    """Q4_1: scale, lowest value, then the lower halves of all bytes before the upper ones."""
    halves = np.concatenate([blocks[:, 4:] & 15, blocks[:, 4:] >> 4], axis=1)
    return halves * _half(blocks[:, 0:2]) + _half(blocks[:, 2:4])


def _eight_bits(blocks: Bytes) -> Floats:
    """Q8_0: scale, then signed bytes."""
    return np.ascontiguousarray(blocks[:, 2:]).view(np.int8) * _half(blocks[:, 0:2])


def _half(two_bytes: Bytes) -> Floats:
    return np.ascontiguousarray(two_bytes).view(np.float16).astype(np.float32)


# How numbers are stored: by what they are unpacked, bytes and numbers of a block.
_KINDS: Mapping[int, tuple[Callable[[Bytes], Floats], int, int]] = MappingProxyType(
    {0: (_whole, 4, 1), 3: (_four_bits, 4 + BLOCK // 2, BLOCK), 8: (_eight_bits, 2 + BLOCK, BLOCK)}
)
