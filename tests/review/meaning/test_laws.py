"""Laws: the guard refuses nothing that is not told, and what is silent leaves all in force."""

from collections.abc import Collection, Iterable, Mapping

import pytest

from spokerender.findings.results import ERROR, INFO, Result
from spokerender.model.plan import planned
from spokerender.review.comparison.states import FleetState
from spokerender.review.guard import removals
from spokerender.review.guard.claims import Losses
from spokerender.review.guard.refusals import refuse_removals, report_weaknesses
from spokerender.review.values import Topic
from tests.property.laws import hold
from tests.review.meaning import test_clients
from tests.review.meaning.scenes import compare, hub, route, state
from tests.review.meaning.test_fleets import HARMLESS, WEAKER, Documents, sides
from tests.support import each, rows_of

OF_CLIENTS = [
    row
    for test in (
        "what_clients_have_to_show_no_more_is_told_on_its_listeners",
        "what_lets_nobody_else_in_is_silent",
    )
    for row in rows_of(test_clients.__file__, test).items()
]
CLIENTS: dict[str, tuple[Documents, Documents]] = {
    f"certificates of clients: {name}": (
        (test_clients.GATEWAYS[before], route()),
        (test_clients.GATEWAYS[after], route()),
    )
    for name, (before, after, *_) in OF_CLIENTS
}
CASES = {name: sides(case) for name, case in (WEAKER | HARMLESS).items()} | CLIENTS


def find_losses(old: FleetState, new: FleetState) -> Losses:
    """What the guard finds in a change."""
    before, after = old.rendered.tree, new.rendered.tree

    def read(folder: str, paths: Collection[str] | None) -> Mapping[str, bytes]:
        files = before.files(folder)
        return files if paths is None else {path: files[path] for path in paths}

    plans = (planned(folder, before.files(folder), after.files(folder)) for folder in ("eu", "us"))
    changed = [plan for plan in plans if plan.changes]
    context = removals.make_context(new.rendered, ())
    return removals.find_losses(read, after, changed, context)


def refuse(old: FleetState, new: FleetState) -> list[Result]:
    """What the guard refuses of a change."""
    refused = refuse_removals(find_losses(old, new))
    return [item for item in refused if item.severity is ERROR]


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


class Change:
    """A change, with the review of it and with what the guard finds in it."""

    def __init__(self, case: str) -> None:
        """Make both states of a case."""
        documents: tuple[Documents, Documents] = CASES[case]
        self.old, self.new = (state(hub("istio", *each)) for each in documents)
        self.review = compare(self.old, self.new)
        self.losses = find_losses(self.old, self.new)
        self.refusals = refuse_removals(self.losses, (), ())


def spokes_of(results: Iterable[Result]) -> set[str]:
    return {spoke for item in results for spoke in item.spokes}


def what_the_guard_refuses_or_warns_of_is_told_of_the_same_spokes(change: Change) -> None:
    results = (*change.refusals, *report_weaknesses(change.losses))
    told = spokes_of(item.result for item in change.review.consequences)
    assert spokes_of(item for item in results if item.severity is not INFO) <= told


def silence_means_that_every_path_has_the_same_in_force(change: Change) -> None:
    if not change.review.consequences and not change.review.tightened:
        assert in_force(change.old) == in_force(change.new)


def a_loss_of_protection_is_refused_and_is_an_error(change: Change) -> None:
    errors = [item for item in change.review.consequences if item.severity is ERROR]
    opening = (Topic.ACCESS, Topic.EXPOSURE)
    opened = spokes_of(item.result for item in errors if item.topic in opening)
    refused = spokes_of(item for item in change.refusals if item.severity is ERROR)
    assert opened <= refused <= spokes_of(item.result for item in errors)


LAWS = (
    what_the_guard_refuses_or_warns_of_is_told_of_the_same_spokes,
    a_loss_of_protection_is_refused_and_is_an_error,
    silence_means_that_every_path_has_the_same_in_force,
)


@each(
    *[*CASES][::3],
    *(pytest.param(name, marks=pytest.mark.weekly) for n, name in enumerate(CASES) if n % 3),
)
def test_every_change_keeps_the_laws(case: str) -> None:
    """Each third of the cases, and weekly all.

    Of a time that is written otherwise the values differ, and mean the same.

    That a class is in no file is asked by the guard alone, and `reviewing` adds what it refuses.
    """
    exempt = {"a time is written otherwise": LAWS[2], "another class": LAWS[1]}.get(case)
    hold([law for law in LAWS if law is not exempt], Change(case))
