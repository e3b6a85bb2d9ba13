"""Which copy was sent to which address, each at most once; in the registry's own transactions, and in its audit log.

A delivery is begun before the message leaves and ended after the server took it. One that was begun and never ended, by a kill
or a lost connection, may have arrived or not: nobody sends it again unless they are told to.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from lexprint.registry.audit import time_text
from lexprint.registry.protocol import Registry
from lexprint.registry.statements import Statements

BEGUN, SENT = "begun", "sent"


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message with a copy."""

    document_id: str
    number: int  # of the copy
    address: str
    message_id: str
    state: str  # begun, or sent
    at: datetime

    @property
    def is_sent(self) -> bool:
        return self.state == SENT


def deliveries(registry: Registry, document_id: str) -> list[Delivery]:
    """Those of a document, by the number of the copy."""
    with registry.reading() as statements:
        rows = statements.rows("SELECT * FROM deliveries WHERE document_id = :id ORDER BY number", id=document_id)
    return [Delivery(**{**row, "at": datetime.fromisoformat(row["at"])}) for row in rows]


def begin_delivery(registry: Registry, document_id: str, number: int, *, address: str, message_id: str) -> None:
    """Say that a message is about to leave; also of one that was begun before and is sent once more."""
    with registry.writing() as statements:
        _take_back(statements, document_id, number)
        statements.change(
            "INSERT INTO deliveries (document_id, number, address, message_id, state, at) "
            "VALUES (:id, :number, :address, :message_id, :begun, :at)",
            id=document_id,
            number=number,
            address=address,
            message_id=message_id,
            begun=BEGUN,
            at=time_text(datetime.now(UTC)),
        )
        statements.log("delivery begun", _details(document_id, number, address, message_id))


def end_delivery(registry: Registry, document_id: str, number: int, *, address: str, message_id: str) -> None:
    """Say that the server took it."""
    with registry.writing() as statements:
        statements.change(
            "UPDATE deliveries SET state = :sent, at = :at WHERE document_id = :id AND number = :number",
            sent=SENT,
            at=time_text(datetime.now(UTC)),
            id=document_id,
            number=number,
        )
        statements.log("copy sent", _details(document_id, number, address, message_id))


def forget_delivery(registry: Registry, document_id: str, number: int) -> None:
    """Take back what was begun: the server refused the message, so it surely did not arrive."""
    with registry.writing() as statements:
        _take_back(statements, document_id, number)
        statements.log("delivery refused", {"document": document_id, "number": number})


def _take_back(statements: Statements, document_id: str, number: int) -> None:
    statements.change(
        "DELETE FROM deliveries WHERE document_id = :id AND number = :number AND state = :begun",
        id=document_id,
        number=number,
        begun=BEGUN,
    )


def _details(document_id: str, number: int, address: str, message_id: str) -> dict[str, object]:
    """The address as a digest: the log is never pruned, and holds no names."""
    digest = sha256(address.encode()).hexdigest()
    return {"document": document_id, "number": number, "address_sha256": digest, "message": message_id}
