"""The typed graph Gateway > ListenerSet > route > rule, with policies on their targets.

The same builder serves the hub and each spoke: a spoke is a smaller hub. It takes nodes,
not manifests: a node is what the graph needs to know of an object and nothing else, it is
compared by value, and two objects that hang together alike have equal nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

from render.kinds import (
    Catalogue,
    Grant,
    Kind,
    LabelSelector,
    Reference,
    Role,
    grant,
    needs,
    references,
    shown,
)
from render.model import GATEWAY_API, Ref

GATEWAY = (GATEWAY_API, "Gateway")
GRANT = (GATEWAY_API, "ReferenceGrant")


EVERYTHING = LabelSelector()


@dataclass(frozen=True, slots=True)
class Admission:
    """Whose routes (or ListenerSets) may attach: `from` and, for `Selector`, its selector."""

    source: str = "Same"
    selector: LabelSelector = EVERYTHING

    def admits(self, parent_namespace: str, namespace: str, labels: Mapping[str, str]) -> bool:
        """Whether an object of `namespace`, which has `labels`, may attach (GEP-1324, GEP-1713)."""
        match self.source:
            case "All":
                return True
            case "Same":
                return parent_namespace == namespace
        return self.source == "Selector" and self.selector.matches(labels)


@dataclass(frozen=True, slots=True)
class Listener:
    """What of a listener decides who attaches; `index` is its place in `spec.listeners`."""

    index: int
    name: str
    hostname: str
    port: int | str
    protocol: str
    routes: Admission


@dataclass(frozen=True, slots=True)
class Node:
    """What the graph knows of one object; equal nodes hang together alike.

    `crossing` are a Gateway's references into other namespaces (certificates, say), each with
    its field; they need a ReferenceGrant there.
    """

    ref: Ref
    labels: tuple[tuple[str, str], ...] = ()
    references: tuple[Reference, ...] = ()
    listeners: tuple[Listener, ...] = ()
    admits_listener_sets: Admission = Admission("None")
    rules: tuple[str, ...] = ()
    hostnames: tuple[str, ...] = ()
    gateway_class: str = ""
    grant: Grant | None = None
    crossing: tuple[tuple[Ref, str], ...] = ()

    @property
    def is_gateway(self) -> bool:
        """Whether this is a Gateway of the Gateway API."""
        return (self.ref.group, self.ref.kind) == GATEWAY

    @property
    def attachments(self) -> tuple[Reference, ...]:
        """The references that decide what the object hangs on."""
        return tuple(link for link in self.references if link.rule.role is not Role.BACKEND)

    @property
    def texts(self) -> Iterator[str]:
        """Every text in it: whatever compares nodes compares these."""
        return _texts_of(self)

    @property
    def sections(self) -> tuple[str, ...] | None:
        """The names that a section name may have; None where the kind's sections are unknown.

        Kuadrant calls the unnamed rule i `rule-<i+1>` (policy-machinery, HTTPRouteRule).
        """
        if self.listeners or self.is_gateway:
            return tuple(listener.name for listener in self.listeners)
        if self.rules:
            return tuple(
                name or f"rule-{number}" for number, name in enumerate(self.rules, start=1)
            )
        return None


def _texts_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif is_dataclass(value):
        for part in fields(value):
            yield from _texts_of(getattr(value, part.name))
    elif isinstance(value, tuple | frozenset):
        for item in value:
            yield from _texts_of(item)


def node(ref: Ref, data: Mapping[str, Any], catalogue: Catalogue) -> Node:
    """Read off an object what the graph needs; wrong types are passed over, not reported."""
    kind = catalogue.kind(ref.group, ref.kind)
    spec = _mapping(data.get("spec"))
    is_gateway_api = ref.group in (GATEWAY_API, "gateway.networking.x-k8s.io")
    return Node(
        ref=ref,
        labels=tuple(sorted(_texts(_mapping(data.get("metadata")).get("labels")).items())),
        references=references(kind, data, ref.namespace),
        listeners=_listeners(spec) if is_gateway_api else (),
        admits_listener_sets=_admission(
            _mapping(_mapping(spec.get("allowedListeners")).get("namespaces")), "None"
        ),
        rules=tuple(_text(rule.get("name")) for rule in _mappings(spec.get("rules")))
        if kind.is_route
        else (),
        hostnames=tuple(name for name in _list(spec.get("hostnames")) if isinstance(name, str))
        if kind.is_route
        else (),
        gateway_class=_text(spec.get("gatewayClassName")),
        grant=grant(data, ref.namespace) if (ref.group, ref.kind) == GRANT else None,
        crossing=tuple(_crossing(kind, ref, data)) if (ref.group, ref.kind) == GATEWAY else (),
    )


def _crossing(kind: Kind, ref: Ref, data: Mapping[str, Any]) -> Iterator[tuple[Ref, str]]:
    for requirement in needs(kind, data, ref.namespace):
        if requirement.explicit_namespace and requirement.ref.namespace != ref.namespace:
            yield requirement.ref, shown(requirement.path)


def _listeners(spec: Mapping[str, Any]) -> tuple[Listener, ...]:
    return tuple(
        Listener(
            index=index,
            name=_text(entry.get("name")),
            hostname=_text(entry.get("hostname")),
            port=port if isinstance(port := entry.get("port"), int | str) else "",
            protocol=_text(entry.get("protocol")),
            routes=_admission(_mapping(_mapping(entry.get("allowedRoutes")).get("namespaces"))),
        )
        for index, entry in enumerate(_list(spec.get("listeners")))
        if isinstance(entry, Mapping)
    )


def _admission(namespaces: Mapping[str, Any], default: str = "Same") -> Admission:
    return Admission(
        source=_text(namespaces.get("from")) or default,
        selector=LabelSelector.read(namespaces.get("selector") or {}),
    )


def _mapping(value: Any) -> Mapping[str, Any]:  # noqa: ANN401  (JSON of any shape)
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:  # noqa: ANN401
    return value if isinstance(value, list) else []


def _mappings(value: Any) -> list[Mapping[str, Any]]:  # noqa: ANN401
    return [item for item in _list(value) if isinstance(item, Mapping)]


def _text(value: Any) -> str:  # noqa: ANN401
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> dict[str, str]:  # noqa: ANN401
    return {key: text for key, text in _mapping(value).items() if isinstance(text, str)}


class Topology:
    """Nodes by identity, and the questions that the stages ask about how they hang together."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        """Build the graph; identities must be unique."""
        self.nodes: dict[Ref, Node] = {item.ref: item for item in nodes}
        self._hangs: dict[Ref, frozenset[Ref]] = {}

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
