"""Public keys in the forms that other programs read."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256, Hash
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, strategies as st

from lexprint.coding.public_keys import PublicKey, read_public_keys

secrets = st.binary(min_size=32, max_size=32)


@given(secrets)
def test_forms_are_those_of_others(secret: bytes) -> None:
    """PEM and fingerprint are what the library that everybody uses makes of the same key."""
    theirs = Ed25519PrivateKey.from_private_bytes(secret).public_key()
    ours = PublicKey(theirs.public_bytes_raw())
    assert ours.pem.encode() == theirs.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    digest = Hash(SHA256())
    digest.update(theirs.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
    assert ours.fingerprint == digest.finalize().hex()
    assert ours.fingerprint.startswith(ours.id)


@given(st.lists(secrets.map(PublicKey)))
def test_keys_are_read_back_in_order(keys: list[PublicKey]) -> None:
    """Whatever is written between them."""
    assert read_public_keys("of Ann:\n".join(key.pem for key in keys)) == tuple(keys)


@given(secrets, st.binary(), st.binary(min_size=1))
def test_only_the_signer_signs(secret: bytes, content: bytes, other: bytes) -> None:
    """And only this content."""
    private = Ed25519PrivateKey.from_private_bytes(secret)
    key = PublicKey(private.public_key().public_bytes_raw())
    assert key.is_signer_of(content, private.sign(content))
    assert not key.is_signer_of(content + other, private.sign(content))
    assert not key.is_signer_of(content, other)


def test_what_is_no_key_is_refused() -> None:
    """Of the wrong length, of another kind, or cut."""
    with pytest.raises(ValueError, match="32 bytes"):
        PublicKey(b"short")
    for der in (b"", bytes(44), bytes.fromhex("302a300506032b6570032100") + bytes(31)):
        encoded = base64.b64encode(der or b"x").decode()
        with pytest.raises(ValueError, match=r"Ed25519|bytes"):
            read_public_keys(f"-----BEGIN PUBLIC KEY-----\n{encoded}\n-----END PUBLIC KEY-----\n")
