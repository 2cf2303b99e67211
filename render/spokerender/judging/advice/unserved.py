"""A route's hostname that no listener serves: requests for it get no answer, and no policy.

A route of which no hostname is served is on no listener at all, which is told as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import SpokeView
from spokerender.kinds import Role
from spokerender.topology import (
    Listener,
    Node,
    Obstacle,
    listeners_meant,
    listening,
    obstacle,
    parents_of,
)


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each hostname that is outside all listeners of a route's gateways."""
    for node in view.topology.nodes.values():
        parents = tuple(_parents(view, node)) if node.is_route and node.hostnames else ()
        obstacles = [_obstacles(view, node, parents, hostname) for hostname in node.hostnames]
        if not any(None in each for each in obstacles):
            continue
        for index, hostname in enumerate(node.hostnames):
            if None in obstacles[index] or Obstacle.HOSTNAME not in obstacles[index]:
                continue
            has = ", ".join(dict.fromkeys(each.hostname or "any" for _, each in parents))
            gateways = ", ".join(dict.fromkeys(str(parent.ref) for parent, _ in parents))
            yield view.result(
                codes.UNSERVED,
                node.ref,
                f"no listener of {gateways} serves hostname {hostname} (they have {has})",
                "add a listener for it, map it in the rule's `as.hostnames`, or take it out of the "
                "route",
                field=f"spec.hostnames[{index}]",
            )


def _obstacles(
    view: SpokeView, route: Node, parents: Iterable[tuple[Node, Listener]], hostname: str
) -> set[Obstacle | None]:
    """What keeps a hostname off the listeners; None where nothing does."""
    return {
        Obstacle.HOSTNAME
        if (why := obstacle(parent, listener, route, "", view.hub_topology)) is None
        and listener.hostname not in listening(view.topology, parent.ref).met_by(hostname)
        else why
        for parent, listener in parents
    }


def _parents(view: SpokeView, route: Node) -> Iterator[tuple[Node, Listener]]:
    """The listeners that a route names; none where a parent is in no file."""
    links = [link for link in route.references if link.row.role is Role.PARENT]
    if all(link.selector is not None or view.topology.parents(link) for link in links):
        for parent, link in parents_of(view.topology, route):
            yield from ((parent, each) for each in listeners_meant(parent, link))
