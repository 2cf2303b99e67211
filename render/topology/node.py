"""A node: what the graph needs to know of one object. Two that hang together alike are equal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from render.kinds import (
    Catalogue,
    Grant,
    Reference,
    Sections,
    crossings,
    grant,
    needed,
    references,
)
from render.model import GATEWAY_API, Ref, shown
from render.model.selectors import LabelSelector
from render.model.shapes import as_list, as_mapping, as_mappings, as_text
from render.topology.admission import NOBODY, Admission
from render.topology.matches import Match, matches_of

GATEWAY = (GATEWAY_API, "Gateway")
GATEWAY_CLASS = (GATEWAY_API, "GatewayClass")
SERVICE = ("", "Service")
GRANT = (GATEWAY_API, "ReferenceGrant")
PARENTS = frozenset(
    {GATEWAY, (GATEWAY_API, "ListenerSet"), ("gateway.networking.x-k8s.io", "XListenerSet")}
)
"""What has listeners."""


@dataclass(frozen=True, slots=True)
class Listener:
    """What of a listener decides who attaches; `index` is its place in `spec.listeners`.

    `kinds` are the route kinds that `allowedRoutes` names, by group and kind; none named is empty.
    """

    index: int
    name: str
    hostname: str
    port: int | str
    protocol: str
    routes: Admission
    kinds: tuple[tuple[str, str], ...] = ()
    tls_mode: str = "Terminate"


@dataclass(frozen=True, slots=True)
class Node:
    """What the graph knows of one object; equal nodes hang together alike.

    `crossing` are its references into other namespaces (certificates, backends), each with its
    field; they need a ReferenceGrant there. `needs` are what it can't work without (`Role.NEED`).
    `default_scope` is that of the routes that want a default Gateway, and have this one for it.
    `controller` is a GatewayClass's. `rules` are the
    names of a route's rules, empty where one has none, and `matches` what they are for. `by_place`
    is set where its section names may be the places of rules. `ports` are a Service's, by name.
    """

    ref: Ref
    labels: tuple[tuple[str, str], ...] = ()
    references: tuple[Reference, ...] = ()
    listeners: tuple[Listener, ...] = ()
    admits_listener_sets: Admission = NOBODY
    rules: tuple[str, ...] = ()
    matches: tuple[tuple[Match, ...], ...] = ()
    hostnames: tuple[str, ...] = ()
    ports: tuple[tuple[str, int], ...] = ()
    gateway_class: str = ""
    default_scope: str = ""
    controller: str = ""
    grant: Grant | None = None
    crossing: tuple[tuple[Ref, str], ...] = ()
    needs: tuple[Reference, ...] = ()
    is_route: bool = False
    by_place: bool = False

    @property
    def is_gateway(self) -> bool:
        """Whether this is a Gateway of the Gateway API."""
        return (self.ref.group, self.ref.kind) == GATEWAY

    @property
    def attachments(self) -> tuple[Reference, ...]:
        """What the object names and is of use with; not what a route sends requests to."""
        return tuple(link for link in self.references if link.row.role.ships)

    @property
    def texts(self) -> Iterator[str]:
        """Every text in it: whatever compares nodes compares these."""
        return _texts_of(self)

    @property
    def sections(self) -> tuple[str, ...] | None:
        """What its sections are called, for people; None where the kind's sections are unknown."""
        return self.named_sections(by_place=True)

    def named_sections(self, *, by_place: bool) -> tuple[str, ...] | None:
        """The names that a section name may have; None where the kind's sections are unknown.

        Not every controller takes an unnamed rule's place for its name.
        """
        if self.listeners or self.is_gateway:
            return tuple(listener.name for listener in self.listeners)
        if self.rules:
            return rule_sections(self.rules) if by_place else tuple(filter(None, self.rules))
        return None


def rule_sections(names: Sequence[str]) -> tuple[str, ...]:
    """What a route's rules are called; a name is empty where the rule has none.

    Kuadrant calls the unnamed rule i `rule-<i+1>` (policy-machinery, HTTPRouteRule). Where another
    rule is named so, that one is meant: a section name is a rule's name first (Gateway API). The
    unnamed one is then `rules[i]`, which no section name can be.
    """
    return tuple(
        name or (f"rules[{index}]" if f"rule-{index + 1}" in names else f"rule-{index + 1}")
        for index, name in enumerate(names)
    )


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
    spec = as_mapping(data.get("spec"))
    is_gateway_api = ref.group in (GATEWAY_API, "gateway.networking.x-k8s.io")
    links = references(kind, data, ref.namespace)
    rules = as_mappings(spec.get("rules")) if kind.is_route else []
    return Node(
        ref=ref,
        labels=tuple(sorted(_texts(as_mapping(data.get("metadata")).get("labels")).items())),
        references=links,
        listeners=_listeners(spec) if is_gateway_api else (),
        admits_listener_sets=_admission(
            as_mapping(as_mapping(spec.get("allowedListeners")).get("namespaces")), "None"
        ),
        rules=tuple(as_text(rule.get("name")) for rule in rules),
        matches=tuple(matches_of(ref.kind, rule) for rule in rules),
        hostnames=tuple(name for name in as_list(spec.get("hostnames")) if isinstance(name, str))
        if kind.is_route
        else (),
        ports=tuple(_ports(spec)) if (ref.group, ref.kind) == SERVICE else (),
        gateway_class=as_text(spec.get("gatewayClassName")),
        default_scope=as_text(spec.get("defaultScope")) if is_gateway_api else "",
        controller=as_text(spec.get("controllerName"))
        if (ref.group, ref.kind) == GATEWAY_CLASS
        else "",
        grant=grant(data, ref.namespace) if (ref.group, ref.kind) == GRANT else None,
        crossing=tuple(
            (referent, shown(path))
            for referent, path in crossings(kind, data, links, ref.namespace)
        ),
        needs=needed(kind, data, ref.namespace),
        is_route=kind.is_route,
        by_place=kind.controller.sections is Sections.POSITIONAL,
    )


def _ports(spec: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for entry in as_mappings(spec.get("ports")):
        if type(port := entry.get("port")) is int:
            yield as_text(entry.get("name")), port


def _listeners(spec: Mapping[str, Any]) -> tuple[Listener, ...]:
    return tuple(
        Listener(
            index=index,
            name=as_text(entry.get("name")),
            hostname=as_text(entry.get("hostname")),
            port=port if isinstance(port := entry.get("port"), int | str) else "",
            protocol=as_text(entry.get("protocol")),
            routes=_admission(as_mapping(as_mapping(entry.get("allowedRoutes")).get("namespaces"))),
            kinds=tuple(_route_kinds(as_mapping(entry.get("allowedRoutes")).get("kinds"))),
            tls_mode=as_text(as_mapping(entry.get("tls")).get("mode")) or "Terminate",
        )
        for index, entry in enumerate(as_list(spec.get("listeners")))
        if isinstance(entry, Mapping)
    )


def _route_kinds(kinds: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401  (JSON of any shape)
    for entry in as_mappings(kinds):
        group = entry.get("group")
        yield GATEWAY_API if group is None else as_text(group), as_text(entry.get("kind"))


def _admission(namespaces: Mapping[str, Any], default: str = "Same") -> Admission:
    return Admission(
        source=as_text(namespaces.get("from")) or default,
        selector=LabelSelector.read(namespaces.get("selector") or {}),
    )


def _texts(value: Any) -> dict[str, str]:  # noqa: ANN401
    return {key: text for key, text in as_mapping(value).items() if isinstance(text, str)}
