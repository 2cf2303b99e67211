"""Columns of a controller's row: the rules by which it judges routes and listeners."""

from typing import Literal, get_args

from msgspec import Struct

NAMELESS = "nameless"
"""Used like a protocol: neither the listener nor a route on it has a hostname without wildcard."""


class BackendDemand(Struct, frozen=True):
    """A rule for the `spec` of a backend of `kind`: CEL about `self`, and the reason if violated.

    A rule that is `late` is checked after the filters of the backend.
    """

    kind: str
    rule: str
    reason: str
    says: str
    late: bool = False
    on: tuple[str, ...] = ()
    """The kinds of route whose backends are checked; empty: all."""


WrittenCondition = tuple[str, bool, str]
"""A condition's type, its status, and its reason; an empty reason is that of the fault."""
WrittenOutcomes = tuple[tuple[str, tuple[WrittenCondition, ...]], ...]
"""Reasons of faults, each with the conditions that are written for such a fault."""


class ListenerRules(Struct, frozen=True):
    """The statuses of listeners, for a controller that judges them unlike Envoy Gateway."""

    protocols: tuple[str, ...]
    outcomes: WrittenOutcomes
    """Faults with the written conditions; for other faults, nobody knows what is written."""
    in_sets: WrittenOutcomes = ()
    """The outcomes that replace `outcomes` for a listener of a ListenerSet."""
    switched: tuple[tuple[str, str], ...] = ()
    """Protocols that are supported only with a setting or the like; each with that one's name."""
    completes: bool = True
    """Conditions without a fault are written beside those of faults."""
    first_alone: bool = False
    """Only the first fault is written in a status."""
    hides_conflicts: bool = False
    """No conflict is reported for a Gateway's own listeners, or for listeners with a fault."""
    partly: str = "ListenersNotValid"
    """The reason with which a ListenerSet is accepted if only some of its listeners are."""
    any_certificate: bool = False
    """One existing certificate is enough: faults of other certificates don't count."""
    grants_last: bool = False
    """The controller checks that a certificate exists before it checks the ReferenceGrant."""
    lone_certificate: bool = False
    """A listener that terminates TLS has to name exactly one certificate."""
    may_lack: bool = False
    """A listener may terminate TLS without a certificate."""
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Values of TLS options that replace a certificate, by the option's key."""
    certificate_keys: tuple[tuple[str, str], ...] = (("tls.crt", "tls.key"),)
    """A Secret must have one of these pairs of keys."""
    clients: Literal["", "one", "some"] = ""
    """The CA certificates for clients that are read: only one, or of several those without fault.

    Empty: none is read.
    """
    drops_refused: bool = False
    """A route is judged only by listeners that win their conflicts (in ListenerSets: only those
    without a fault). If there are none, the route gets no status for the parent."""
    needs_sound: bool = False
    """A route is accepted only on listeners without a fault (else NoMatchingParent); the reason of
    a refusal is that of the last listener that the route names."""
    counts_once: bool = False
    """A route that names a listener in two ways counts once (Istio, RouteAttachment; Cilium)."""


BackendCheck = Literal[
    "filters", "kind", "grant", "setting", "port", "trust", "demands", "tls", "endpoints"
]
_Filters = tuple[tuple[str, tuple[str, ...]], ...]
"""Kinds of route, each with the types of filters."""


class GatewayRules(Struct, frozen=True):
    """The rules by which a controller judges a Gateway as a whole."""

    parameters: tuple[str, str]
    """The group and kind of `infrastructure.parametersRef`; empty: parameters are not allowed."""
    addresses: tuple[str, ...] = ()
    """The types that addresses may have, else the Gateway is not processed; empty: any type."""
    alone: str = ""
    """A further type for a single address, of a Gateway that the controller deploys itself.

    If set, addresses of wrong types are ignored as long as there are others.
    """
    counted: tuple[str, ...] = ()
    """The conditions of listeners that decide a condition of the holder; empty: the same one."""
    clients: bool = True
    """ResolvedRefs covers CA certificates for clients, too, and is written of Gateways with `tls`.

    Otherwise it is written of every Gateway, even if the Gateway is refused (Istio, conversion.go).
    """


class RoutingRules(Struct, frozen=True):
    """The rules by which a controller judges routes and listeners, where the Gateway API has none.

    If a reason is empty, the controller does not check for that fault.
    """

    backends: tuple[tuple[str, str], ...]
    """The kinds of backend that the controller accepts, by group and kind."""
    filters: _Filters
    backend_filters: _Filters
    """The types of filters that the controller accepts on a backend."""
    extended: tuple[tuple[str, str], ...] = ()
    """Further kinds of backend, which the controller's own configuration can allow."""
    extensions: tuple[tuple[str, str], ...] = ()
    """The kinds that an ExtensionRef filter may name; empty: such filters are not checked."""
    by_service: tuple[str, ...] = ()
    """Kinds of backend for which the controller uses the Service of the same name."""
    wrong_filter: tuple[str, str] = ("Accepted", "UnsupportedValue")
    """The type of condition and the reason; empty: backends with that filter are not checked."""
    wrong_backend_filter: str = "UnsupportedRefValue"
    unsound_backend_filter: str = ""
    """The reason for a backend with a filter of a supported type that is invalid."""
    combines_filters: bool = False
    """The filters of a rule are checked together."""
    one_rule: tuple[str, ...] = ()
    """The kinds of route that must have exactly one rule."""
    checks: tuple[BackendCheck, ...] = get_args(BackendCheck)
    """The checks in their order: only the first fault of a backend is written."""
    checks_on: tuple[tuple[str, tuple[BackendCheck, ...]], ...] = ()
    """The checks for certain kinds of route, which replace `checks`."""
    no_port: str = "BackendNotFound"
    wrong_port: str = "BackendNotFound"
    """The reason if a Service lacks the port."""
    external_name: str = "UnsupportedValue"
    """The reason if a Service is of type ExternalName."""
    wrong_tls: str = "InvalidBackendTLS"
    """The reason if a backend's BackendTLSPolicy is refused; empty: no condition is written."""
    wrong_trust: str = ""
    """The reason if a backend's own fields enable TLS but name no CA certificate to trust.

    Empty: backends have no such fields.
    """
    skips_unused: bool = False
    """Backends with weight 0 are not checked."""
    matches_once: bool = False
    """A rule is refused for requests that an earlier rule is for, and a fault refuses a route."""
    delegates: bool = False
    """No status is written about an HTTPRoute that is another HTTPRoute's backend."""
    granted: tuple[tuple[str, str], ...] = ()
    """The kinds of backend that a ReferenceGrant can permit; empty: all."""
    demands: tuple[BackendDemand, ...] = ()
    """The controller's rules for backends, in addition to those of the CRDs."""
    lone: BackendDemand | None = None
    """A backend that violates this rule must be the only one of its route rule."""
    last: bool = False
    """Only the last fault of a route is written in a status."""
    staged: tuple[str, ...] = ()
    """Reasons of faults, in the order in which the controller checks all backends for them.

    Only the first fault is written. Protocol and hostnames of a route are compared with all
    listeners of a parent, kinds and namespaces only with the listeners that the route names.
    """
    ends: tuple[str, ...] = ()
    """Reasons of faults after which the controller checks nothing more."""
    strict_mirrors: tuple[str, ...] = ()
    """The kinds of route for which any fault of a mirrored backend ends the checks."""
    rules_last: bool = False
    """A fault of a rule replaces a fault about hostnames or namespaces of listeners."""
    joins_ports: bool = False
    """References to one parent without a sectionName share one status entry, whatever the port."""
    headers: str = ""
    """A CEL rule for names of headers: filters may change only headers that fulfil it."""
    header_values: str = ""
    """A CEL rule for the values of such headers."""
    expressions: bool = False
    """A route rule with a regular expression that is invalid in RE2 is dropped."""
    whole_expressions: bool = False
    """A regular expression of a match has to match the whole text."""
    counts_method: bool = False
    """In precedence, the method counts as a header, and more exact values come first."""
    hostnames_last: bool = False
    """Among rules of all hostnames that match a request, the most specific match wins."""
    refused_whole: tuple[str, ...] = ()
    """The kinds of route that are ignored as a whole if all of their rules are refused."""
    avoids_coalescing: bool = False
    """Listeners that share a port and names in certificates don't offer HTTP/2."""
    unique_hostnames: bool = False
    """Plain HTTP listeners of a port share one table of routes, with each hostname once."""
    enters_by_route: bool = False
    """Connections to a TLS listener are chosen by the hostnames of its routes, not its own."""
    gateways: GatewayRules | None = None
    listeners: ListenerRules | None = None
    source: str = ""
    """The source code from which these rules are read."""
