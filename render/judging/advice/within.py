"""A route whose hostnames are not within its listener's: it gets traffic there and no policy.

The Gateway API asks for a hostname in common; kuadrant-operator computes nothing for a path on
which no hostname of the route is wholly the listener's (`objectsInRequestPath`).
"""

from __future__ import annotations

from collections.abc import Iterator

from render.findings.codes import advice as codes
from render.findings.results import Result
from render.judging.advice.context import Shipped, SpokeView
from render.judging.advice.words import some
from render.kinds import Kind
from render.model import Ref
from render.topology import RequestPath


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each route on such a listener, if a policy of such a kind is above."""
    told: dict[tuple[Ref, Ref], RequestPath] = {}
    for path in view.paths:
        if not path.is_within and path.route is not None:
            told.setdefault((path.route, path.section), path)
    for (route, section), path in told.items():
        lost = tuple(
            policy.ref for policy in policies_above(view, path) if asks_within(policy.kind)
        )
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
            f"are served there, and without {some(lost)}",
            f"add a hostname that is within {listener}, or a listener whose hostname takes in the "
            "route's",
            field="spec.hostnames",
        )


def asks_within(kind: Kind) -> bool:
    """Whether a kind's policies are in force on routes only where hostnames are within."""
    return kind.controller.within and bool(kind.routes)


def policies_above(view: SpokeView, path: RequestPath) -> tuple[Shipped, ...]:
    """The policies that attach to something on a path."""
    levels = set(path.levels)
    return tuple(policy for policy, attachment in view.policies if levels & set(attachment.targets))
