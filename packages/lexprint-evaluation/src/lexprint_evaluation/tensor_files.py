"""Files of tensors as the judges' packages have them, read by gguf and safetensors (extra: judges); their only importer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lexprint.errors import ExtraMissing, ModelError
from lexprint.models.protocols import Floats

try:
    import gguf
    import safetensors
except ImportError as error:
    raise ExtraMissing("gguf", extra="judges", distribution="lexprint-evaluation") from error

HEADER = "GGUF."  # begins the names of what describes the file and not the model


def read_safetensors(path: Path) -> dict[str, Floats]:
    """Its tensors of 32-bit floats."""
    with safetensors.safe_open(path, framework="numpy") as file:
        names = [name for name in file.keys() if file.get_slice(name).get_dtype() == "F32"]  # noqa: SIM118 # no mapping
        return {name: file.get_tensor(name) for name in names}


@dataclass(frozen=True)
class GGUF:
    settings: Mapping[str, Any]
    tensors: Mapping[str, Floats]


def read_gguf(path: Path) -> GGUF:
    """All of a GGUF file, its tensors as 32-bit floats, however they are stored."""
    try:
        reader = gguf.GGUFReader(path)
        settings = {name: one.contents() for name, one in reader.fields.items() if not name.startswith(HEADER)}
        tensors = {one.name: gguf.dequantize(one.data, one.tensor_type) for one in reader.tensors}
    except (OSError, ValueError, LookupError, NotImplementedError) as error:
        raise ModelError(f"{path.name} is damaged or stored in an unknown way; reinstall its package") from error
    return GGUF(settings, tensors)
