"""Which ways requests take through gateways, said a second time: slowly, and from objects alone.

Read off the Gateway API's own documents; it knows neither nodes nor the table of kinds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.property.attachments import HTTP, meet
from tests.property.hubs import Object

Level = tuple[str, str, str, str]
"""What a policy may be on: kind, namespace, name, and the section or nothing."""
PROTOCOLS = {"HTTPRoute": HTTP, "GRPCRoute": HTTP, "TLSRoute": {"TLS"}, "TCPRoute": {"TCP", "TLS"}}


@dataclass(frozen=True)
class End:
    """A backend: its Service, and the port's name and number where the Service has it."""

    namespace: str
    name: str
    port: str = ""
    number: int = 0


@dataclass(frozen=True)
class Way:
    """One way of requests for one hostname, down to a rule and perhaps to a backend.

    `parent` is the Gateway or ListenerSet that has the listener. `wide` is set where the hostname
    is not wholly the listener's. Without a route it ends at the listener.
    """

    gateway: Level
    parent: Level
    listener: str
    protocol: str
    route: Level | None = None
    rule: int = 0
    rule_name: str = ""
    hostname: str = ""
    wide: bool = False
    end: End | None = None


@dataclass(frozen=True)
class Traffic:
    """Gateways, ListenerSets, routes and Services; `ages` has each route's and set's, by name.

    `tls` are the kinds of route that a TLS listener takes by its mode, by GatewayClass, as its
    controller has it. An HTTPRoute and a GRPCRoute of one hostname are both taken: no controller is
    known to refuse the younger. `isolating` are the GatewayClasses whose controller serves a
    route's hostname only on the listener that has just that one, if one of the port has. `ordered`
    are those whose controller opens the first of listeners that conflict: one that allows kinds for
    other protocols alone has its port all the same. `apart` are those whose controller lets no two
    protocols share a port.
    """

    gateways: Sequence[Object]
    sets: Sequence[Object]
    routes: Sequence[Object]
    services: Sequence[Object]
    ages: dict[str, int]
    tls: Mapping[str, Mapping[str, tuple[str, ...]]]
    isolating: frozenset[str]
    ordered: frozenset[str]
    apart: frozenset[str]

    def opened(self) -> Iterator[tuple[Object, Object, Object]]:
        """Every listener that is opened, with its Gateway and what declares it (GEP-1713)."""
        for gateway, parent, listener in self.sound():
            if not self._is_closed(gateway, listener):
                yield gateway, parent, listener

    def sound(self) -> Iterator[tuple[Object, Object, Object]]:
        """Every listener that no other one keeps from being opened."""
        for gateway in self.gateways:
            held: list[Object] = []
            is_apart = gateway["spec"]["gatewayClassName"] in self.apart
            is_ordered = gateway["spec"]["gatewayClassName"] in self.ordered
            for listener in gateway["spec"]["listeners"]:
                if is_ordered and any(_clash(one, listener, is_apart) for one in held):
                    continue
                is_idle = not is_ordered and self._is_closed(gateway, listener)
                held += [] if is_idle else [listener]
                yield gateway, gateway, listener
            for each in sorted(self.sets, key=self.age):
                for listener in each["spec"]["listeners"] if _lets_in(gateway, each) else ():
                    is_idle = not is_ordered and self._is_closed(gateway, listener)
                    if is_idle or not any(_clash(one, listener, is_apart) for one in held):
                        held += [] if is_idle else [listener]
                        yield gateway, each, listener

    def _is_closed(self, gateway: Object, listener: Object) -> bool:
        """Whether it allows kinds of routes that are for other protocols alone."""
        modes = self.tls.get(gateway["spec"]["gatewayClassName"], {})
        kinds = [each["kind"] for each in listener.get("allowedRoutes", {}).get("kinds", [])]
        return bool(kinds) and not any(_fits(kind, listener, modes) for kind in kinds)

    def age(self, item: Object) -> tuple[int, str]:
        """What comes first among equals."""
        metadata = item["metadata"]
        return self.ages[metadata["name"]], f"{metadata['namespace']}/{metadata['name']}"

    def listeners(self) -> Iterator[Way]:
        """The ways that end at a listener."""
        for gateway, parent, listener in self.opened():
            yield Way(level(gateway), level(parent), listener["name"], listener["protocol"])

    def rules(self) -> Iterator[Way]:
        """The ways down to a rule, one for each hostname."""
        for gateway, parent, listener in self.opened():
            for route in self._accepted(gateway, parent, listener):
                others = self._isolated(gateway, parent, listener)
                yield from _through(gateway, parent, listener, route, others)

    def _isolated(self, gateway: Object, parent: Object, listener: Object) -> set[str]:
        """The hostnames that other listeners of the port have, where those are for them alone."""
        if gateway["spec"]["gatewayClassName"] not in self.isolating:
            return set()
        return {
            each["hostname"]
            for at, source, each in self.sound()
            if level(at) == level(gateway) and each["port"] == listener["port"]
            if (level(source), each["name"]) != (level(parent), listener["name"])
            if each.get("hostname")
        }

    def backends(self) -> Iterator[Way]:
        """The ways down to a backend."""
        routes = {level(route): route for route in self.routes}
        for way in self.rules():
            assert way.route is not None
            route = routes[way.route]
            for backend in route["spec"]["rules"][way.rule].get("backendRefs", []):
                yield Way(**{**vars(way), "end": self._end(way.route[1], backend)})

    def _end(self, namespace: str, backend: Object) -> End:
        for service in self.services:
            if level(service)[1:3] == (namespace, backend["name"]):
                for port in service["spec"]["ports"]:
                    if port["port"] == backend["port"]:
                        return End(namespace, backend["name"], port["name"], port["port"])
        return End(namespace, backend["name"])

    def _accepted(self, gateway: Object, parent: Object, listener: Object) -> list[Object]:
        """The routes on a listener: in Envoy Gateway one TCPRoute of one rule, and no TLSRoute."""
        modes = self.tls.get(gateway["spec"]["gatewayClassName"], {})
        routes = [
            route
            for route in sorted(self.routes, key=self.age)
            if _is_on(route, parent, listener) and _fits(route["kind"], listener, modes)
        ]
        streams = [route for route in routes if route["kind"] == "TCPRoute"]
        if gateway["spec"]["gatewayClassName"] in self.isolating:
            odd = [route for route in streams if len(route["spec"]["rules"]) != 1]
            routes = [route for route in routes if route not in odd]
            streams = [route for route in streams if route not in odd]
            is_shared = any(route["kind"] == "TLSRoute" for route in routes)
            return [route for route in routes if route not in streams[not is_shared :]]
        return routes


def _is_on(route: Object, parent: Object, listener: Object) -> bool:
    own = route["metadata"]["namespace"]
    named = any(
        (entry.get("kind", "Gateway"), entry.get("namespace", own), entry["name"])
        == level(parent)[:3]
        and entry.get("sectionName") in (None, listener["name"])
        and entry.get("port") in (None, listener["port"])
        for entry in route["spec"]["parentRefs"]
    )
    allowed = listener.get("allowedRoutes", {})
    source = allowed.get("namespaces", {}).get("from", "Same")
    kinds = [each["kind"] for each in allowed.get("kinds", [])]
    return (
        named
        and (source == "All" or own == parent["metadata"]["namespace"])
        and (not kinds or route["kind"] in kinds)
        and bool(_served(route, listener))
    )


def _fits(kind: str, listener: Object, modes: Mapping[str, tuple[str, ...]]) -> bool:
    if listener["protocol"] not in PROTOCOLS[kind]:
        return False
    mode = listener.get("tls", {}).get("mode", "Terminate")
    return listener["protocol"] != "TLS" or kind in modes.get(mode, (kind,))


def level(item: Object, section: str = "") -> Level:
    """What of an object a policy may be on."""
    metadata = item["metadata"]
    return item["kind"], metadata.get("namespace", ""), metadata["name"], section


def _lets_in(gateway: Object, listeners: Object) -> bool:
    named, own = listeners["spec"]["parentRef"], listeners["metadata"]["namespace"]
    source = gateway["spec"].get("allowedListeners", {}).get("namespaces", {}).get("from", "None")
    is_meant = (named.get("namespace", own), named["name"]) == level(gateway)[1:3]
    return is_meant and (source == "All" or (source == "Same" and own == level(gateway)[1]))


def _clash(one: Object, other: Object, is_apart: bool) -> bool:
    """Whether both can't be: of one port only listeners of one protocol, told apart by hostname.

    HTTPS and TLS are told apart by it as well, unless all protocols are kept apart.
    """
    if one["port"] != other["port"]:
        return False
    over_tls = {"HTTPS", "TLS"}
    protocols = {one["protocol"], other["protocol"]}
    if len(protocols) > 1 and (is_apart or protocols != over_tls):
        return True
    return bool(one.get("hostname") == other.get("hostname"))


def _served(route: Object, listener: Object) -> list[str]:
    """The hostnames of a route that a listener serves; "" is every one of the listener's."""
    names = route["spec"].get("hostnames") or [""]
    return [name for name in names if meet(listener.get("hostname", ""), name)]


def _narrower(name: str, listener: str) -> str:
    """The hostnames that a route's and a listener's have in common."""
    return name if _within(name, listener) else listener


def _within(name: str, listener: str) -> bool:
    """Whether all requests for a hostname are for the listener's (kuadrant-operator, SubsetOf)."""
    if not listener or not name or name == listener:
        return True
    return listener.startswith("*.") and name.removeprefix("*").endswith(listener[1:])


def _through(
    gateway: Object, parent: Object, listener: Object, route: Object, others: set[str]
) -> Iterator[Way]:
    hostname, names = listener.get("hostname", ""), _served(route, listener)
    if "hostnames" in route["spec"]:
        names = [name for name in names if _narrower(name, hostname) not in others]
    for index, rule in enumerate(route["spec"]["rules"]):
        for name in names:
            yield Way(
                level(gateway),
                level(parent),
                listener["name"],
                listener["protocol"],
                level(route),
                index,
                rule.get("name", ""),
                name,
                wide=hostname not in names and not _within(name, hostname),
            )
