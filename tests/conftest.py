"""What many tests need: data of upstream projects, and programs, each skipped with a reason."""

import gc
import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import compiled, costs, profiles

settings.load_profile(profiles.HOUSE)

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
LIVE = ROOT / "tests" / "live"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Tests with the real programs build and start servers: only `pytest -m live` reads them."""
    return True if collection_path == LIVE and "live" not in config.option.markexpr else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that take minutes, unless `-m` names them."""
    if "weekly" in config.option.markexpr:
        return
    long = [item for item in items if item.get_closest_marker("weekly")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("weekly")]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Start one worker more than there are processors: some tests wait for what they started."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """Look for garbage rarely, and never among the tests: the command does not look at all.

    Otherwise a seventh of the time goes into it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 5, 5)


def pytest_configure(config: pytest.Config) -> None:
    """Hear interrupts in the background too: what tests start and interrupt would ignore them."""
    config.pluginmanager.register(costs)
    compiled.remember()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden trees are rewritten by `pytest --update-golden`, and only so."""
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden trees")


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """Hubs, CRDs and cases with answers of other projects."""
    return DATA


@pytest.fixture(scope="session")
def kubectl() -> str:
    """The real kubectl, with kustomize built in."""
    program = shutil.which("kubectl")
    if program is None:
        pytest.skip("kubectl is not installed")
    return program


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether the golden trees shall be rewritten instead of compared."""
    return bool(request.config.getoption("--update-golden"))
