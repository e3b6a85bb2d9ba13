"""Public keys: what verifies a signature, may be published, and gives a master key its id.

They are Ed25519, written as PEM, and known by the SHA-256 of their DER form, so that others can check all of it without us:
`openssl pkey -pubin -outform DER | sha256sum`.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

RAW_BYTES = 32
ID_DIGITS = 16
FINGERPRINT_DIGITS = 64

_DER_BEGINNING = bytes.fromhex("302a300506032b6570032100")  # RFC 8410, section 4: the rest is the key
_PEM = re.compile(r"-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]+?)\s+-----END PUBLIC KEY-----")


@dataclass(frozen=True)
class PublicKey:
    """As short as it gets: 32 bytes.

    >>> key = PublicKey(bytes(32))
    >>> key.id, len(key.fingerprint)
    ('722abd12e99a5367', 64)
    >>> read_public_keys(key.pem) == (key,)
    True
    """

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != RAW_BYTES:
            raise ValueError(f"a public key has {RAW_BYTES} bytes, not {len(self.raw)}")

    @property
    def fingerprint(self) -> str:
        """Hexadecimal digits that no other key has."""
        return sha256(_DER_BEGINNING + self.raw).hexdigest()

    @property
    def id(self) -> str:
        """The first of them: to tell keys apart by, not to trust one by."""
        return self.fingerprint[:ID_DIGITS]

    @property
    def pem(self) -> str:
        encoded = b64encode(_DER_BEGINNING + self.raw).decode()
        return f"-----BEGIN PUBLIC KEY-----\n{encoded}\n-----END PUBLIC KEY-----\n"

    def is_signer_of(self, content: bytes, signature: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, content)
        except InvalidSignature:
            return False
        return True


def read_public_keys(text: str) -> tuple[PublicKey, ...]:
    """Every key of a text in PEM, whatever stands between them; a damaged one is a ValueError."""
    return tuple(_read(match[1]) for match in _PEM.finditer(text))


def _read(encoded: str) -> PublicKey:
    der = b64decode("".join(encoded.split()), validate=True)
    if not der.startswith(_DER_BEGINNING):
        raise ValueError("not an Ed25519 key")
    return PublicKey(der[len(_DER_BEGINNING) :])
