"""Worlds: possible orders of creation of the objects whose ages decide something.

Files have no ages: each cluster's API server sets creation times anew. In a single world, all facts
are certain; facts that differ between worlds depend on ages.
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
"""Groups of objects, each sorted from the oldest; an empty group stands for objects of one age.

The order between objects of different groups has no effect.
"""
_MOST = 120
"""The limit of worlds; beyond it, each order of each group is in a world, not all combinations."""


def list_worlds(
    topology: graph.Topology,
    attachments: Mapping[Ref, Attachment],
    effective: Iterable[EffectivePolicy] = (),
    conflicts: Iterable[ListenerConflict] = (),
) -> tuple[World, ...]:
    """Return the worlds (possible orders of creation) of a cluster; empty if ages have no effect.

    `attachments` and `effective` assume no ages; `conflicts` are further conflicts of listeners.

    Raises `InputError` if more objects contend on one target than can be tried.
    """
    # What may be of one age, and contends, gets into one group; groups are independent.
    groups = _Groups()
    ties = set(_join_contending(attachments, groups))
    _join_selected(topology, attachments, groups)
    items = list(effective)
    _join_tied(items, groups)
    _join_parents(topology, (*find_conflicts(topology), *conflicts), groups)
    _join_routes(topology, items, groups)
    choices = [
        # An empty group stands for equal ages, where that has an outcome of its own.
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
    """Return the ages of objects in a world; `before` are the known ages, valid in all worlds."""
    # Known ages are spread, so that the objects of a group fit between two of them.
    scale = 1 + sum(map(len, world))
    latest = scale * (1 + max(before.values(), default=0))
    ages = {ref: age * scale for ref, age in before.items()}
    for group in world:
        ages |= {ref: ages.get(ref, latest) + place for place, ref in enumerate(group)}
    return ages


class _Groups:
    """Disjoint groups of objects."""

    def __init__(self) -> None:
        self._group_of: dict[Ref, dict[Ref, None]] = {}

    def join(self, refs: Iterable[Ref]) -> None:
        """Join the groups of these objects."""
        whole: dict[Ref, None] = {}
        for ref in refs:
            whole |= self._group_of.get(ref, {ref: None})
        if len(whole) > 1:
            self._group_of |= dict.fromkeys(whole, whole)

    def list(self) -> Iterator[tuple[Ref, ...]]:
        """Yield each group once."""
        # Objects of one group share the dict, which is what makes them a group.
        yield from map(tuple, {id(group): group for group in self._group_of.values()}.values())


def _join_contending(attachments: Mapping[Ref, Attachment], groups: _Groups) -> Iterator[Ref]:
    """Join in `groups` policies that contend; yield policies that all attach if of one age."""
    contentions = {
        # Each contention is known by all of its policies.
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
            # Whether two of them contend depends on which policies were refused before.
            groups.join(_find_near(attachments, contention.orders.likely))


def _join_selected(
    topology: graph.Topology, attachments: Mapping[Ref, Attachment], groups: _Groups
) -> None:
    """Join in `groups` the routes selected by an invalid policy that may also lose a contention."""
    for ref, item in attachments.items():
        is_late = any(each.is_open or each.refuses(ref) for each in item.contentions)
        # Envoy Gateway, composePolicyTargetRefs: selected targets are sorted by age, and the
        # youngest route writes the entry of a parent that they share.
        if is_late and item.accepted.reason == INVALID:
            for link in topology.nodes[ref].attachments if ref in topology.nodes else ():
                if link.selector is not None:
                    targets = topology.targets(link)
                    groups.join(one for one in targets if topology.nodes[one].is_route)


def _find_near(attachments: Mapping[Ref, Attachment], policies: tuple[Ref, ...]) -> Iterator[Ref]:
    """Yield the policies of the same kind that share a target with these policies."""
    targets = {target for ref in policies for target in attachments[ref].may_hold}
    for ref, item in attachments.items():
        is_alike = (ref.group, ref.kind) == (policies[0].group, policies[0].kind)
        if is_alike and not targets.isdisjoint(item.may_hold):
            yield ref


def _join_tied(effective: Iterable[EffectivePolicy], groups: _Groups) -> None:
    """Join in `groups` policies whose order decides: on one target, or else all on a path."""
    stacks = {id(item.stack): item for item in effective if item.by_order}
    for item in stacks.values():
        on_levels = grouped(
            (target, policy) for policy, target in zip(item.stack, item.targets, strict=True)
        )
        crowded = [policies for policies in on_levels.values() if len(policies) > 1]
        # Without two policies on one level, the order between levels must be what decides.
        for policies in crowded or [[*item.stack]]:
            groups.join(policies)


def _join_parents(
    topology: graph.Topology, conflicts: Iterable[ListenerConflict], groups: _Groups
) -> None:
    """Join in `groups` the ListenerSets and merged Gateways whose listeners conflict."""
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
            if len(merged) > 1:  # all listeners on the port are in one order
                parents.update(other.ref for other, item in listeners if item.port == port)
    for gateways, parents in by_gateways.items():
        groups.join(sorted(parents - gateways))
        groups.join(sorted(ref for ref in gateways if graph.is_merged(topology, ref)))


def _join_routes(
    topology: graph.Topology, effective: Iterable[EffectivePolicy], groups: _Groups
) -> None:
    """Join in `groups` all routes of which a listener serves only the oldest (`single_routes`)."""
    rivals: dict[tuple[Ref, str], dict[Ref, None]] = {}
    for item in effective:
        route, controller = item.path.route, None
        if route is not None and not item.path.is_certain:
            controller = graph.find_class_controller(topology, item.path.gateway_class)
        if route is not None and controller and route.kind in controller.single_routes:
            rivals.setdefault((item.path.section, route.kind), {})[route] = None
    for routes in rivals.values():
        groups.join(routes)
