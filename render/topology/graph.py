"""The graph: nodes by identity, and the questions that the stages ask about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from render.kinds import Reference, Role
from render.model import Ref
from render.topology.node import Node


class Topology:
    """Nodes by identity, and the questions that the stages ask about how they hang together."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        """Build the graph; identities must be unique."""
        self.nodes: dict[Ref, Node] = {item.ref: item for item in nodes}
        self._hangs: dict[Ref, frozenset[Ref]] = {}
        self.kept: dict[Any, Any] = {}
        """Answers about it that are asked for more than once; it never changes."""

    @cached_property
    def gateways(self) -> tuple[Ref, ...]:
        """All Gateways, sorted."""
        return tuple(sorted(ref for ref, item in self.nodes.items() if item.is_gateway))

    @cached_property
    def namespace_labels(self) -> dict[str, dict[str, str]]:
        """Labels of the Namespaces that are among the objects."""
        return {
            ref.name: dict(item.labels)
            for ref, item in self.nodes.items()
            if (ref.group, ref.kind) == ("", "Namespace")
        }

    def labels_of_namespace(self, name: str) -> dict[str, str]:
        """A namespace's labels as far as files tell, and the one that the API server sets."""
        return {**self.namespace_labels.get(name, {}), "kubernetes.io/metadata.name": name}

    @cached_property
    def _by_backend(self) -> dict[Ref, tuple[Ref, ...]]:
        routes: dict[Ref, list[Ref]] = {}
        for ref, item in self.nodes.items():
            for link in item.references:
                if link.rule.role is Role.BACKEND:
                    routes.setdefault(link.ref.whole, []).append(ref)
        return {backend: tuple(dict.fromkeys(sorted(names))) for backend, names in routes.items()}

    @cached_property
    def _by_kind(self) -> dict[tuple[str, str], tuple[Node, ...]]:
        kinds: dict[tuple[str, str], list[Node]] = {}
        for item in self.nodes.values():
            kinds.setdefault((item.ref.group, item.ref.kind), []).append(item)
        return {key: tuple(items) for key, items in kinds.items()}

    def of_kind(self, group: str, kind: str, namespace: str) -> tuple[Node, ...]:
        """The objects of one kind in one namespace."""
        found = self._by_kind.get((group, kind), ())
        return tuple(item for item in found if item.ref.namespace == namespace)

    def routes_to(self, backend: Ref) -> tuple[Ref, ...]:
        """The routes whose backendRefs name the object (a Service, say)."""
        return self._by_backend.get(backend.whole, ())

    def targets(self, link: Reference) -> tuple[Ref, ...]:
        """What an attaching reference leads to: objects here, or the routes to a backend."""
        if link.rule.role is Role.BACKEND:
            return ()
        if link.selector is not None:
            return self._selected(link)
        target = link.ref.whole
        if target in self.nodes and not self.routes_to(target):
            return (target,)
        return self.routes_to(target)

    def _selected(self, link: Reference) -> tuple[Ref, ...]:
        selector = link.selector
        return tuple(
            item.ref
            for item in self._by_kind.get((link.ref.group, link.ref.kind), ())
            if selector is not None
            and selector.admits_namespace(
                link.ref.namespace, item.ref.namespace, self.labels_of_namespace(item.ref.namespace)
            )
            and selector.matches(dict(item.labels))
        )

    def hangs_on(self, ref: Ref) -> frozenset[Ref]:
        """The Gateways that an object hangs on, at any distance; a Gateway hangs on itself."""
        known = self._hangs.get(ref)
        if known is None:
            known = self._hangs[ref] = frozenset(self._gateways_above(ref))
        return known

    def _gateways_above(self, start: Ref) -> Iterator[Ref]:
        """Walk up all references; those of mesh routes, to a Service and back, lead in circles."""
        seen, ahead = {start}, [start]
        while ahead:
            ref = ahead.pop()
            item = self.nodes.get(ref)
            if ref in self._hangs:
                yield from self._hangs[ref]
            elif item is not None and item.is_gateway:
                yield ref
            elif item is not None:
                more = {target for link in item.references for target in self.targets(link)} - seen
                seen |= more
                ahead += more

    def reached(self, link: Reference) -> frozenset[Ref]:
        """The Gateways that one reference leads to, at any distance."""
        return frozenset().union(*(self.hangs_on(target) for target in self.targets(link)))
