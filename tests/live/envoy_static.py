"""The xDS of Envoy Gateway as one file that an Envoy starts from, all on loopback.

What a proxy gets from its controller stands in its place: routes in listeners, endpoints in
clusters, keys of token issuers in filters. Left out is what needs a cluster, or makes a test wait
or fail for its numbers (`_LEFT_OUT`).
"""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.live.envoy_credentials import JWKS

Json = dict[str, Any]
_TYPE = "type.googleapis.com/envoy"
_LISTENER, _CLUSTER = f"{_TYPE}.config.listener.v3.Listener", f"{_TYPE}.config.cluster.v3.Cluster"
_ROUTES = f"{_TYPE}.config.route.v3.RouteConfiguration"
_ENDPOINTS = f"{_TYPE}.config.endpoint.v3.ClusterLoadAssignment"
_SECRET = f"{_TYPE}.extensions.transport_sockets.tls.v3.Secret"
_LEFT_OUT = frozenset(
    {
        *("access_log", "health_checks", "retry_policy", "outlier_detection", "socket_options"),
        *("eds_cluster_config", "rds", "sds_config", "transport_socket_matches"),
        *("tcp_keepalive", "upstream_connection_options", "message_timeout"),
    }
)
_DELAYS = "envoy.filters.http.fault"
_READY = "envoy-gateway-proxy"
"""The listeners that a proxy has for itself."""
_MARKS = {"crt": "BEGIN CERTIFICATE", "key": "PRIVATE KEY"}
"""The files of a certificate and its key, and what is in the text of each."""
_NAMES = re.compile(r"h(\d+)\.outside\.example")
"""Hostnames of backends in hubs for this judge."""
_ADDRESS = re.compile(r"\b10\.(\d+)\.(\d+)\.(\d+)\b")
RULE = "x-route"
"""The header of an answer that names the route of the proxy, if one took the request."""


def place_address(address: str, net: int) -> str:
    """An address of a hub, 10.x.y.z, in the part of loopback that a judge has for itself."""
    return _ADDRESS.sub(lambda m: f"127.{net}.{16 * int(m[1]) + int(m[2])}.{m[3]}", address)


def read_hostname(name: str) -> str:
    """The address in place of a hostname of a backend; nobody is at that of others."""
    match = _NAMES.fullmatch(name)
    return f"10.3.0.{match[1]}" if match else "10.3.1.1"


def place_proxy(number: int, net: int) -> str:
    """The address of a proxy."""
    return f"127.{net}.250.{number + 1}"


def write_bootstrap(
    envoy: Mapping[str, Json], net: int, folder: str, names: Sequence[str] = ()
) -> Json:
    """One bootstrap for the xDS of several proxies; `names` are those that are there, in order."""
    parts = [_Proxy(envoy[key], number, net, folder) for number, key in enumerate(names or envoy)]
    static: Json = {
        "listeners": [one for part in parts for one in part.list_listeners()],
        "clusters": [one for part in parts for one in part.list_clusters()],
        "secrets": [one for part in parts for one in part.list_secrets()],
    }
    return {"static_resources": static}


class _Proxy:
    """The resources of one proxy; its clusters and secrets have its number before their names."""

    def __init__(self, resources: Json, number: int, net: int, folder: str) -> None:
        named = [
            *(one["name"] for kind in (_CLUSTER, _SECRET) for one in resources.get(kind, ())),
            *(one["cluster_name"] for one in resources.get(_ENDPOINTS, ())),
        ]
        self._names = {name: f"{number}/{name}" for name in named}
        self._resources, self._number, self._net, self._folder = resources, number, net, folder

    def list(self, kind: str) -> list[Json]:
        """List the resources of a type."""
        return [self._place(one) for one in self._resources.get(kind, ())]

    def list_secrets(self) -> Iterator[Json]:
        """Yield the secrets; the translator has some of them twice."""
        yield from {one["name"]: one for one in self.list(_SECRET)}.values()

    def list_clusters(self) -> Iterator[Json]:
        """Yield the clusters with their endpoints; backends are asked in HTTP/1 without TLS."""
        endpoints = {one["cluster_name"]: one for one in self.list(_ENDPOINTS)}
        for one in self.list(_CLUSTER):
            if "cluster_type" not in one:
                one["type"] = "STATIC"
                empty = {"cluster_name": one["name"]}
                own = one.get("load_assignment") or endpoints.get(one["name"], empty)
                one["load_assignment"] = own
            one.pop("transport_socket", None)
            for options in one.get("typed_extension_protocol_options", {}).values():
                for key in ("auto_config", "use_downstream_protocol_config"):
                    options.pop(key, None)
                options["explicit_http_config"] = {"http_protocol_options": {}}
            yield one

    def list_listeners(self) -> Iterator[Json]:
        """Yield the listeners of requests and of TCP."""
        routes = {one["name"]: one for one in self._resources.get(_ROUTES, ())}
        for one in self._resources.get(_LISTENER, ()):
            socket = one["address"]["socket_address"]
            if one["name"].startswith(_READY) or socket.get("protocol") == "UDP":
                continue
            for manager in _list_managers(one):
                own = routes[manager["rds"]["route_config_name"]]
                header = {"header": {"key": RULE, "value": "%ROUTE_NAME%"}}
                added = {"validate_clusters": False, "response_headers_to_add": [header]}
                manager["route_config"] = {**own, **added}
            placed: Json = self._place(one)
            placed["name"] = f"{self._number}/{one['name']}"
            # Else a run of another process with this address gets some of the requests.
            placed["enable_reuse_port"] = False
            placed["address"]["socket_address"]["address"] = place_proxy(self._number, self._net)
            yield placed

    def _place(self, part: Any, key: str = "") -> Any:
        if isinstance(part, list):
            return [self._place(item) for item in part if not _is_delay(item)]
        if isinstance(part, str):
            return self._place_text(part, key)
        if not isinstance(part, dict):
            return part
        if "inline_bytes" in part:
            return self._place_bytes(part)
        placed = {
            name: self._place(item, name)
            for name, item in part.items()
            if name not in _LEFT_OUT and name != _DELAYS
        }
        if placed.pop("remote_jwks", None) is not None:
            placed["local_jwks"] = {"inline_string": JWKS}
        return placed

    def _place_text(self, text: str, key: str) -> str:
        if key == "address" and not text[:1].isdigit():
            text = read_hostname(text)
        return self._names.get(text) or place_address(text, self._net)

    def _place_bytes(self, part: Json) -> Json:
        """Have our certificate in place of the translator's, as files."""
        text = base64.b64decode(part["inline_bytes"]).decode(errors="replace")
        for name, mark in _MARKS.items():
            if mark in text:
                return {"filename": f"{self._folder}/{name}"}
        return part


def _is_delay(item: Any) -> bool:
    return isinstance(item, dict) and item.get("name") == _DELAYS


def _list_managers(listener: Json) -> Iterator[Json]:
    """Yield the parts of a listener that read requests."""
    chains = [*listener.get("filter_chains", ()), listener.get("default_filter_chain", {})]
    for chain in chains:
        for one in chain.get("filters", ()):
            if "rds" in one["typed_config"]:
                yield one["typed_config"]


def strip(part: Any, key: str = "") -> Any:
    """Return xDS without what is left out, and without certificates: what a file needs of it."""
    if isinstance(part, list):
        return [strip(item) for item in part if not _is_unused(item)]
    if not isinstance(part, dict):
        return part
    if "inline_bytes" in part:
        text = base64.b64decode(part["inline_bytes"]).decode(errors="replace")
        mark = next((mark for mark in _MARKS.values() if mark in text), text)
        return {"inline_bytes": base64.b64encode(mark.encode()).decode()}
    if key == "rds":
        return {"route_config_name": part["route_config_name"]}
    return {
        name: strip(item, name)
        for name, item in part.items()
        if name not in (_LEFT_OUT - {"rds"}) and name not in (_DELAYS, "metadata")
    }


def _is_unused(item: Any) -> bool:
    return _is_delay(item) or (isinstance(item, dict) and str(item.get("name")).startswith(_READY))
