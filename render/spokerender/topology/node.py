"""Nodes: the facts about objects that the graph needs. Objects connected alike have equal nodes."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.kind import ANY, Controller, Role, Sections
from spokerender.kinds.reference import Grant, Reference, TargetSelector
from spokerender.kinds.table import find_row, group_rows
from spokerender.model.refs import GATEWAY_API, FieldPath, Ref
from spokerender.model.selectors import EVERYTHING, Selector


class NamespaceLabels(Struct, frozen=True):
    """The known labels of a namespace, and whether these are all of its labels."""

    values: Mapping[str, str]
    is_complete: bool


class Admission(Struct, frozen=True):
    """The namespaces whose objects may attach (`from`, `selector`)."""

    source: str = "Same"
    selector: Selector = EVERYTHING

    def admits(self, parent_namespace: str, namespace: str, labels: NamespaceLabels) -> bool:
        """Tell whether an object of `namespace`, with `labels`, may attach (GEP-1324, GEP-1713).

        Where no file has the labels, the answer is yes: a spoke may have them.
        """
        match self.source:
            case "All":
                return True
            case "Same":
                return parent_namespace == namespace
        return self.source == "Selector" and self.selector.may_match(
            labels.values, is_complete=labels.is_complete
        )

    def is_open_question(self, labels: NamespaceLabels) -> bool:
        """Tell whether a namespace is only assumed to be admitted, since its labels are unknown."""
        return (
            # Open only if the known labels neither select the namespace nor rule it out.
            self.source == "Selector"
            and not labels.is_complete
            and not self.selector.matches(labels.values)
            and self.selector.may_match(labels.values, is_complete=False)
        )


NOBODY = Admission("None")
"""The default admission of ListenerSets by a Gateway (GEP-1713)."""


GATEWAY = (GATEWAY_API, "Gateway")
GATEWAY_CLASS = (GATEWAY_API, "GatewayClass")
SERVICE = ("", "Service")
PARENTS = frozenset(
    {GATEWAY, (GATEWAY_API, "ListenerSet"), ("gateway.networking.x-k8s.io", "XListenerSet")}
)
"""The kinds that have listeners."""


class Dropped(StrEnum):
    """The reason why a controller ignores a rule of a route, or a backend."""

    UNREAD = "unread"
    """It can't read the rule, and does not look at its backends; nor at a backend's policies."""
    REFUSED = "refused"
    """It refuses the route as a whole, or the backend."""
    UNDECIDED = "undecided"
    """It refuses it or not: what no file has decides."""


RoutePart = str | FieldPath
"""A rule of a route by its name, a backend by its path, or all of it on some listeners."""
TERMINATING: FieldPath = ("Terminate",)
"""A route on the listeners that terminate TLS."""
DroppedParts = Mapping[RoutePart, Dropped]
"""The parts of a route of which a controller makes nothing."""
DroppedRules = Mapping[tuple[Ref, str], DroppedParts]
"""What is dropped, by route and the controller's id."""


class Unprocessed(Struct, frozen=True):
    """The reason why no controller processes a Gateway, and the field that decides.

    Without a `reason`, no controller writes a status for the Gateway.
    """

    reason: str
    why: str
    field: str
    cure: str


_REMEMBERED = 1_024
"""The size of the cache for lists of names, which many similar routes share."""


class Match(Struct, frozen=True):
    """One of a rule's `matches`: its path's value, and all that it asks for as one text."""

    path: str
    text: str


class Listener(Struct, frozen=True):
    """The fields of a listener that decide which routes attach.

    `index` is its place in `spec.listeners`. `kinds` are the route kinds that `allowedRoutes`
    names, by group and kind; empty if it names none. `certificates` are the Secrets with which it
    terminates TLS, each by its namespace, if given, and its name.
    """

    index: int
    name: str
    hostname: str
    port: int | str
    protocol: str
    routes: Admission
    kinds: tuple[tuple[str, str], ...] = ()
    tls_mode: str = "Terminate"
    certificates: tuple[tuple[str, str], ...] = ()

    @property
    def handling(self) -> str:
        """Return the protocol, with the mode of a listener that has no TLS of its own."""
        is_own = self.tls_mode == "Terminate"
        return self.protocol if is_own else f"{self.protocol} {self.tls_mode}"


class Node(Struct, frozen=True):
    """The facts about one object that the graph needs; equal nodes are connected alike.

    `crossing` are references to other namespaces (certificates, backends) that need a
    ReferenceGrant, each with its field. `needs` are the objects that it requires (`Role.NEED`). Of
    a gateway that a spoke has of its own, which `is_declared`, not all labels are known; it has
    none of `lacks`.
    `default_scope` is the scope in which a Gateway is a default Gateway. `controller` is that of a
    GatewayClass. `rules` are the names of a route's rules, empty for an unnamed rule, and `matches`
    their matches. `naming` is how its controller reads section names. `ports` are a
    Service's ports by name, and `keys` those of the data of a Secret or ConfigMap, which may have
    bytes besides (`has_bytes`). A Secret whose certificate or key is no PEM `is_garbled`. With
    `merges`, Gateways of a class with these parameters are merged into one. `inherits` is a route's
    annotation about the policies of its children, and `narrows` a filter's conditions on requests.
    With `answers`, a filter answers them itself. `clients` are the
    CA certificates for clients of a Gateway's listeners, by port; those of the port 0 are for all
    others. `presents` is the Secret of a Gateway, or of its parameters, with a certificate for
    backends. Its controller reads no object that `is_off`, for its settings. A Service `is_placed`
    if rules say which spokes have it, as they say of Gateways.
    """

    ref: Ref
    labels: tuple[tuple[str, str], ...] = ()
    references: tuple[Reference, ...] = ()
    listeners: tuple[Listener, ...] = ()
    admits_listener_sets: Admission = NOBODY
    rules: tuple[str, ...] = ()
    matches: tuple[tuple[Match, ...], ...] = ()
    hostnames: tuple[str, ...] = ()
    ports: tuple[tuple[str, int], ...] = ()
    keys: tuple[str, ...] = ()
    has_bytes: bool = False
    is_garbled: bool = False
    gateway_class: str = ""
    default_scope: str = ""
    controller: str = ""
    grant: Grant | None = None
    crossing: tuple[tuple[Ref, str], ...] = ()
    needs: tuple[Reference, ...] = ()
    is_route: bool = False
    naming: Sections = Sections.OWN
    merges: bool = False
    presents: Ref | None = None
    inherits: str = ""
    narrows: str = ""
    answers: bool = False
    clients: tuple[tuple[int, tuple[Ref, ...]], ...] = ()
    is_declared: bool = False
    lacks: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    is_off: bool = False
    is_placed: bool = False

    @property
    def is_gateway(self) -> bool:
        """Tell whether this is a Gateway of the Gateway API."""
        return (self.ref.group, self.ref.kind) == GATEWAY

    @property
    def is_root(self) -> bool:
        """Tell whether what attaches to it goes where it is placed: to a Gateway, or a Service."""
        return self.is_gateway or self.is_placed

    @property
    def attachments(self) -> tuple[Reference, ...]:
        """Return the references without which the object is of no use; no backends of a route."""
        return tuple(link for link in self.references if link.row.role.ships)

    def meets(self, selector: TargetSelector) -> bool | None:
        """Tell whether a selector selects the object; None if labels decide that no file has."""
        # Hub objects have all their labels in files; a spoke's own Gateway has those that were
        # declared.
        if not self.is_declared:
            labels = dict(self.labels)
            return selector.matches(labels, self.ref.name, self.gateway_class, self.default_scope)
        if selector.names and self.ref.name not in selector.names:
            return False
        if self.gateway_class and selector.gateway_class not in ("", self.gateway_class):
            return False
        # Labels that it is declared to lack have no value, which differs from an unknown one.
        answer = selector.labels.judge({**dict(self.labels), **dict.fromkeys(self.lacks)})
        is_open = selector.scope or (selector.gateway_class and not self.gateway_class)
        return None if answer and is_open else answer

    def authorities(self, listener: Listener, namespace: str) -> tuple[Ref, ...]:
        """Return the CA certificates for clients of a listener (`GatewayTLSConfig.frontend`).

        Those that are named without a namespace are in `namespace`.
        """
        ports: dict[int | str, tuple[Ref, ...]] = {**dict(self.clients)}
        # Port 0 stands for the default of all ports.
        refs = ports.get(listener.port, ports.get(0, ()))
        return tuple(ref if ref.namespace else replace(ref, namespace=namespace) for ref in refs)

    def rule_of(self, link: Reference) -> Ref:
        """Return the rule that has a backend or filter of a route, as a section of the route."""
        return self.ref.section(name_rules(self.rules)[int(link.path[2])])

    def takes(self, parent: Ref) -> bool:
        """Tell whether a parent may delegate to this route, which may name its parents."""
        parents = [link.ref.whole for link in self.references if link.row.role is Role.PARENT]
        return not parents or parent in parents

    @property
    def sections(self) -> tuple[str, ...] | None:
        """Return the names of its listeners or rules, for messages; None where it has neither."""
        if self.listeners or self.is_gateway:
            return tuple(listener.name for listener in self.listeners)
        return name_rules(self.rules) if self.rules else None

    def named_sections(self, naming: Sections) -> tuple[str, ...] | None:
        """Return the names that a section name may have; None where the kind has unknown ones.

        Not every controller takes an unnamed rule's place for its name. Those of a Service are its
        ports' names (GEP-2648); agentgateway takes their numbers, too.
        """
        if naming is Sections.IGNORED and self.is_route:
            return ()
        if self.ports:
            return tuple(str(part) for port in self.ports for part in port if part)
        has_own_alone = self.rules and naming is Sections.OWN
        return tuple(filter(None, self.rules)) if has_own_alone else self.sections


def indexed(nodes: Iterable[Node]) -> dict[Ref, Node]:
    """Return nodes by identity; needs that may be of two kinds get the kind that a file has."""
    index = {node.ref: node for node in nodes}
    for node in [node for node in index.values() if any(it.instead_of for it in node.needs)]:
        # What has a name of the second kind is meant where nothing of the first kind has it.
        second = {it.instead_of: it.ref in index for it in node.needs}
        needs = tuple(
            it
            for it in node.needs
            if (it.ref in index and it.instead_of not in index)
            or not (it.instead_of or second.get(it.ref))
        )
        index[node.ref] = replace(node, needs=needs)
    return index


@lru_cache(_REMEMBERED)
def name_rules(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the section names of a route's rules; `names` are empty for rules without a name.

    Kuadrant calls the unnamed rule i `rule-<i+1>` (policy-machinery, HTTPRouteRule). A rule that
    has this name itself takes precedence (Gateway API: a section name is a rule's name); the
    unnamed rule is then called `rules[i]`, which no section name can be.
    """
    taken = frozenset(names)
    return tuple(
        name or (f"rules[{index}]" if f"rule-{index + 1}" in taken else f"rule-{index + 1}")
        for index, name in enumerate(names)
    )


_TLS = "TLS"


@cache
def _protocols() -> frozenset[str]:
    """Return the protocols that the Gateway API defines routes for (`ProtocolType`)."""
    rows = group_rows(GATEWAY_API).values()
    return frozenset(protocol for kind in rows for protocol in kind.protocols)


def is_kind_allowed(
    listener: Listener, group: str, kind: str, controller: Controller = ANY
) -> bool:
    """Tell whether a listener allows a kind of route, by its protocol and `allowedRoutes.kinds`.

    The Gateway API leaves some questions to implementations: the kinds that a listener of another
    protocol allows, and the routes that a TLS listener takes in each mode. `controller` answers
    them.
    """
    # The API's own lists come first; only what they leave open is the controller's.
    if listener.kinds and (group, kind) not in listener.kinds:
        return False
    row = find_row(group, kind)
    # Implementations define further protocols, about whose routes nothing is known.
    if row is None or not row.protocols or listener.protocol not in _protocols():
        return True
    if listener.protocol not in row.protocols:
        return False
    # Without a row for the mode, the API's own rule stands: the kind is taken.
    modes = dict(controller.tls_listener) if listener.protocol == _TLS else {}
    return kind in modes.get(listener.tls_mode, (kind,))
