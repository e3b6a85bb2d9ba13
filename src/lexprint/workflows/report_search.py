"""Reports of the registry by document, copy, date and status: what `lexprint report list` and the service list."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from lexprint.errors import BadSignature, ForeignSignature, ReportError
from lexprint.registry.protocol import Registry
from lexprint.registry.records import StoredReport
from lexprint.registry.reviews import Review, Status, reviews, status_of
from lexprint.reports.report import Report
from lexprint.reports.signed_file import read_report, require_signer


@dataclass(frozen=True, kw_only=True)
class ReportQuery:
    """What a report must be like to be listed; None: anything will do."""

    documents: Collection[str] | None = None  # ids
    copy: int | None = None  # that it names
    since: datetime | None = None  # when it was saved; without a zone, in UTC
    status: Status | None = None


@dataclass(frozen=True)
class ListedReport:
    """A report as it is stored, and what people made of it; `report` is None if it cannot be trusted or read."""

    stored: StoredReport
    said: tuple[Review, ...]
    report: Report | None
    trouble: str | None  # why there is none

    @property
    def status(self) -> Status:
        return status_of(self.said)

    @property
    def verdict(self) -> str:
        return self.report.verdict if self.report is not None else self.trouble or "unreadable"

    @property
    def accused(self) -> list[int]:
        """Numbers of the copies that it names; nobody is named by what others have signed."""
        return [] if self.report is None else [copy.number for copy in self.report.accused]


def find_reports(registry: Registry, query: ReportQuery) -> list[str]:
    """Ids of the reports that are like that, oldest first, but for the copies that they name: that takes reading them."""
    said = reviews(registry)
    since = query.since if query.since is None or query.since.tzinfo else query.since.replace(tzinfo=UTC)
    return [
        one.id
        for one in registry.reports()
        if (query.documents is None or one.document_id in query.documents)
        and (since is None or one.saved_at >= since)
        and (query.status is None or status_of(said.get(one.id, [])) == query.status)
    ]


def listed_reports(registry: Registry, ids: Collection[str], *, trusted: Collection[str]) -> list[ListedReport]:
    """Some reports, read; with trusted keys, only what one of them has signed, or nobody, counts."""
    said = reviews(registry)
    return [_listed(registry.report(one), tuple(said.get(one, ())), trusted) for one in ids]


def search_reports(registry: Registry, query: ReportQuery, *, trusted: Collection[str]) -> list[ListedReport]:
    """All reports that are like that, oldest first."""
    found = listed_reports(registry, find_reports(registry, query), trusted=trusted)
    return [one for one in found if query.copy is None or query.copy in one.accused]


def _listed(stored: StoredReport, said: tuple[Review, ...], trusted: Collection[str]) -> ListedReport:
    try:
        report = read_report(stored.text.encode(), name=f"report {stored.id}")
        if trusted and report.signature is not None:
            require_signer(report, trusted, name=f"report {stored.id}")
    except (BadSignature, ForeignSignature):
        return ListedReport(stored, said, None, "bad signature")
    except ReportError:
        return ListedReport(stored, said, None, "unreadable")
    return ListedReport(stored, said, report, None)
