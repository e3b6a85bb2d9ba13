"""What requests and answers about webhooks look like."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from lexprint.server.outgoing import LONGEST_URL
from lexprint.server.schemas import Request, Text
from lexprint.server.webhooks import EVENTS, Event

WebhookId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


class WebhookRequest(Request):
    url: Annotated[Text, StringConstraints(max_length=LONGEST_URL)] = Field(examples=["https://store.example/lexprint"])
    events: list[Event] = Field(default=list(EVENTS), min_length=1, max_length=len(EVENTS))


class WebhookInfo(BaseModel):
    id: str
    url: str
    events: list[Event]
    attempts: int = Field(description="To send the message that is next; 0: none failed.")
    due_at: datetime = Field(description="When the next attempt may be made.")
    created_at: datetime


class NewWebhook(WebhookInfo):
    secret: str = Field(description="What messages are signed with, as Standard Webhooks have it; shown this once.")
