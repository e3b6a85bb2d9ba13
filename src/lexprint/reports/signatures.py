"""The signature of a report: Ed25519 over canonical JSON, by a key whose id follows from the public key.

The bytes that are signed are canonical JSON as in RFC 8785: sorted keys, no white space, UTF-8.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from lexprint.coding.keys import MasterKey
from lexprint.coding.public_keys import PublicKey
from lexprint.errors import BadSignature


@dataclass(frozen=True, slots=True)
class Signature:
    """Of the content and the public key beside it; hexadecimal."""

    value: str
    public_key: str

    @property
    def signer(self) -> PublicKey:
        return PublicKey(bytes.fromhex(self.public_key))

    @property
    def key_id(self) -> str:
        """Which master key; never the key."""
        return self.signer.id


def signature_of(content: object, key: MasterKey) -> Signature:
    public_key = key.public_key.raw.hex()
    return Signature(key.sign(signed_bytes(content, public_key)).hex(), public_key)


def signature_json(signature: Signature | None) -> dict[str, object]:
    """As it stands beside the content; the id is for people."""
    return {
        "signature": signature and signature.value,
        "public_key": signature and signature.public_key,
        "key_id": signature and signature.key_id,
    }


def parsed_signature(value: dict[str, object]) -> tuple[Signature, str] | None:
    """What stands beside the content, and the id that is claimed there."""
    parts = [value[name] for name in signature_json(None)]
    if parts == [None, None, None]:
        return None
    signature, public_key, key_id = map(_lower_case, parts)
    return Signature(signature, public_key), key_id


def require_intact(content: object, signature: Signature, key_id: str, *, name: str) -> None:
    """Refuse what was changed after it was signed, or claims another key; who signed it is another question."""
    try:
        signed = signed_bytes(content, signature.public_key)
        is_intact = signature.key_id == key_id and signature.signer.is_signer_of(signed, bytes.fromhex(signature.value))
    except (ValueError, RecursionError) as error:  # no key, or content that cannot be written out
        raise BadSignature(name) from error
    if not is_intact:
        raise BadSignature(name)


def canonical_json(value: object) -> bytes:
    """RFC 8785 for what reports are made of: text, whole numbers, lists, and objects with ASCII keys."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def signed_bytes(content: object, public_key: str) -> bytes:
    """All of the file but the signature itself, so that nothing in it can be exchanged."""
    return canonical_json({"public_key": public_key, "report": content})


def _lower_case(value: object) -> str:
    """Digits as they were written: capitals could else be changed unnoticed."""
    if not isinstance(value, str) or value != value.lower():
        raise ValueError("not hexadecimal digits")
    return value
