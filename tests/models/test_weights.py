"""Weights are what was published, or they are not used."""

import json
import shutil
from pathlib import Path

import pytest

from lexprint.errors import WeightsDamaged, WeightsMissing
from lexprint.models.weights import MANIFEST, SHIPPED, shipped_model

MEGABYTE = 1_000_000
ROLES = ("masked_lm", "entailment", "sentence_encoder")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The smallest model of the package, copied to where it may be damaged."""
    files = shipped_model("sentence_encoder")
    for name, _ in (*files.digests, (MANIFEST, "")):
        shutil.copyfile(SHIPPED / name, tmp_path / name)
    return tmp_path


def test_they_are_small_enough_to_ship() -> None:
    """No file exceeds 95 MB, and all together stay below 130 MB."""
    sizes = [path.stat().st_size for path in SHIPPED.iterdir()]
    assert max(sizes) <= 95 * MEGABYTE
    assert sum(sizes) <= 130 * MEGABYTE


@pytest.mark.parametrize("role", ROLES)
def test_every_file_is_as_published(role: str) -> None:
    """The manifest names every file of a model with its SHA-256."""
    files = shipped_model(role)
    named = {files.graph, files.tokenizer, *files.tensors}
    assert named == {name for name, _ in files.digests}
    for name, _ in files.digests:
        assert files.read(name)


def test_models_have_names_of_their_own() -> None:
    """A fingerprint tells one model from another."""
    assert len({shipped_model(role).fingerprint for role in ROLES}) == len(ROLES)


def test_a_changed_byte_is_noticed(copied: Path) -> None:
    """A damaged file is refused, by name, with what to do."""
    path = copied / "sentence_encoder.npz"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(WeightsDamaged, match=r"sentence_encoder\.npz .* pip install"):
        shipped_model("sentence_encoder", folder=copied).load_tensors()


def test_a_missing_file_is_named(copied: Path) -> None:
    """A file that is gone is named, with what to do."""
    (copied / "uncased.json").unlink()
    files = shipped_model("sentence_encoder", folder=copied)
    with pytest.raises(WeightsMissing, match=r"uncased\.json .* pip install"):
        files.read(files.tokenizer)


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"models": {}}', json.dumps({"models": {"masked_lm": {}}, "files": {}})]
)
def test_a_damaged_manifest_is_one_sentence(tmp_path: Path, content: str) -> None:
    """Whatever stands in the manifest's place, the answer is the same clear error."""
    (tmp_path / MANIFEST).write_text(content, encoding="utf-8")
    with pytest.raises(WeightsMissing, match=r"manifest\.json"):
        shipped_model("masked_lm", folder=tmp_path)
