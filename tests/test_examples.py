"""The examples: each renders to what is committed beside it, and says how to get there.

`pytest --update-golden -m golden` writes the trees anew; read the difference before committing it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from deepdiff import DeepDiff
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from render import files
from render.config import schema
from render.ownership import is_ours
from render.pipeline import Rendered
from render.results import Severity
from tests import end_to_end as e2e
from tests.conftest import ROOT
from tests.project import rendered_folder

EXAMPLES = ROOT / "examples"
FLAGSHIP = "shop"
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
SCHEMA = EXAMPLES / "schema.json"

example = pytest.mark.parametrize("name", NAMES)


@cache
def rendered(name: str) -> Rendered:
    return rendered_folder(EXAMPLES / name)


def committed_in(name: str) -> Path:
    """Where the tree of an example is; the flagship's is the repository's own."""
    return ROOT / "clusters" if name == FLAGSHIP else EXAMPLES / name / "clusters"


def tree_at(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def by_object(tree: Mapping[str, bytes]) -> dict[str, Any]:
    """The documents of a tree, as a failure should name them."""
    return {path: e2e.parsed(data) for path, data in tree.items()}


def rewrite(output: Path, found: Rendered) -> None:
    with files.locked(output):
        files.apply(output, files.compare(output, found.tree), found.tree)


def test_there_are_examples() -> None:
    assert FLAGSHIP in NAMES
    assert len(NAMES) >= 5
    assert len(rendered(FLAGSHIP).bundles) >= 6


@pytest.mark.golden
@example
def test_it_renders_to_what_is_committed(name: str, *, update_golden: bool) -> None:
    found, output = rendered(name), committed_in(name)
    if update_golden:
        rewrite(output, found)
    golden, fresh = tree_at(output), e2e.tree(found)
    assert DeepDiff(by_object(golden), by_object(fresh)) == {}
    assert golden == fresh


@pytest.mark.golden
def test_the_schema_is_what_the_models_say(*, update_golden: bool) -> None:
    text = json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
    if update_golden:
        SCHEMA.write_text(text, encoding="utf-8")
    assert SCHEMA.read_text(encoding="utf-8") == text


@example
def test_nothing_of_the_tree_is_written_by_hand(name: str) -> None:
    assert all(map(is_ours, tree_at(committed_in(name)).values()))


@example
def test_nothing_is_wrong_with_it(name: str) -> None:
    """Not even a warning: it builds with --strict."""
    told = [result for result in rendered(name).results if result.severity is not Severity.INFO]
    assert told == []


@example
def test_its_readme_names_the_command(name: str) -> None:
    text = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    output = " -o clusters" if name == FLAGSHIP else ""
    assert f"\nspokerender build examples/{name}{output}\n" in text


@example
def test_editors_are_told_the_schema_and_it_takes_the_files(name: str) -> None:
    folder = EXAMPLES / name
    ours = [*folder.glob("fleet.yaml"), *folder.glob("placement.yaml"), *folder.glob("placement/*")]
    assert ours
    for path in ours:
        data = path.read_bytes()
        first = data.splitlines()[0].decode()
        place = first.removeprefix("# yaml-language-server: $schema=")
        assert (path.parent / place).resolve() == SCHEMA
        (document,) = e2e.parsed(data)
        problems = Draft202012Validator(schema()).iter_errors(document)
        assert [problem.message for problem in problems] == []
