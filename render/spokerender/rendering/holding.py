"""Replaces the values of a spoke that differ between spokes with slots (`model.slots`).

Equal values of a spoke share a slot, and values that may be compared with something are not
replaced: so slots are equal if and only if their values are. A slot stands for a true value and has
its type, so that tests of truth and type have the same results, too.
"""

import re
from collections.abc import Collection, Hashable
from functools import cache
from typing import Any

from spokerender.kinds.merging import Merge
from spokerender.kinds.table import (
    ALWAYS_READ,
    CLASS_NAMES,
    CONTROLLER_NAMES,
    GROUPS,
    VENDORS,
    vendor_controllers,
    vendor_rows,
)
from spokerender.model import slots
from spokerender.model.shapes import Json, texts_in

Known = frozenset[Any]
"""Texts and numbers for which no slot may stand."""

_STAR = "*."
_SECTION = re.compile(r"rule-[0-9]+|rules\[[0-9]+\]")
"""The section names of unnamed route rules (`topology.node.name_rules`)."""


class Slots:
    """The slots of a fleet: placeholders for values that differ between spokes."""

    def __init__(self, known: Known | None) -> None:
        """Prepare; no slot stands for a `known` value, or for any value if `known` is None."""
        self.known = known
        self._numbers: dict[Hashable, int] = {}

    def number(self, place: Hashable) -> int:
        """Return the number of the slot for the key `place`, which is the same on all spokes."""
        # By place and not by value: the results of one expression have the same slot on all spokes.
        return self._numbers.setdefault(place, len(self._numbers))


class SpokeSlots:
    """The slots that one spoke has so far; `values` has the spoke's value for each slot."""

    def __init__(self, fleet: Slots) -> None:
        self.values: dict[str, Any] = {}
        self._fleet = fleet
        self._slots: dict[str | int, Any] = {}
        self._long: dict[str, str] = {}

    def text(self, value: str, place: Hashable = None) -> str:
        """Return a slot for a text, or the text itself if no slot may stand for it.

        The star of a wildcard remains in front of the slot. A text of several lines is returned, as
        YAML writes it differently. `place` identifies the slot; by default it is the number of
        texts that have slots so far.
        """
        # Code checks whether a hostname begins with the star, so it has to remain visible.
        star = _STAR if value.startswith(_STAR) else ""
        rest = value[len(star) :]
        # Sections such as `rule-2` are made by position: they are compared with, but are in no
        # file, so they are not among the known values.
        if not rest or "\n" in rest or not self._may_hold(rest) or _SECTION.fullmatch(rest):
            return value
        if rest not in self._slots:
            key = len(self._slots) if place is None else place
            self._slots[rest] = slot = slots.text_slot(self._fleet.number(key))
            self.values[slot] = rest
        return f"{star}{self._slots[rest]}"

    def scalar(self, value: Json, place: Hashable) -> Json:
        """Return a slot for a text or whole number if a slot may stand for it, else the value."""
        if isinstance(value, str):
            return self.text(value, place)
        # True is an int as well, so the type is checked. Zero is returned, like an empty text: a
        # slot in its place would be true.
        if type(value) is not int or not value or not self._may_hold(value):
            return value
        # Elsewhere a number may be spelled out as a text, such as the port of a section.
        if str(value) in (self._fleet.known or ()):
            return value
        if value not in self._slots:
            self._slots[value] = slot = slots.number_slot(self._fleet.number(place))
            self.values[str(slot)] = value
        return self._slots[value]

    def computed(self, value: str | int, place: Hashable, *, varies: bool) -> str | int:
        """Return a slot for a computed text or whole number; several lines get a slot each.

        If `varies` is false, the value itself is returned, unless an equal value of the spoke has a
        slot already.
        """
        if self._fleet.known is None:
            return value
        if isinstance(value, str) and "\n" in value:
            if value in self._fleet.known:
                return value
            if value not in self._long:
                lines = enumerate(value.split("\n"))
                filled = (self.computed(line, (place, n), varies=varies) for n, line in lines)
                self._long[value] = "\n".join(map(str, filled))
            return self._long[value]
        if varies:
            scalar: str | int = self.scalar(value, place)
            return scalar
        star = _STAR if isinstance(value, str) and value.startswith(_STAR) else ""
        rest = value[len(star) :] if isinstance(value, str) else value
        text_or_slot: str | int = rest
        if self._may_hold(rest):
            # From now on the value stands for itself: an equal value of the spoke must not get a
            # slot later.
            text_or_slot = self._slots.setdefault(rest, rest)
        return f"{star}{text_or_slot}" if isinstance(text_or_slot, str) else text_or_slot

    def _may_hold(self, value: str | int) -> bool:
        return self._fleet.known is not None and value not in self._fleet.known


# tests/rendering/test_compared.py searches the code for compared texts that are missing here.
_IN_CODE = """
    All Same Selector None In NotIn Exists DoesNotExist HTTP HTTPS TLS TCP UDP Terminate equal
    requestHeaderModifier responseHeaderModifier
    RequestRedirect Gateway GatewayClass ListenerSet XListenerSet HTTPRoute GRPCRoute TLSRoute
    TCPRoute UDPRoute Service ConfigMap Secret Namespace ReferenceGrant core true direct false
    default defaults override overrides matches backendRefs port istio.io/gateway-name
    gateway.networking.k8s.io/gateway-class-name
    gateway.networking.k8s.io gateway.networking.x-k8s.io headers
    istio-system items labels some within ExternalName ServiceImport multicluster.x-k8s.io
    networking.istio.io ServiceEntry annotations metadata unknown status allow
    source.ip remote.ip destination.ip request.headers[:
    infrastructure parametersRef ExtensionRef RequestMirror URLRewrite ValueRef RegularExpression
    Passthrough System kubernetes.io/tls Invalid InvalidCertificateRef
    PartiallyInvalidCertificateRef NoValidCACertificate RefNotPermitted InvalidRouteKinds
    ProtocolConflict HostnameConflict NoMatchingListenerHostname ResolvedRefs filters
    second minute hour day month year predicate stricter open first tls one some externalAuth
    t T TRUE True Exact PathPrefix replacePrefixMatch requestMirror ExternalAuth POST https http
    oidc certificate tls.crt tls.key UnsupportedProtocol
"""


def compared_texts(texts: Collection[str] | None = None) -> frozenset[str]:
    """Return the texts of our code and the table of kinds that may be compared with objects' texts.

    The table has a module for each vendor. If `texts` are given (all texts of the objects in which
    slots may stand, and no slot stands for an API group or a kind), only the modules with an API
    group in one of `texts` count; otherwise all modules count.
    """
    vendors: Collection[str] = VENDORS
    if texts is not None:
        everything = "\n".join(texts)
        # Anywhere in a text: an apiVersion has its version behind the group.
        named = (vendor for group, vendor in GROUPS.items() if group and group in everything)
        vendors = {*ALWAYS_READ, *named}
    return _texts_in_code().union(*map(_vendor_texts, vendors))


@cache
def _texts_in_code() -> frozenset[str]:
    """Return the texts in code and in the table's indexes, which are compared for all objects."""
    return frozenset(
        (*_IN_CODE.split(), *map(str, Merge), *GROUPS, *CONTROLLER_NAMES, *CLASS_NAMES)
    )


@cache
def _vendor_texts(vendor: str) -> frozenset[str]:
    rows = tuple(vendor_rows(vendor).values())
    return frozenset(texts_in((rows, vendor_controllers(vendor))))
