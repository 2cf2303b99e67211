"""The row of a kind and its parts, the controller among them; the rows are in `kinds.table`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import force_setattr

from spokerender.kinds import columns
from spokerender.kinds.merging import UNKNOWN, Merging
from spokerender.model.refs import GATEWAY_API
from spokerender.model.shapes import as_mapping

if TYPE_CHECKING:  # the rules of those that a project has are read with their rows
    from spokerender.kinds.routing import RoutingRules

ListMaps = tuple[tuple[str, tuple[str, ...]], ...]
"""Patterns that lead to lists, each with the keys that identify an item of the list."""
ListLimits = tuple[tuple[str, int], ...]
"""Patterns that lead to lists, each with the maximum number of items."""

EXPERIMENTAL = "gateway.networking.x-k8s.io"

BACKEND_TLS = (GATEWAY_API, "BackendTLSPolicy")
BACKEND_TRAFFIC = (EXPERIMENTAL, "XBackendTrafficPolicy")
"""Kinds of the Gateway API that several vendors implement, by group and kind."""

SECTION = "sectionName"
SECTIONS = "sectionNames"
ROUTE = "Route"
"""The suffix of every route kind (Gateway API)."""


class Sections(StrEnum):
    """A way to read the section name of a policy's target."""

    OWN = "own"
    """The name of a listener or of a route rule; unnamed rules cannot be targeted."""
    POSITIONAL = "positional"
    """Also the position of an unnamed rule, such as `rule-2` (policy-machinery)."""
    IGNORED = "ignored"
    """None of a route counts: a target with one is passed over."""


class Reports(StrEnum):
    """The conditions that a controller writes besides Accepted and ResolvedRefs."""

    PLAIN = "plain"
    ENVOY_GATEWAY = "envoy-gateway"
    """Overridden, if a more specific policy exists; Merged, on both policies of a merge."""
    KGATEWAY = "kgateway"
    """Attached, with the reason Attached, Merged or Overridden."""
    AGENTGATEWAY = "agentgateway"
    """Attached."""
    KUADRANT = "kuadrant"
    """Enforced."""


class Ancestors(StrEnum):
    """The objects that a controller writes an entry for in a policy's `status.ancestors`."""

    GATEWAY = "gateway"
    """Every Gateway that the policy affects (GEP-713)."""
    PARENT = "parent"
    """A target Gateway or ListenerSet, with its section; for a target route, its parents."""
    TARGET = "target"
    """A target route; for other targets, every Gateway that the policy affects."""
    HOLDER = "holder"
    """A target Gateway, ListenerSet or backend, without section; for a route, its parents."""
    NONE = "none"
    """None: the status has conditions only."""


class Controller(Struct, frozen=True):
    """A controller and the behaviour that all its policies share."""

    id: str
    names: tuple[str, ...] = ()
    """Its values of a GatewayClass's `spec.controllerName`."""
    classes: tuple[str, ...] = ()
    """GatewayClasses that it creates itself: a Gateway may name one that is in no file."""
    sections: Sections = Sections.OWN
    within: bool = False
    """The listener's hostname must cover a route's; otherwise the two only have to intersect."""
    listener_sets: bool = True
    """True if it supports ListenerSets."""
    reports: Reports = Reports.PLAIN
    ancestors: Ancestors = Ancestors.GATEWAY
    merges: tuple[tuple[tuple[str, str], Merging], ...] = ()
    """How it merges policies of the Gateway API, by group and kind."""
    tls_listener: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The kinds of route that it accepts on a TLS listener, by `tls.mode`."""
    refuses_overlap: bool = False
    """It refuses a route's policy if a route that is no target has its hostname, port and path."""
    delegates: bool = False
    """Routes may be backends of routes."""
    needs_all: bool = False
    """It refuses a policy with a missing or forbidden reference, and its requests get a 500."""
    beside: tuple[str, ...] = ()
    """Ids of other controllers whose gateways its policies may affect as well."""
    trust: columns.Trust | None = None
    """The places of CA certificates; None if unknown."""
    single_routes: tuple[str, ...] = ()
    """Kinds of route: all attach to a listener, which serves the oldest if no other kind does."""
    isolates: Literal["", "equal", "within"] = ""
    """A route's hostname that is another listener's of the port is served by that one alone.

    `equal`: exactly the other's. `within`: or one of a nearer one's, and no status tells of it.
    """
    routing: RoutingRules | None = None
    """The rules for routes and listeners; None if nobody has read its code."""
    sharing: columns.PortSharing = columns.PortSharing()
    """How listeners share a port."""
    hostnames_first: bool = False
    """Only listeners with a hostname of the route are asked which routes they allow."""
    denies_conflicts: bool = False
    """A listener without a conflict has the condition `Conflicted`, which is False."""
    refused_block: bool = False
    """A refused listener of TCP or UDP, or with the name of another, still blocks ListenerSets."""
    inherits: bool = False
    """True if an annotation of a parent route decides precedence (`kinds.references.PRIORITY`)."""
    settings: tuple[columns.Setting, ...] = ()
    """What its own configuration decides about its policies; the defaults are of `release`."""
    release: str = ""
    summary: str = ""
    """The ancestor name with which it accepts policies whose targets are missing; empty: none."""
    valid: str = "Accepted"
    """The reason with which it accepts a policy."""
    shares_plugin: bool = False
    """Kuadrant's operator sets its plugin up on a Gateway for one kind of policy as for another."""
    affects: tuple[str, str] = ("", "")
    """The condition that it writes on targets: its type, with `{}` for the kind, and its reason."""
    affects_below: bool = False
    """True if listeners and routes get it for policies above them, too."""
    needs_target: bool = False
    """True if it writes no status of a policy all of whose targets are missing."""
    accepts_parts: bool = False
    """True if it accepts what names something that is missing as PartiallyValid."""

    def looks_at(self, other: Controller) -> bool:
        """Return whether its policies may count on a gateway of another controller.

        A controller without GatewayClasses configures the gateways of others.
        """
        # Of an unknown controller nobody can say that it does not.
        return not (self.names and other.id) or other.id in (self.id, *self.beside)

    def takes_rules(self, kind: str, count: int) -> bool:
        """Return whether it serves a route with so many rules."""
        return self.routing is None or kind not in self.routing.one_rule or count == 1

    def merging(self, group: str, kind: str) -> Merging | None:
        """Return how it merges policies of a kind that is not its own; None if that is unknown."""
        return dict(self.merges).get((group, kind))


ANY = Controller("", delegates=True)
"""An unknown controller, taken to implement the Gateway API, and delegation if routes delegate."""


class Role(StrEnum):
    """A way to name another object, and the relation between the two that follows."""

    TARGET = "target"
    """A policy's target (`targetRef`); if the reference is local, the two share a namespace."""
    PARENT = "parent"
    """A route's parent (`parentRefs`), which may be in another namespace."""
    SELECTOR = "selector"
    """The targets of a policy that have certain labels (`targetSelectors`)."""
    LABEL = "label"
    """The pods or Services of a Gateway, selected by the label with the Gateway's name."""
    PEER = "peer"
    """The pods of a Gateway that a NetworkPolicy for other pods admits."""
    BACKEND = "backend"
    """A route's backend, which may be another route (kgateway)."""
    FILTER = "filter"
    """A filter that a route's rule applies to requests (`ExtensionRef`)."""
    NEED = "need"
    """An object that it requires (`Need`), such as a ConfigMap or a GatewayClass."""

    @property
    def ships(self) -> bool:
        """Return whether an object is of no use on a cluster without the named object."""
        return self in _SHIPS

    @property
    def moves(self) -> bool:
        """Return whether a local reference puts the object into its target's namespace."""
        return self in _MOVES

    @property
    def guards(self) -> bool:
        """Return whether the object attaches to the named object, as a policy or a route does."""
        return self in _GUARDS

    @property
    def carries(self) -> bool:
        """Return whether the named object attaches to the one that names it, as a filter does."""
        return self in _CARRIES


_SHIPS = frozenset({Role.TARGET, Role.PARENT, Role.SELECTOR, Role.LABEL, Role.PEER})
_MOVES = frozenset({Role.TARGET, Role.SELECTOR, Role.LABEL})
_GUARDS = frozenset({Role.TARGET, Role.PARENT, Role.SELECTOR, Role.LABEL})
_CARRIES = frozenset({Role.BACKEND, Role.FILTER, Role.NEED})


class NamespaceRule(StrEnum):
    """A rule for the namespace in a reference."""

    NONE = "none"
    """There is no such field: the reference is local."""
    EMPTY = "empty"
    """The field must be empty (Istio)."""
    OWN = "own"
    """The field exists, but only the object's own namespace is known to work (AWS)."""
    ANY = "any"
    """Any namespace; the default is the object's own."""
    WRITTEN = "written"
    """The schema is unknown: keep the field if it is set, and never add it."""


class ReferencePath(Struct, frozen=True):
    """A field of a kind that refers to other objects."""

    path: str
    """A pattern (`spokerender.kinds.fields`) that leads to the mapping with `name`; for
    `Role.LABEL` and `Role.PEER`, to a mapping of labels, or to the items of `matchExpressions`."""
    role: Role
    default_group: str = ""
    """As in the CRD; without a default, an absent group is the core group."""
    default_kind: str = ""
    namespace: NamespaceRule = NamespaceRule.NONE
    section: str = ""
    """`SECTION`, `SECTIONS` (a list), or empty."""
    unique: bool = False
    """The CRD refuses a second reference to a target, unless section or port differ."""
    max_items: int | None = None
    infers_group: bool = False
    """The CRD does not require a group, and a kind of the Gateway API implies its group."""
    assumed: bool = False
    """An unknown kind is assumed to have the field: only references with group and kind count."""
    from_root: bool = False
    """Labels select in every namespace if the object is in the root namespace (Istio)."""


class Targetless(StrEnum):
    """The scope of a policy without a target."""

    NO = ""
    """None: a target is required."""
    NAMESPACE = "namespace"
    """Its namespace; for a policy in the root namespace, the whole mesh (Istio)."""
    FILTER = "filter"
    """The route rules that name it as a filter (`ExtensionRef`)."""
    PARAMETERS = "parameters"
    """The GatewayClasses and Gateways that name it as their parameters."""
    NAMED = "named"
    """Decided by the object that refers to it."""


class FoundBy(StrEnum):
    """The way in which a data plane finds the policies of a request."""

    ROUTE = "route"
    """They are those of the rule that the proxy chose."""
    WORKLOAD = "workload"
    """They are all of the proxy's, whose own rules say which requests they are for (Istio)."""
    PLUGIN = "plugin"
    """A plugin looks them up by itself, whatever rule the proxy chose (`judging.lookups`)."""


def plural_of(kind: str) -> str:
    """Return the regular English plural of a kind, in lower case: `policies`, `gatewayclasses`."""
    word = kind.lower()
    if word.endswith("y") and word[-2:-1] not in set("aeiou"):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "sh", "ch", "x")) else "s")


class Kind(Struct, frozen=True, dict=True):
    """A row of the table: everything that is special about a kind."""

    group: str
    kind: str
    versions: tuple[str, ...] = ()
    """The served versions, the preferred one first."""
    plural: str = ""
    """The resource, such as `authpolicies`; if not given, the regular plural of `kind`."""
    namespaced: bool = True
    references: tuple[ReferencePath, ...] = ()
    needs: tuple[columns.Need, ...] = ()
    security: bool = False
    """The removal of an object may give somebody access."""
    annotations: tuple[tuple[str, str], ...] = ()
    """Annotations that are set on every synced copy."""
    is_route: bool = False
    merging: Merging | None = None
    """How its policies are merged; None if unknown."""
    targets: tuple[str, ...] = ()
    """The kinds that it may attach to; empty if unknown."""
    alternatives: tuple[tuple[str, ...], ...] = ()
    """Groups of fields of `spec` that exclude each other."""
    targetless: Targetless = Targetless.NO
    """The scope of a policy without a target."""
    guarded: bool = False
    controller: Controller = ANY
    reach: columns.Reach = columns.EVERYWHERE
    traits: columns.Traits = columns.NO_TRAITS
    protocols: tuple[str, ...] = ()
    """The protocols of listeners that a route can attach to; empty if unknown."""
    list_maps: ListMaps = ()
    """The lists in `spec` with `x-kubernetes-list-type: map`."""
    limits: ListLimits = ()
    """The longest lists that any release of the CRD allows, besides those in `references`."""
    is_configured: bool = False
    """The fleet file configures how its policies are merged."""
    credentials: tuple[str, ...] = ()
    """Patterns of fields that may contain a credential (`kinds.credentials`)."""
    demands: tuple[columns.Demand, ...] = ()
    """Rules of the controller for values, besides those of the CRD."""
    demanded: tuple[str, ...] = ()
    """The paths of `needs` without whose objects the controller refuses a policy as Invalid."""
    unseen: tuple[columns.Unseen, ...] = ()
    """Fields whose validity only the controller can decide."""
    merges_gateways: str = ""
    """The field that merges all Gateways whose GatewayClass refers to the object."""
    presents: str = ""
    """The field that names a certificate for backends, of a Gateway or of its parameters."""
    numbered_ports: bool = False
    """True if its sections are port numbers, as its routes name them."""
    narrows: str = ""
    """The field of a filter with conditions on requests, besides the matches of the rule."""
    answers: str = ""
    """The field of a filter with which requests are answered, so that no backend gets them."""
    owned: tuple[columns.OwnedField, ...] = ()
    """The fields that a cluster writes (`kinds.owned`); `import` leaves them out."""
    keyed_by: str = ""
    """In objects without a `spec`: the field whose value is the key of all other fields."""
    dry_run: str = ""
    """The annotation with which its controller logs what a policy would do, and does not do it."""
    found_by: FoundBy = FoundBy.ROUTE
    extends: bool = False
    """Its objects say a part of what the policies that name them ask (`Need.part`)."""
    immutable: tuple[str, ...] = ()
    """Fields that its controller can't follow a change of, though no API server refuses one."""
    is_inventory: bool = False
    """Placements are decided from its objects, also from their status; no spoke gets them."""

    def __post_init__(self) -> None:
        if not self.plural:
            # A frozen value has no other way to a default that depends on another field.
            force_setattr(self, "plural", plural_of(self.kind))

    @property
    def api_version(self) -> str:
        """Return the `apiVersion` of its objects, in the preferred version."""
        version = self.versions[0] if self.versions else "v1"
        return f"{self.group}/{version}" if self.group else version

    @property
    def merged(self) -> Merging:
        """Return how its policies are merged; UNKNOWN where the row does not say it."""
        return self.merging if self.merging is not None else UNKNOWN

    def counts_on(self, other: Controller) -> bool:
        """Return whether its policies may count on a gateway of a controller, known or not."""
        if self.reach.controllers:
            return other.id in ("", *self.reach.controllers)
        return self.controller.looks_at(other)

    def read_spec(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the `spec` of an object of the kind, or the fields in its place."""
        if not self.keyed_by:
            return as_mapping(data.get("spec"))
        # A KongPlugin has the name of its plugin beside its settings: under that name they can be
        # compared as fields of a spec.
        beside = ("apiVersion", "kind", "metadata", "status", self.keyed_by)
        return {str(data.get(self.keyed_by)): {k: v for k, v in data.items() if k not in beside}}

    def is_dry_run(self, data: Mapping[str, Any]) -> bool:
        """Return whether an object of the kind asks its controller only to log what it would do."""
        annotations = as_mapping(as_mapping(data.get("metadata")).get("annotations"))
        # Go's strconv.ParseBool.
        return annotations.get(self.dry_run) in ("1", "t", "T", "TRUE", "true", "True")

    @cached_property
    def routes(self) -> tuple[str, ...]:
        """Return the kinds of route that it may attach to; none if that is unknown."""
        return tuple(name for name in self.targets if name.endswith(ROUTE))

    @cached_property
    def is_policy(self) -> bool:
        """Return whether its objects attach to others, or guard the objects of a Gateway."""
        attaches = any(rule.role in (Role.TARGET, Role.SELECTOR) for rule in self.references)
        return attaches or self.security
