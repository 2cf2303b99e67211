"""Reading a node off an object: what the graph needs of it, by its kind's row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.controllers import Sections
from spokerender.kinds.delegation import PRIORITY
from spokerender.kinds.grants import grant
from spokerender.kinds.needs import crossings, needed
from spokerender.kinds.paths import found
from spokerender.kinds.references import references
from spokerender.model import GATEWAY_API, Ref, shown
from spokerender.model.selectors import LabelSelector
from spokerender.model.shapes import as_list, as_mapping, as_mappings, as_text
from spokerender.topology.admission import Admission
from spokerender.topology.matches import matches_of
from spokerender.topology.node import GATEWAY_CLASS, Listener, Node

SERVICE = ("", "Service")
SECRET = ("", "Secret")
_HAS_PORTS = (
    SERVICE,
    ("multicluster.x-k8s.io", "ServiceImport"),
    ("networking.istio.io", "ServiceEntry"),
)
GRANT = (GATEWAY_API, "ReferenceGrant")


def node(ref: Ref, data: Mapping[str, Any], catalogue: Catalogue) -> Node:
    """Read off an object what the graph needs; wrong types are passed over, not reported."""
    kind = catalogue.kind(ref.group, ref.kind)
    spec, metadata = as_mapping(data.get("spec")), as_mapping(data.get("metadata"))
    is_gateway_api = ref.group in (GATEWAY_API, "gateway.networking.x-k8s.io")
    links = references(kind, data, ref.namespace)
    rules = as_mappings(spec.get("rules")) if kind.is_route else []
    return Node(
        ref=ref,
        labels=tuple(sorted(_texts(metadata.get("labels")).items())),
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
        ports=tuple(_ports(spec)) if (ref.group, ref.kind) in _HAS_PORTS else (),
        keys=_keys(data) if (ref.group, ref.kind) == SECRET else (),
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
        inherits=as_text(as_mapping(metadata.get("annotations")).get(PRIORITY))
        if kind.is_route
        else "",
        narrows=_text(found(data, kind.narrows)) if kind.narrows else "",
        merges=bool(kind.merges_gateways)
        and any(value is True for _, value in found(data, kind.merges_gateways)),
    )


def _ports(spec: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for entry in as_mappings(spec.get("ports")):
        port = entry.get("port", entry.get("number"))
        if type(port) is int:
            yield as_text(entry.get("name")), port


def _text(places: list[Any]) -> str:
    return json.dumps([value for _, value in places], sort_keys=True, default=str) if places else ""


def _keys(data: Mapping[str, Any]) -> tuple[str, ...]:
    """What the data of a Secret is called; nothing of the data itself."""
    return tuple(sorted({*_texts(data.get("data")), *_texts(data.get("stringData"))}))


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
