"""A route whose hostnames are not within its listener's: it gets traffic there and no policy.

The Gateway API asks for a hostname in common; kuadrant-operator computes nothing for a path on
which no hostname of the route is wholly the listener's (`objectsInRequestPath`).
"""

from __future__ import annotations

from collections.abc import Iterator

from render.advice.context import SpokeView
from render.advice.words import some
from render.codes import advice as codes
from render.model import Ref
from render.results import Result
from render.topology import RequestPath


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each route on such a listener, if a policy of such a kind is above."""
    told: dict[tuple[Ref, Ref], RequestPath] = {}
    for path in view.paths:
        if not path.is_within and path.route is not None:
            told.setdefault((path.route, path.levels[-3]), path)
    for (route, section), path in told.items():
        lost = lost_policies(view, path)
        if not lost:
            continue
        listener = next(
            item.hostname
            for item in view.topology.nodes[section.whole].listeners
            if item.name == path.listener
        )
        yield view.result(
            codes.NOT_WITHIN,
            route,
            f"{some(path.hostnames)} reaches beyond the hostname {listener} of {section}: requests "
            f"are served there and {some(lost)} is not in force on them",
            f"add a hostname that is within {listener}, or a listener whose hostname takes in the "
            "route's",
            field="spec.hostnames",
        )


def lost_policies(view: SpokeView, path: RequestPath) -> tuple[Ref, ...]:
    """The policies that attach above a path and that its hostnames keep from being in force."""
    if path.is_within:
        return ()
    levels = set(path.levels)
    return tuple(
        policy.ref
        for policy, attachment in view.policies
        if policy.kind.merged.within and levels & set(attachment.targets)
    )
