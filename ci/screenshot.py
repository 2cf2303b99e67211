"""Make docs/review.png of docs/review.html, for the README: `python -m ci.screenshot`.

Needs Chromium. Fonts differ between machines, so no test compares the picture.
"""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

_DOCS = Path(__file__).resolve().parents[1] / "docs"
_SIZE = {"width": 1_280, "height": 1_000}


def main() -> None:
    """Open the page, and write what a window of it shows."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport=_SIZE)
        page.goto((_DOCS / "review.html").as_uri())
        page.screenshot(path=_DOCS / "review.png")
        browser.close()


if __name__ == "__main__":
    main()
