"""How records are packed into columns: any text survives, and a hundred thousand codewords are read in one go."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence

import numpy as np

from lexprint.text.span import Span
from lexprint.tracing.records import Codewords, CopySite
from lexprint.watermark.sites import Pair


def pack_text(text: str) -> bytes:
    """PostgreSQL's own text has no NUL character, and neither database has lone surrogates."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpack_text(packed: bytes) -> str:
    return zlib.decompress(packed).decode("utf-8", "surrogatepass")


def pack_sites(sites: Sequence[CopySite]) -> bytes:
    rows = [[site.span.start, site.span.end, site.word, *site.pair, site.entailment] for site in sites]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode())


def unpack_sites(packed: bytes) -> tuple[CopySite, ...]:
    return tuple(
        CopySite(Span(start, end), word, Pair(first, second), entailment)
        for start, end, word, first, second, entailment in json.loads(zlib.decompress(packed))
    )


def pack_biases(biases: Sequence[float]) -> bytes:
    return np.array(biases, dtype="<f8").tobytes()


def unpack_biases(packed: bytes) -> tuple[float, ...]:
    return tuple(np.frombuffer(packed, dtype="<f8").tolist())


def pack_codeword(codeword: Sequence[int]) -> bytes:
    """Eight bits a byte; how many there are is the document's number of sites."""
    return np.packbits(np.frombuffer(bytes(codeword), dtype=np.uint8)).tobytes()


def unpack_codewords(packed: Sequence[bytes], *, sites: int) -> Codewords:
    bits = np.frombuffer(b"".join(packed), dtype=np.uint8).reshape(len(packed), -1 if packed else 0)
    return np.unpackbits(bits, axis=1, count=sites)
