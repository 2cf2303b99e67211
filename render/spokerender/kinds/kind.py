"""The row of a kind and its parts, among them the controller; the rows are in `kinds.table`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import force_setattr

from spokerender.kinds import columns
from spokerender.kinds.merging import UNKNOWN, Merging
from spokerender.model.refs import GATEWAY_API, plural_of
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
    """The ways in which a controller reads the section name of a policy's target."""

    OWN = "own"
    """The name of a listener or of a route rule; unnamed rules cannot be targeted."""
    POSITIONAL = "positional"
    """As OWN, or the position of an unnamed rule, such as `rule-2` (policy-machinery)."""
    IGNORED = "ignored"
    """A target with the section name of a route's rule is ignored."""


class Reports(StrEnum):
    """The conditions that a controller writes for policies besides Accepted and ResolvedRefs."""

    PLAIN = "plain"
    ENVOY_GATEWAY = "envoy-gateway"
    """Overridden, if a more specific policy exists; Merged, on both merged policies."""
    KGATEWAY = "kgateway"
    """Attached, with the reason Attached, Merged or Overridden."""
    AGENTGATEWAY = "agentgateway"
    """Attached."""
    KUADRANT = "kuadrant"
    """Enforced."""


class Ancestors(StrEnum):
    """The objects for which a controller writes an entry in a policy's `status.ancestors`."""

    GATEWAY = "gateway"
    """Every Gateway that the policy affects (GEP-713)."""
    PARENT = "parent"
    """The target Gateway or ListenerSet, with its section; for a target route, its parents."""
    TARGET = "target"
    """The target route; for other targets, every Gateway that the policy affects."""
    HOLDER = "holder"
    """The target Gateway, ListenerSet or backend, without section; for a route, its parents."""
    NONE = "none"
    """None: the status has conditions only."""


class Controller(Struct, frozen=True):
    """A controller, and the behaviour that is the same for all its policies."""

    id: str
    names: tuple[str, ...] = ()
    """The values of `spec.controllerName` by which a GatewayClass is this controller's."""
    classes: tuple[str, ...] = ()
    """GatewayClasses that it creates by itself, so that Gateways may name them without a file."""
    sections: Sections = Sections.OWN
    within: bool = False
    """The listener's hostname must cover the route's hostname; otherwise they must intersect."""
    listener_sets: bool = True
    """True if it supports ListenerSets."""
    reports: Reports = Reports.PLAIN
    ancestors: Ancestors = Ancestors.GATEWAY
    merges: tuple[tuple[tuple[str, str], Merging], ...] = ()
    """How it merges policies of kinds of the Gateway API, by group and kind."""
    tls_listener: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The kinds of route that it accepts on a TLS listener, by `tls.mode`."""
    refuses_overlap: bool = False
    """It refuses a route's policy if a route that is no target has its hostname, port and path."""
    delegates: bool = False
    """Routes may have routes as backends."""
    needs_all: bool = False
    """A policy with a missing or forbidden reference is refused, and its requests get a 500."""
    beside: tuple[str, ...] = ()
    """Ids of other controllers whose gateways its policies may also affect."""
    trust: columns.Trust | None = None
    """Where it reads CA certificates; None if unknown."""
    single_routes: tuple[str, ...] = ()
    """Kinds of route of which a listener serves only the oldest, if no other kind is attached."""
    isolates: Literal["", "equal", "within"] = ""
    """The hostnames of routes that only one listener of a port serves, though others match as well.

    `equal`: those equal to its hostname. `within`: also those within it; no status shows this.
    """
    routing: RoutingRules | None = None
    """Its rules for routes and listeners; None if its code was not studied."""
    sharing: columns.PortSharing = columns.PortSharing()
    """How listeners share a port."""
    hostnames_first: bool = False
    """Only listeners that match a hostname of the route are checked for the routes they allow."""
    denies_conflicts: bool = False
    """Listeners without a conflict have the condition `Conflicted` with the value False."""
    refused_block: bool = False
    """A refused listener blocks others: all (Contour), or those of ListenerSets (Envoy Gateway)."""
    inherits: bool = False
    """True if an annotation of a parent route decides precedence (`kinds.references.PRIORITY`)."""
    settings: tuple[columns.Setting, ...] = ()
    """The settings in its own configuration that affect policies, with `release`'s defaults."""
    release: str = ""
    summary: str = ""
    """The ancestor name in the status of accepted policies with missing targets; else empty."""
    valid: str = "Accepted"
    """The reason with which it accepts a policy."""
    shares_plugin: bool = False
    """Its operator sets up the plugin of a Gateway once, for all its kinds of policy together."""
    affects: tuple[str, str] = ("", "")
    """The condition that it writes on targets: its type (`{}` is the kind), and its reason."""
    affects_below: bool = False
    """True if listeners and routes below a target get this condition as well."""
    needs_target: bool = False
    """True if it writes no status if all targets of a policy are missing."""
    accepts_parts: bool = False
    """True if it accepts objects with missing references as PartiallyValid."""

    def looks_at(self, other: Controller) -> bool:
        """Return whether policies of this controller may affect gateways of `other`.

        Controllers without GatewayClasses configure gateways of others.
        """
        # Nobody knows what an unknown controller ignores.
        return not (self.names and other.id) or other.id in (self.id, *self.beside)

    def takes_rules(self, kind: str, count: int) -> bool:
        """Return whether the controller serves routes of the kind with that number of rules."""
        return self.routing is None or kind not in self.routing.one_rule or count == 1

    def merging(self, group: str, kind: str) -> Merging | None:
        """Return how the controller merges a policy kind of the Gateway API; None if unknown."""
        return dict(self.merges).get((group, kind))


ANY = Controller("", delegates=True)
"""An unknown controller, assumed to implement the Gateway API, and delegation between routes."""


class Role(StrEnum):
    """The way in which an object names another object, and the relation between them."""

    TARGET = "target"
    """A policy's target (`targetRef`); if the reference is local, both share a namespace."""
    PARENT = "parent"
    """A route's parent (`parentRefs`), which may be in another namespace."""
    SELECTOR = "selector"
    """A policy's targets, selected by labels (`targetSelectors`)."""
    LABEL = "label"
    """The pods or Services of a Gateway, selected by the label with the Gateway's name."""
    PEER = "peer"
    """The pods of a Gateway, as a peer that a NetworkPolicy allows for other pods."""
    BACKEND = "backend"
    """A route's backend, which may be another route (kgateway)."""
    FILTER = "filter"
    """A filter that a route's rule applies to requests (`ExtensionRef`)."""
    NEED = "need"
    """An object that the referrer requires (`Need`), such as a ConfigMap or a GatewayClass."""

    @property
    def ships(self) -> bool:
        """Return whether the referrer is useless on a cluster that lacks the named object."""
        return self in _SHIPS

    @property
    def moves(self) -> bool:
        """Return whether a local reference moves the referrer to the named object's namespace."""
        return self in _MOVES

    @property
    def guards(self) -> bool:
        """Return whether the referrer attaches to the named object, as a policy or a route does."""
        return self in _GUARDS

    @property
    def carries(self) -> bool:
        """Return whether the named object becomes a part of the referrer, as a filter does."""
        return self in _CARRIES


_SHIPS = frozenset({Role.TARGET, Role.PARENT, Role.SELECTOR, Role.LABEL, Role.PEER})
_MOVES = frozenset({Role.TARGET, Role.SELECTOR, Role.LABEL})
_GUARDS = frozenset({Role.TARGET, Role.PARENT, Role.SELECTOR, Role.LABEL})
_CARRIES = frozenset({Role.BACKEND, Role.FILTER, Role.NEED})


class NamespaceRule(StrEnum):
    """The namespaces that a reference can name."""

    NONE = "none"
    """The reference has no namespace field: it is local."""
    EMPTY = "empty"
    """The field must be empty (Istio)."""
    OWN = "own"
    """The field exists, but only the referrer's own namespace is known to work (AWS)."""
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
    """The default of the CRD; without a default, an absent group is the core group."""
    default_kind: str = ""
    namespace: NamespaceRule = NamespaceRule.NONE
    section: str = ""
    """`SECTION`, `SECTIONS` (a list), or empty."""
    unique: bool = False
    """The CRD refuses two references to a target, unless sections or ports differ."""
    max_items: int | None = None
    infers_group: bool = False
    """The CRD does not require a group, and a kind of the Gateway API implies its group."""
    assumed: bool = False
    """The field is assumed of an unknown kind: only references with group and kind count."""
    from_root: bool = False
    """Labels select in every namespace if the object is in the root namespace (Istio)."""


class Targetless(StrEnum):
    """The scope of a policy without a target."""

    NO = ""
    """None: a target is required."""
    NAMESPACE = "namespace"
    """The policy's namespace; for a policy in the root namespace, the whole mesh (Istio)."""
    FILTER = "filter"
    """The route rules that reference the policy as a filter (`ExtensionRef`)."""
    PARAMETERS = "parameters"
    """The GatewayClasses and Gateways that reference the policy as their parameters."""
    NAMED = "named"
    """The object that references the policy decides the scope."""


class FoundBy(StrEnum):
    """The ways in which a data plane finds the policies for a request."""

    ROUTE = "route"
    """By the route rule that the proxy chose."""
    WORKLOAD = "workload"
    """All policies of the proxy are tried; their own rules match requests (Istio)."""
    PLUGIN = "plugin"
    """A plugin looks policies up itself, whatever rule the proxy chose (`judging.lookups`)."""


class Kind(Struct, frozen=True, dict=True):
    """A row of the table of kinds: all facts about a kind."""

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
    """Removing an object may give somebody access."""
    annotations: tuple[tuple[str, str], ...] = ()
    """Annotations that every synced copy gets."""
    is_route: bool = False
    merging: Merging | None = None
    """How its policies are merged; None if unknown."""
    targets: tuple[str, ...] = ()
    """The kinds to which its objects may attach; empty if unknown."""
    alternatives: tuple[tuple[str, ...], ...] = ()
    """Groups of fields of `spec` that exclude one another."""
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
    """fleet.yaml configures how its policies are merged."""
    credentials: tuple[str, ...] = ()
    """Patterns of fields that may contain a credential (`kinds.credentials`)."""
    demands: tuple[columns.Demand, ...] = ()
    """The controller's rules for values, in addition to the CRD's."""
    demanded: tuple[str, ...] = ()
    """The paths in `needs` without whose objects the controller refuses a policy as Invalid."""
    unseen: tuple[columns.Unseen, ...] = ()
    """Fields whose validity only the controller can decide."""
    merges_gateways: str = ""
    """The field of parameters that makes the controller merge all Gateways of a GatewayClass."""
    presents: str = ""
    """The field (of a Gateway or its parameters) that names the client certificate for backends."""
    numbered_ports: bool = False
    """True if its sections are port numbers, and routes reference them by number."""
    parts: tuple[str, ...] = ()
    """Patterns of the names of a backend's parts, which policies can target as sections."""
    narrows: str = ""
    """The field of a filter with conditions on requests, in addition to the rule's matches."""
    answers: str = ""
    """The field of a filter that makes the gateway answer requests itself, without a backend."""
    owned: tuple[columns.OwnedField, ...] = ()
    """Fields that the cluster writes (`kinds.owned`); `import` omits them."""
    keyed_by: str = ""
    """For objects without a `spec`: the field whose value becomes the key of all other fields."""
    dry_run: str = ""
    """The annotation that makes the controller only log what a policy would do."""
    found_by: FoundBy = FoundBy.ROUTE
    extends: bool = False
    """Its objects are parts of the policies that reference them (`Need.part`)."""
    immutable: tuple[str, ...] = ()
    """Fields whose change the controller can't apply, although no API server refuses the change."""
    is_inventory: bool = False
    """Placements are decided from its objects and their status; no spoke gets them."""

    def __post_init__(self) -> None:
        if not self.plural:
            # A frozen value has no other way to a default that depends on another field.
            force_setattr(self, "plural", plural_of(self.kind))

    @property
    def api_version(self) -> str:
        """Return the `apiVersion` of objects of this kind, in the preferred version."""
        version = self.versions[0] if self.versions else "v1"
        return f"{self.group}/{version}" if self.group else version

    @property
    def merged(self) -> Merging:
        """Return how policies of this kind are merged; UNKNOWN if the table does not say."""
        return self.merging if self.merging is not None else UNKNOWN

    def counts_on(self, other: Controller) -> bool:
        """Return whether policies of this kind may have an effect on a gateway of `other`."""
        if self.reach.controllers:
            return other.id in ("", *self.reach.controllers)
        return self.controller.looks_at(other)

    def read_spec(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the `spec` of an object of this kind, or the fields that replace a `spec`."""
        if not self.keyed_by:
            return as_mapping(data.get("spec"))
        # A KongPlugin names its plugin beside the settings: under that name they can be compared as
        # fields of a spec.
        beside = ("apiVersion", "kind", "metadata", "status", self.keyed_by)
        return {str(data.get(self.keyed_by)): {k: v for k, v in data.items() if k not in beside}}

    def is_dry_run(self, data: Mapping[str, Any]) -> bool:
        """Return whether an object of this kind makes its controller only log what it would do."""
        annotations = as_mapping(as_mapping(data.get("metadata")).get("annotations"))
        # Go's strconv.ParseBool.
        return annotations.get(self.dry_run) in ("1", "t", "T", "TRUE", "true", "True")

    @cached_property
    def routes(self) -> tuple[str, ...]:
        """Return the kinds of route to which objects of this kind may attach; empty if unknown."""
        return tuple(name for name in self.targets if name.endswith(ROUTE))

    @cached_property
    def is_policy(self) -> bool:
        """Return whether objects of this kind attach to other objects, or are about security."""
        attaches = any(rule.role in (Role.TARGET, Role.SELECTOR) for rule in self.references)
        return attaches or self.security
