"""Tests are measured in CPU seconds, with those of processes that they wait for.

They say more than seconds, though on a busy machine they are up to twice as many.
"""

import os
from collections.abc import Generator

import pytest

from tests.support.profiles import is_weekly

MANY = 5.0
"""CPU seconds; a test that takes more says why in its docstring."""
MEASURED = pytest.StashKey[float]()
SILENT = "costly and silent"
MEND = (
    "make it cheaper, give it the marker 'weekly', or say in its docstring why it takes CPU seconds"
)


def count_cpu_seconds() -> float:
    """Return the CPU seconds of this process so far, and of its children that ended."""
    return sum(os.times()[:4])


def pytest_collection_finish(session: pytest.Session) -> None:
    session.config.stash[MEASURED] = count_cpu_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Have `--durations` list CPU seconds, and fail a silent test that takes four times `MANY`.

    Laws may take long once a week.
    """
    report = yield
    stash, now = item.config.stash, count_cpu_seconds()
    report.duration, stash[MEASURED] = now - stash[MEASURED], now
    docstring = getattr(getattr(item, "obj", None), "__doc__", None) or ""
    if (
        report.passed
        and report.when == "call"
        and report.duration > MANY
        and "CPU seconds" not in docstring
        and not is_weekly()
    ):
        report.user_properties.append((SILENT, True))
        if report.duration > 4 * MANY:
            report.outcome = "failed"
            report.longrepr = f"It took {report.duration:.1f} CPU seconds: {MEND}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the sum, which a change should not raise much, and who takes much and says nothing."""
    reports = [each for some in terminalreporter.stats.values() for each in some]
    reports = [each for each in reports if isinstance(each, pytest.TestReport)]
    total = sum(each.duration for each in reports)
    terminalreporter.line(f"Durations are CPU seconds: {total:.0f} in all, without collection")
    for report in reports:
        if (SILENT, True) in report.user_properties:
            terminalreporter.line(f"{report.nodeid} took {report.duration:.1f}: {MEND}")
