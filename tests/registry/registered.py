"""Documents and copies to register; all of a document follows from its number, so that it can be checked."""

from datetime import UTC, datetime
from hashlib import sha256

from lexprint.coding.codewords import SALT_BYTES
from lexprint.registry.records import CopySite, DocumentRecord, IssuedCopy
from lexprint.testing import fake_text
from lexprint.text.pairs import Pair
from lexprint.text.span import Span

SITES = 20
NOON = datetime(2026, 3, 1, 12, 0, 0, 250, tzinfo=UTC)


def document_id(number: int) -> str:
    return f"{number:016x}"


def record(number: int = 1, *, name: str = "memo.docx", text: str | None = None, sites: int = SITES) -> DocumentRecord:
    return DocumentRecord(
        id=document_id(number),
        name=name,
        text=fake_text(words=60, seed=number) if text is None else text,
        digest=sha256(str(number).encode()).hexdigest(),
        issuing="registered",
        code="tardos",
        sites=tuple(
            CopySite(Span(9 * one, 9 * one + 3), "big", Pair("big", "large"), 0.9 + one / 1000) for one in range(sites)
        ),
        biases=tuple((one + 1) / (sites + 2) for one in range(sites)),
        key_id="0a1b2c3d",
        fingerprint="lexprint-1-abc",
        created_at=NOON,
    )


def copies(number: int, first: int, last: int, *, sites: int = SITES) -> list[IssuedCopy]:
    """Planned copies of a document, from the first to the last number."""
    return [
        IssuedCopy(
            document_id(number),
            one,
            f"Recipient {one}",
            codeword(number, one, sites=sites),
            f"memo-{one}.docx",
            salt=sha256(f"salt {number}/{one}".encode()).digest()[:SALT_BYTES],
        )
        for one in range(first, last + 1)
    ]


def codeword(number: int, copy: int, *, sites: int = SITES) -> tuple[int, ...]:
    digest = sha256(f"{number}/{copy}".encode()).digest()
    return tuple(digest[one // 8 % 32] >> one % 8 & 1 for one in range(sites))


def file_digest(number: int, copy: int) -> str:
    return sha256(f"file {number}/{copy}".encode()).hexdigest()
