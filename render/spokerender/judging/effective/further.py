"""Policies in force where no request of today's routes comes: for routes to come, and in meshes.

Where every route has policies of its own, those of its gateway are in force nowhere, and yet they
decide who may call the next route. Policies about a mesh are on no path through a gateway.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec.structs import replace

from spokerender.judging.effective.blocks import read_blocks
from spokerender.judging.effective.compute import ReusableParts, compute_effective_policies
from spokerender.judging.effective.kind_paths import KindPath, KindPaths, add_levels
from spokerender.judging.effective.outcomes import AttachedPolicy, EffectivePolicy
from spokerender.judging.effective.processes import run_process
from spokerender.kinds.table import group_rows
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.model.refs import GATEWAY_API
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.node import is_kind_allowed
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_listener_paths

_NAME = "any further route"


def compute_for_further_routes(
    topology: Topology, policies: Iterable[AttachedPolicy]
) -> tuple[EffectivePolicy, ...]:
    """Compute what would be in force, on each listener, for a route without policies of its own.

    The route is of the first kind that the listener allows; it is in no topology.
    """
    policies = tuple(policies)
    reusable = _share_parts(topology)
    reusable.alive.append(policies)
    items = compute_effective_policies(topology, policies, topology.ages, reusable=reusable)
    return tuple(item for item in items if item.path.listener)


@memoised
def _share_parts(topology: Topology) -> ReusableParts:
    """Return the parts for all computations on a topology."""
    return ReusableParts(paths=_FurtherPaths(topology))


def compute_in_mesh(policies: Sequence[AttachedPolicy]) -> Iterator[EffectivePolicy]:
    """Yield what policies of one kind come to on each target about which a mesh asks (`Reach`)."""
    by_target: dict[Ref, list[AttachedPolicy]] = {}
    for policy in policies:
        for target in policy.targets:
            if target.kind in policy.row.reach.mesh:
                by_target.setdefault(target, []).append(policy)
    for target, own in by_target.items():
        row = own[0].row
        blocks = [replace(block, target=target) for policy in own for block in read_blocks(policy)]
        refs = tuple(policy.ref for policy in own)
        path, targets = RequestPath("", target, None, ""), (target,) * len(own)
        outcome = run_process(row.merged, blocks)
        yield EffectivePolicy(path, row.group, row.kind, refs, targets, outcome)


class _FurtherPaths(KindPaths):
    """The paths to such routes, in place of those to routes that are there."""

    @cached_property
    def _rules(self) -> tuple[KindPath, ...]:
        return add_levels(_list_further(self._topology))

    @cached_property
    def _backends(self) -> tuple[KindPath, ...]:
        return self._rules


def _list_further(topology: Topology) -> Iterator[RequestPath]:
    for path in find_listener_paths(topology):
        controller = find_class_controller(topology, path.gateway_class)
        parent = topology.nodes[path.listener_set or path.gateway]
        listener = next(item for item in parent.listeners if item.name == path.listener)
        for (group, name), row in group_rows(GATEWAY_API).items():
            if row.protocols and is_kind_allowed(listener, group, name, controller):
                route = Ref(group, name, path.gateway.namespace, _NAME)
                yield replace(path, route=route, rule=_NAME)
                break
