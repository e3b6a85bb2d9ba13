"""What routes that only the page needs answer."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, Field

from lexprint.server import schemas

Finding: TypeAlias = Literal["genuine", "foreign", "unsigned", "changed", "unreadable"]


class ChangedWord(BaseModel):
    """A word of a copy that is not the master's; the span is in the copy and counts code points."""

    span: tuple[int, int]
    word: str
    master: str


class CopyText(BaseModel):
    number: int
    recipient: str
    text: str
    changed: list[ChangedWord] = Field(description="Empty for a blind copy: nobody knows its words but the models.")


class Verification(BaseModel):
    """What is known of a report: `genuine` is one that a key of this service signed and nobody changed since."""

    finding: Finding
    detail: str
    signer: str | None = Field(description="Fingerprint of the key that signed it.")
    is_known: bool = Field(description="Whether this registry has the same report.")
    report: schemas.TraceAnswer | None
