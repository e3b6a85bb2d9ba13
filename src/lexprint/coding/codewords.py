"""What each copy says at each site: codewords from a document's secret and a copy's salt, the same on every machine.

A salt is drawn at random when its copy is planned and is stored with it, so no other registry, no restored backup and no
second run can give the same codeword to somebody else. Its symbols are what a recipient without the secret could only
guess, which makes the statistics of tracing exact.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from hashlib import shake_256
from typing import Literal

import numpy as np
from numpy.typing import NDArray

RESOLUTION = 2**16  # a bit is 1 if two keyed bytes, as a number, lie below its bias times this; so no bias is rounded
# t in Tardos 2003. His 1/(300 c) serves many colluders and long codes; against two to four and with hundreds of sites,
# a word that nearly all copies share tells too little: larger cutoffs catch more of them.
CUTOFF = 0.1
SALT_BYTES = 16  # two of a million million copies are the same with a chance of 1e-15

_COPIES_AT_ONCE = 4_096


def new_salt() -> bytes:
    """What makes a copy's codeword its own, wherever and whenever it is issued."""
    return secrets.token_bytes(SALT_BYTES)


def biases(secret: bytes, *, sites: int, code: Literal["independent", "tardos"]) -> NDArray[np.float64]:
    """How probable a 1 is at each site, in every copy's codeword; multiples of 1 / RESOLUTION.

    Independent: fair coins. Tardos: p = sin^2(r) with r uniform between t' and pi/2 - t', sin^2(t') = CUTOFF, which is
    the arcsine density without its ends (Tardos 2003, "Optimal probabilistic fingerprint codes"; Skoric, Katzenbeisser
    and Celik 2008, "Symmetric Tardos fingerprinting codes for arbitrary alphabet sizes").
    """
    if code == "independent":
        return np.full(sites, 0.5)
    drawn = np.frombuffer(_keyed_bytes(secret, b"biases", length=8 * sites), dtype="<u8")  # (sites,)
    uniform = (drawn >> np.uint64(11)).astype(np.float64) / 2**53
    least = np.arcsin(np.sqrt(CUTOFF))
    angles = least + uniform * (np.pi / 2 - 2 * least)
    rounded: NDArray[np.float64] = np.rint(np.sin(angles) ** 2 * RESOLUTION) / RESOLUTION
    return rounded


def codewords(
    secret: bytes, salts: Sequence[bytes], biases: NDArray[np.float64], *, choices: Sequence[int] = ()
) -> NDArray[np.uint8]:
    """The codeword of each copy by its salt, one row a copy: (copies, sites).

    Symbols are 0 or 1, a 1 as probable as its site's bias; where `choices` says that a site has more than two words, each
    symbol from 1 on is half as probable as the one before, and the last as probable as the one before it.
    """
    thresholds = np.asarray(biases, dtype=np.float64) * RESOLUTION
    if not np.array_equal(thresholds, np.rint(thresholds)) or np.any((thresholds < 0) | (thresholds > RESOLUTION)):
        raise ValueError(f"biases are probabilities in steps of 1/{RESOLUTION}")
    whole = thresholds.astype(np.uint32)
    most = np.asarray(choices or [2] * len(whole))
    rows = np.empty((len(salts), len(whole)), dtype=np.uint8)
    for start in range(0, len(salts), _COPIES_AT_ONCE):
        some = salts[start : start + _COPIES_AT_ONCE]
        keyed = b"".join(_keyed_bytes(secret, b"codeword" + salt, length=2 * len(whole)) for salt in some)
        drawn = np.frombuffer(keyed, dtype="<u2").reshape(len(some), len(whole))
        symbols = (drawn < whole).astype(np.uint8)
        for further in range(2, int(most.max(initial=2))):
            symbols += (drawn < whole >> (further - 1)) & (most > further)
        rows[start : start + len(some)] = symbols
    return rows


def _keyed_bytes(secret: bytes, purpose: bytes, *, length: int) -> bytes:
    """A sponge whose input begins with the secret is a pseudo-random function; a longer answer begins with the shorter."""
    if not secret:
        raise ValueError("codewords need a secret")
    return shake_256(b"lexprint codewords 1" + len(secret).to_bytes(2, "big") + secret + purpose).digest(length)
