"""Timestamps as in RFC 3161: an authority that both sides trust signs that some bytes were there at a moment.

Only a digest of the bytes is sent. What comes back is kept as it came, so that `openssl ts -verify` reads it too.
"""

from __future__ import annotations

import http.client
import json
import urllib.request
from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from lexprint.errors import ExtraMissing, InputError, RegistryError, TimestampError
from lexprint.registry.records import AuditEntry

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

    from lexprint.registry.protocol import Registry

LOG_STAMPED = "log stamped"

TIMEOUT_SECONDS = 30.0
MOST_BYTES = 1 << 20  # of an answer; usual ones have some thousand


def request_timestamp(content: bytes, authority: str) -> bytes:
    """The answer of the authority at this URL; it speaks of just these bytes and of this request."""
    library = _library()
    request = library.TimestampRequestBuilder().data(content).build()
    answer = _post(authority, request.as_bytes())
    try:
        response = library.decode_timestamp_response(answer)
        is_granted = response.status == library.PKIStatus.GRANTED
        is_fitting = (
            is_granted
            and response.tst_info.nonce == request.nonce
            and response.tst_info.message_imprint.message == request.message_imprint.message
        )
    except ValueError as error:
        raise TimestampError(
            "the authority's answer is no timestamp", needed="the URL of an RFC 3161 service"
        ) from error
    if not is_fitting:
        found = "the timestamp does not match the request" if is_granted else "the authority refused"
        raise TimestampError(found, needed="another authority")
    return answer


def require_authority(url: str) -> None:
    """Refuse what cannot be the address of an authority, and a machine that could not read its answer."""
    _library()
    if urlsplit(url).scheme not in ("http", "https"):
        raise InputError(
            "the timestamp authority has no web address", needed="a URL that begins with https:// or http://"
        )


def claimed_time(timestamp: bytes) -> datetime:
    """When the authority says that it was, whoever the authority is."""
    try:
        return cast(datetime, _library().decode_timestamp_response(timestamp).tst_info.gen_time).astimezone(UTC)
    except ValueError as error:
        raise _broken() from error


def verified_time(timestamp: bytes, content: bytes, roots: Sequence[Certificate]) -> datetime:
    """When the bytes were there, by an authority that one of these certificates vouches for."""
    library = _library()
    verifier = library.VerifierBuilder()
    for root in roots:
        verifier = verifier.add_root_certificate(root)
    try:
        verifier.build().verify_message(library.decode_timestamp_response(timestamp), content)
    except (ValueError, library.VerificationError) as error:
        raise _broken() from error
    return claimed_time(timestamp)


def stamp_log(registry: Registry, authority: str) -> AuditEntry:
    """Have the authority confirm the last entry of the audit log, and with it all before; that is logged in turn."""
    entries = registry.audit()
    if not entries:
        raise RegistryError("the audit log is empty; run: lexprint issue, which begins it")
    last = entries[-1]
    timestamp = b64encode(request_timestamp(last.hash.encode(), authority)).decode()
    return registry.record_event(LOG_STAMPED, {"entry": last.sequence, "timestamp": timestamp})


def last_stamped(entries: Sequence[AuditEntry], roots: Sequence[Certificate]) -> tuple[int, datetime] | None:
    """The last entry that was stamped, and when it was there; every stamp is verified. None: there is no stamp.

    `entries` are the log from its beginning, and hold.
    """
    found = None
    for entry in entries:
        if entry.event == LOG_STAMPED:
            details = json.loads(entry.details)
            stamped = entries[details["entry"] - 1]
            found = stamped.sequence, verified_time(b64decode(details["timestamp"]), stamped.hash.encode(), roots)
    return found


def read_certificates(content: bytes, *, name: str) -> list[Certificate]:
    """Certificates of a PEM file."""
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return load_pem_x509_certificates(content)
    except ValueError as error:
        raise InputError(f"{name} holds no certificate", needed="the authority's certificates as PEM") from error


def _broken() -> TimestampError:
    return TimestampError(
        "the timestamp does not match this content or a trusted authority",
        needed="the original content, and the root certificate of the authority",
    )


def _post(authority: str, query: bytes) -> bytes:
    require_authority(authority)
    headers = {"Content-Type": "application/timestamp-query"}
    request = urllib.request.Request(authority, data=query, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            content: bytes = answer.read(MOST_BYTES + 1)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or type(error).__name__
        raise TimestampError(
            f"the timestamp authority did not answer ({reason})", needed="one that can be reached"
        ) from error
    if len(content) > MOST_BYTES:
        raise TimestampError("the authority's answer is far too long", needed="the URL of an RFC 3161 service")
    return content


def _library() -> Any:
    try:
        import rfc3161_client
    except ImportError as error:
        raise ExtraMissing("rfc3161-client", extra="timestamps") from error
    return rfc3161_client
