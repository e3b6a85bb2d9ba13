"""What requests and answers about what became of reports look like."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from lexprint.registry.reviews import LONGEST_NOTE, Status
from lexprint.server.schemas import Request, Text


class ReviewRequest(Request):
    """A status from now on, a note, or both."""

    status: Status | None = Field(default=None, description="If left out, it stays as it is.")
    note: Annotated[Text, StringConstraints(max_length=LONGEST_NOTE)] = ""


class ReviewInfo(BaseModel):
    number: int
    status: Status
    note: str
    at: datetime
