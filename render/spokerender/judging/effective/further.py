"""Effective policies outside the paths to existing routes: for later routes, and in meshes.

If every route has policies of its own, the policies of its Gateway are effective on no path, yet
they decide who may call the next route. Policies of a mesh are on no path through a Gateway.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec.structs import replace

from spokerender.judging.effective.blocks import read_blocks
from spokerender.judging.effective.compute import ReusableParts, compute_effective_policies
from spokerender.judging.effective.kind_paths import KindPath, KindPaths, add_levels
from spokerender.judging.effective.outcomes import AttachedPolicy, EffectivePolicy
from spokerender.judging.effective.processes import run_process
from spokerender.kinds.kind import Kind
from spokerender.kinds.references import ROOT_NAMESPACE
from spokerender.kinds.table import group_rows
from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised
from spokerender.model.refs import GATEWAY_API
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.node import is_kind_allowed
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_listener, find_listener_paths

_NAME = "a route that is added later"
_GATEWAY, _NAMESPACE = "Gateway", "Namespace"


def compute_for_further_routes(
    topology: Topology, policies: Iterable[AttachedPolicy]
) -> tuple[EffectivePolicy, ...]:
    """Return the effective policies on each listener for a route that may be added later.

    The route has no policies of its own. It is of the first kind that the listener allows.
    """
    policies = tuple(policies)
    reusable = _share_parts(topology)
    reusable.alive.append(policies)
    items = compute_effective_policies(topology, policies, topology.ages, reusable=reusable)
    return tuple(item for item in items if item.path.listener)


@memoised
def _share_parts(topology: Topology) -> ReusableParts:
    """Return the results that all computations on a topology share."""
    return ReusableParts(paths=_FurtherPaths(topology))


def compute_in_mesh(
    topology: Topology, policies: Sequence[AttachedPolicy]
) -> Iterator[EffectivePolicy]:
    """Yield the effective policy on each target of a kind that `Reach.mesh` lists.

    All `policies` are of one kind. The policies of a namespace are also effective on its Gateways.
    """
    by_target = grouped(
        (target, policy)
        for policy in policies
        for target in policy.targets
        if target.kind in policy.row.reach.mesh
    )
    row = policies[0].row
    paths = find_listener_paths(topology) if _GATEWAY in row.reach.mesh else ()
    gateways = (
        path.gateway
        for path in paths
        if row.counts_on(find_class_controller(topology, path.gateway_class))
    )
    for target in dict.fromkeys((*by_target, *gateways)):
        pairs = [(i, of) for of in _list_above(row, target) for i in by_target.get(of, ())]
        blocks = [replace(block, target=of) for item, of in pairs for block in read_blocks(item)]
        if blocks:
            refs, targets = tuple(item.ref for item, _ in pairs), tuple(of for _, of in pairs)
            path, outcome = RequestPath("", target, None, ""), run_process(row.merged, blocks)
            yield EffectivePolicy(path, row.group, row.kind, refs, targets, outcome)


def _list_above(row: Kind, target: Ref) -> tuple[Ref, ...]:
    """Return the namespaces whose policies apply to a target in a mesh, and last the target."""
    if _NAMESPACE not in row.reach.mesh:
        return (target,)
    names = ROOT_NAMESPACE, target.namespace or target.name
    namespaces = (Ref("", _NAMESPACE, "", name) for name in names)
    return tuple(dict.fromkeys((*namespaces, target)))


class _FurtherPaths(KindPaths):
    """Paths to a route that may be added later, on each listener, instead of existing routes."""

    @cached_property
    def _rules(self) -> tuple[KindPath, ...]:
        return add_levels(_list_further(self._topology))

    @cached_property
    def _backends(self) -> tuple[KindPath, ...]:
        return self._rules


def _list_further(topology: Topology) -> Iterator[RequestPath]:
    for path in find_listener_paths(topology):
        controller = find_class_controller(topology, path.gateway_class)
        listener = find_listener(topology, path)
        for (group, name), row in group_rows(GATEWAY_API).items():
            if row.protocols and is_kind_allowed(listener, group, name, controller):
                route = Ref(group, name, path.gateway.namespace, _NAME)
                yield replace(path, route=route, rule=_NAME)
                break
