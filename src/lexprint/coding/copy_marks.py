"""Marks of blind copies: at each site every copy says a fair coin of its own, known by the site's label.

A coin follows from the document's secret, the copy's salt and the label. So copies have nothing in common that colluders
could add up, and a copy of another document, of another registry or of a time that a backup has forgotten has other coins.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

PURPOSE = "marks of blind copies"  # of the key that is derived for a document


def mark_writer(secret: bytes, salt: bytes) -> Callable[[bytes], int]:
    """What a copy says at a site, by its label."""
    key = _key_of(secret, salt)
    return lambda label: _coin(key, label)


def marks(secret: bytes, salts: Sequence[bytes], labels: Sequence[bytes]) -> NDArray[np.uint8]:
    """What each copy says at each label: (copies, labels)."""
    rows = np.empty((len(salts), len(labels)), dtype=np.uint8)
    for row, salt in zip(rows, salts, strict=True):
        key = _key_of(secret, salt)
        row[:] = [_coin(key, label) for label in labels]
    return rows


def _key_of(secret: bytes, salt: bytes) -> bytes:
    if not secret:
        raise ValueError("marks need a secret")
    return hmac.digest(secret, salt, "sha256")


def _coin(key: bytes, label: bytes) -> int:
    return blake2b(label, key=key, digest_size=1).digest()[0] & 1
