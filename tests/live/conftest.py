"""Tests with the real programs are run where they are asked for: `pytest -m live`."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.live.agreement import Report
from tests.live.building import ENGINES_BY_NAME, program
from tests.live.cluster import Cluster, cluster
from tests.live.envoy_process import make_certificate

HERE = Path(__file__).parent
_FIGURES = "figures"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave them out, unless `-m` names them: they build and start servers."""
    if "live" in config.option.markexpr:
        return
    ours = [item for item in items if item.path.is_relative_to(HERE)]
    if ours:
        config.hook.pytest_deselected(items=ours)
        items[:] = [item for item in items if item not in ours]


@pytest.fixture
def report(record_property: Callable[[str, object], None]) -> Report:
    """Add to the figures of the run: what a worker prints is lost, and this is not."""
    return lambda figures: record_property(_FIGURES, str(figures))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which programs it was, and what could not run: nothing is left out in silence."""
    if "live" in terminalreporter.config.option.markexpr:
        terminalreporter.section(_FIGURES)
        for outcome in ("passed", "failed"):
            for each in terminalreporter.stats.get(outcome, ()):
                own = [str(value) for name, value in each.user_properties if name == _FIGURES]
                if own and each.when == "call":
                    terminalreporter.line("\n".join((f"{each.nodeid}:", *own)))
        for report in terminalreporter.stats.get("skipped", ()):
            terminalreporter.line(f"not run: {report.nodeid}: {report.longrepr[-1]}")
        terminalreporter.section("engines")
        for engine in ENGINES_BY_NAME.values():
            terminalreporter.line(f"{engine.name} {engine.version} ({engine.module})")


@pytest.fixture(scope="session")
def api_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster for all tests: they take objects of their own, or dry-run."""
    program("kubectl")
    with cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A certificate and its key, as a Secret has them."""
    folder = tmp_path_factory.mktemp("certificate")
    make_certificate(folder)
    crt, key = (base64.b64encode((folder / part).read_bytes()).decode() for part in ("crt", "key"))
    return crt, key
