"""What requests and answers about tokens and sessions look like."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints, model_validator

from lexprint.server.schemas import Name, Request
from lexprint.server.tokens import Scope, TokenKind


class TokenRequest(Request):
    name: Name
    scopes: list[Scope] = Field(min_length=1, max_length=4)
    recipient: Name | None = Field(default=None, description="Whose copies alone it opens; only with the scope copies.")
    days: int | None = Field(default=90, ge=1, le=3650, description="Until it expires; null: never.")


class SessionRequest(Request):
    """A token, or the code of a one-time link: one of the two."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    code: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None

    @model_validator(mode="after")
    def _one_of_the_two(self) -> SessionRequest:
        if (self.token is None) == (self.code is None):
            raise ValueError("needed: either token or code")
        return self


class SessionInfo(BaseModel):
    session: str = Field(description="The page's half, for the header X-Lexprint-Session.")
    name: str
    scopes: list[Scope]
    expires_at: datetime | None


class CallerInfo(BaseModel):
    id: str
    scopes: list[Scope]


class TokenInfo(BaseModel):
    id: str
    kind: TokenKind
    name: str
    scopes: list[Scope]
    recipient: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class NewToken(TokenInfo):
    token: str = Field(description="Shown this once.")
