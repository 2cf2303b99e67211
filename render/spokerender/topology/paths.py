"""Paths of requests: GatewayClass > Gateway > listener > route > rule (> backend)."""

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model.refs import GATEWAY_CLASS, Ref

_REMEMBERED = 65_536
"""The number of cached sections: about those of a large hub."""

Entrance = tuple[Ref, int | str, str]
"""A proxy with a port and a protocol."""
Levels = tuple[Ref, ...]
"""The objects and sections on a path, from the GatewayClass to the most specific."""


@lru_cache(_REMEMBERED)
def make_section(ref: Ref, name: str) -> Ref:
    """Return a section of an object, as one shared value, which makes comparisons fast."""
    return Ref(ref.group, ref.kind, ref.namespace, ref.name, name)


@lru_cache(_REMEMBERED)
def make_class_ref(name: str) -> Ref:
    """Return a GatewayClass's identity, as one shared value."""
    return Ref(*GATEWAY_CLASS, "", name)


class RequestPath(Struct, frozen=True, dict=True):
    """The path of requests through a Gateway to a route's rule, or to one of its backends.

    `listener_set` declares the listener, if the Gateway does not; the listener is empty if requests
    reach `gateway` otherwise, which then is no Gateway. `parents` are the routes and rules that
    delegate to the route, the first one first. `route` is None if the path ends at the listener.
    `rule` is the rule's name, or `rule-<n>` if it has none. `hostnames` are those of the route that
    the listener serves; empty: all of the listener's. `beyond` are those that the listener's
    hostname does not cover. The section of `backend` is a port's name if the path ends at a port,
    and `port` is that port's number if known. If `is_certain` is false, requests may not take this
    path: the creation times decide, or the controller's behavior is unknown.
    """

    gateway_class: str
    gateway: Ref
    listener_set: Ref | None
    listener: str
    route: Ref | None = None
    rule: str = ""
    backend: Ref | None = None
    hostnames: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    parents: tuple[Ref, ...] = ()
    port: int | None = None
    is_certain: bool = True

    @cached_property
    def levels(self) -> tuple[Ref, ...]:
        """Return the objects that policies on this path may attach to, the least specific first."""
        # In a mesh, requests reach a Service without a class or listener.
        if not self.listener:
            return (self.gateway,)
        levels = [make_class_ref(self.gateway_class), self.gateway]
        if self.listener_set is not None:
            levels.append(self.listener_set)
        levels.append(self.section)
        if self.route is not None:
            levels += [*self.parents, self.route, make_section(self.route, self.rule)]
        if self.backend is not None:
            levels.append(self.backend.whole)
            if self.backend.section_name:
                levels.append(self.backend)
        return tuple(levels)

    def to_rule(self, route: Ref, section: Ref) -> "RequestPath":
        """Return this path, continued to a rule of a route; `section` is that rule."""
        path = replace(self, route=route, rule=section.section_name)
        # A hub has as many paths as rules x listeners: they share the part up to the listener.
        path.__dict__["levels"] = (*self.levels, *self.parents, route, section)
        return path

    @property
    def section(self) -> Ref:
        """Return the listener, as a section of the object that declares it."""
        return make_section(self.listener_set or self.gateway, self.listener)

    @property
    def order(self) -> tuple[tuple[Ref, ...], tuple[str, ...]]:
        """Return the key by which paths are sorted."""
        # The class is the same for all paths of a Gateway.
        return self.levels[1:], self.hostnames


def walk_chain(start: Ref, follow: Callable[[Ref], Iterable[Ref]]) -> tuple[Ref, ...]:
    """Return `start` and all filters in its chain, each before the filters that it names itself.

    `follow` returns the filters that a filter names: Traefik's Middlewares can be chains of others.
    """
    chain, ahead = dict[Ref, None](), [start]
    while ahead:
        ref = ahead.pop(0)
        # A chain contains its own kind; other references are not filters.
        if ref not in chain and (ref.group, ref.kind) == (start.group, start.kind):
            chain[ref] = None
            # In front: a chain's filters run in its place.
            ahead = [*follow(ref), *ahead]
    return tuple(chain)
