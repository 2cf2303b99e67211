"""Reads nodes from objects, and builds the topology of a spoke from nodes."""

import json
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any

from msgspec.structs import replace

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.fields import find_values
from spokerender.kinds.needs import read_crossings, read_needs
from spokerender.kinds.reference import GRANT, read_grant
from spokerender.kinds.references import PRIORITY, read_references
from spokerender.model import CONFIG_MAP, GATEWAY_CLASS, SECRET, SERVICE, SERVICE_IMPORT
from spokerender.model.refs import GATEWAY_API, Ref, shown
from spokerender.model.selectors import Selector
from spokerender.model.shapes import Json, as_list, as_mapping, as_mappings, as_text, grouped
from spokerender.model.spokes import PlacedGateway
from spokerender.topology.graph import Topology
from spokerender.topology.node import Admission, Listener, Match, Node
from spokerender.topology.precedence import NO_AGES, Ages

_WITH_KEYS = (SECRET, CONFIG_MAP)
# Of TLS Secrets, which are the only data that is looked into at all.
_IN_PEM = ("tls.crt", "tls.key")
_HAS_PORTS = (SERVICE, SERVICE_IMPORT, ("networking.istio.io", "ServiceEntry"))


def read_node(ref: Ref, data: Mapping[str, Any], catalogue: Catalogue) -> Node:
    """Return the facts about an object that the graph needs; fields of a wrong type are ignored."""
    kind = catalogue.kind(ref.group, ref.kind)
    spec, metadata = as_mapping(data.get("spec")), as_mapping(data.get("metadata"))
    is_gateway_api = ref.group in (GATEWAY_API, "gateway.networking.x-k8s.io")
    # Read once, since crossings need them, too.
    links = read_references(kind, data, ref.namespace)
    rules = as_mappings(spec.get("rules")) if kind.is_route else []
    names = as_list(spec.get("hostnames")) if kind.is_route else []
    return Node(
        ref=ref,
        labels=tuple(sorted(_texts(metadata.get("labels")).items())),
        references=links,
        listeners=_listeners(spec) if is_gateway_api else (),
        admits_listener_sets=_admission(
            as_mapping(as_mapping(spec.get("allowedListeners")).get("namespaces")), "None"
        ),
        rules=tuple(as_text(rule.get("name")) for rule in rules)
        or tuple(as_text(name) for part in kind.parts for _, name in find_values(data, part)),
        matches=tuple(
            # A rule without matches is for every request, as with an empty match.
            tuple(_match(ref.kind, entry) for entry in as_mappings(rule.get("matches")) or [{}])
            for rule in rules
        ),
        hostnames=tuple(name for name in names if isinstance(name, str)),
        ports=tuple(_ports(spec)) if (ref.group, ref.kind) in _HAS_PORTS else (),
        keys=_keys(ref, data) if (ref.group, ref.kind) in _WITH_KEYS else (),
        has_bytes=bool(as_mapping(data.get("binaryData"))),
        is_garbled=(ref.group, ref.kind) == SECRET and _is_garbled(data),
        gateway_class=as_text(spec.get("gatewayClassName")),
        default_scope=as_text(spec.get("defaultScope")) if is_gateway_api else "",
        controller=as_text(spec.get("controllerName"))
        if (ref.group, ref.kind) == GATEWAY_CLASS
        else "",
        grant=read_grant(data, ref.namespace) if (ref.group, ref.kind) == GRANT else None,
        crossing=tuple(
            (referent, shown(path))
            for referent, path in read_crossings(kind, data, links, ref.namespace)
        ),
        needs=read_needs(kind, data, ref.namespace),
        is_route=kind.is_route,
        # A demand without path or setting cannot be met: the controller does not read the kind.
        is_off=any(not demand.path and not demand.setting for demand in kind.demands),
        naming=kind.controller.sections,
        inherits=as_text(as_mapping(metadata.get("annotations")).get(PRIORITY))
        if kind.is_route
        else "",
        narrows=_text(find_values(data, kind.narrows)) if kind.narrows else "",
        clients=tuple(_clients(spec)) if "tls" in spec else (),
        addresses=_addresses(spec) if spec.get("addresses") else (),
        answers=bool(kind.answers and find_values(data, kind.answers)),
        presents=_presented(find_values(data, kind.presents), ref) if kind.presents else None,
        merges=bool(kind.merges_gateways) and _merges(find_values(data, kind.merges_gateways)),
    )


def _merges(values: list[tuple[Any, Any]]) -> bool:
    return any(value is True for _, value in values)


def _presented(values: list[tuple[Any, Any]], own: Ref) -> Ref | None:
    """Return the Secret with the certificate that is presented to backends; None without one."""
    for _, value in values:
        named = as_mapping(value)
        namespace = as_text(named.get("namespace")) or own.namespace
        return Ref(
            "", as_text(named.get("kind")) or "Secret", namespace, as_text(named.get("name"))
        )
    return None


def _ports(spec: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for entry in as_mappings(spec.get("ports")):
        port = entry.get("port", entry.get("number"))
        # `type`, as a boolean is an int to Python.
        if type(port) is int:
            yield as_text(entry.get("name")), port


def _clients(spec: Mapping[str, Any]) -> Iterator[tuple[int, tuple[Ref, ...]]]:
    """Yield each port with the references to CA certificates for clients; 0: all other ports."""
    for port, validation in read_validations(spec).items():
        refs = tuple(read_authorities(validation, ""))
        if type(port) is int and (port or refs):
            yield port, refs


def read_validations(spec: Mapping[str, Any]) -> Mapping[Any, Mapping[str, Any]]:
    """Return how a Gateway validates its clients, by port; port 0 stands for all other ports.

    An empty result means no validation. Source: Gateway API, `GatewayTLSConfig.frontend`.
    """
    frontend = as_mapping(as_mapping(spec.get("tls")).get("frontend"))
    ports = ((item.get("port"), item.get("tls")) for item in as_mappings(frontend.get("perPort")))
    # The default first: a port's own validation replaces it.
    every = ((0, frontend.get("default")), *ports)
    return {port: as_mapping(as_mapping(tls).get("validation")) for port, tls in every}


def read_authorities(
    validation: Mapping[str, Any], namespace: str, kind: str = ""
) -> Iterator[Ref]:
    """Yield the CA certificates of a validation; `kind` is the default for those without a kind."""
    for ref in as_mappings(validation.get("caCertificateRefs")):
        yield Ref(
            as_text(ref.get("group")),
            as_text(ref.get("kind")) or kind,
            as_text(ref.get("namespace")) or namespace,
            as_text(ref.get("name")),
        )


def _text(places: list[Any]) -> str:
    return json.dumps([value for _, value in places], sort_keys=True, default=str) if places else ""


def _keys(ref: Ref, data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of the data of a Secret or ConfigMap, without the values."""
    # Names of keys alone, so that no value of a Secret gets into the graph.
    texts = _texts(data.get("data")) | _texts(data.get("stringData"))
    # An empty value of a Secret may be filled in elsewhere; a ConfigMap is as in its file.
    return tuple(
        sorted(key for key, text in texts.items() if text or (ref.group, ref.kind) == SECRET)
    )


def _is_garbled(data: Mapping[str, Any]) -> bool:
    """Return whether a certificate or key in base64 is not PEM; other texts may be encrypted."""
    for key, text in _texts(data.get("data")).items():
        # A sealed or templated value is no base64, and is not ours to judge.
        with suppress(ValueError):
            if text and key in _IN_PEM and b"-----BEGIN " not in b64decode(text, validate=True):
                return True
    return False


def _listeners(spec: Mapping[str, Any]) -> tuple[Listener, ...]:
    return tuple(
        Listener(
            index=index,
            name=as_text(entry.get("name")),
            hostname=as_text(entry.get("hostname")),
            # str| A port with a slot is a text.
            port=port if isinstance(port := entry.get("port"), int | str) else "",
            protocol=as_text(entry.get("protocol")),
            routes=_admission(as_mapping(as_mapping(entry.get("allowedRoutes")).get("namespaces"))),
            kinds=tuple(_route_kinds(as_mapping(entry.get("allowedRoutes")).get("kinds"))),
            tls_mode=as_text((tls := as_mapping(entry.get("tls"))).get("mode")) or "Terminate",
            certificates=tuple(
                (as_text(named.get("namespace")), as_text(named.get("name")))
                for named in as_mappings(tls.get("certificateRefs"))
                if as_text(named.get("kind")) in ("", "Secret")
            ),
        )
        for index, entry in enumerate(as_list(spec.get("listeners")))
        if isinstance(entry, Mapping)
    )


def _addresses(spec: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(as_text(each.get("type")) for each in as_mappings(spec.get("addresses")))


def _route_kinds(kinds: Json) -> Iterator[tuple[str, str]]:
    for entry in as_mappings(kinds):
        group = entry.get("group")
        yield GATEWAY_API if group is None else as_text(group), as_text(entry.get("kind"))


def _admission(namespaces: Mapping[str, Any], default: str = "Same") -> Admission:
    source, selector = as_text(namespaces.get("from")) or default, namespaces.get("selector")
    if source == "Selector" and selector is None:  # it has to have one; an empty one selects all
        source = "None"
    return Admission(source, Selector.read(selector or {}))


def _texts(value: Json) -> dict[str, str]:
    return {key: text for key, text in as_mapping(value).items() if isinstance(text, str)}


_HTTP = "HTTPRoute"


def _match(kind: str, entry: Mapping[str, Any]) -> Match:
    """Return one of a rule's matches, with the API's defaults filled in."""
    # Empty fields match everything; without them, equal matches have equal texts.
    whole = {key: value for key, value in entry.items() if value not in (None, [], {})}
    if kind == _HTTP:
        # The API server fills these in, so a match that writes them out is the same match.
        whole["path"] = {"type": "PathPrefix", "value": "/", **as_mapping(entry.get("path"))}
    elif isinstance(method := whole.get("method"), Mapping):
        whole["method"] = {"type": "Exact", **method}
    for key in ("headers", "queryParams"):
        if entries := as_list(whole.get(key)):
            # The order of headers and parameters means nothing.
            whole[key] = sorted(_typed(entries, is_header=key == "headers"), key=itemgetter("name"))
    named = as_mapping(whole.get("path")).get("value", "")
    # One text instead of a mapping: nodes are hashed and compared all the time.
    text = json.dumps(whole, sort_keys=True, ensure_ascii=False, default=str)
    return Match(as_text(named), text)


def _typed(entries: list[Any], *, is_header: bool) -> Iterator[dict[str, Any]]:
    """Yield headers or parameters with the default type Exact, and headers' names in lower case."""
    for entry in entries:
        fields = as_mapping(entry)
        name = str(fields.get("name"))
        # Header names are case-insensitive (RFC 9110); names of parameters are not.
        yield {"type": "Exact", **fields, "name": name.casefold() if is_header else name}


def build_spoke_topology(
    shipped: Iterable[Node],
    placed: Iterable[PlacedGateway],
    catalogue: Catalogue,
    namespaces: Topology | None = None,
    ages: Ages = NO_AGES,
) -> Topology:
    """Return the topology of a spoke; gateways that it has already have the declared listeners.

    Two hub gateways may be placed as one existing gateway, which then has the listeners of both.
    `namespaces` and `ages` are as in `Topology`.
    """
    declared = grouped((place.ref, place) for place in placed if place.existing)
    existing = {ref: _existing(ref, places, catalogue) for ref, places in declared.items()}
    # A rendered Gateway takes precedence over one that is declared to exist.
    nodes = {**existing, **{item.ref: item for item in shipped}}
    for ref in (ref for ref in existing if (ref.group, ref.kind) == SERVICE):
        nodes[ref] = replace(nodes[ref], is_placed=True)
    return Topology(nodes.values(), namespaces, ages)


def _existing(ref: Ref, places: Sequence[PlacedGateway], catalogue: Catalogue) -> Node:
    listeners: dict[str, Any] = {}
    labels = {key: text for place in places for key, text in place.labels}
    for place in places:
        for listener in place.listeners.data:
            # The first declaration of a listener counts.
            listeners.setdefault(listener["name"], listener)
    gateway_class = next((place.gateway_class for place in places if place.gateway_class), "")
    spec = {"gatewayClassName": gateway_class, "listeners": list(listeners.values())}
    return replace(
        read_node(ref, {"metadata": {"labels": labels}, "spec": spec}, catalogue),
        is_declared=True,
        lacks=tuple(key for key, text in labels.items() if text is None),
    )
