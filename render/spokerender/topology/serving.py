"""The paths that serve a hostname: on each port, the most specific matching hostname wins.

Gateway API, `Gateway.spec.listeners`: a request is for the most specific listener. Envoy and NGINX
look for the most specific hostname of all routes on a port; with TLS they choose the listener
first, by its certificate, unless the controller also considers routes (`list_snis`).
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, cached_property
from typing import Generic, TypeVar

from spokerender.model import Ref
from spokerender.topology.doors import list_common
from spokerender.topology.graph import Topology, find_class_controller, find_proxy
from spokerender.topology.hostnames import EVERY_NAME, find_nearest, list_matching
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_listener, find_listener_paths, find_rule_paths
from spokerender.topology.taken import ENCRYPTED

_Item = TypeVar("_Item")
Port = tuple[Ref, int | str, bool]
"""Proxy, port and encryption: listeners that share these differ only in hostnames.

The hostname (SNI) of an encrypted connection selects the listener.
"""


def make_port(proxy: Ref, section: Ref, number: int | str, protocol: str) -> Port:
    """Return the port of a listener; a declared listener without a number may be on any port."""
    return proxy if number != "" else section, number, protocol in ENCRYPTED


def list_snis(
    topology: Topology, path: RequestPath, listener: tuple[str, str], names: Iterable[str]
) -> tuple[str, ...]:
    """Return the hostnames (SNI) that select a path's listener; without TLS, one empty text.

    `listener` is the listener's hostname and protocol; `names` are the hostnames of the path. For
    some controllers, the hostnames of routes select a TLS listener
    (`RoutingRules.enters_by_route`).
    """
    hostname, protocol = listener
    if protocol not in ENCRYPTED:
        return ("",)
    if protocol == "TLS":
        routing = find_class_controller(topology, path.gateway_class).routing
        if routing is not None and routing.enters_by_route:
            return tuple(names) if path.route is not None else ()
    return (hostname or EVERY_NAME,)


class HostIndex(Generic[_Item]):
    """An index of items, such as paths, by port, hostname of the listener and own hostname."""

    def __init__(self) -> None:
        self._ports: dict[Port, dict[str, dict[str, list[_Item]]]] = {}

    def add(self, port: Port, snis: Iterable[str], *items: tuple[Iterable[str], _Item]) -> None:
        """Add a listener's hostnames (`snis`), and items behind it, each with its hostnames."""
        by_sni = self._ports.setdefault(port, {})
        for sni in snis:
            behind = by_sni.setdefault(sni, {})
            for names, item in items:
                for name in names:
                    behind.setdefault(name, []).append(item)

    def list_names(self, port: Port) -> Iterator[str]:
        """Yield the hostnames of the listeners and items on a port."""
        for sni, behind in self._ports.get(port, {}).items():
            yield sni or EVERY_NAME
            yield from behind

    def is_chosen(self, port: Port, snis: Collection[str], host: str) -> bool:
        """Return whether a connection for a host selects the listener with hostnames `snis`."""
        return find_nearest(host, self._ports.get(port, {})) in snis

    def find(self, port: Port, host: str) -> Iterator[tuple[str, list[_Item]]]:
        """Yield the hostnames that match a host, the most specific first, with their items."""
        by_sni = self._ports.get(port, {})
        # The listener is selected first; routes on other listeners don't count then.
        behind = by_sni.get(find_nearest(host, by_sni) or "", {})
        yield from ((name, behind[name]) for name in list_matching(host) if name in behind)


def list_addresses(
    topology: Topology, text: Callable[[str], str] = str, closed: Collection[Ref] = ()
) -> Iterator[tuple[RequestPath, Port, tuple[str, ...], tuple[str, ...]]]:
    """Yield the paths to listeners and rules, each with its port, hostnames, and SNI hostnames.

    `text` fills in a spoke's values. Listeners in `closed` are ignored.
    """
    for path in (*find_listener_paths(topology), *find_rule_paths(topology)):
        if path.section not in closed:
            listener, proxy = find_listener(topology, path), find_proxy(topology, path.gateway)
            own = text(listener.hostname)
            names = list_common(own, map(text, path.hostnames))
            port = make_port(proxy, path.section, listener.port, listener.protocol)
            yield path, port, names, list_snis(topology, path, (own, listener.protocol), names)


class HostnameServing:
    """The paths of one spoke that serve one hostname, which has no wildcard."""

    def __init__(
        self,
        topology: Topology,
        hostname: str,
        text: Callable[[str], str],
        closed: Collection[Ref] = (),
    ) -> None:
        """Find the paths; `text` and `closed` are as in `list_addresses`."""
        self._topology, self._hostname, self._text = topology, hostname, text
        self._matching = list_matching(hostname)
        # Called for each policy on each path, with few different paths.
        self.serves, self.may_serve = cache(self._serves), cache(self._may_serve)
        self._ports: dict[Ref, Port] = {}
        self._snis: dict[Ref, set[str]] = {}
        self._index = HostIndex[None]()
        for path, port, names, snis in list_addresses(topology, text, closed):
            self._ports[path.section] = port
            self._snis.setdefault(path.section, set()).update(snis)
            # Paths to listeners have hostnames of connections, but serve no request.
            self._index.add(port, snis, *([(names, None)] if path.route is not None else []))

    @cached_property
    def paths(self) -> tuple[RequestPath, ...]:
        """Return the paths to rules that match the hostname, even if other hostnames precede."""
        return tuple(filter(self.may_serve, find_rule_paths(self._topology)))

    def _serves(self, path: RequestPath) -> bool:
        """Return whether a path may serve requests for the hostname."""
        port = self._ports.get(path.section)
        # A closed listener is judged elsewhere; here it displaces nothing.
        if port is None:
            return True
        if not self._index.is_chosen(port, self._snis[path.section], self._hostname):
            return False
        if path.route is None:
            return self._matches(path)
        nearest, _ = next(self._index.find(port, self._hostname), ("", []))
        return nearest in self._list_names(path)

    def _may_serve(self, path: RequestPath) -> bool:
        """Return whether a path matches the hostname, even if another hostname precedes."""
        return self.serves(path) or self._matches(path)

    def _matches(self, path: RequestPath) -> bool:
        return any(name in self._matching for name in self._list_names(path))

    def _list_names(self, path: RequestPath) -> tuple[str, ...]:
        own = find_listener(self._topology, path).hostname
        return list_common(self._text(own), map(self._text, path.hostnames))
