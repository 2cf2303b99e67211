"""Routes and hostnames that no listener serves, neither on the hub nor on the spoke.

`parents` reports routes that only the spoke does not serve. `check` reports the same as errors, by
the rules of the gateway's controller; here they are warnings, as a hub may be so on purpose.
"""

from collections.abc import Iterator

from spokerender.findings.results import WARNING, Result
from spokerender.kinds.kind import Role
from spokerender.model import Ref
from spokerender.rendering.checks.context import SpokeContext
from spokerender.topology.admission import has_placeholder, lacks_section
from spokerender.topology.graph import Topology
from spokerender.topology.guards import find_attachments
from spokerender.topology.node import Node


def check_served(context: SpokeContext) -> Iterator[Result]:
    """Yield findings for routes and hostnames without a listener on the hub and on the spoke."""
    for node in context.shipped:
        # If two routes have one name, which is an error by itself, only one is on the spoke.
        is_there = context.spoke.nodes.get(node.ref) == node
        if not (is_there and node.is_route and _are_parents_known(context.spoke, node)):
            continue
        unserved = _find_unserved(context.spoke, node.ref)
        source = context.sources[node.ref].ref
        # If a stage created the route, there is no hub to compare with.
        before = _find_unserved(context.hub, source) if source in context.hub.nodes else unserved
        if unserved and before:
            yield from _report(context, node, unserved)


def _are_parents_known(topology: Topology, route: Node) -> bool:
    """Return whether files contain the listeners of all parents of a route."""
    links = [link for link in route.references if link.row.role is Role.PARENT]
    parents = [topology.nodes[ref] for link in links for ref in topology.parents(link)]
    is_found = all(link.selector is not None or topology.parents(link) for link in links)
    return is_found and bool(parents) and all(parent.listeners for parent in parents)


def _find_unserved(topology: Topology, route: Ref) -> tuple[str, ...]:
    """Return a route's unserved hostnames; for an unserved route without hostnames, one ""."""
    attached = find_attachments(topology, route)
    if any(item.by is not None for item, _ in attached):
        return ()  # another route delegates to it
    served = {item.hostname for item, link in attached if link and link.row.role is Role.PARENT}
    return tuple(name for name in topology.nodes[route].hostnames or ("",) if name not in served)


def _report(context: SpokeContext, route: Node, unserved: tuple[str, ...]) -> Iterator[Result]:
    from spokerender.findings.codes.advice import DETACHED, UNSERVED  # noqa: PLC0415  (start-up counts)
    from spokerender.topology.doors import explain_detachment  # noqa: PLC0415

    links = (link for link in route.references if link.row.role is Role.PARENT)
    parents = {ref: None for link in links for ref in context.spoke.parents(link)}
    if all(lacks_section(context.spoke, route, ref) for ref in parents):
        return  # each section that is not there is an error by itself
    if has_placeholder(context.spoke, route, parents):
        return  # check reports all placeholders at once (SR1013)
    names = ", ".join(map(str, parents))
    if len(unserved) == len(route.hostnames or ("",)):
        reasons = dict.fromkeys(why for _, why in explain_detachment(context.spoke, route))
        why = ", ".join(reasons) or f"no listener of {names} takes it"
        yield context.result(
            DETACHED,
            route,
            f"it is on no listener: {why}. It gets no requests, and check refuses it",
            "let a listener take it, or correct its parentRefs or hostnames",
            "spec.parentRefs",
            severity=WARNING,
        )
        return
    one = len(unserved) == 1
    yield context.result(
        UNSERVED,
        route,
        f"no listener of {names} serves hostname{'' if one else 's'} {', '.join(unserved)}, and "
        "check refuses that",
        "add a listener for it, map it in the rule's `as.hostnames`, or take it out of the route",
        f"spec.hostnames[{route.hostnames.index(unserved[0])}]" if one else "spec.hostnames",
        severity=WARNING,
    )
