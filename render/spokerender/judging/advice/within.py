"""A route whose hostnames are not within its listener's: it gets traffic there and no policy.

The Gateway API asks for a hostname in common; kuadrant-operator keeps those hostnames of the route
that are wholly the listener's, one by one, and computes nothing for the others
(`gatewayapi/utils.go`).
"""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import ERROR, Result
from spokerender.judging.advice.context import Shipped, SpokeView
from spokerender.judging.advice.words import some
from spokerender.kinds import Kind
from spokerender.model import Ref
from spokerender.topology import RequestPath


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each route on such a listener, if a policy of such a kind is above."""
    beyond: dict[tuple[Ref, Ref], list[RequestPath]] = {}
    for path in view.paths:
        if not path.is_within and path.route is not None:
            beyond.setdefault((path.route, path.section), []).append(path)
    for (route, section), paths in beyond.items():
        lost = {
            policy.ref: policy
            for path in paths
            for policy in policies_above(view, path)
            if asks_within(policy.kind) and route.kind in policy.kind.routes
        }
        if lost:
            is_open = any(policy.kind.security for policy in lost.values())
            yield _told(view, route, section, paths[0].beyond, tuple(lost), is_open=is_open)


def _told(  # noqa: PLR0913  (as many things as it is about)
    view: SpokeView,
    route: Ref,
    section: Ref,
    hostnames: tuple[str, ...],
    lost: tuple[Ref, ...],
    *,
    is_open: bool,
) -> Result:
    listener = next(
        item.hostname
        for item in view.topology.nodes[section.whole].listeners
        if item.name == section.section_name
    )
    verb = "reach" if len(hostnames) > 1 else "reaches"
    return view.result(
        codes.NOT_WITHIN,
        route,
        f"{some(hostnames)} {verb} beyond the hostname {listener} of {section}: requests are "
        f"served there, and without {some(lost)}",
        f"add the hostname {listener} to the route, or a listener whose hostname takes in the "
        "route's",
        field="spec.hostnames",
        severity=ERROR if is_open else None,
    )


def asks_within(kind: Kind) -> bool:
    """Whether a kind's policies are in force on routes only where hostnames are within."""
    return kind.controller.within and bool(kind.routes)


def policies_above(view: SpokeView, path: RequestPath) -> tuple[Shipped, ...]:
    """The policies that attach to something on a path."""
    levels = set(path.levels)
    return tuple(policy for policy, attachment in view.policies if levels & set(attachment.targets))
