"""Webhooks: who is told over HTTP that copies were issued or downloaded, or that a leak was traced.

What is told is taken from the audit log, entry by entry, and each webhook has a place in it: so nothing is lost when the service
is killed, and what the command line does is told as well. A message has ids and numbers only. That a leak was traced is told
without the verdict: who is named stays with those who may read reports.
"""

from __future__ import annotations

import hmac
import json
import secrets
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Literal, TypeAlias, get_args

from lexprint.coding.keys import Keyring
from lexprint.errors import InputError
from lexprint.registry.audit import COPIES_ISSUED, REPORT_SAVED, time_text
from lexprint.registry.protocol import Registry
from lexprint.server.problems import not_found

Event: TypeAlias = Literal["issued", "downloaded", "traced"]
EVENTS: tuple[Event, ...] = get_args(Event)
MOST_WEBHOOKS = 20
LONGEST_PAUSE_SECONDS = 3_600.0
GIVEN_UP_AFTER = timedelta(days=3)  # in which nobody took a message
LEASE_SECONDS = 60.0  # for one attempt
PURPOSE = "webhook"  # of the derived key

_EVENT_OF: Mapping[str, Event] = {
    COPIES_ISSUED: "issued",
    "copy downloaded": "downloaded",
    "archive downloaded": "downloaded",
    REPORT_SAVED: "traced",
}  # by what the audit log calls it


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where messages go."""

    id: str
    url: str
    events: tuple[Event, ...]
    key_id: str  # of the master key that its secret follows from
    cursor: int  # the last entry of the audit log that was told, or is older than the webhook
    attempts: int  # to send the next message
    due_at: datetime  # when the next attempt may be made
    created_at: datetime

    def secret(self, keyring: Keyring) -> bytes:
        """Known to whoever set the webhook, and to nobody who reads the database."""
        return keyring.find(self.key_id).derive(PURPOSE, document=self.id)


@dataclass(frozen=True, slots=True)
class Message:
    """What a webhook is to be told next."""

    webhook: Webhook
    sequence: int
    body: bytes

    def headers(self, keyring: Keyring, at: datetime) -> dict[str, str]:
        """As Standard Webhooks have it: the signature is of id, time and body, and the id is the same at each attempt."""
        name, moment = f"{self.webhook.id}-{self.sequence}", str(int(at.timestamp()))
        signed = b".".join((name.encode(), moment.encode(), self.body))
        signature = b64encode(hmac.digest(self.webhook.secret(keyring), signed, "sha256")).decode()
        return {
            "Content-Type": "application/json",
            "webhook-id": name,
            "webhook-timestamp": moment,
            "webhook-signature": f"v1,{signature}",
        }


def written_secret(secret: bytes) -> str:
    return f"whsec_{b64encode(secret).decode()}"


def add_webhook(registry: Registry, keyring: Keyring, url: str, *, events: Sequence[Event], token: str) -> Webhook:
    """From now on; the address must have been looked at."""
    now = datetime.now(UTC)
    webhook_id, key_id = secrets.token_hex(8), keyring.newest.id
    with registry.writing() as statements:
        (count,) = statements.rows("SELECT count(*) AS webhooks FROM webhooks")
        if count["webhooks"] >= MOST_WEBHOOKS:
            raise InputError(f"there are {MOST_WEBHOOKS} webhooks", needed="to end one first")
        log = {"webhook": webhook_id, "events": list(events), "url_sha256": sha256(url.encode()).hexdigest()}
        entry = statements.log("webhook set", log | {"token": token})
        statements.change(
            "INSERT INTO webhooks (id, url, events, key_id, cursor, attempts, due_at, created_at) "
            "VALUES (:id, :url, :events, :key_id, :cursor, 0, :now, :now)",
            id=webhook_id,
            url=url,
            events=" ".join(events),
            key_id=key_id,
            cursor=entry.sequence,
            now=time_text(now),
        )
    return Webhook(webhook_id, url, tuple(events), key_id, entry.sequence, 0, now, now)


def list_webhooks(registry: Registry) -> list[Webhook]:
    """Oldest first."""
    with registry.reading() as statements:
        return [_webhook(row) for row in statements.rows("SELECT * FROM webhooks ORDER BY serial")]


def end_webhook(registry: Registry, webhook_id: str, *, token: str) -> None:
    """What it was not told yet, it is not told."""
    with registry.writing() as statements:
        if not statements.change("DELETE FROM webhooks WHERE id = :id", id=webhook_id):
            raise not_found("webhook", webhook_id)
        statements.log("webhook ended", {"webhook": webhook_id, "token": token})


def claim_message(registry: Registry) -> Message | None:
    """The next message of a webhook whose turn it is; nobody else has it until the lease ends."""
    now = datetime.now(UTC)
    free = "due_at <= :now AND (leased_until IS NULL OR leased_until < :now)"
    with registry.reading() as statements:
        rows = statements.rows(f"SELECT * FROM webhooks WHERE {free} ORDER BY due_at", now=time_text(now))
    for webhook in map(_webhook, rows):
        message = _next_message(registry, webhook)
        if message is None:
            continue
        with registry.writing() as statements:
            if statements.change(
                f"UPDATE webhooks SET leased_until = :until WHERE id = :id AND cursor = :cursor AND {free}",
                id=webhook.id,
                cursor=webhook.cursor,
                now=time_text(now),
                until=time_text(now + timedelta(seconds=LEASE_SECONDS)),
            ):
                return message
    return None


def _next_message(registry: Registry, webhook: Webhook) -> Message | None:
    wanted = [name for name, event in _EVENT_OF.items() if event in webhook.events]
    names = {f"event{number}": name for number, name in enumerate(wanted)}
    listed = ", ".join(f":{name}" for name in names)
    with registry.reading() as statements:
        rows = statements.rows(
            f"SELECT sequence, at, event, details FROM audit WHERE sequence > :cursor AND event IN ({listed}) "
            "ORDER BY sequence LIMIT 1",
            cursor=webhook.cursor,
            **names,
        )
    return Message(webhook, rows[0]["sequence"], _body(rows[0])) if rows else None


def _body(entry: Mapping[str, Any]) -> bytes:
    """Chosen field by field: the log says more than others need to know."""
    event, details = _EVENT_OF[entry["event"]], json.loads(entry["details"])
    said: dict[str, Any] = {"event": event, "at": entry["at"], "document": details["document"]}
    if event == "traced":
        said["report"] = details["report"]
    elif "number" in details:
        said["numbers"] = [[details["number"], details["number"]]]
    else:
        said["numbers"] = details.get("numbers")  # none: all of them, as an archive
    return json.dumps(said).encode()


def mark_told(registry: Registry, message: Message) -> None:
    with registry.writing() as statements:
        statements.change(
            "UPDATE webhooks SET cursor = :sequence, attempts = 0, tried_since = NULL, leased_until = NULL, due_at = :now "
            "WHERE id = :id AND cursor < :sequence",
            id=message.webhook.id,
            sequence=message.sequence,
            now=time_text(datetime.now(UTC)),
        )


def mark_failed(registry: Registry, message: Message, *, pause_seconds: float) -> None:
    """To be tried again, each time after twice as long; given up after days, so that the next ones have their turn."""
    now = datetime.now(UTC)
    pause = min(LONGEST_PAUSE_SECONDS, pause_seconds * 2.0 ** min(message.webhook.attempts, 30))
    with registry.writing() as statements:
        statements.change(
            "UPDATE webhooks SET attempts = attempts + 1, tried_since = coalesce(tried_since, :now), leased_until = NULL, "
            "due_at = :due WHERE id = :id",
            id=message.webhook.id,
            now=time_text(now),
            due=time_text(now + timedelta(seconds=pause)),
        )
        if statements.change(
            "UPDATE webhooks SET cursor = :sequence, attempts = 0, tried_since = NULL WHERE id = :id AND tried_since < :then",
            id=message.webhook.id,
            sequence=message.sequence,
            then=time_text(now - GIVEN_UP_AFTER),
        ):
            statements.log("webhook message given up", {"webhook": message.webhook.id, "entry": message.sequence})


def _webhook(row: Mapping[str, Any]) -> Webhook:
    return Webhook(
        row["id"],
        row["url"],
        tuple(event for event in EVENTS if event in row["events"].split()),
        row["key_id"],
        row["cursor"],
        row["attempts"],
        datetime.fromisoformat(row["due_at"]),
        datetime.fromisoformat(row["created_at"]),
    )
