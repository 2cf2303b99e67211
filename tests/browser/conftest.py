"""Debian's Chromium without a window, driven by playwright: it opens a page and watches it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spokerender.report.reports import ReviewReport
from tests.support.reviews import printed, whole

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Mark every test of this folder, so that `-m "not browser"` leaves them out."""
    if isinstance(collector, pytest.Module):
        collector.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser, which ends with its module; without one, the tests are skipped."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("no chromium: `apt-get install chromium` (.ci/run does)")
    driver = pytest.importorskip("playwright.sync_api")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Watched:
    """A page in the browser, and what it should not have done."""

    page: Page
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def shown(self, selector: str) -> int:
        """How many elements are visible."""
        return sum(item.is_visible() for item in self.page.locator(selector).all())


Open = Callable[..., Watched]


@pytest.fixture
def open_page(chromium: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open a review's page; in the end it must have been quiet, and have asked nobody."""
    opened: list[Watched] = []

    def open_(report: ReviewReport | None = None, address: str = "", **options: Any) -> Watched:
        place = tmp_path / f"{len(opened)}.html"
        place.write_text(printed(report or whole(), "html"), encoding="utf-8")
        context = chromium.new_context(viewport={"width": 1280, "height": 800}, **options)
        watched = Watched(context.new_page())
        page = watched.page
        page.on("console", lambda message: watched.problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: watched.problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: watched.problems.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: watched.requests.append(request.url))
        page.goto(f"{place.as_uri()}{address}")
        opened.append(watched)
        return watched

    yield open_
    for watched in opened:
        assert watched.problems == []
        asked = {address.partition("#")[0] for address in watched.requests}
        assert len(asked) == 1, "the page itself"
        watched.page.context.close()
