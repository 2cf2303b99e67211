"""Requests to two states of a hub: which rules of Envoy Gateway's a real Envoy lets take each.

What these ask and do is read from the translator's IR, and so are connections without requests.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from msgspec import Struct

from spokerender.explain.requests import read_request
from spokerender.topology.matches import Request
from tests.live.envoy_callers import NOBODY
from tests.live.envoy_expected import CLOSED, read_status
from tests.live.envoy_judge import NET, make_probe
from tests.live.envoy_probes import Asked, Door, find_proxy_names, list_asked
from tests.live.envoy_process import Client, EnvoyError, envoy
from tests.live.envoy_requests import NEW, Fate, Traffic
from tests.live.envoy_static import write_bootstrap

Json = dict[str, Any]
Hub = list[Json]
MERGED = "eg"
"""The proxy of merged Gateways."""
_LAYER_4 = ("tls", "tcp", "udp")


class GatewayRequest(Struct, frozen=True, eq=False):
    """A request to a Gateway, which may have another name after a change."""

    gateway: str
    request: Request

    @property
    def key(self) -> tuple[str, str]:
        """A value by which it is found."""
        return self.gateway, str(self.request)

    def __str__(self) -> str:
        return f"{self.request} at Gateway {self.gateway}"


class State(Struct, frozen=True, eq=False):
    """A hub, with what Envoy Gateway makes of it: the IR, and the xDS of each proxy."""

    objects: Hub
    traffic: Traffic
    xds: Mapping[str, Json]

    def list_requests(self, seed: str) -> Iterator[GatewayRequest]:
        """Yield the requests and the connections that it suggests."""
        names: dict[str, list[str]] = {}
        for (namespace, name), proxy in find_proxy_names(self.objects).items():
            names.setdefault(proxy, []).append(f"{namespace}/{name}".replace(NEW, ""))
        for asked in list_asked(Random(seed), self.objects):
            if asked.door.scheme not in _LAYER_4:
                for gateway in names[asked.door.proxy]:
                    yield GatewayRequest(gateway, asked.request)
        for gateway, protocol, port, host in self.traffic.list_connections():
            scheme = "tls" if protocol == "tcp" else protocol
            yield GatewayRequest(gateway, Request(scheme, host, port))

    def ask(
        self, requests: Iterable[GatewayRequest], folder: Path
    ) -> Mapping[tuple[str, str], Fate]:
        """What becomes of requests; raise `EnvoyError` where Envoy does not take what it gets.

        It gets nothing where the translator panics.
        """
        names = sorted(self.xds)
        for error in (each["error"] for each in self.xds.values() if "error" in each):
            if error.startswith("panic"):
                raise EnvoyError(error)
        proxies = {
            f"{namespace}/{name}".replace(NEW, ""): proxy
            for (namespace, name), proxy in find_proxy_names(self.objects).items()
        }
        bootstrap = write_bootstrap(self.xds, NET, str(folder), names)
        with envoy(_answer_by_routes(bootstrap), folder):
            client = Client(folder)
            fates = {}
            for each in requests:
                request, gateway = each.request, each.gateway
                proxy = proxies.get(gateway, MERGED)
                if request.scheme in _LAYER_4:
                    fates[each.key] = self.traffic.find_connection(gateway, request)
                    continue
                door = Door(proxy, request.scheme, request.port)
                seen = client.send(make_probe(Asked(door, request), None, NOBODY, names))
                assert seen.route or read_status(seen) in (CLOSED, 404), (each, seen)
                fates[each.key] = self.traffic.find_route(gateway, request, seen.route)
            return fates


def _answer_by_routes(bootstrap: Json) -> Json:
    """Have each route answer at once, so that its name comes back whatever it asks and does."""
    for listener in bootstrap["static_resources"]["listeners"]:
        chains = [*listener.get("filter_chains", ()), listener.get("default_filter_chain", {})]
        managers = (one["typed_config"] for chain in chains for one in chain.get("filters", ()))
        for manager in (one for one in managers if "route_config" in one):
            manager["http_filters"] = manager["http_filters"][-1:]  # the router
            manager.pop("original_ip_detection_extensions", None)  # which may refuse requests
            for host in manager["route_config"].get("virtual_hosts", ()):
                host["routes"] = [
                    {"name": one["name"], "match": one["match"], "direct_response": {"status": 200}}
                    for one in host["routes"]
                ]
    return bootstrap


def read_example(text: str, gateways: Iterable[str]) -> Iterator[GatewayRequest]:
    """Yield the example of a consequence as a request to each Gateway that it may be for."""
    words = shlex.split(text)
    start = words.index("-H") if "-H" in words else len(words)
    headers = [word for word in words[start:] if word != "-H"]
    request = read_request(" ".join(words[:start]), headers)
    yield from (GatewayRequest(gateway, request) for gateway in gateways)
