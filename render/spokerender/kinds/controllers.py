"""What a controller does with all of its policies alike: facts that are not a single kind's."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from spokerender.kinds.merging import Merging


class Sections(StrEnum):
    """A way to read the section name of a policy's target."""

    OWN = "own"
    """The name of a listener, or that of a rule that has one."""
    POSITIONAL = "positional"
    """An unnamed rule is meant by its place as well: `rule-2` (policy-machinery)."""


class Reports(StrEnum):
    """The conditions that a controller writes besides Accepted and ResolvedRefs."""

    PLAIN = "plain"
    ENVOY_GATEWAY = "envoy-gateway"
    """Overridden, where a nearer policy is; Merged, on both partners of a merge."""
    KGATEWAY = "kgateway"
    """Attached, with Attached, Merged or Overridden as its reason."""
    AGENTGATEWAY = "agentgateway"
    """Attached."""
    KUADRANT = "kuadrant"
    """Enforced."""


class Ancestors(StrEnum):
    """The objects that a controller writes an entry for in a policy's `status.ancestors`."""

    GATEWAY = "gateway"
    """Each Gateway that the policy reaches (GEP-713)."""
    PARENT = "parent"
    """The target where it is a Gateway or ListenerSet, with its section; a route's parents."""
    TARGET = "target"
    """A route that is targeted, else each Gateway that is reached."""
    HOLDER = "holder"
    """A Gateway, ListenerSet or backend that is targeted, as a whole; a route's parents."""
    NONE = "none"
    """Nothing: its status has conditions and no ancestors."""


class Trust(Struct, frozen=True):
    """The sources of CA certificates of a controller, where they differ from those of the API.

    `kinds` are all of them, by group and kind. An object has to have one of `keys`, or, with
    `only_key`, a single key whatever its name. `every` is set where one that can't be read makes
    all of them worthless.
    """

    kinds: tuple[tuple[str, str], ...]
    keys: tuple[str, ...] = ("ca.crt",)
    only_key: bool = False
    every: bool = False


class Controller(Struct, frozen=True):
    """A controller, and what is true of all its policies.

    `names` are those that a GatewayClass has in `spec.controllerName`; `classes` are GatewayClasses
    that it makes itself, so that a Gateway may name them though no file has them. `within` is set
    where a route's hostname has to be within the listener's, and not just to meet it.
    `listener_sets` is not set where it doesn't know ListenerSets. `merges` is how policies come
    together that are not its own but the Gateway API's, by group and kind. `tls_listener` are the
    kinds of route that it takes on a listener of protocol TLS, by `tls.mode`. `refuses_overlap` is
    set where it refuses a route's policy because another route, which the policy does not target,
    has the same hostname, port and path. `delegates` is set where a route's backend may be other
    routes. `needs_all` is set where it accepts no policy that names what is not there, or may not
    be named, and answers requests with 500 where such a one would be in force. `beside` are the ids
    of controllers on whose gateways its policies may count as well. `trust` is what it reads CA
    certificates from; None where nobody has looked. `mixes_kinds` is set where it takes HTTPRoutes
    and GRPCRoutes of one hostname side by side, which the Gateway API does not.
    """

    id: str
    names: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    sections: Sections = Sections.OWN
    within: bool = False
    listener_sets: bool = True
    reports: Reports = Reports.PLAIN
    ancestors: Ancestors = Ancestors.GATEWAY
    merges: tuple[tuple[tuple[str, str], Merging], ...] = ()
    tls_listener: tuple[tuple[str, tuple[str, ...]], ...] = ()
    refuses_overlap: bool = False
    delegates: bool = False
    needs_all: bool = False
    beside: tuple[str, ...] = ()
    trust: Trust | None = None
    mixes_kinds: bool = False
    inherits: bool = False
    """Whether a parent's annotation says who is preferred (`kinds.references.PRIORITY`)."""
    summary: str = ""
    """The name of its entry about targets that are not there: it accepts such a policy."""

    def looks_at(self, other: Controller) -> bool:
        """Tell whether its policies may count on a gateway of another controller.

        One that has no GatewayClasses of its own is about the gateways of others.
        """
        return not (self.names and other.id) or other.id in (self.id, *self.beside)

    def merging(self, group: str, kind: str) -> Merging | None:
        """Return how it merges policies of a kind that is not its own; None if that is unknown."""
        return dict(self.merges).get((group, kind))


ANY = Controller("", delegates=True)
"""A controller of which nothing is known; what the Gateway API asks for is taken for granted.

A route that delegates to others has a controller that does.
"""
