"""Who tried to get in and could not: counted, and told to the log, where whoever watches it can see an attack."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable

from starlette.requests import Request

from lexprint.server.problems import Refusal

LOG_SECONDS = 1.0  # between two lines, however many fail
_TOKEN = re.compile(r"lxp_([0-9a-f]{12})_")
_LOG = logging.getLogger("lexprint.access")


class LoginFailed(Refusal):
    """Something was shown that opens nothing."""

    def __init__(self, detail: str, *, shown: str) -> None:
        super().__init__(401, detail, code="Unauthorized", headers={"WWW-Authenticate": 'Bearer realm="lexprint"'})
        known = _TOKEN.match(shown)
        self.token_id = known[1] if known else None  # may be told, unlike the rest


class FailedLogins:
    """How many, since this process began."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.count = 0
        self._clock = clock
        self._told_at, self._told = -LOG_SECONDS, 0

    def note(self, request: Request, failed: LoginFailed) -> None:
        """The address and what is public of the token; lines that would come too fast are summed up in the next."""
        self.count += 1
        now = self._clock()
        if now - self._told_at < LOG_SECONDS:
            return
        unsaid = self.count - self._told - 1
        self._told_at, self._told = now, self.count
        _LOG.warning(
            "login failed from %s with %s%s",
            request.client.host if request.client else "unknown",
            f"token {failed.token_id}" if failed.token_id else "what is no token",
            f"; {unsaid} more since the last line" if unsaid else "",
        )
