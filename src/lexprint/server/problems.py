"""What goes wrong, as HTTP says it: one status for each class of error, and a body as in RFC 9457.

Messages hold neither keys nor document text, and what a request said is never repeated: both end up in logs.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException

from lexprint import errors
from lexprint.errors import LexprintError
from lexprint.server.tokens import UnknownToken

MEDIA_TYPE = "application/problem+json"

STATUSES: Mapping[type[LexprintError], int] = {
    LexprintError: 422,
    errors.InputError: 422,
    errors.SettingsError: 422,
    errors.FormatError: 422,
    errors.CapacityError: 422,
    errors.ModelError: 503,
    errors.FingerprintMismatch: 409,
    errors.AnswersDiffer: 409,
    errors.ExtraMissing: 501,
    errors.SecretError: 503,
    errors.RegistryError: 503,
    errors.UnknownDocument: 404,
    UnknownToken: 404,
    errors.ReportError: 500,
    errors.TimestampError: 502,
}


class Refusal(HTTPException):
    """A request that the service itself refuses; `code` is for programs."""

    def __init__(self, status: int, detail: str, *, code: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.code = code


def not_found(what: str, name: str) -> Refusal:
    return Refusal(404, f"{what} {name} is not known, or is not yours", code="NotFound")


def busy(what: str, *, seconds: int) -> Refusal:
    return Refusal(429, f"{what}; try again in {seconds} s", code="Busy", headers={"Retry-After": str(seconds)})


def status_of(error: LexprintError) -> int:
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def problem_of(error: LexprintError) -> dict[str, object]:
    """The error's sentence, and its numbers apart."""
    numbers = {name: value for name, value in vars(error).items() if isinstance(value, int | float)}
    return problem(status_of(error), str(error), code=type(error).__name__) | numbers


def problem(status: int, detail: str, *, code: str) -> dict[str, object]:
    return {"title": HTTPStatus(status).phrase, "status": status, "detail": detail, "code": code}


def places(error: BaseException) -> str:
    """Where a bug came up, for the log: no message and no line of source, for either may quote text."""
    frames = traceback.extract_tb(error.__traceback__)
    return "\n".join(f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in frames)
