"""What all routes share, for one process: engine, registry, keys, limits, threads; made once by `create_app`."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from functools import cached_property

from anyio import CapacityLimiter

from lexprint.coding.keys import Keyring
from lexprint.engine import Engine, Role
from lexprint.errors import SecretError
from lexprint.formats.child import ReadingLimits, default_limits
from lexprint.registry.protocol import Registry
from lexprint.server.access import Access
from lexprint.server.job_store import count_by_state
from lexprint.server.limits import Bench, Limits, RateLimiter
from lexprint.server.logins import FailedLogins
from lexprint.server.metrics import JobCounts, Metrics
from lexprint.server.model_loader import ModelLoader
from lexprint.workflows.strictness import PROFILES, Strictness, as_strict

DESK_THREADS, DESK_WAITING = 2, 64  # reading files, tracing: no models
RECORD_THREADS = (
    8  # short looks into the registry; each more is one more that the event loop shares the interpreter with
)

LOOKUP_THREADS = 4  # tokens
LOADING: dict[Role, str] = {
    "masked_lm": "loading the models, the first of two",
    "entailment": "loading the models, the second of two",
    "sentence_encoder": "loading the models",
}


@dataclass(frozen=True, kw_only=True)
class Service:
    """Models answer one request at a time; tracing and reading files have threads of their own."""

    engine: Engine
    registry: Registry
    keyring: Keyring | None
    access: Access
    limits: Limits
    authority: str | None = None  # URL of a timestamp authority, for reports
    webhook_hosts: tuple[str, ...] = ()  # that may be told things though they are not public
    metrics: Metrics = field(default_factory=Metrics)
    failed_logins: FailedLogins = field(default_factory=FailedLogins)
    stopping: threading.Event = field(default_factory=threading.Event)
    new_job: threading.Event = field(default_factory=threading.Event)  # wakes whoever works on jobs
    strict_engines: dict[str, Engine] = field(default_factory=dict)  # that of jobs, with other thresholds

    @cached_property
    def loader(self) -> ModelLoader:
        return ModelLoader(self.engine)

    @cached_property
    def models(self) -> Bench:
        return Bench("the models", threads=1, waiting=self.limits.waiting)

    @cached_property
    def desk(self) -> Bench:
        return Bench("the desk", threads=DESK_THREADS, waiting=DESK_WAITING)

    @cached_property
    def lookups(self) -> CapacityLimiter:
        """So that whoever watches gets in while all other threads wait for the registry."""
        return CapacityLimiter(LOOKUP_THREADS)

    @cached_property
    def reading(self) -> ReadingLimits:
        """What it may take to read a file: no more than a request may."""
        usual = default_limits()
        return replace(usual, most_seconds=min(usual.most_seconds, self.limits.seconds))

    @cached_property
    def rates(self) -> RateLimiter:
        return RateLimiter(self.limits.requests_per_minute)

    @cached_property
    def job_counts(self) -> JobCounts:
        return JobCounts(lambda: count_by_state(self.registry))

    @cached_property
    def engine_of_jobs(self) -> Engine:
        """For a second thread."""
        return self.engine.with_settings(self.engine.settings)

    def engine_as_strict(self, strictness: Strictness | None) -> Engine:
        """The engine of jobs, with another threshold on the share of readers; without a wish, as it is."""
        if strictness is None:
            return self.engine_of_jobs
        profile = PROFILES[strictness]
        if profile not in self.strict_engines:
            self.strict_engines[profile] = as_strict(self.engine_of_jobs, strictness)
        return self.strict_engines[profile]

    @property
    def keys(self) -> Keyring:
        """For what cannot be done without."""
        if self.keyring is None:
            raise SecretError("the service was started without a key", needed="lexprint serve --key FILE")
        return self.keyring

    def require_keys(self) -> None:
        """What is written without them would be noticed as a forgery."""
        _ = self.keys

    def expect_marking(self) -> None:
        """Somebody has opened the page: the models are loaded while a document is chosen."""
        self.loader.begin()

    def loading(self) -> str | None:
        """What is said of a job that waits for them."""
        role = self.engine.loading
        return None if role is None else LOADING[role]

    def close(self) -> None:
        self.stopping.set()
        self.models.close()
        self.desk.close()
