"""Requests for a random hub at every port that it names: witnesses of rules, and random ones."""

from collections.abc import Iterator
from random import Random
from typing import Any

from msgspec import Struct

from spokerender.topology.matches import Request
from tests.live.request_hubs import METHODS, PATHS, VALUES

Json = dict[str, Any]
RANDOM = 20
"""So many random requests are sent to each hub."""
MOST = 90
"""So many requests are sent to each hub at most, without those with other credentials."""
ELSEWHERE = "elsewhere.test"
GRPC = ("content-type", "application/grpc")
_SCHEMES = {"HTTP": "http", "HTTPS": "https", "TLS": "tls", "TCP": "tcp"}
_MEANT = {
    "/a.*": ("/a", "/a/b", "/ab"),
    "/[ab]/b": ("/a/b",),
    "/(a|b)": ("/a", "/b", "/a/b"),
    "/a/[^/]+": ("/a/b", "/a/b/c"),
    ".*b": ("/ab", "/a/b"),
    "/a|/b": ("/a", "/b"),
}


class Door(Struct, frozen=True, order=True):
    """A port of a proxy (a Gateway, or the class of merged ones), and what is spoken there."""

    proxy: str
    scheme: str
    port: int


class Asked(Struct, frozen=True):
    """A request at a port of a proxy."""

    door: Door
    request: Request


def list_asked(random: Random, objects: list[Json]) -> list[Asked]:
    """The requests that a hub suggests."""
    doors = sorted(_list_doors(objects))
    routes = [one for one in objects if one["kind"] in ("HTTPRoute", "GRPCRoute")]
    hosts = sorted({host for one in _list_hostnames(objects) for host in _name(one)} | {ELSEWHERE})
    asked = [one for door in doors for one in _list_witnesses(random, door, routes, hosts)]
    random.shuffle(asked)
    asked = asked[:MOST]
    requests = [door for door in doors if door.scheme in ("http", "https")]
    for _ in range(RANDOM if requests else 0):
        door = random.choice(requests)
        headers = _choose(random, ("x-one", "x-two"))
        query = _choose(random, ("q",))
        asked.append(
            _ask(
                door,
                random.choice(hosts),
                random.choice(PATHS),
                method=random.choice(METHODS),
                headers=headers,
                query=query,
            )
        )
    return [one for i, one in enumerate(asked) if one not in asked[:i]]


def _ask(door: Door, host: str, path: str = "/", **fields: Any) -> Asked:
    return Asked(door, Request(door.scheme, host, door.port, path=path, **fields))


def _choose(random: Random, names: tuple[str, ...]) -> dict[str, str]:
    return {name: random.choice(VALUES) for name in names if random.random() < 0.4}


def find_proxy_names(objects: list[Json]) -> dict[tuple[str, str], str]:
    """The name of the proxy of each Gateway of the class: its own, or that of the class."""
    parameters = [
        one["spec"].get("parametersRef", {}).get("name")
        for one in objects
        if one["kind"] == "GatewayClass" and one["metadata"]["name"] == "eg"
    ]
    merged = any(
        one["kind"] == "EnvoyProxy"
        and one["spec"].get("mergeGateways")
        and one["metadata"]["name"] in parameters
        for one in objects
    )
    return {
        (one["metadata"]["namespace"], one["metadata"]["name"]): "eg"
        if merged
        else f"{one['metadata']['namespace']}/{one['metadata']['name']}"
        for one in objects
        if one["kind"] == "Gateway" and one["spec"]["gatewayClassName"] == "eg"
    }


def _list_doors(objects: list[Json]) -> Iterator[Door]:
    proxies = find_proxy_names(objects)
    for one in objects:
        metadata = one["metadata"]
        if one["kind"] == "Gateway":
            owner = metadata["namespace"], metadata["name"]
        elif one["kind"] == "ListenerSet":
            parent = one["spec"]["parentRef"]
            owner = parent.get("namespace", metadata["namespace"]), parent["name"]
        else:
            continue
        for listener in one["spec"]["listeners"] if owner in proxies else ():
            if listener["protocol"] in _SCHEMES:
                yield Door(proxies[owner], _SCHEMES[listener["protocol"]], listener["port"])


def _list_hostnames(objects: list[Json]) -> Iterator[str]:
    for one in objects:
        if one["kind"] in ("Gateway", "ListenerSet"):
            yield from filter(None, (each.get("hostname") for each in one["spec"]["listeners"]))
        elif one["kind"].endswith("Route"):
            yield from one["spec"].get("hostnames", ())


def _name(hostname: str) -> tuple[str, ...]:
    if not hostname.startswith("*"):
        return (hostname,)
    return (hostname.replace("*", "some"), hostname.replace("*", "c.a"))


def _list_witnesses(
    random: Random, door: Door, routes: list[Json], hosts: list[str]
) -> Iterator[Asked]:
    if door.scheme in ("tls", "tcp"):
        yield from (_ask(door, host) for host in (hosts if door.scheme == "tls" else hosts[:1]))
        return
    for route in routes:
        names = [host for one in route["spec"].get("hostnames", ()) for host in _name(one)]
        for rule in route["spec"]["rules"]:
            matches: list[Json] = rule.get("matches") or [{}]
            for match in matches:
                yield _witness(random, door, random.choice(names or hosts), match)


def _witness(random: Random, door: Door, host: str, match: Json) -> Asked:
    """A request that a match is for, or nearly."""
    method = match.get("method", "GET")
    if isinstance(method, dict):
        path = f"/{method.get('service', 'any')}/{method.get('method', 'Call')}"
        return _ask(door, host, path, method="POST", headers=dict([GRPC]))
    matched: Json = {"type": "PathPrefix", "value": "/", **match.get("path", {})}
    target = matched["value"]
    if matched["type"] == "RegularExpression":
        target = random.choice(_MEANT.get(target, (target,)))
    elif matched["type"] == "PathPrefix" and random.random() < 0.5:
        target = target.rstrip("/") + random.choice(("/more", "/", "x" if target != "/" else "/x"))
    headers, query = (
        {str(each["name"]).lower(): _value(each) for each in match.get(field, ())}
        for field in ("headers", "queryParams")
    )
    return _ask(door, host, target or "/", method=method, headers=headers, query=query)


def _value(entry: Json) -> str:
    return "a" if entry.get("type") == "RegularExpression" else str(entry["value"])
