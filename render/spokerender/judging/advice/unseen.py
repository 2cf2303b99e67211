"""A route on a ListenerSet, below policies whose controller does not know ListenerSets.

kuadrant-operator finds listeners in Gateways only, so it computes nothing for such a path.
"""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import SpokeView
from spokerender.judging.advice.within import asks_within, policies_above
from spokerender.judging.advice.words import some
from spokerender.model import Ref
from spokerender.topology import RequestPath


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each route on such a listener, if a policy of such a kind is above."""
    path_of: dict[tuple[Ref, Ref], RequestPath] = {}
    for path in view.paths:
        if path.listener_set is not None and path.route is not None:
            path_of.setdefault((path.route, path.section), path)
    for (route, section), path in path_of.items():
        lost = [
            policy.ref
            for policy in policies_above(view, path)
            if not policy.kind.controller.listener_sets
        ]
        if lost:
            yield view.result(
                codes.UNSEEN_LISTENER,
                route,
                f"requests are served on {section}, and without {some(lost)}: their controller "
                "finds listeners in Gateways only",
                f"move the listener into {path.gateway}, or guard the route by other means",
                field="spec.parentRefs",
            )


def lost_policies(view: SpokeView, path: RequestPath) -> tuple[Ref, ...]:
    """The policies above a path that are not in force there, for its hostnames or its listener."""
    is_in_set = path.listener_set is not None
    if path.is_within and not is_in_set:
        return ()
    return tuple(
        policy.ref
        for policy in policies_above(view, path)
        if (not path.is_within and asks_within(policy.kind))
        or (is_in_set and not policy.kind.controller.listener_sets)
    )
