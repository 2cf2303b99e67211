"""The protocols and hostnames that listeners have taken on a port, and their conflicts."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from math import prod

from msgspec import Struct

from spokerender.kinds.columns import PortSharing
from spokerender.model import GATEWAY, grouped
from spokerender.model.refs import Ref
from spokerender.topology.hostnames import intersects
from spokerender.topology.node import Listener, Node

NAMELESS = ("TCP", "UDP")
"""Protocols without hostnames."""
ENCRYPTED = ("HTTPS", "TLS")
CROSSED = {"HTTPS": "TLS Passthrough", "TLS Passthrough": "HTTPS"}
"""Two ways in which a listener handles connections that it takes by the name in the handshake."""
FEW = 4
"""The most conflicting listeners that are named; all listeners of a port may conflict."""
PROTOCOL_CONFLICT = "ProtocolConflict"
HOSTNAME_CONFLICT = "HostnameConflict"


Section = tuple[Ref, Listener]
"""A listener, after the section that names it."""
Contender = tuple[Node, Listener]
"""A listener, after the Gateway or ListenerSet that declares it."""


class ListenerConflict(Struct, frozen=True):
    """A listener that is refused because of other listeners; `by` has the first few, as sections.

    If `is_certain` is false, only some possible orders of creation refuse it. `protocol` is the
    listener's protocol. `is_between` is true if the other listener belongs to another Gateway that
    the class merges with this one, and has the same port, protocol and hostname; `earlier` is then
    a further reason for which the listener is refused, if there is one.
    """

    parent: Ref
    listener: str
    by: tuple[Ref, ...]
    reason: str
    is_certain: bool = True
    protocol: str = ""
    is_between: bool = False
    earlier: str = ""

    @property
    def is_nameless(self) -> bool:
        """Return whether the port alone decides: it can have one TCP and one UDP listener."""
        return self.reason == HOSTNAME_CONFLICT and self.protocol in NAMELESS


def group_by_port(
    listeners: Iterable[Contender], unsound: Collection[tuple[Ref, str]]
) -> Iterator[list[Contender]]:
    """Yield the listeners of each port that has several; listeners without a port are ignored."""
    ports = grouped(
        (listener.port, (parent, listener))
        for parent, listener in listeners
        if listener.port != "" and (parent.ref, listener.name) not in unsound
    )
    return (on_port for on_port in ports.values() if len(on_port) > 1)


class TakenPort:
    """The protocols and hostnames that listeners have taken on a port."""

    def __init__(self, sharing: PortSharing) -> None:
        self._sharing = sharing
        self._by_family: dict[str, list[Ref]] = {}
        self._by_hostname: dict[tuple[str, str], list[Section]] = {}
        self._by_handling: dict[str, list[Section]] = {}

    def take(self, section: Ref, listener: Listener) -> None:
        """Add a listener, with its protocol and hostname."""
        family = self._sharing.family(listener.protocol)
        self._by_family.setdefault(family, []).append(section)
        self.take_name(section, listener)

    def take_name(self, section: Ref, listener: Listener) -> None:
        """Add a listener that conflicts only with a listener of the same protocol and hostname."""
        key = self._sharing.family(listener.protocol), listener.hostname
        self._by_hostname.setdefault(key, []).append((section, listener))
        self._by_handling.setdefault(listener.handling, []).append((section, listener))

    def find_rivals(self, listener: Listener, besides: Ref) -> tuple[list[Ref], str]:
        """Return the listeners that conflict with `listener`, except `besides`, and the reason."""
        sharing, family = self._sharing, self._sharing.family(listener.protocol)
        if listener.protocol not in sharing.apart:
            others = self._by_family.keys() - {family, *sharing.apart}
            # One listener of each other protocol suffices for the message.
            rivals = [self._by_family[other][0] for other in sorted(others)]
            if rivals:
                return rivals, PROTOCOL_CONFLICT
        same: Iterable[Section]
        same = self._by_hostname.get((family, listener.hostname), ())
        if sharing.by_pairs:
            same = self._list_pairs(listener, same)
        # A port may have thousands of listeners with one hostname, of which the message names a
        # few.
        few = tuple(islice((item for item in same if item[0] != besides), FEW))
        is_by_protocol = sharing.by_protocol and (
            listener.protocol in NAMELESS
            or any(other.protocol != listener.protocol for _, other in few)
        )
        reason = PROTOCOL_CONFLICT if is_by_protocol else HOSTNAME_CONFLICT
        return [section for section, _ in few], reason

    def list_free(self, listeners: Iterable[Section]) -> Iterator[Section]:
        """Yield those of `listeners` that conflict with no taken one."""
        return (item for item in listeners if not self.find_rivals(item[1], item[0])[0])

    def _list_pairs(self, listener: Listener, same: Iterable[Section]) -> Iterator[Section]:
        """Yield the rivals of a listener in Cilium (status_listener.go, listenerPairConflict)."""
        yield from (item for item in same if item[1].protocol == listener.protocol)
        for item in self._by_handling.get(CROSSED.get(listener.handling, ""), ()):
            # A listener without hostname meets all, and has to be the first of the two.
            if intersects(*sorted((item[1].hostname, listener.hostname))):
                yield item


def count_crossed(sharing: PortSharing, on_port: Iterable[Contender]) -> int:
    """Return how many pairs of a port's listeners have to be compared by hostname (`CROSSED`)."""
    counts = Counter(listener.handling for _, listener in on_port if sharing.by_pairs)
    return prod(counts[handling] for handling in CROSSED)


def group_by_parent(on_port: Iterable[Contender]) -> Mapping[Ref, list[Section]]:
    """Return the listeners of a port, with their sections, by the object that declares them."""
    return grouped(
        (parent.ref, (parent.ref.section(listener.name), listener)) for parent, listener in on_port
    )


def list_others(
    by_parent: Mapping[Ref, list[Section]], group: Iterable[Ref], ref: Ref
) -> Iterator[Section]:
    """Yield the listeners of the objects in a group except `ref`."""
    for other in group:
        if other != ref:
            yield from by_parent.get(other, ())


def gather(  # noqa: PLR0913, PLR0917  (what listeners of several objects take)
    sharing: PortSharing,
    group: Iterable[Ref],
    by_parent: Mapping[Ref, list[Section]],
    of_gateway: TakenPort,
    sure: TakenPort,
    blocking: Iterable[Section],
) -> tuple[Mapping[Ref, TakenPort], TakenPort]:
    """Return what each object in `group` (all of one age) may take on a port, and what all take.

    A listener that is refused takes nothing, with two exceptions: `blocking` listeners block their
    hostname for ListenerSets, and a refused listener of a ListenerSet blocks its hostname for its
    siblings.
    """
    # Of equal age, each object may come first, so each has its own taken port.
    own, together = {ref: TakenPort(sharing) for ref in group}, TakenPort(sharing)
    for ref, taken in own.items():
        for section, listener in blocking if (ref.group, ref.kind) != GATEWAY else ():
            taken.take_name(section, listener)
        for item in of_gateway.list_free(by_parent.get(ref, ())):
            taken.take(*item)
        for item in sure.list_free(by_parent.get(ref, ())):
            together.take(*item)
    return own, together


class MergedPort(Struct, frozen=True, eq=False):
    """A port of merged Gateways, with the Gateways and the listeners in order of precedence.

    If `is_certain` is false, the creation times decide the order.
    """

    gateways: tuple[Ref, ...]
    listeners: tuple[Contender, ...]
    is_certain: bool


def refuse_protocols(port: MergedPort, sharing: PortSharing) -> Iterator[ListenerConflict]:
    """Yield the listeners that are refused because of another listener's protocol.

    If the Gateways' own listeners have several protocols, none is opened; if they have one, it
    wins. Without listeners of Gateways, a ListenerSet with several protocols opens none of its
    listeners, and among the other ListenerSets the protocol of the first one wins.
    """
    streams = [item for item in port.listeners if item[1].protocol not in sharing.apart]
    families = {
        parent.ref.section(listener.name): sharing.family(listener.protocol)
        for parent, listener in streams
    }
    if len({*families.values()}) == 1:
        return
    own = {families[item.ref.section(each.name)] for item, each in streams if item.is_gateway}
    mixed = frozenset[Ref]() if own else _find_mixed(families)
    rest = (family for section, family in families.items() if section.whole not in mixed)
    # The first in order of precedence.
    winners = own or {*islice(rest, 1)}
    for parent, listener in streams:
        family = families[parent.ref.section(listener.name)]
        if parent.ref in mixed or winners != {family}:
            yield ListenerConflict(
                parent.ref,
                listener.name,
                tuple(islice((ref for ref, other in families.items() if other != family), FEW)),
                PROTOCOL_CONFLICT,
                bool(own) or parent.ref in mixed or port.is_certain,
                listener.protocol,
            )


def _find_mixed(families: Mapping[Ref, str]) -> frozenset[Ref]:
    """Return the ListenerSets whose listeners belong to several families of protocols."""
    sets = [ref for ref, _ in {(section.whole, family) for section, family in families.items()}]
    return frozenset(ref for ref, count in Counter(sets).items() if count > 1)


def refuse_doubles(port: MergedPort) -> Iterator[ListenerConflict]:
    """Yield the listeners whose port, protocol and hostname an earlier listener already has."""
    first: dict[tuple[str, str], Ref] = {}
    for parent, listener in port.listeners:
        section, protocol = parent.ref.section(listener.name), listener.protocol
        # The first listener wins; later ones with the same hostname are refused.
        by = first.setdefault((protocol, listener.hostname), section)
        if by != section:
            conflict = (
                parent.ref,
                listener.name,
                (by,),
                HOSTNAME_CONFLICT,
                port.is_certain,
                protocol,
            )
            yield ListenerConflict(*conflict, is_between=True)


def find_conflict(
    section: Ref, listener: Listener, sure: Iterable[TakenPort], unsure: Iterable[TakenPort]
) -> ListenerConflict | None:
    """Return a listener's most certain conflict, or None; conflicts of protocols come first."""
    for taken, is_certain in ((sure, True), (unsure, False)):
        rivalries = [item.find_rivals(listener, section) for item in taken]
        conflicts = [item for item in rivalries if item[0]]
        if conflicts:
            rivals, reason = min(conflicts, key=lambda item: item[1] != PROTOCOL_CONFLICT)
            return ListenerConflict(
                section.whole, listener.name, tuple(rivals), reason, is_certain, listener.protocol
            )
    return None
