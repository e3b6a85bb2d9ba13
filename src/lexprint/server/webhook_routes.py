"""Webhooks over HTTP, for administrators."""

from __future__ import annotations

from dataclasses import asdict

from lexprint.server.guarding import guarded_router
from lexprint.server.outgoing import Target
from lexprint.server.routes import TheCaller, TheService
from lexprint.server.verbs import Answer
from lexprint.server.webhook_schemas import NewWebhook, WebhookId, WebhookInfo, WebhookRequest
from lexprint.server.webhooks import add_webhook, end_webhook, list_webhooks, written_secret

administration = guarded_router("admin", keeps_answers=False)


@administration.get("/webhooks", response_model=list[WebhookInfo])
def show_webhooks(service: TheService) -> list[Answer]:
    """All of them, oldest first."""
    return [asdict(webhook) for webhook in list_webhooks(service.registry)]


@administration.post("/webhooks", response_model=NewWebhook, status_code=201)
def new_webhook(asked: WebhookRequest, service: TheService, caller: TheCaller) -> Answer:
    """Be told from now on, at a public address with TLS or at a host that the operator named; the secret is shown this once."""
    keyring = service.keys
    Target.of(asked.url, trusted_hosts=service.webhook_hosts)
    events = tuple(dict.fromkeys(asked.events))
    webhook = add_webhook(service.registry, keyring, asked.url, events=events, token=caller.id)
    return asdict(webhook) | {"secret": written_secret(webhook.secret(keyring))}


@administration.delete("/webhooks/{webhook_id}", status_code=204)
def remove_webhook(webhook_id: WebhookId, service: TheService, caller: TheCaller) -> None:
    """End a webhook."""
    end_webhook(service.registry, webhook_id, token=caller.id)
