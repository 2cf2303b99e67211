"""A route on which a policy kind is in force on some spokes and not on others."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import SpokeView
from spokerender.judging.advice.fleet import FleetView, Spokes
from spokerender.judging.advice.words import some
from spokerender.model import Ref

Key = tuple[str, str, Ref]
"""Group and kind of a policy, and a route of the hub."""


def check(fleet: FleetView) -> Iterator[Result]:
    """Yield a result for each route and security kind; who may call is another advice's."""
    covered: dict[Key, set[str]] = {}
    routes: dict[Ref, list[tuple[SpokeView, Ref, Spokes]]] = {}
    for view, spokes in fleet.cases:
        for route in sorted({path.route for path in view.paths if path.route is not None}):
            routes.setdefault(view.hub(route), []).append((view, route, spokes))
        for key in _covered(view):
            covered.setdefault(key, set()).update(spokes)
    for key, having in sorted(covered.items()):
        missing = [each for each in routes[key[2]] if not having & set(each[2])]
        for view, route, spokes in missing:
            yield fleet.told(_told(view, route, key[1], having), spokes)


def _told(view: SpokeView, route: Ref, kind: str, having: set[str]) -> Result:
    return view.result(
        codes.UNEVEN,
        route,
        f"no {kind} is in force on it, while one is on {some(sorted(having))}",
        "place the policy and its target alike, or attach one of its own on these spokes",
    )


def _covered(view: SpokeView) -> Iterator[Key]:
    """The routes on which a kind is in force, or may be."""
    for effective in view.effective:
        kind = view.kind(effective)
        route = effective.path.route
        if route is None or not (effective.likely.rules or effective.likely.unknown):
            continue
        if kind.security and not kind.traits.guards:
            yield effective.group, effective.kind, view.hub(route)
