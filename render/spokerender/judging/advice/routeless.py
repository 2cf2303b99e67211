"""A policy with no route beneath it: accepted, and in force nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import INFO, Result
from spokerender.judging.advice.context import SpokeView
from spokerender.judging.advice.words import some
from spokerender.kinds import Kind
from spokerender.model import Ref
from spokerender.topology import Node, why_detached


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each policy of a kind that needs routes and is on no path to one.

    Where the spoke gets no route at all, its routes are its own affair: then it is an info.
    """
    levels: dict[str, set[Ref]] = {}
    for path in view.paths:
        if path.route is not None:
            levels.setdefault(path.route.kind, set()).update(path.levels)
    routes = [node for node in view.topology.nodes.values() if node.is_route]
    for policy, attachment in view.policies:
        here = [target for target in attachment.targets if target.whole in view.topology.nodes]
        if not policy.kind.traits.needs_routes or not here:
            continue
        if any(not refs.isdisjoint(here) for refs in _of_its_kinds(levels, policy.kind)):
            continue
        reasons = dict.fromkeys(why for target in here for why in _reasons(view, target, routes))
        because = f" ({'; '.join(list(reasons)[:_SHOWN])})" if reasons else ""
        yield view.result(
            codes.NO_ROUTE_BENEATH,
            policy.ref,
            f"{some(here)} is not in the path to any route of the spoke's tree{because}: the "
            "policy is accepted and enforced nowhere",
            _MEND if reasons else _ATTACH,
            severity=None if routes else INFO,
        )


_SHOWN = 2
_MEND = "let the listener take the route, or correct the target"
_ATTACH = (
    "attach a route, or correct the target; nothing is wrong if the spoke has routes of its own "
    "there"
)


def _of_its_kinds(levels: Mapping[str, set[Ref]], kind: Kind) -> Iterator[set[Ref]]:
    """What is on paths to routes that policies of a kind can be for: all, if it names no route."""
    yield from (refs for name, refs in levels.items() if not kind.routes or name in kind.routes)


def _reasons(view: SpokeView, target: Ref, routes: list[Node]) -> Iterator[str]:
    """Why a route that names the target, or that is it, is on none of its listeners."""
    for route in sorted(routes, key=lambda node: node.ref):
        for parent, why in why_detached(view.topology, route, view.hub_topology):
            if target.whole in (route.ref, parent, *view.topology.ships_with(parent)):
                yield f"{route.ref}: {why}"
