"""Files of tensors, written by hand and read back."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from lexprint.errors import ModelError
from lexprint_evaluation.tensor_files import read_gguf, read_safetensors


def test_safetensors(tmp_path: Path) -> None:
    """Tensors of floats come out as they went in; others are left alone."""
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    header = {
        "__metadata__": {"format": "pt"},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "matrix": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]},
    }
    head = json.dumps(header).encode()
    (tmp_path / "m").write_bytes(len(head).to_bytes(8, "little") + head + bytes(8) + matrix.tobytes())
    found = read_safetensors(tmp_path / "m")
    assert list(found) == ["matrix"]
    assert (found["matrix"] == matrix).all()


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(tensors: list[tuple[str, list[int], int, bytes]]) -> bytes:
    settings = [text("name") + struct.pack("<I", 8) + text("tiny"), text("count") + struct.pack("<II", 4, 7)]
    settings.append(text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b"))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(settings)) + b"".join(settings)
    body = b""
    for name, shape, kind, content in tensors:
        head += text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape) + struct.pack("<IQ", kind, len(body))
        body += content + bytes(-len(content) % 32)
    return head + bytes(-len(head) % 32) + body


def test_gguf_settings_and_tensors(tmp_path: Path) -> None:
    """Numbers in full, in eight and in four bits."""
    plain = np.arange(6, dtype=np.float32)
    eight = np.float16(0.5).tobytes() + np.arange(-16, 16, dtype=np.int8).tobytes()
    four = np.float16(2).tobytes() + np.float16(-1).tobytes() + bytes(low | (15 - low) << 4 for low in range(16))
    content = gguf([("plain", [3, 2], 0, plain.tobytes()), ("eight", [32], 8, eight), ("four", [32], 3, four)])
    (tmp_path / "m.gguf").write_bytes(content)
    model = read_gguf(tmp_path / "m.gguf")
    assert model.settings == {"name": "tiny", "count": 7, "tokens": ["a", "b"]}
    assert model.tensors["plain"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert model.tensors["eight"].tolist() == [number / 2 for number in range(-16, 16)]
    assert model.tensors["four"].tolist() == [
        *(2 * low - 1 for low in range(16)),
        *(2 * (15 - low) - 1 for low in range(16)),
    ]


@pytest.mark.parametrize("content", [b"", b"PK\3\4", gguf([("x", [32], 99, bytes(32))]), gguf([("x", [32], 0, b"")])])
def test_damaged_gguf(tmp_path: Path, content: bytes) -> None:
    """One sentence that names the file."""
    (tmp_path / "m.gguf").write_bytes(content)
    with pytest.raises(ModelError, match=r"m\.gguf is damaged"):
        read_gguf(tmp_path / "m.gguf")
