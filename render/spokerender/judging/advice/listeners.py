"""Advice on refused listeners, routes that no listener serves, and policies without routes."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import ERROR, INFO, Result
from spokerender.judging.advice.phrases import list_few
from spokerender.judging.advice.view import JudgedSpokeView
from spokerender.kinds.kind import Role
from spokerender.model import Ref, shown
from spokerender.model.memo import memoised
from spokerender.model.selectors import EVERYTHING
from spokerender.topology.admission import (
    find_named_listeners,
    find_parents,
    has_placeholder,
    index_hostnames,
    lacks_section,
)
from spokerender.topology.conflicts import find_conflicts
from spokerender.topology.doors import explain_detachment
from spokerender.topology.graph import Topology
from spokerender.topology.guards import Obstacle, find_obstacle
from spokerender.topology.node import Listener, Node
from spokerender.topology.requests import find_rule_paths
from spokerender.topology.taken import HOSTNAME_CONFLICT, PROTOCOL_CONFLICT

_SHARED = {
    PROTOCOL_CONFLICT: "its port with another protocol",
    HOSTNAME_CONFLICT: "its port, protocol and hostname",
}
"""The property that two conflicting listeners share, by the reason of the conflict."""


def check_refused_listeners(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each listener that is or may be refused (GEP-1713), or has a fault."""
    conflicts = find_conflicts(view.topology)
    closed = {item.parent.section(item.listener) for item in conflicts if item.is_certain}
    for refused in conflicts:
        others = list_few(map(str, refused.by))
        why = f"{others} has {_SHARED[refused.reason]}"
        if not refused.is_certain:
            message = f"may be refused ({refused.reason}): {why}, and the older one is opened"
        elif refused.by[0] in closed:
            message = f"is refused ({refused.reason}): {why}, and neither of the two is opened"
        else:
            message = f"is refused ({refused.reason}): {why}, and comes first"
        nothing = "Then no route" if not refused.is_certain else "No route"
        yield view.result(
            codes.REFUSED_LISTENER,
            refused.parent,
            f"listener {refused.listener} {message}. {nothing} is on it, nor any policy in force",
            "give it another port or hostname, or remove it",
            field=f"spec.listeners[name={refused.listener}]",
            severity=ERROR if refused.is_certain else None,
        )
    for item in view.find_faults().listeners:
        if any(map(view.topology.is_absent, item.secrets)):
            continue  # SR2243 reports the absent Secret
        effect = "a part of it counts for nothing" if item.is_opened else "it is not opened"
        yield view.result(
            codes.REFUSED_LISTENER,
            item.parent,
            f"listener {item.name}: {effect} ({item.reason}), as {item.why}",
            "correct it, or remove it",
            field=f"spec.listeners[name={item.name}]",
            severity=None if item.is_opened else ERROR,
        )


def check_unprocessed_gateways(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each Gateway that no controller processes."""
    for ref, fault in view.topology.dead.items():
        yield view.result(
            codes.UNPROCESSED,
            ref,
            f"it is not processed: {fault.why}. None of its listeners is opened, and none of its "
            "routes and policies has an effect",
            fault.cure,
            field=fault.field,
        )


def check_detached_routes(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each route attached to no listener, neither on the spoke nor on the hub.

    The stage of rendering reports a route that is attached on the hub but not on the spoke.
    """
    attached_on_hub: set[Ref | None] = set()
    for route in _list_detached_routes(view.topology):
        attached_on_hub = attached_on_hub or {
            path.route for path in find_rule_paths(view.topology.around)
        }
        reasons = dict.fromkeys(
            why
            for parent, why in explain_detachment(view.topology, route)
            if parent in view.topology.nodes.keys() - view.topology.dead.keys()
            and view.topology.nodes[parent].listeners
        )
        parents = [parent.ref for parent, _ in find_parents(view.topology, route)]
        if all(lacks_section(view.topology, route, ref) for ref in parents):
            continue  # SR1701 reports each absent section
        if has_placeholder(view.topology, route, parents):
            continue  # SR1013 reports all placeholders at once
        if reasons and view.hub_ref(route.ref) not in attached_on_hub:
            yield view.result(
                codes.DETACHED,
                route.ref,
                f"it is on no listener: {list_few(reasons)}. It gets no requests, and no policy on "
                "it is in force",
                "let a listener take it, or correct its parentRefs",
                field="spec.parentRefs",
            )


@memoised
def _list_detached_routes(topology: Topology) -> tuple[Node, ...]:
    """Return the routes that are attached to no listener, sorted."""
    taken = {path.route for path in find_rule_paths(topology)}
    routes = (node for node in topology.nodes.values() if node.is_route)
    detached = (node for node in routes if node.ref not in taken)
    return tuple(sorted(detached, key=lambda node: node.ref))


def check_unserved_hostnames(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each route with hostnames that no listener of its Gateways serves.

    Routes without any served hostname are left out, as they are reported as detached.
    """
    for route in view.topology.nodes.values():
        if not route.is_route or not route.hostnames:
            continue
        listeners = tuple(_list_parent_listeners(view, route))
        obstacles = [
            _find_obstacles(view, route, listeners, hostname) for hostname in route.hostnames
        ]
        if not any(None in item for item in obstacles):
            continue
        unserved = {
            hostname: index
            for index, hostname in enumerate(route.hostnames)
            if None not in obstacles[index] and Obstacle.HOSTNAME in obstacles[index]
        }
        if not unserved:
            continue
        served = ", ".join(dict.fromkeys(item.hostname or "any" for _, item in listeners))
        gateways = ", ".join(dict.fromkeys(str(parent.ref) for parent, _ in listeners))
        one = len(unserved) == 1
        yield view.result(
            codes.UNSERVED,
            route.ref,
            f"no listener of {gateways} serves hostname{'' if one else 's'} {list_few(unserved)} "
            f"(they have {served})",
            "add a listener for it, map it in the rule's `as.hostnames`, or take it out of the "
            "route",
            field=f"spec.hostnames[{next(iter(unserved.values()))}]" if one else "spec.hostnames",
        )


def _find_obstacles(
    view: JudgedSpokeView, route: Node, listeners: Iterable[tuple[Node, Listener]], hostname: str
) -> set[Obstacle | None]:
    """Return why each listener does not serve a hostname; None is for a listener that serves it."""
    obstacles = set()
    for parent, listener in listeners:
        reason = find_obstacle(view.topology, parent, listener, route, "")
        served_by = (
            index_hostnames(view.topology, parent.ref).met_by(hostname) if reason is None else ()
        )
        is_served = listener.hostname in served_by
        obstacles.add(Obstacle.HOSTNAME if reason is None and not is_served else reason)
    return obstacles


def _list_parent_listeners(view: JudgedSpokeView, route: Node) -> Iterator[tuple[Node, Listener]]:
    """Yield the listeners that a route references; none if a parent of the route is in no file."""
    links = [link for link in route.references if link.row.role is Role.PARENT]
    if all(link.selector is not None or view.topology.parents(link) for link in links):
        for parent, link in find_parents(view.topology, route):
            yield from ((parent, listener) for listener in find_named_listeners(parent, link))


_REASONS_SHOWN = 2


def check_routeless_policies(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each policy that needs routes, but whose targets have no routes.

    The finding is an info if the spoke gets no routes at all, as it may have its own.
    """
    levels_by_kind: dict[str, set[Ref]] = {}
    for path in view.paths:
        if path.route is not None:
            levels_by_kind.setdefault(path.route.kind, set()).update(path.levels)
    routes = [node for node in view.topology.nodes.values() if node.is_route]
    for policy, attachment in view.policies:
        targets = [target for target in attachment.targets if target.whole in view.topology.nodes]
        if not policy.kind.traits.needs_routes or not targets:
            continue
        # A kind that lists no kinds of route applies to all.
        kinds = policy.kind.routes or levels_by_kind.keys()
        if any(not levels_by_kind.get(kind, set()).isdisjoint(targets) for kind in kinds):
            continue
        reasons = dict.fromkeys(
            why for target in targets for why in _explain_detached(view, target, routes)
        )
        because = f" ({'; '.join(list(reasons)[:_REASONS_SHOWN])})" if reasons else ""
        cure = (
            "attach a route, or correct the target; nothing is wrong if the spoke has routes of "
            "its own there"
        )
        yield view.result(
            codes.NO_ROUTE_BENEATH,
            policy.ref,
            f"{list_few(targets)} is not in the path to any route of the spoke's tree{because}: "
            "the policy is accepted and enforced nowhere",
            "let the listener take the route, or correct the target" if reasons else cure,
            field=view.target_field(policy.ref),
            severity=None if routes else INFO,
        )


def _explain_detached(view: JudgedSpokeView, target: Ref, routes: list[Node]) -> Iterator[str]:
    """Yield why routes that reference the target, or are the target, are not attached."""
    for route in sorted(routes, key=lambda node: node.ref):
        for parent, why in explain_detachment(view.topology, route):
            if target.whole in (route.ref, parent, *view.topology.ships_with(parent)):
                yield f"{route.ref}: {why}"


def check_unknown_namespaces(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each route whose admission depends on namespace labels in no file."""
    for _, route in sorted(view.topology.nodes.items()):
        if route.is_route and (finding := _find_unknown_labels(view, route)):
            yield finding


def check_unknown_labels(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each Gateway whose undeclared labels decide a selector's result."""
    for _, node in sorted(view.topology.nodes.items()):
        for link in node.references:
            labels = link.selector.labels if link.selector is not None else EVERYTHING
            refs = view.topology.undetermined(link) if labels != EVERYTHING else ()
            asked = {item.key: "VALUE" for item in labels.expressions} | dict(labels.labels)
            for gateway in refs:
                declared = view.topology.nodes[gateway]
                keys = {*dict(declared.labels), *declared.lacks}
                entries = ", ".join(f"{key}: {asked[key]}" for key in asked if key not in keys)
                yield view.result(
                    codes.UNKNOWN_LABELS,
                    node.ref,
                    f"whether its selector ({labels}) selects {gateway}, which the spoke has of "
                    "its own, is not known",
                    "say what it has in the rule that places it, with null for what it lacks:\n"
                    f"  as:\n    labels: {{{entries}}}",
                    field=shown(link.path),
                )


def _find_unknown_labels(view: JudgedSpokeView, route: Node) -> Result | None:
    """Return a finding for the first listener whose selector depends on labels in no file."""
    namespace = route.ref.namespace
    labels = view.topology.around.labels_of_namespace(namespace)
    for parent, link in find_parents(view.topology, route):
        for listener in parent.listeners:
            is_named = not link.sections or listener.name in link.sections
            if not is_named or not listener.routes.is_open_question(labels):
                continue
            selector = listener.routes.selector
            selected = ", ".join(f"{key}: {value}" for key, value in selector.labels)
            example = selected if selected and not selector.expressions else "KEY: VALUE"
            result = view.result(
                codes.UNKNOWN_NAMESPACE,
                route.ref,
                f"listener {listener.name} of {parent.ref} admits namespaces with the labels "
                f"{selector}, and those of {namespace} are not known: taken to be admitted",
                f"say what it has: `namespaces: {{{namespace}: {{{example}}}}}` under spec of the "
                "placement, or under a spoke where they differ; or add the Namespace to the hub",
                field=shown(link.path),
            )
            return replace(result, causes=("labels of namespaces that no file tells",))
    return None
