"""Columns of a controller: the rules by which it judges routes and listeners."""

from typing import Literal, get_args

from msgspec import Struct


class BackendDemand(Struct, frozen=True):
    """A rule for the `spec` of a backend (`kind`): CEL about `self`, and the reason if not met.

    One that is `late` is looked at after the filters beside the backend.
    """

    kind: str
    rule: str
    reason: str
    says: str
    late: bool = False
    on: tuple[str, ...] = ()
    """The kinds of route on which it is asked, if not on all."""


WrittenCondition = tuple[str, bool, str]
"""The type of a condition, whether it is met, and the reason; empty: that of the fault."""
WrittenOutcomes = tuple[tuple[str, tuple[WrittenCondition, ...]], ...]
"""The conditions that are written for a fault, by its reason."""


class ListenerRules(Struct, frozen=True):
    """The statuses of listeners, of a controller that judges them otherwise than Envoy Gateway."""

    protocols: tuple[str, ...]
    outcomes: WrittenOutcomes
    """What it says of other faults is not known."""
    in_sets: WrittenOutcomes = ()
    """The outcomes that a ListenerSet's listener has instead."""
    switched: tuple[tuple[str, str], ...] = ()
    """Protocols of which something else decides whether they are supported, and what that is."""
    completes: bool = True
    """The conditions without a fault are written as well; else the first fault alone is told."""
    hides_conflicts: bool = False
    """No conflict is told of a Gateway's own listener, nor of one with a fault of its own."""
    partly: str = "ListenersNotValid"
    """The reason for which a ListenerSet is accepted if some of its listeners are refused."""
    any_certificate: bool = False
    """One certificate that is there is enough, and no other is told."""
    grants_last: bool = False
    """It looks for a certificate before it asks whether it may be named."""
    may_lack: bool = False
    """A listener may terminate TLS without a certificate."""
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Values of TLS options that stand for a certificate, by key."""
    certificate_keys: tuple[tuple[str, str], ...] = (("tls.crt", "tls.key"),)
    """A Secret has one of these pairs of keys."""
    clients: Literal["", "one", "some"] = ""
    """How it reads CA certificates for clients: one alone, or several of which some may be wrong.

    Empty: it reads none.
    """
    drops_refused: bool = False
    """A route is judged by the listeners that are not refused for others, in ListenerSets by sound
    ones, and without any it has no status for the parent.
    """
    needs_sound: bool = False
    """A route is accepted on listeners without a fault (NoMatchingParent); if it is refused, the
    reason is that of the last listener that it names.
    """
    counts_once: bool = False
    """A route that names a listener in two ways is attached once (Istio, RouteAttachment)."""


BackendCheck = Literal[
    "filters", "kind", "grant", "setting", "port", "trust", "demands", "tls", "endpoints"
]
_Filters = tuple[tuple[str, tuple[str, ...]], ...]
"""Types of filters, by the kind of route."""


class GatewayRules(Struct, frozen=True):
    """The rules for a Gateway without which a controller does not process it at all."""

    parameters: tuple[str, str]
    """The group and kind of `infrastructure.parametersRef`."""
    addresses: tuple[str, ...]
    """The types of addresses that it takes."""


class RoutingRules(Struct, frozen=True):
    """The rules by which a controller judges routes and listeners, where the Gateway API has none.

    A reason that is empty stands for something that the controller does not look at.
    """

    backends: tuple[tuple[str, str], ...]
    """The kinds of backend that it takes, by group and kind."""
    filters: _Filters
    backend_filters: _Filters
    """The filters that it takes beside a backend."""
    extended: tuple[tuple[str, str], ...] = ()
    """Further kinds of backend, which it takes where its own configuration says so."""
    extensions: tuple[tuple[str, str], ...] = ()
    """The kinds that a filter of type ExtensionRef may name."""
    by_service: tuple[str, ...] = ()
    """Kinds of backend in whose place it looks for a Service of their name."""
    wrong_filter: tuple[str, str] = ("Accepted", "UnsupportedValue")
    """The type of condition and the reason; empty: it does not look at the backends beside it."""
    wrong_backend_filter: str = "UnsupportedRefValue"
    unsound_backend_filter: str = ""
    """The reason for a backend whose filters are supported and wrong."""
    combines_filters: bool = False
    """Filters of a rule are checked together."""
    one_rule: tuple[str, ...] = ()
    """The kinds of route that must have exactly one rule."""
    checks: tuple[BackendCheck, ...] = get_args(BackendCheck)
    """A backend has the first fault of these."""
    checks_on: tuple[tuple[str, tuple[BackendCheck, ...]], ...] = ()
    """The checks on some kinds of route."""
    no_port: str = "BackendNotFound"
    wrong_port: str = "BackendNotFound"
    """The reason for a port that its Service lacks."""
    external_name: str = "UnsupportedValue"
    """The reason for a Service of type ExternalName."""
    wrong_tls: str = "InvalidBackendTLS"
    """The reason for a backend whose BackendTLSPolicy is refused."""
    wrong_trust: str = ""
    """The reason for a backend that asks for TLS by its own fields, and does not say whom to trust.

    Empty: backends have no such fields.
    """
    skips_unused: bool = False
    """It looks at no backend of weight 0."""
    delegates: bool = False
    """It says nothing of an HTTPRoute that is another's backend."""
    granted: tuple[tuple[str, str], ...] = ()
    """The kinds of backend for which alone it reads ReferenceGrants, if any are named."""
    demands: tuple[BackendDemand, ...] = ()
    """Its rules for backends besides those of their CRDs."""
    lone: BackendDemand | None = None
    """A backend that does not meet this has to be alone in its rule."""
    last: bool = False
    """It tells the last fault of a route, not all."""
    ends: tuple[str, ...] = ()
    """Reasons with which a fault is the last that it sees."""
    strict_mirrors: tuple[str, ...] = ()
    """The kinds of route on which any fault of a mirrored backend is the last."""
    rules_last: bool = False
    """What it says of rules replaces what it says of listeners' names and namespaces."""
    joins_ports: bool = False
    """References to one parent without sectionName have one entry, whatever their ports are."""
    headers: str = ""
    """A CEL rule that the name of a header meets which filters may change."""
    header_values: str = ""
    """A CEL rule that the value of such a header meets."""
    expressions: bool = False
    """It makes nothing of a rule with a regular expression that RE2 does not read."""
    whole_expressions: bool = False
    """A regular expression of a match has to be all of the text that it is for."""
    counts_method: bool = False
    """Of two matches the method counts as one of the headers, and then exact values count more."""
    hostnames_last: bool = False
    """Of the rules of all hostnames that a request may have, the nearest match takes it."""
    refused_whole: tuple[str, ...] = ()
    """The kinds of route of which it makes nothing if it refuses all rules."""
    avoids_coalescing: bool = False
    """Listeners that share a port and names of certificates take no HTTP/2."""
    unique_hostnames: bool = False
    """Plain listeners of a port have one table of routes, in which a hostname may be once."""
    gateways: GatewayRules | None = None
    listeners: ListenerRules | None = None
    source: str = ""
    """Its code."""
