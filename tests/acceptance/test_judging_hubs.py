"""Hubs and manifests of real projects are judged to the end, file by file and as a whole.

Many of their objects are wrong on purpose, or name what is not there.
"""

from functools import cache
from pathlib import Path

import pytest
import yaml

from spokerender.findings.errors import InputError
from spokerender.formats import yamlio
from tests.acceptance.hubs import hub, render
from tests.support import each, rows_of
from tests.support.carried import KUADRANT, LATEST, carried_files
from tests.support.judging import judged
from tests.support.profiles import is_weekly

FOLDERS = rows_of(__file__, "folders")
"""Folders of the fixtures, and how many files of each at least are judged."""
SHARE = 4
"""One file of so many is judged alone in a pull request's run, and all weekly."""


def gateways(files: dict[str, bytes]) -> list[str]:
    """The Gateways in these files, as a placement names them."""
    found = set()
    for text in files.values():
        try:
            items = list(yaml.load_all(text, yaml.CSafeLoader))
        except yaml.YAMLError:
            continue
        for item in items:
            if isinstance(item, dict) and item.get("kind") == "Gateway":
                metadata = item["metadata"]
                found.add(f'"{metadata.get("namespace", "default")}/{metadata["name"]}"')
    return sorted(found)


@pytest.fixture(autouse=True)
def _read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read CRDs once in a test: every part of a hub is judged by the same."""
    monkeypatch.setattr(yamlio, "read", cache(yamlio.read))


@each(*FOLDERS)
def test_whatever_is_in_a_hub_is_judged(folder: str, fixtures: Path) -> None:
    crds = carried_files(f"{LATEST}/experimental", KUADRANT)
    files = hub(fixtures / folder)
    parts = [{path: text} for path, text in files.items()]
    placed = [(part, names) for part in [*parts, files] if (names := gateways(part))]
    if not is_weekly():
        placed = placed[::-SHARE]
    done = 0
    for part, names in placed:
        try:
            found = render(part, *names)
        except InputError:
            continue
        judged(found, crds)
        done += 1
    assert done >= FOLDERS[folder] // (1 if is_weekly() else SHARE)
