"""What holds for all tests: the same examples every time, and `--no-skips`.

With `pytest --no-skips` a test that cannot run here is a failure, so that nobody believes it has run.
"""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# Machines differ in speed, never in result: no deadlines. Other examples are drawn by `make slow`, with the profile `random`.
LENIENT = [HealthCheck.too_slow]
settings.register_profile("lexprint", deadline=None, max_examples=60, suppress_health_check=LENIENT, derandomize=True)
settings.register_profile("random", deadline=None, max_examples=200, suppress_health_check=LENIENT, derandomize=False)
settings.load_profile("lexprint")

# Reasons that are accepted all the same: what no package index and no small machine has.
ACCEPTED = ("qemu", "LibreOffice", "the judges of the extra")
GARBAGE = 20_000  # new objects before the collector looks at them; with the usual 700 it takes a tenth of all the time


class Skips:
    """Collects what was skipped, and why."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._add(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._add(report)

    def _add(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        self.found.append((report.nodeid, reason.removeprefix("Skipped: ")))

    @property
    def refused(self) -> list[tuple[str, str]]:
        return [(test, reason) for test, reason in self.found if not any(one in reason for one in ACCEPTED)]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.refused and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self._lines():
            terminalreporter.write_line(line)

    def _lines(self) -> Iterator[str]:
        for test, reason in self.found:
            verb = "nobody runs" if any(one in reason for one in ACCEPTED) else "REFUSED, must run here:"
            yield f"{verb} {test}: {reason}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="fail if a test is skipped, but for accepted reasons")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what hypothesis draws examples for, so that `make slow` finds it."""
    for item in items:
        if getattr(getattr(item, "function", None), "is_hypothesis_test", False):
            item.add_marker("drawn")


def pytest_collection_finish() -> None:
    """Modules, tests and their examples stay to the end: the collector need not look at them again and again."""
    gc.set_threshold(GARBAGE)
    gc.enable()
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # hardly anything that is collected goes again
    if config.getoption("--no-skips"):
        config.pluginmanager.register(Skips(), "lexprint-no-skips")
