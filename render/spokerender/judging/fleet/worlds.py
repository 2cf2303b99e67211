"""Worlds: the orders in which the objects of a cluster whose ages decide may have been made.

Files have no ages: the API server sets the times of creation, on each cluster anew. In one world
everything is certain; what is not the same in all of them is decided by age.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import prod

from spokerender.judging.attachment.statuses import INVALID, Attachment, Rivalry
from spokerender.judging.effective.outcomes import EffectivePolicy
from spokerender.model import Ref, grouped
from spokerender.topology import graph
from spokerender.topology.conflicts import (
    find_admitting_gateways,
    find_conflicts,
    find_gateway_listeners,
)
from spokerender.topology.precedence import Ages, list_orders
from spokerender.topology.taken import ListenerConflict

World = tuple[tuple[Ref, ...], ...]
"""Objects in groups, the oldest of each first; a group is empty if all of it are of one age.

Whether an object of one group is older than one of another decides nothing.
"""
_MOST = 120
"""Of more worlds those are taken in which each object is once the first and once the last one."""


def list_worlds(
    topology: graph.Topology,
    attachments: Mapping[Ref, Attachment],
    effective: Iterable[EffectivePolicy] = (),
    conflicts: Iterable[ListenerConflict] = (),
) -> tuple[World, ...]:
    """Return the worlds of a cluster; none where no age decides.

    All of it is judged without ages. `conflicts` are those of listeners beside those that the graph
    shows.

    Raises `InputError` if more objects contend for one thing than anybody can try.
    """
    groups = _Groups()
    ties = set(_join_contending(attachments, groups))
    _join_selected(topology, attachments, groups)
    items = list(effective)
    _join_tied(items, groups)
    _join_parents(topology, (*find_conflicts(topology), *conflicts), groups)
    _join_routes(topology, items, groups)
    choices = [
        (*list_orders(group), *([()] if not ties.isdisjoint(group) else []))
        for group in groups.list()
    ]
    if not choices:
        return ()
    if prod(map(len, choices)) <= _MOST:
        return tuple(product(*choices))
    longest = max(map(len, choices))
    return tuple(
        tuple(orders[number % len(orders)] for orders in choices) for number in range(longest)
    )


def find_ages(world: World, before: Ages) -> Ages:
    """Return the ages of objects in a world; `before` are those that are known in all of them."""
    scale = 1 + sum(map(len, world))
    latest = scale * (1 + max(before.values(), default=0))
    ages = {ref: age * scale for ref, age in before.items()}
    for group in world:
        ages |= {ref: ages.get(ref, latest) + place for place, ref in enumerate(group)}
    return ages


class _Groups:
    """Objects in groups: those that are joined are in one."""

    def __init__(self) -> None:
        self._group_of: dict[Ref, dict[Ref, None]] = {}

    def join(self, refs: Iterable[Ref]) -> None:
        """Put objects, with the groups that they are in, in one group."""
        whole: dict[Ref, None] = {}
        for ref in refs:
            whole |= self._group_of.get(ref, {ref: None})
        if len(whole) > 1:
            self._group_of |= dict.fromkeys(whole, whole)

    def list(self) -> Iterator[tuple[Ref, ...]]:
        """Yield each group once."""
        yield from map(tuple, {id(group): group for group in self._group_of.values()}.values())


def _join_contending(attachments: Mapping[Ref, Attachment], groups: _Groups) -> Iterator[Ref]:
    """Join policies of which not all attach; yield those that all do if they are of one age."""
    contentions = {
        id(contention): contention
        for item in attachments.values()
        for contention in item.contentions
    }
    for contention in contentions.values():
        if not contention.is_open:
            continue
        for group in contention.orders.groups:
            groups.join(group)
        if contention.is_unbroken:
            yield from contention.holding
        if contention.rivalry is Rivalry.OVERLAPPING:
            # Which pairs of several contend depends on who is refused before.
            groups.join(_find_near(attachments, contention.orders.likely))


def _join_selected(
    topology: graph.Topology, attachments: Mapping[Ref, Attachment], groups: _Groups
) -> None:
    """Join the routes that a policy selects, if it is invalid on some and too late for others.

    The youngest decides about a parent that they share (Envoy Gateway, composePolicyTargetRefs).
    """
    for ref, item in attachments.items():
        is_late = any(each.is_open or each.refuses(ref) for each in item.contentions)
        if is_late and item.accepted.reason == INVALID:
            for link in topology.nodes[ref].attachments if ref in topology.nodes else ():
                if link.selector is not None:
                    targets = topology.targets(link)
                    groups.join(one for one in targets if topology.nodes[one].is_route)


def _find_near(attachments: Mapping[Ref, Attachment], policies: tuple[Ref, ...]) -> Iterator[Ref]:
    """Yield policies of one kind that have a target of one of these."""
    targets = {target for ref in policies for target in attachments[ref].may_hold}
    for ref, item in attachments.items():
        is_alike = (ref.group, ref.kind) == (policies[0].group, policies[0].kind)
        if is_alike and not targets.isdisjoint(item.may_hold):
            yield ref


def _join_tied(effective: Iterable[EffectivePolicy], groups: _Groups) -> None:
    """Join policies whose order decides what is in force: of one level, or else of several."""
    stacks = {id(item.stack): item for item in effective if item.by_order}
    for item in stacks.values():
        on_levels = grouped(
            (target, policy) for policy, target in zip(item.stack, item.targets, strict=True)
        )
        crowded = [policies for policies in on_levels.values() if len(policies) > 1]
        for policies in crowded or [[*item.stack]]:
            groups.join(policies)


def _join_parents(
    topology: graph.Topology, conflicts: Iterable[ListenerConflict], groups: _Groups
) -> None:
    """Join the ListenerSets and merged Gateways whose listeners clash."""
    by_gateways: dict[frozenset[Ref], set[Ref]] = {}
    for conflict in conflicts:
        if conflict.is_certain:
            continue
        node = topology.nodes[conflict.parent]
        (port,) = (item.port for item in node.listeners if item.name == conflict.listener)
        for gateway in find_admitting_gateways(topology, node):
            merged = frozenset(graph.find_merged_gateways(topology, gateway.ref))
            parents = by_gateways.setdefault(merged, set())
            parents.update((node.ref, *(section.whole for section in conflict.by)))
            listeners = (item for ref in merged for item in find_gateway_listeners(topology)[ref])
            if len(merged) > 1:  # on a port all of them stand in one order
                parents.update(other.ref for other, item in listeners if item.port == port)
    for gateways, parents in by_gateways.items():
        groups.join(sorted(parents - gateways))
        groups.join(sorted(ref for ref in gateways if graph.is_merged(topology, ref)))


def _join_routes(
    topology: graph.Topology, effective: Iterable[EffectivePolicy], groups: _Groups
) -> None:
    """Join the routes of which a listener serves the oldest alone."""
    rivals: dict[tuple[Ref, str], dict[Ref, None]] = {}
    for item in effective:
        route, controller = item.path.route, None
        if route is not None and not item.path.is_certain:
            controller = graph.find_class_controller(topology, item.path.gateway_class)
        if route is not None and controller and route.kind in controller.single_routes:
            rivals.setdefault((item.path.section, route.kind), {})[route] = None
    for routes in rivals.values():
        groups.join(routes)
