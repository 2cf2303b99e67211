"""The site of the documentation: its navigation has every page, and it builds without a warning."""

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

SETTINGS = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
DOCS = ROOT / SETTINGS["docs_dir"]


def pages(value: Any) -> Iterator[str]:
    """The files of a navigation, whatever it is nested in."""
    if isinstance(value, str):
        yield value
    else:
        for each in value.values() if isinstance(value, dict) else value:
            yield from pages(each)


def test_every_page_is_in_the_navigation_once() -> None:
    there = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    assert sorted(pages(SETTINGS["nav"])) == sorted(there)


def test_no_link_leaves_the_site() -> None:
    """A link to a file beside docs/ works in the repository, and nowhere on the site."""
    leaving = [path.name for path in DOCS.glob("*.md") if "](../" in path.read_text("utf-8")]
    assert leaving == []


@pytest.mark.slow
@pytest.mark.site
def test_it_builds(tmp_path: Path) -> None:
    program = shutil.which("zensical", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("no zensical: `make docs` installs it")
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    done = subprocess.run(
        [program, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site/search.json").is_file()
    assert (tmp_path / "site/tutorial/index.html").is_file()
