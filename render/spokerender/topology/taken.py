"""Protocols and hostnames of a port that listeners have taken, and who is in whose way."""

from itertools import islice

from spokerender.kinds.columns import PortSharing
from spokerender.model.refs import Ref
from spokerender.topology.node import Listener

NAMELESS = ("TCP", "UDP")
"""Protocols without hostnames."""
FEW = 4
"""How many of the listeners that conflict with one are named: all of them may be."""
PROTOCOL_CONFLICT = "ProtocolConflict"
HOSTNAME_CONFLICT = "HostnameConflict"


class TakenPort:
    """The protocols and hostnames of a port that listeners have taken."""

    def __init__(self, sharing: PortSharing) -> None:
        self._sharing = sharing
        self._by_family: dict[str, list[Ref]] = {}
        self._by_hostname: dict[tuple[str, str], list[tuple[Ref, str]]] = {}

    def take(self, section: Ref, listener: Listener) -> None:
        """Add a listener."""
        family = self._sharing.family(listener.protocol)
        self._by_family.setdefault(family, []).append(section)
        self.take_name(section, listener)

    def take_name(self, section: Ref, listener: Listener) -> None:
        """Add a listener that is in nobody's way but of those with its protocol and hostname."""
        key = self._sharing.family(listener.protocol), listener.hostname
        self._by_hostname.setdefault(key, []).append((section, listener.protocol))

    def find_rivals(self, listener: Listener, besides: Ref) -> tuple[list[Ref], str]:
        """Return those that a listener conflicts with, `besides` itself, and the reason."""
        sharing, family = self._sharing, self._sharing.family(listener.protocol)
        if listener.protocol not in sharing.apart:
            others = self._by_family.keys() - {family, *sharing.apart}
            rivals = [self._by_family[other][0] for other in sorted(others)]
            if rivals:
                return rivals, PROTOCOL_CONFLICT
        same = self._by_hostname.get((family, listener.hostname), ())
        few = tuple(islice((item for item in same if item[0] != besides), FEW))
        is_by_protocol = sharing.by_protocol and (
            listener.protocol in NAMELESS
            or any(protocol != listener.protocol for _, protocol in few)
        )
        reason = PROTOCOL_CONFLICT if is_by_protocol else HOSTNAME_CONFLICT
        return [section for section, _ in few], reason
