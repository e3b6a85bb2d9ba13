"""Tells webhooks what they are to be told, one message at a time, in a thread of its own."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from lexprint.errors import InputError, RegistryError, SecretError
from lexprint.server.background import Background
from lexprint.server.outgoing import Target, Unreachable, post
from lexprint.server.service import Service
from lexprint.server.webhooks import Message, claim_message, mark_failed, mark_told

POLL_SECONDS = 1.0  # between two looks at the audit log
RETRY_SECONDS = 5.0  # after the database has failed
_LOG = logging.getLogger("lexprint.webhooks")


class WebhookSender(Background):
    """Asks the audit log what is to be told, again and again."""

    def __init__(self, service: Service) -> None:
        super().__init__("webhooks")
        self._registry, self._keyring = service.registry, service.keyring
        self._trusted_hosts = service.webhook_hosts
        self._pause_seconds = service.limits.webhook_pause_seconds

    def start(self) -> None:
        """Without a key there is nothing to sign with, hence nothing to say."""
        if self._keyring is not None:
            super().start()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                message = claim_message(self._registry)
                if message is None:
                    self._stopping.wait(POLL_SECONDS)
                else:
                    self._tell(message)
            except RegistryError as error:
                _LOG.error("webhooks wait, for the registry failed: %s", error)
                self._stopping.wait(RETRY_SECONDS)

    def _tell(self, message: Message) -> None:
        """The log has neither the address nor what was found there."""
        assert self._keyring is not None
        webhook = message.webhook
        try:
            target = Target.of(webhook.url, trusted_hosts=self._trusted_hosts)  # whose hosts may be others by now
            status = post(target, message.body, message.headers(self._keyring, datetime.now(UTC)))
        except (Unreachable, InputError, SecretError) as error:
            status = 0
            _LOG.warning("webhook %s was not reached (%s)", webhook.id, type(error).__name__)
        if 200 <= status < 300:
            mark_told(self._registry, message)
            return
        if status:
            _LOG.warning("webhook %s answered %d", webhook.id, status)
        mark_failed(self._registry, message, pause_seconds=self._pause_seconds)
