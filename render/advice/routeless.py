"""A policy with no route beneath it: accepted, and in force nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from render.advice.context import SpokeView
from render.advice.words import some
from render.codes import advice as codes
from render.results import INFO, Result


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each policy of a kind that needs routes and is on no path to one.

    Where the spoke gets no route at all, its routes are its own affair: then it is an info.
    """
    levels = {level for path in view.paths for level in path.levels}
    for policy, attachment in view.policies:
        known = [target for target in attachment.targets if target.whole in view.topology.nodes]
        if not policy.kind.traits.needs_routes or not known or levels & set(known):
            continue
        yield view.result(
            codes.NO_ROUTE_BENEATH,
            policy.ref,
            f"{some(known)} is not in the path to any route of the spoke's tree: the policy is "
            "accepted and enforced nowhere",
            "attach a route, or correct the target; nothing is wrong if the spoke has routes of "
            "its own there",
            severity=None if view.paths else INFO,
        )
