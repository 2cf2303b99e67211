"""What becomes of requests by Envoy Gateway's IR: what the route that takes one asks of it.

Which one does an Envoy says, by the route's name; of connections the server's name decides.
"""

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from math import gcd
from typing import Any

from msgspec import Struct

from spokerender.model import Ref
from spokerender.topology.matches import Request
from tests.live.building import program
from tests.live.hub_routes import ROUTES

Json = dict[str, Any]
Door = tuple[str, str, int]
"""A Gateway, a protocol, and a port."""
_ALIKE = ("Service", "ServiceImport")
"""Kinds of backends that all have the same addresses."""
ACCESS = ("jwt", "basicAuth", "apiKeyAuth", "extAuth", "oidc", "authorization")
_TARGET = (
    *("destination", "redirect", "directResponse", "urlRewrite", "mirrors", "timeout"),
    *("addRequestHeaders", "removeRequestHeaders", "addResponseHeaders", "removeResponseHeaders"),
)
_NAMING = ("statName", "metadata")
"""Keys of the IR that hold names of objects, which make no difference to requests."""
_NOT_CLIENT = ("hostnames", "port", "grpc")
"""Parts of a listener that follow from its routes."""
_KINDS = {one.lower(): one for one in ROUTES}
NEW = "-new"
"""The end of the new name of what is renamed."""
ELSEWHERE = "elsewhere.test"
"""A hostname that only listeners and routes for all names are for."""


class Fate(Struct, frozen=True):
    """What becomes of a request: `rule` takes it on `listener`, and asks `access` and `limits`.

    Both are sections without a group, and None where nothing takes it. It `fails` where it is
    answered with 500.
    """

    listener: Ref | None = None
    rule: Ref | None = None
    fails: bool = False
    access: Mapping[str, str] = {}
    limits: str = ""
    target: str = ""
    rest: str = ""
    client: str = ""

    @property
    def is_served(self) -> bool:
        """Tell whether requests come to a backend, or to an answer that the route asks for."""
        return self.rule is not None and not self.fails


class TranslatorError(Exception):
    """The translator ended on a hub, such as one that was made smaller and lacks what is named."""


class Traffic:
    """All that the IR of a hub says of requests."""

    def __init__(self, hub: list[Json], answer: Json) -> None:
        if "error" in answer:
            raise TranslatorError(answer["error"])
        self._rules = {
            (one["kind"], one["metadata"]["namespace"], one["metadata"]["name"]): [
                rule.get("name") or f"rule-{number}"
                for number, rule in enumerate(one["spec"]["rules"], 1)
            ]
            for one in hub
            if one["kind"] in ROUTES
        }
        self.listeners: dict[Door, list[Json]] = {}
        self._merged: dict[tuple[str, int], list[Json]] = {}
        self._patches = [
            json.dumps([one.get("jsonPatches") for one in xds.get("envoyPatchPolicies") or ()])
            for xds in (answer["xds"] or {}).values()
        ]
        for key, xds in (answer["xds"] or {}).items():
            by_door = {
                (protocol, port): listeners
                for protocol in ("http", "tcp", "udp")
                for port, listeners in _group_by_port(xds.get(protocol) or ()).items()
            }
            if "/" not in key:
                self._merged = by_door
            names = {_name_gateway(one["name"]) for each in by_door.values() for one in each}
            for gateway in sorted(names):  # of merged Gateways each is a name of all doors
                for door, listeners in by_door.items():
                    self.listeners[gateway, *door] = listeners

    @property
    def text(self) -> str:
        """Everything about all listeners and their routes but names."""
        return _text([self._patches, *map(list, sorted(self.listeners.items()))])

    def list_connections(self) -> Iterator[tuple[str, str, int, str]]:
        """Yield a connection for each server name of a listener: Gateway, protocol, port, name."""
        for door, listeners in self.listeners.items():
            if door[1] != "http":
                names = {name for one in listeners for name in _server_names(one)}
                yield from ((*door, _instance(name)) for name in names or {"*"})

    def list_fates(self) -> Iterator[Fate]:
        """Yield what each route makes of its requests."""
        for door, listeners in self.listeners.items():
            for listener in listeners:
                yield from (self._describe(door, listener, route) for route in _routes(listener))

    def find_connection(self, gateway: str, request: Request) -> Fate:
        """What becomes of a connection."""
        protocol = "tcp" if request.scheme == "tls" else request.scheme
        chosen = _choose_connection(self._find(gateway, protocol, request.port), request.host)
        return self._describe((gateway, protocol, request.port), *chosen) if chosen else Fate()

    def find_route(self, gateway: str, request: Request, name: str) -> Fate:
        """What becomes of a request that the route of this name takes; none if it is empty."""
        named = [
            (max(_rank(one, request.host)), listener, route)
            for listener in self._find(gateway, "http", request.port)
            for one in (listener.get("hostnames") or ("*",),)
            for route in _routes(listener)
            if name and route["name"] == name and _rank(one, request.host)
        ]
        if not named:
            assert not name, name
            return Fate()
        _, listener, route = max(named, key=lambda each: each[0])
        return self._describe((gateway, "http", request.port), listener, route)

    def _find(self, gateway: str, protocol: str, port: int) -> list[Json]:
        # The proxy of merged Gateways stays where it is if one of them goes.
        own = self.listeners.get((gateway, protocol, port))
        return own or self._merged.get((protocol, port), [])

    def _describe(self, door: Door, listener: Json, route: Json) -> Fate:
        is_http = door[1] == "http"
        name = route["name"] if is_http else route.get("destination", {}).get("name", route["name"])
        kind, namespace, bare, *rest = name.split("/")
        rules = self._rules[_KINDS[kind], namespace, bare]
        number = int(rest[1]) if len(rest) > 1 and rest[1].isdigit() else 0
        security, traffic = route.get("security") or {}, route.get("traffic") or {}
        if "authorization" in route:
            security = {**security, "authorization": route["authorization"]}
        access = {part: _text(security[part]) for part in ACCESS if part in security}
        settings = _list_shares(route)
        fails = (route.get("directResponse") or {}).get("statusCode") == 500
        others = {key: value for key, value in traffic.items() if key != "rateLimit"}
        rest_of_route = {
            key: value
            for key, value in route.items()
            if key not in (*_TARGET, "security", "traffic", "authorization", "hostname", "tls")
            and not key.endswith(("Match", "Matches"))
        }
        shown = [
            *(value for key, value in security.items() if key not in ACCESS),
            *([others] if others else []),
            rest_of_route,
        ]
        own = {key: part for key, part in listener.items() if not key.startswith("route")}
        return Fate(
            listener=_name_listener(listener["name"]),
            rule=Ref("", _KINDS[kind], namespace, bare, rules[number]),
            fails=fails or (not is_http and not settings),
            access=access,
            limits=_text(traffic["rateLimit"]) if "rateLimit" in traffic else "",
            target=_text(
                {key: route[key] for key in _TARGET if key in route} | _read_destination(route)
            ),
            rest=_text(shown),
            client=_text(_read_client(own)),
        )


def read_traffic(hubs: list[list[Json]]) -> list[Traffic]:
    """What becomes of the requests of each hub."""
    return [Traffic(*each) for each in zip(hubs, translate(hubs), strict=True)]


def translate(hubs: list[list[Json]], form: str = "") -> list[Json]:
    """What the translator makes of each hub: the IR, or in the form `xds` that of its proxies."""
    done = subprocess.run(
        [program("envoy-gateway-judge"), *([form] if form else [])],
        input=json.dumps(hubs),
        capture_output=True,
        text=True,
        check=True,
    )
    answers: list[Json] = json.loads(done.stdout)
    return answers


def _routes(listener: Json) -> list[Json]:
    return [one for one in listener.get("routes") or [listener.get("route")] if one]


def _instance(name: str) -> str:
    """A name that a hostname stands for."""
    if name == "*":
        return ELSEWHERE
    return name.replace("*", "some") if name.startswith("*") else name


def _server_names(listener: Json) -> Iterator[str]:
    for route in _routes(listener):
        yield from ((route.get("tls") or {}).get("inspector") or {}).get("snis") or ("*",)


def _specificity(hostname: str) -> tuple[bool, int]:
    return not hostname.startswith("*"), len(hostname)


def stands_for(hostname: str, name: str) -> bool:
    """Tell whether a hostname, which may be a wildcard, stands for a name."""
    return hostname in ("*", name) or (
        hostname.startswith("*.") and name.endswith(hostname[1:]) and name != hostname[1:]
    )


def _choose_connection(listeners: list[Json], name: str) -> tuple[Json, Json] | None:
    candidates = [
        (_specificity(hostname), listener, route)
        for listener in listeners
        for route in _routes(listener)
        for hostname in ((route.get("tls") or {}).get("inspector") or {}).get("snis") or ("*",)
        if stands_for(hostname, name)
    ]
    if not candidates:
        return None
    best = max(rank for rank, _, _ in candidates)
    return next((listener, route) for rank, listener, route in candidates if rank == best)


def _rank(hostnames: Iterable[str], host: str) -> list[tuple[bool, int]]:
    return [_specificity(one) for one in hostnames if stands_for(one, host)]


def _group_by_port(listeners: Iterable[Json]) -> dict[int, list[Json]]:
    by_port: dict[int, list[Json]] = {}
    for listener in listeners:
        by_port.setdefault(listener.get("externalPort") or listener["port"], []).append(listener)
    return by_port


def _read_client(listener: Json) -> Json:
    """What a listener asks of connections, with the versions of TLS that Envoy has by default.

    Any ClientTrafficPolicy has just these written down (buildListenerTLSParameters; Envoy's
    TlsParameters: what a server takes by default).
    """
    own = {key: part for key, part in listener.items() if key not in _NOT_CLIENT}
    if own.get("tls"):
        own["tls"] = {"minVersion": "1.2", "maxVersion": "1.3", **own["tls"]}
        if own["tls"].get("alpnProtocols") is not None:
            own.pop("tlsOverlaps", None)  # translator/listener.go: it counts for the default alone
    return own


def _name_gateway(listener: str) -> str:
    return "/".join(listener.split("/")[:2]).replace(NEW, "")


def _name_listener(name: str) -> Ref:
    namespace, gateway, *rest = name.split("/")
    if len(rest) == 1:
        return Ref("", "Gateway", namespace, gateway, rest[0])
    return Ref("", "ListenerSet", *rest)


def _read_destination(route: Json) -> Json:
    """The destination with its backends in any order; Services are known by their names.

    All of them have the same addresses. One that gets no request counts for nothing.
    """
    destination = route.get("destination")
    if not destination:
        return {}
    shares = [
        (_text(one), json.dumps(metadata) if metadata.get("kind") in _ALIKE else "")
        for one in _list_shares(route)
        for metadata in (one.get("metadata") or {},)
    ]
    return {"destination": {**destination, "settings": sorted(shares)}}


def _list_shares(route: Json) -> list[Json]:
    """The backends that get requests, with their shares as small numbers."""
    settings = (route.get("destination") or {}).get("settings") or []
    shares: dict[str, int] = {}
    for one in settings:
        text = json.dumps({key: part for key, part in one.items() if key not in ("name", "weight")})
        shares[text] = shares.get(text, 0) + one.get("weight", 1)
    whole = gcd(*shares.values())
    if not whole:
        return settings
    return [
        {**json.loads(text), "weight": share // whole} for text, share in shares.items() if share
    ]


def _text(value: object) -> str:
    return json.dumps(_bare(value), sort_keys=True)


def _bare(value: object) -> object:
    """Return a part of the IR without names of objects, and without what is off in any case."""
    if isinstance(value, dict):
        return {
            key: _bare(item)
            for key, item in value.items()
            if key not in _NAMING
            and item is not False
            and not (key == "name" and _is_of_object(str(item), value))
        }
    if isinstance(value, list):
        return [_bare(item) for item in value]
    return value


def _is_of_object(name: str, holder: Json) -> bool:
    """Tell whether a name is that of an object or one of its rules: no header, no provider."""
    return "/" in name or "action" in holder
