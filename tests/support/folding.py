"""A table of cases is one test, whose rows are subtests: pytest takes longer for a test than a row.

Two thirds of what there would be to collect, set up and report are rows. Rows stay tests of their
own where a fixture is made anew for each, and in a run that selects tests: by `-k`, by `-m`, or by
the name of a row, such as ``test_it[row]``.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.support.costs import COSTLIEST_ROW, count_cpu_seconds

Row = tuple[str, dict[str, object]]
ROWS = pytest.StashKey[dict[str, Sequence[Row]]]()
"""The rows of each test that has some, by its name."""


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ROWS] = {}


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make the rows of a table one test, once pytest has read and named them."""
    calls = metafunc._calls
    if len(calls) < 2 or _selects(metafunc.config) or not _can_share_fixtures(metafunc):
        return
    metafunc.config.stash[ROWS][metafunc.definition.nodeid] = [
        (call.id, call.params) for call in calls
    ]
    metafunc._calls = [replace(calls[0], _idlist=())]


def _selects(config: pytest.Config) -> bool:
    option = config.option
    return bool(option.keyword or option.markexpr or any("[" in arg for arg in config.args))


def _can_share_fixtures(metafunc: pytest.Metafunc) -> bool:
    """Judge whether rows need nothing of their own: fixtures, marks, or examples of a law."""
    directness, fixtures = metafunc._params_directness, metafunc._arg2fixturedefs
    return (
        "indirect" not in directness.values()
        and not any(call.marks for call in metafunc._calls)
        and not hasattr(metafunc.function, "hypothesis")
        and all(
            name in fixtures and fixtures[name][-1].scope != "function"
            for name in metafunc.fixturenames
            if name not in directness
        )
    )


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run each row; a row that fails is reported by its name, and the rows after it still run."""
    rows = pyfuncitem.config.stash[ROWS].get(pyfuncitem.nodeid)
    if rows is None:
        return None
    skipped: list[BaseException] = []
    costs = [_run(pyfuncitem, row, skipped) for row in rows]
    pyfuncitem.stash[COSTLIEST_ROW] = max(costs)
    if skipped:
        raise skipped[0]
    return True


def _run(test: pytest.Function, row: Row, skipped: list[BaseException]) -> float:
    """Run one row, and return its CPU seconds."""
    name, columns = row
    arguments: dict[str, Any] = {arg: test.funcargs[arg] for arg in test._fixtureinfo.argnames}
    start = count_cpu_seconds()
    try:
        test.obj(**arguments | columns)
    except pytest.skip.Exception as skip:
        skipped.append(skip)
    except (Exception, pytest.fail.Exception) as problem:
        subtests: pytest.Subtests = test._request.getfixturevalue("subtests")
        with subtests.test(name):
            raise problem  # noqa: TRY201 - a subtest costs too much to have one for each row
    return count_cpu_seconds() - start
