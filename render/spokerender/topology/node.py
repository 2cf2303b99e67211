"""Nodes: the facts about objects that the graph needs; equal nodes have equal connections."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.kind import ANY, Controller, Role, Sections
from spokerender.kinds.reference import Grant, Reference, TargetSelector
from spokerender.kinds.table import find_row, group_rows
from spokerender.model import GATEWAY
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
        """Return whether an object in `namespace`, with `labels`, may attach (GEP-1324, GEP-1713).

        If the labels are in no file, the result is true: a spoke may have them.
        """
        match self.source:
            case "All":
                return True
            case "Same":
                return parent_namespace == namespace
        return self.is_open_question(labels) or (
            self.source == "Selector" and self.selector.matches(labels.values)
        )

    def is_open_question(self, labels: NamespaceLabels) -> bool:
        """Return whether a namespace is only assumed to be admitted, as its labels are unknown."""
        return (
            # Open only if the known labels neither select the namespace nor rule it out.
            self.source == "Selector"
            and not labels.is_complete
            and not self.selector.matches(labels.values)
            and self.selector.judge(labels.values) is not False
        )


NOBODY = Admission("None")
"""The default of a Gateway's `allowedListeners`: it admits no ListenerSets (GEP-1713)."""


PARENTS = frozenset(
    {GATEWAY, (GATEWAY_API, "ListenerSet"), ("gateway.networking.x-k8s.io", "XListenerSet")}
)
"""The kinds that have listeners."""


class Dropped(StrEnum):
    """The reason why a controller ignores a rule of a route, or a backend."""

    UNREAD = "unread"
    """It can't read the rule, and ignores the rule's backends, or a backend's policies."""
    REFUSED = "refused"
    """It refuses the route as a whole, or the backend."""
    UNDECIDED = "undecided"
    """Whether it refuses the rule or backend depends on something in no file."""


RoutePart = str | FieldPath
"""The name of a route's rule, the path of a backend, or TERMINATING."""
TERMINATING: FieldPath = ("Terminate",)
"""Means a route on all listeners that terminate TLS."""
DroppedParts = Mapping[RoutePart, Dropped]
"""The parts of a route that a controller ignores, with the reasons."""
DroppedRules = Mapping[tuple[Ref, str], DroppedParts]
"""The parts that are ignored, by route and the controller's id."""


class Unprocessed(Struct, frozen=True):
    """The reason why no controller processes a Gateway, and the field that is wrong.

    If `reason` is empty, no controller writes a status for the Gateway.
    """

    reason: str
    why: str
    field: str
    cure: str


_REMEMBERED = 1_024
"""The size of the cache for lists of names, which many similar routes share."""


class Match(Struct, frozen=True):
    """One of a rule's `matches`: the value of its path, and the whole match as JSON text."""

    path: str
    text: str


class Listener(Struct, frozen=True):
    """The fields of a listener that decide which routes attach.

    `index` is the listener's index in `spec.listeners`. `kinds` are the route kinds in
    `allowedRoutes`, by group and kind; empty if there are none. `certificates` are the Secrets with
    which the listener terminates TLS, each by namespace (empty if not given) and name.
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
        """Return the protocol; for a listener that does not terminate TLS, with the TLS mode."""
        is_own = self.tls_mode == "Terminate"
        return self.protocol if is_own else f"{self.protocol} {self.tls_mode}"

    def is_certified(self, namespace: str) -> bool:
        """Return whether it terminates TLS with Secrets of its own `namespace` for a hostname."""
        is_own = all(each in ("", namespace) for each, _ in self.certificates)
        return (
            bool(self.hostname and self.certificates) and is_own and self.handling == self.protocol
        )


class Node(Struct, frozen=True):
    """The facts about one object that the graph needs; equal nodes have equal connections.

    `crossing` are references to other namespaces (certificates, backends) that need a
    ReferenceGrant, each with its field. `needs` are the objects that it requires (`Role.NEED`). If
    `is_declared`, it is a gateway that a spoke has already: not all of its labels are known, and it
    has none of the labels `lacks`. `default_scope` is the scope in which a Gateway is a default
    Gateway. `controller` is that of a GatewayClass. `rules` are the names of a route's rules (empty
    for an unnamed rule) or of a backend's parts, and `matches` the matches of a route's rules.
    `naming` is how its controller reads section names. `ports` are a Service's ports by name, and
    `keys` the keys of the data of a Secret or ConfigMap, which may also have binary data
    (`has_bytes`). A Secret `is_garbled` if its certificate or key is not PEM. If `merges`, these
    parameters merge the Gateways of their class. `inherits` is a route's annotation about the
    policies of its children, and `narrows` a filter's conditions on requests. If `answers`, the
    object is a filter that answers requests itself. `clients` are the CA certificates for clients
    of a Gateway's listeners, by port; port 0 stands for all others. `presents` is the Secret of a
    Gateway, or of its parameters, with a certificate for backends. If `is_off`, its controller
    ignores the object because of its settings. A Service `is_placed` if placement rules decide
    which spokes have it.
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
        """Return whether this is a Gateway of the Gateway API."""
        return (self.ref.group, self.ref.kind) == GATEWAY

    @property
    def is_root(self) -> bool:
        """Return whether this is a Gateway, or a Service that placement rules name."""
        return self.is_gateway or self.is_placed

    @property
    def attachments(self) -> tuple[Reference, ...]:
        """Return the references without which the object is useless; not a route's backends."""
        return tuple(link for link in self.references if link.row.role.ships)

    def meets(self, selector: TargetSelector) -> bool | None:
        """Return whether a selector selects the object; None if labels that no file has decide."""
        # Hub objects have all their labels in files; a spoke's own Gateway has those that were
        # declared.
        if not self.is_declared:
            labels = dict(self.labels)
            return selector.matches(labels, self.ref.name, self.gateway_class, self.default_scope)
        if selector.names and self.ref.name not in selector.names:
            return False
        if self.gateway_class and selector.gateway_class not in ("", self.gateway_class):
            return False
        # Labels that it is declared to lack are None; unknown labels are absent.
        answer = selector.labels.judge({**dict(self.labels), **dict.fromkeys(self.lacks)})
        is_open = selector.scope or (selector.gateway_class and not self.gateway_class)
        return None if answer and is_open else answer

    def authorities(self, listener: Listener, namespace: str) -> tuple[Ref, ...]:
        """Return the CA certificates for clients of a listener (`GatewayTLSConfig.frontend`).

        If no namespace is given for a certificate, it is in `namespace`.
        """
        ports: dict[int | str, tuple[Ref, ...]] = {**dict(self.clients)}
        # Port 0 stands for the default of all ports.
        refs = ports.get(listener.port, ports.get(0, ()))
        return tuple(ref if ref.namespace else replace(ref, namespace=namespace) for ref in refs)

    def rule_of(self, link: Reference) -> Ref:
        """Return the route's rule with the backend or filter `link`, as a section of the route."""
        return self.ref.section(name_rules(self.rules)[int(link.path[2])])

    def takes(self, parent: Ref) -> bool:
        """Return whether `parent` may delegate to this route, which can restrict its parents."""
        parents = [link.ref.whole for link in self.references if link.row.role is Role.PARENT]
        return not parents or parent in parents

    @property
    def sections(self) -> tuple[str, ...] | None:
        """Return the names of the listeners or rules, for messages; None if it has neither."""
        if self.listeners or self.is_gateway:
            return tuple(listener.name for listener in self.listeners)
        return name_rules(self.rules) if self.rules else None

    def named_sections(self, naming: Sections) -> tuple[str, ...] | None:
        """Return the section names that references may use; None if they are unknown.

        Not all controllers accept an unnamed rule's position as its name. The sections of a Service
        are its ports' names (GEP-2648); agentgateway also accepts their numbers.
        """
        if naming is Sections.IGNORED and self.is_route:
            return ()
        if self.ports:
            return tuple(str(part) for port in self.ports for part in port if part)
        has_own_alone = self.rules and naming is Sections.OWN
        return tuple(filter(None, self.rules)) if has_own_alone else self.sections


def indexed(nodes: Iterable[Node]) -> dict[Ref, Node]:
    """Return nodes by identity; if a needed object may be of two kinds, files decide which."""
    index = {node.ref: node for node in nodes}
    for node in [node for node in index.values() if any(it.instead_of for it in node.needs)]:
        # The second kind is meant if no object of the first kind has the name.
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
    """Return the section names of a route's rules; `names` are empty for unnamed rules.

    Kuadrant names the unnamed rule i `rule-<i+1>` (policy-machinery, HTTPRouteRule). A rule that
    has this name itself takes precedence (Gateway API: a section name is a rule's name); the
    unnamed rule is then named `rules[i]`, which no section name can be.
    """
    taken = frozenset(names)
    return tuple(
        name or (f"rules[{index}]" if f"rule-{index + 1}" in taken else f"rule-{index + 1}")
        for index, name in enumerate(names)
    )


_TLS = "TLS"


@cache
def _protocols() -> frozenset[str]:
    """Return the protocols for which the Gateway API defines routes (`ProtocolType`)."""
    rows = group_rows(GATEWAY_API).values()
    return frozenset(protocol for kind in rows for protocol in kind.protocols)


def is_kind_allowed(
    listener: Listener, group: str, kind: str, controller: Controller = ANY
) -> bool:
    """Return whether a listener allows a kind of route, by its protocol and `allowedRoutes.kinds`.

    The Gateway API leaves some questions to implementations: the kinds that listeners of other
    protocols allow, and the routes that a TLS listener accepts in each mode. `controller` decides
    these.
    """
    # The API's own lists come first; only what they leave open is the controller's.
    if listener.kinds and (group, kind) not in listener.kinds:
        return False
    row = find_row(group, kind)
    # Implementations define further protocols; nothing is known about the routes for them.
    if row is None or not row.protocols or listener.protocol not in _protocols():
        return True
    if listener.protocol not in row.protocols:
        return False
    # Without a row for the mode, the API's own rule stands: the kind is taken.
    modes = dict(controller.tls_listener) if listener.protocol == _TLS else {}
    return kind in modes.get(listener.tls_mode, (kind,))
