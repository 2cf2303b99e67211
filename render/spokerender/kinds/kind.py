"""The row of a kind and its parts, the controller among them; the rows are in `kinds.table`."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import force_setattr

from spokerender.kinds.columns import NO_TRAITS, Demand, Need, Traits, Unseen
from spokerender.kinds.merging import UNKNOWN, Merging
from spokerender.model.refs import GATEWAY_API

ListMaps = tuple[tuple[str, tuple[str, ...]], ...]
"""Lists by their places, and the keys of their items."""
ListLimits = tuple[tuple[str, int], ...]
"""Lists by their places, as patterns, and how many items they may have."""

EXPERIMENTAL = "gateway.networking.x-k8s.io"

BACKEND_TLS = (GATEWAY_API, "BackendTLSPolicy")
BACKEND_TRAFFIC = (EXPERIMENTAL, "XBackendTrafficPolicy")
"""Kinds of the Gateway API that several vendors implement, by group and kind."""

SECTION = "sectionName"
SECTIONS = "sectionNames"
ROUTE = "Route"
"""The ending of every route kind's name (Gateway API)."""


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


class Role(StrEnum):
    """A way to name another object, and the relation between the two that follows."""

    TARGET = "target"
    """It is for it (`targetRef`); where it can't name a namespace, it moves along."""
    PARENT = "parent"
    """It is a child of it (`parentRefs`): it stays where it is and names the namespace."""
    SELECTOR = "selector"
    """It is for whatever has certain labels (`targetSelectors`)."""
    LABEL = "label"
    """It is for what a Gateway generates, and selects that by a label with the Gateway's name."""
    PEER = "peer"
    """It lets what a Gateway generates through, and is about something else (NetworkPolicy)."""
    BACKEND = "backend"
    """A route sends requests to it; another route may be a backend as well (kgateway)."""
    FILTER = "filter"
    """A route's rule has it work on its requests (`ExtensionRef`)."""
    NEED = "need"
    """It does not work without it (`Need`): a ConfigMap, say, or a Gateway's class."""

    @property
    def ships(self) -> bool:
        """Tell whether an object is of use only on a cluster that has what it names so."""
        return self in _SHIPS

    @property
    def moves(self) -> bool:
        """Tell whether an object must be in the namespace of what it names so, if that is local."""
        return self in _MOVES

    @property
    def guards(self) -> bool:
        """Tell whether the object attaches to what it names so, as a policy or a route does."""
        return self in _GUARDS

    @property
    def carries(self) -> bool:
        """Tell whether what is named so attaches to the object that names it, as a filter does."""
        return self in _CARRIES


_SHIPS = frozenset({Role.TARGET, Role.PARENT, Role.SELECTOR, Role.LABEL, Role.PEER})
_MOVES = frozenset({Role.TARGET, Role.SELECTOR, Role.LABEL})
_GUARDS = frozenset({Role.TARGET, Role.PARENT, Role.SELECTOR, Role.LABEL})
_CARRIES = frozenset({Role.BACKEND, Role.FILTER, Role.NEED})


class NamespaceRule(StrEnum):
    """A rule for the namespace in a reference."""

    NONE = "none"
    """There is no such field: only the object's own namespace can be meant."""
    EMPTY = "empty"
    """There is the field, but it has to be empty (Istio)."""
    OWN = "own"
    """There is the field, but only the object's own namespace is sure to work (AWS)."""
    ANY = "any"
    """Any namespace; the object's own where the field is absent."""
    WRITTEN = "written"
    """Nobody knows whether there is the field: kept where it is written, never added."""


class ReferencePath(Struct, frozen=True):
    """One place where objects of a kind name others.

    `path` is a pattern (`spokerender.kinds.fields`) that leads to the mapping with `name`; for
    `Role.LABEL` and `Role.PEER` it leads to a mapping of labels, or to each of
    `matchExpressions`. The default group and kind are those of the CRD; where it has none, an
    absent group is the core group.
    `section` is `SECTION`, `SECTIONS` (a list) or empty. `unique` is set where the CRD refuses
    a target twice, unless by different sections (or ports). `infers_group` is set where the CRD
    asks for no group: without one, a kind of the Gateway API is meant as such. `assumed` marks the
    guesses about a kind that nobody knows: they take only what spells out group and kind.
    """

    path: str
    role: Role
    default_group: str = ""
    default_kind: str = ""
    namespace: NamespaceRule = NamespaceRule.NONE
    section: str = ""
    unique: bool = False
    max_items: int | None = None
    infers_group: bool = False
    assumed: bool = False


class Targetless(StrEnum):
    """The things that a policy without a target applies to."""

    NO = ""
    """Nothing: it has to name one."""
    NAMESPACE = "namespace"
    """Everything in its namespace; in the root namespace, everything there is (Istio)."""
    FILTER = "filter"
    """The rules of routes that name it as a filter (`ExtensionRef`)."""
    NAMED = "named"
    """What another object makes of it, which names it."""


class Reach(Struct, frozen=True):
    """The part of the paths through its target on which a policy counts.

    `mesh` are target kinds that count in a mesh only, and on no path through a gateway. `beside`
    are kinds that no gateway's path leads to: requests reach them otherwise. `protocols` are those
    of the listeners that it counts on, where not of all. `whole_routes` are kinds of route of
    which a rule can be targeted and nothing comes of it. `before_routes` is set where what is on a
    backend gives way to what is on the route (agentgateway). `whole_ports` is set where a policy
    for one plain-HTTP listener is refused while others share its port. `class_if_merged` is set
    where Gateways that are merged into one can't be targeted, and their GatewayClass is instead.
    """

    mesh: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    whole_routes: tuple[str, ...] = ()
    before_routes: bool = False
    whole_ports: bool = False
    class_if_merged: bool = False


class Authorities(Struct, frozen=True):
    """The fields with CA certificates of a kind, and what its API document lets them name.

    `refs` is a pattern (`kinds.fields`) that leads to each reference, `well_known` to the
    text that stands instead of them and has to be one of `known`. A reference is to an object of
    `group` and `kind` that has something at `data`.`key`; `others` are groups and kinds that some
    controllers take besides. `one_target` is set where a policy should have a single target.
    """

    refs: str
    well_known: str
    known: tuple[str, ...] = ("System",)
    group: str = ""
    kind: str = "ConfigMap"
    key: str = "ca.crt"
    others: tuple[tuple[str, str], ...] = ()
    one_target: bool = False


EVERYWHERE = Reach()
"""On all of them."""


def plural_of(kind: str) -> str:
    """Return the regular English plural of a kind, in lower case: `policies`, `gatewayclasses`."""
    word = kind.lower()
    if word.endswith("y") and word[-2:-1] not in set("aeiou"):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "sh", "ch", "x")) else "s")


class Kind(Struct, frozen=True):
    """A row: all that is special about a kind.

    `versions` are those served, the preferred one first. `security` is set where the removal of
    an object may open a door. `annotations` are set on every synced copy. `merging` is None where
    nobody said how its policies come together. `targets` are the kinds that it may attach to,
    empty where that is not known. `alternatives` are fields of `spec` of which one policy has at
    most one. `targetless` says what a policy without a target is for.
    `controller` is who carries it out, and `reach` where it counts. `traits` are what advice is
    given about. `protocols` are those of the listeners that a route can attach to, none where
    nobody says; `own_hostnames` is set where a route keeps others of such kinds off a listener's
    hostname. `authorities` is where a policy says whose certificates a gateway trusts.
    `list_maps` are the lists below `spec` whose items have keys (`x-kubernetes-list-type: map`),
    as patterns, and the keys. `limits` are lists that no release of the CRD lets be longer, beside
    those of `references`. `is_configured` is set where a fleet file says how its policies come
    together.
    """

    group: str
    kind: str
    versions: tuple[str, ...] = ()
    plural: str = ""
    """The resource, such as `authpolicies`; if not given, the regular plural of `kind`."""
    namespaced: bool = True
    references: tuple[ReferencePath, ...] = ()
    needs: tuple[Need, ...] = ()
    security: bool = False
    annotations: tuple[tuple[str, str], ...] = ()
    is_route: bool = False
    merging: Merging | None = None
    targets: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, ...], ...] = ()
    targetless: Targetless = Targetless.NO
    guarded: bool = False
    controller: Controller = ANY
    reach: Reach = EVERYWHERE
    traits: Traits = NO_TRAITS
    protocols: tuple[str, ...] = ()
    own_hostnames: bool = False
    authorities: Authorities | None = None
    list_maps: ListMaps = ()
    limits: ListLimits = ()
    is_configured: bool = False
    credentials: tuple[str, ...] = ()
    """Patterns of the fields that may hold a credential itself (`kinds.credentials`)."""
    demands: tuple[Demand, ...] = ()
    """What its controller asks of values besides what the CRD does."""
    unseen: tuple[Unseen, ...] = ()
    """What its controller has to find out, of which no file tells."""
    merges_gateways: str = ""
    """The place of the switch that makes one of all Gateways whose GatewayClass names it."""
    narrows: str = ""
    """The place of what a rule that has it for a filter asks of requests besides its matches."""

    def __post_init__(self) -> None:
        """Set the plural where it is regular."""
        if not self.plural:
            force_setattr(self, "plural", plural_of(self.kind))

    @property
    def merged(self) -> Merging:
        """Return how its policies are merged; UNKNOWN where the row does not say it."""
        return self.merging if self.merging is not None else UNKNOWN

    @property
    def routes(self) -> tuple[str, ...]:
        """Return the kinds of route that it may attach to; none if that is unknown."""
        return tuple(name for name in self.targets if name.endswith(ROUTE))

    @property
    def is_policy(self) -> bool:
        """Tell whether its objects attach to others, or guard what a Gateway generates."""
        attaches = any(rule.role in (Role.TARGET, Role.SELECTOR) for rule in self.references)
        return attaches or self.security
