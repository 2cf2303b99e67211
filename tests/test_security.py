"""SECURITY.md names the test of each promise: they are there, and the README leads to the page."""

import re

from tests.conftest import ROOT

PAGE = (ROOT / "SECURITY.md").read_text()
NAMED = sorted(set(re.findall(r"`(tests/[^`]+\.py)`", PAGE)))
PROMISES = [line for line in PAGE.partition("## What is promised")[2].splitlines() if "|" in line]


def test_the_named_tests_are_there() -> None:
    texts = {path: (ROOT / path).read_text() for path in NAMED}
    assert [path for path, text in texts.items() if "\ndef test_" not in text] == []


def test_every_promise_names_one() -> None:
    assert len(PROMISES) > 10
    assert [line for line in PROMISES[2:] if "`tests/" not in line] == []


def test_the_readme_leads_to_it() -> None:
    assert "(SECURITY.md)" in (ROOT / "README.md").read_text()
