"""Columns of a controller: the rules by which it judges routes and listeners."""

from typing import Literal, get_args

from msgspec import Struct

NAMELESS = "nameless"
"""Beside protocols: no listener of a policy, nor a route on one, has a name without a wildcard."""


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
    """The conditions that the controller writes for any other fault are not known."""
    in_sets: WrittenOutcomes = ()
    """The outcomes that replace `outcomes` for a listener of a ListenerSet."""
    switched: tuple[tuple[str, str], ...] = ()
    """Protocols whose support depends on something, such as a setting, each with its name."""
    completes: bool = True
    """Conditions without a fault are written, too, beside those with one."""
    first_alone: bool = False
    """A status has the first fault alone."""
    hides_conflicts: bool = False
    """No conflict is reported for a Gateway's own listener, nor for a listener with a fault."""
    partly: str = "ListenersNotValid"
    """The reason for which a ListenerSet is accepted if some of its listeners are refused."""
    any_certificate: bool = False
    """One certificate that exists is enough: faults of other certificates do not count."""
    grants_last: bool = False
    """The controller looks for a certificate first, and for a ReferenceGrant after that."""
    may_lack: bool = False
    """A listener may terminate TLS without a certificate."""
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Values of TLS options that stand for a certificate, by key."""
    certificate_keys: tuple[tuple[str, str], ...] = (("tls.crt", "tls.key"),)
    """A Secret has one of these pairs of keys."""
    clients: Literal["", "one", "some"] = ""
    """How many CA certificates for clients are read: one, or several of which some may be wrong.

    Empty: none is read.
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
    """The rules by which a controller judges a Gateway as a whole."""

    parameters: tuple[str, str]
    """The group and kind of `infrastructure.parametersRef`; empty: it takes none."""
    addresses: tuple[str, ...] = ()
    """Without one of these types it does not process the Gateway; empty: it always does."""
    alone: str = ""
    """The type that a single address may have besides, of a Gateway that it makes itself.

    Then it leaves out addresses of wrong types, as long as there are others. Empty: it does not.
    """
    counted: tuple[str, ...] = ()
    """The conditions of a listener that count for its holder; empty: that in question."""
    clients: bool = True
    """ResolvedRefs is about CA certificates for clients, too, and for Gateways with `tls` alone."""


class RoutingRules(Struct, frozen=True):
    """The rules by which a controller judges routes and listeners, where the Gateway API has none.

    With an empty reason the controller does not look for that fault.
    """

    backends: tuple[tuple[str, str], ...]
    """The kinds of backend that the controller accepts, by group and kind."""
    filters: _Filters
    backend_filters: _Filters
    """The filters that the controller accepts beside a backend."""
    extended: tuple[tuple[str, str], ...] = ()
    """Further kinds of backend, accepted where the controller's own configuration says so."""
    extensions: tuple[tuple[str, str], ...] = ()
    """The kinds that a filter of type ExtensionRef may name; empty: it does not look at these."""
    by_service: tuple[str, ...] = ()
    """Kinds of backend in whose place the controller looks for a Service of that name."""
    wrong_filter: tuple[str, str] = ("Accepted", "UnsupportedValue")
    """The type of condition and the reason; empty: backends beside the filter are not checked."""
    wrong_backend_filter: str = "UnsupportedRefValue"
    unsound_backend_filter: str = ""
    """The reason for a backend whose filters are supported and wrong."""
    combines_filters: bool = False
    """Filters of a rule are checked together."""
    one_rule: tuple[str, ...] = ()
    """The kinds of route that must have exactly one rule."""
    checks: tuple[BackendCheck, ...] = get_args(BackendCheck)
    """The checks in their order: a backend has the first fault alone."""
    checks_on: tuple[tuple[str, tuple[BackendCheck, ...]], ...] = ()
    """The checks on some kinds of route."""
    no_port: str = "BackendNotFound"
    wrong_port: str = "BackendNotFound"
    """The reason for a port that its Service lacks."""
    external_name: str = "UnsupportedValue"
    """The reason for a Service of type ExternalName."""
    wrong_tls: str = "InvalidBackendTLS"
    """The reason for a backend whose BackendTLSPolicy is refused; empty: no condition says so."""
    wrong_trust: str = ""
    """The reason for a backend that asks for TLS by its own fields, and does not say whom to trust.

    Empty: backends have no such fields.
    """
    skips_unused: bool = False
    """Backends of weight 0 are not checked."""
    delegates: bool = False
    """The status says nothing of an HTTPRoute that is a backend of the HTTPRoute."""
    granted: tuple[tuple[str, str], ...] = ()
    """The kinds of backend that a ReferenceGrant can permit; empty: all."""
    demands: tuple[BackendDemand, ...] = ()
    """The controller's rules for backends besides the rules of their CRDs."""
    lone: BackendDemand | None = None
    """A backend that does not meet this has to be alone in its rule."""
    last: bool = False
    """A status has the last fault of a route, not all of them."""
    staged: tuple[str, ...] = ()
    """Faults of backends in the order in which it looks for them on all: the first alone counts.

    Of the listeners it asks all of a parent for the protocol and the hostnames of a route, and
    those that the route names for kinds and namespaces.
    """
    ends: tuple[str, ...] = ()
    """Reasons of faults after which the controller looks for no further fault."""
    strict_mirrors: tuple[str, ...] = ()
    """The kinds of route on which any fault of a mirrored backend ends the search for faults."""
    rules_last: bool = False
    """A fault of a rule replaces a fault of the listeners' names and namespaces."""
    joins_ports: bool = False
    """References to one parent without sectionName have one entry, whatever their ports are."""
    headers: str = ""
    """A CEL rule that the name of a header meets which filters may change."""
    header_values: str = ""
    """A CEL rule that the value of such a header meets."""
    expressions: bool = False
    """A rule with a regular expression that RE2 cannot read is left out."""
    whole_expressions: bool = False
    """A regular expression of a match has to match the whole text."""
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
    enters_by_route: bool = False
    """The hostnames of its routes choose the connections to a listener of TLS, not its own."""
    gateways: GatewayRules | None = None
    listeners: ListenerRules | None = None
    source: str = ""
    """Its code."""
