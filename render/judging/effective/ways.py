"""On which paths policies of a kind are computed, and what they may hang on there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from render.kinds import Kind
from render.kinds.kind import ROUTE
from render.model import Ref
from render.topology import (
    PARENTS,
    RequestPath,
    Topology,
    backend_paths,
    listener_paths,
    rule_paths,
)

_LISTENING = frozenset({"GatewayClass", *(kind for _, kind in PARENTS)})
"""What has to do with listeners only."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """A path, and the levels that policies on it may hang on, the least specific first."""

    path: RequestPath
    levels: tuple[Ref, ...]

    @property
    def order(self) -> tuple[tuple[Ref, ...], tuple[str, ...]]:
        """What paths are sorted by (`RequestPath.order`)."""
        return self.levels[1:], self.path.hostnames


class Ways:
    """The paths of one topology, each sort of them found once."""

    def __init__(self, topology: Topology, namespaces: Topology | None) -> None:
        """`namespaces` as for `rule_paths`."""
        self._topology = topology
        self._namespaces = namespaces

    @cached_property
    def _listeners(self) -> tuple[Way, ...]:
        return _ways(listener_paths(self._topology, self._namespaces))

    @cached_property
    def _rules(self) -> tuple[Way, ...]:
        return _ways(rule_paths(self._topology, self._namespaces))

    @cached_property
    def _backends(self) -> tuple[Way, ...]:
        """Down to backends; a rule without any ends at itself."""
        found = backend_paths(self._topology, self._namespaces)
        above = {replace(path, backend=None) for path in found}
        return (*_ways(found), *(way for way in self._rules if way.path not in above))

    def of(self, kind: Kind, targets: Iterable[Ref]) -> tuple[Way, ...]:
        """The paths of a kind whose policies are attached to `targets`.

        A kind that attaches to nothing below listeners has paths that end there. One that is
        attached to backends has paths to them, and to each of their ports that a policy names;
        the path to the whole backend then stands for its other ports. A kind that can attach to
        routes has no path through routes of other kinds.
        """
        merging = kind.merged
        if kind.targets and _LISTENING.issuperset(kind.targets):
            found = self._listeners
        elif ends := [target for target in targets if self._is_backend(target)]:
            found = (*self._backends, *self._ports(frozenset(ends)))
        else:
            found = self._rules
        return tuple(
            way
            for way in found
            if (way.path.is_within or not merging.within)
            and (way.path.listener_set is None or merging.listener_sets)
            and (not kind.routes or way.path.route is None or way.path.route.kind in kind.routes)
        )

    def _is_backend(self, target: Ref) -> bool:
        node = self._topology.nodes.get(target.whole)
        is_route = node.is_route if node is not None else target.kind.endswith(ROUTE)
        return target.kind not in _LISTENING and not is_route

    def _ports(self, ends: frozenset[Ref]) -> tuple[Way, ...]:
        named = sorted(end for end in ends if end.section_name)
        return tuple(
            Way(replace(way.path, backend=end), (*way.levels, end))
            for way in self._backends
            for end in named
            if end.whole == way.path.backend
        )


def _ways(paths: Iterable[RequestPath]) -> tuple[Way, ...]:
    return tuple(Way(path, path.levels) for path in paths)
