"""Laws: the guard refuses nothing that is not told, and what is silent leaves all in force."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from spokerender.findings.results import ERROR, INFO
from spokerender.model.plan import planned
from spokerender.review.comparison.states import FleetState
from spokerender.review.guard.losses import Removal
from spokerender.review.guard.refusals import refuse_removals, report_weaknesses
from spokerender.review.guard.removals import find_removals, make_context
from spokerender.review.values import Topic
from tests.review.meaning import test_clients
from tests.review.meaning.scenes import compare, hub, route, state
from tests.review.meaning.test_fleets import HARMLESS, WEAKER, Documents

CLIENTS: dict[str, tuple[Documents, Documents]] = {
    f"certificates of clients: {name}": ((before, route()), (after, route()))
    for name, (before, after) in (
        test_clients.HARMLESS | {name: row[:2] for name, row in test_clients.WEAKENED.items()}
    ).items()
}
CASES = {name: (before, after) for name, (before, after, _) in WEAKER.items()} | HARMLESS | CLIENTS


def find_losses(old: FleetState, new: FleetState) -> tuple[Removal, ...]:
    """What the guard finds in a change."""
    before, after = old.rendered.tree, new.rendered.tree

    def read(folder: str, paths: Collection[str] | None) -> Mapping[str, bytes]:
        files = before.files(folder)
        return files if paths is None else {path: files[path] for path in paths}

    plans = (planned(folder, before.files(folder), after.files(folder)) for folder in ("eu", "us"))
    changed = [plan for plan in plans if plan.changes]
    return find_removals(read, after, changed, make_context(new.rendered, ()))


def refused(old: FleetState, new: FleetState) -> set[str]:
    """The spokes of which the guard refuses a change, or warns of one."""
    removals = find_losses(old, new)
    results = (*refuse_removals(removals, (), ()), *report_weaknesses(removals))
    return {spoke for item in results if item.severity is not INFO for spoke in item.spokes}


def in_force(fleet: FleetState) -> dict[str, list[str]]:
    """The values of the rules in force on each path to a rule or listener, by its requests."""
    found: dict[str, list[str]] = {}
    for spoke in fleet.fleet.judged:
        view = fleet.view(fleet.fleet.bundles[spoke], spoke)
        for way in (*view.listeners.values(), *view.rules.values()):
            key = repr((spoke, way.address, sorted(way.hostnames), sorted(way.match, key=repr)))
            values = found.setdefault(key, [])
            for kind in view.in_force:
                for _, item in view.below(kind, way):
                    values += [repr(rule.value) for rule in item.likely.rules]
            values.sort()
    return found


def states(case: str) -> tuple[FleetState, FleetState]:
    documents: tuple[Documents, Documents] = CASES[case]
    old, new = (state(hub("istio", *each)) for each in documents)
    return old, new


@pytest.mark.parametrize("case", CASES)
def test_what_the_guard_refuses_is_told_of_the_same_spokes(case: str) -> None:
    old, new = states(case)
    review = compare(old, new)
    told = {spoke for item in review.consequences for spoke in item.result.spokes}
    assert refused(old, new) <= told


@pytest.mark.parametrize("case", sorted(CASES.keys() - {"a time is written otherwise"}))
def test_silence_means_that_every_path_has_the_same_in_force(case: str) -> None:
    old, new = states(case)
    review = compare(old, new)
    if review.consequences or review.tightened:
        return
    assert in_force(old) == in_force(new)


@pytest.mark.parametrize("case", CASES)
def test_a_loss_of_protection_is_refused_and_is_an_error(case: str) -> None:
    old, new = states(case)
    errors = [item for item in compare(old, new).consequences if item.severity is ERROR]
    told = {spoke for item in errors for spoke in item.result.spokes}
    opening = (Topic.ACCESS, Topic.EXPOSURE)
    opened = {spoke for e in errors if e.topic in opening for spoke in e.result.spokes}
    results = refuse_removals(find_losses(old, new), (), ())
    refused = {spoke for item in results if item.severity is ERROR for spoke in item.spokes}
    assert opened <= refused <= told
