"""The law of silence, on the examples: a field of a policy goes, and is told or changes nothing."""

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from spokerender.formats.comparing import fingerprint
from spokerender.judging.effective.outcomes import join_rules
from spokerender.judging.fleet.judged import Aspect
from spokerender.judging.validation.defaults import fill_defaults
from spokerender.kinds.table import find_row
from spokerender.pipeline import judge
from spokerender.review.comparison.states import FleetState
from spokerender.review.values import ReviewedState
from tests.review.meaning.scenes import compare
from tests.support import each
from tests.support.project import rendered_folder

EXAMPLES = Path(__file__).parents[3] / "examples"
Place = tuple[Path, int, tuple[str | int, ...]]


def state(folder: Path) -> FleetState:
    found = rendered_folder(folder)
    return FleetState(found, judge(found, (), Aspect.POLICIES), ReviewedState("a", 1))


def places(folder: Path) -> Iterator[Place]:
    """The leaves below `spec` of the policies in the hub's files, without their targets."""
    for path in sorted((folder / "hub").rglob("*.yaml")):
        for index, data in enumerate(yaml.safe_load_all(path.read_text(encoding="utf-8"))):
            group = str((data or {}).get("apiVersion", "")).rpartition("/")[0]
            row = find_row(group, (data or {}).get("kind", ""))
            if row is not None and row.is_policy:
                for leaf in leaves(data["spec"], ("spec",)):
                    if not str(leaf[1]).startswith("target"):
                        yield path.relative_to(folder), index, leaf


def leaves(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from leaves(item, (*path, key))


@cache
def unchanged(name: str) -> FleetState:
    return state(EXAMPLES / name)


def without(name: str, place: Place, folder: Path) -> FleetState:
    """The state of an example without a field."""
    shutil.copytree(EXAMPLES / name, folder)
    path, index, steps = place
    documents = list(yaml.safe_load_all((folder / path).read_text(encoding="utf-8")))
    here: Any = documents[index]
    for step in steps[:-1]:
        here = here[step]
    del here[steps[-1]]
    (folder / path).write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    return state(folder)


def in_force(state: FleetState) -> dict[str, str]:
    """The rules in force on each path of each spoke, with the CRDs' defaults, in any order."""
    found: dict[str, str] = {}
    for spoke, judged in state.fleet.judged.items():
        view = state.view(state.fleet.bundles[spoke], spoke)
        for item in judged.judgement.effective:
            rules = view.fill(item.likely).rules
            spec = fill_defaults(view.kind((item.group, item.kind)), join_rules(rules))
            found[f"{spoke} {view.fill(item.path.levels)} {item.kind}"] = fingerprint(spec)
    return found


NAMES = [
    path.parent.name for path in sorted(EXAMPLES.glob("*/fleet.yaml")) if [*places(path.parent)]
]


@pytest.mark.property
@each(1, pytest.param(40, marks=pytest.mark.weekly), ids=["some", "many"])
@each(*NAMES)
def test_a_field_that_goes_is_told_or_changes_no_rule(
    name: str, fields: int, tmp_path: Path
) -> None:
    """Forty fields of the largest example take 25 CPU seconds, since each renders it anew."""
    old = unchanged(name)
    every = list(places(EXAMPLES / name))
    for number, place in enumerate(Random(name).sample(every, min(fields, len(every)))):  # noqa: S311  (no secret)
        new = without(name, place, tmp_path / str(number))
        review = compare(old, new)
        if not review.consequences and not review.tightened:
            assert in_force(old) == in_force(new), place
