"""The paths that serve a hostname: of several hostnames on a port, the most specific one does.

Gateway API, `Gateway.spec.listeners`: a request is for the most specific listener. Envoy and NGINX
look for the most specific hostname of all routes on a port; for TLS the listener comes first, as
its certificate does, unless the controller looks at routes there, too (`enters_by_route`).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property

from spokerender.model import Ref
from spokerender.topology.conflicts import find_gateway_listeners
from spokerender.topology.doors import find_narrower
from spokerender.topology.graph import Topology, find_class_controller, find_proxy
from spokerender.topology.hostnames import intersects
from spokerender.topology.node import Listener
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_listener_paths, find_rule_paths

_BY_NAME = ("HTTPS", "TLS")
"""Protocols of which a listener is chosen before a route is (SNI)."""

_Rank = tuple[bool, int]
_Port = tuple[Ref, int | str]


def enters_by_route(topology: Topology, path: RequestPath, protocol: str) -> bool:
    """Tell whether the routes of a listener of TLS choose its connections (`RoutingRules`)."""
    if protocol != "TLS":
        return False
    routing = find_class_controller(topology, path.gateway_class).routing
    return routing is not None and routing.enters_by_route


class HostnameServing:
    """The paths of one spoke that serve one hostname, which has no wildcard."""

    def __init__(
        self,
        topology: Topology,
        hostname: str,
        text: Callable[[str], str],
        closed: Collection[Ref] = (),
    ) -> None:
        """Find them; `text` fills in a spoke's values. Listeners that are `closed` do not count."""
        self._hostname, self._text = hostname, text
        self.serves, self.may_serve = cache(self._serves), cache(self._may_serve)
        self._listeners: Mapping[Ref, Mapping[Ref, Listener]] = {
            gateway: {
                section: listener
                for parent, listener in listeners
                for section in (parent.ref.section(listener.name),)
                if section not in closed
            }
            for gateway, listeners in find_gateway_listeners(topology).items()
        }
        self._topology = topology
        self._nearest: dict[_Port | Ref, _Rank] = {}
        for path in (*find_listener_paths(topology), *find_rule_paths(topology)):
            listener = self._listeners.get(path.gateway, {}).get(path.section)
            protocol = listener.protocol if listener is not None else ""
            is_routed = path.route is not None
            if protocol in _BY_NAME and enters_by_route(topology, path, protocol) is is_routed:
                self._note(path)
        self._routed: dict[_Port, _Rank] = {}
        for path in find_rule_paths(topology):
            if self._is_chosen(path):
                rank = self._rank(self._domains(path))
                port = self._port(path.gateway, path.section)
                if rank is not None:
                    self._routed[port] = max(rank, self._routed.get(port, rank))

    @cached_property
    def paths(self) -> tuple[RequestPath, ...]:
        """The paths to rules that would serve the hostname if no more specific hostname did."""
        return tuple(filter(self.may_serve, find_rule_paths(self._topology)))

    def _serves(self, path: RequestPath) -> bool:
        """Tell whether requests for the hostname may take a path."""
        if path.gateway not in self._listeners or not path.listener:
            return True
        if path.route is None:
            listener = self._listeners[path.gateway].get(path.section)
            name = self._text(listener.hostname) if listener is not None else ""
            return self._is_chosen(path) and (not name or intersects(name, self._hostname))
        rank = self._rank(self._domains(path))
        port = self._port(path.gateway, path.section)
        return self._is_chosen(path) and rank is not None and rank == self._routed.get(port)

    def _may_serve(self, path: RequestPath) -> bool:
        """Tell whether a path would serve the hostname if no more specific hostname did."""
        return self.serves(path) or self._rank(self._domains(path)) is not None

    def _is_chosen(self, path: RequestPath) -> bool:
        """Tell whether a listener is the one that connections for the hostname are for."""
        listener = self._listeners.get(path.gateway, {}).get(path.section)
        if listener is None or listener.protocol not in _BY_NAME:
            return True
        nearest = self._nearest.get(self._port(path.gateway, path.section))
        return nearest is not None and self._nearest.get(path.section) == nearest

    def _note(self, path: RequestPath) -> None:
        """Note the rank at which connections come in by a path, for its port and its listener."""
        rank = self._rank(self._domains(path))
        for key in (self._port(path.gateway, path.section), path.section):
            if rank is not None:
                self._nearest[key] = max(rank, self._nearest.get(key, rank))

    def _port(self, gateway: Ref, section: Ref) -> _Port:
        """Return what listeners share that connections can't tell apart but by hostname."""
        listener = self._listeners[gateway].get(section)
        if listener is None or listener.port == "":  # declared: it may be on any port
            return section, ""
        return find_proxy(self._topology, gateway), listener.port

    def _domains(self, path: RequestPath) -> Iterator[str]:
        listener = self._listeners.get(path.gateway, {}).get(path.section)
        own = self._text(listener.hostname) if listener is not None else ""
        for name in path.hostnames or (own,):
            yield find_narrower(self._text(name), own) if name else own

    def _rank(self, domains: Iterable[str]) -> _Rank | None:
        """Return the rank of the most specific matching hostname; None without a match."""
        met = (name for name in domains if not name or intersects(name, self._hostname))
        return max(
            ((not name.startswith("*"), len(name)) if name else (False, 0) for name in met),
            default=None,
        )
