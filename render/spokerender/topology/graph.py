"""The graph: nodes by identity, and methods that return how they are connected."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial

from spokerender.findings.codes.hub import TOO_MANY_PATHS
from spokerender.findings.errors import InputBudget
from spokerender.kinds.kind import Controller, Role
from spokerender.kinds.reference import GRANT, Grant, Reference, TargetSelector
from spokerender.kinds.table import find_controller
from spokerender.model import GATEWAY_CLASS, NAMESPACE, grouped
from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.model.selectors import NO_EXTERNAL, ExternalObjects, ExternalPattern
from spokerender.model.slots import consult
from spokerender.topology.node import DroppedRules, NamespaceLabels, Node, Unprocessed, indexed
from spokerender.topology.precedence import NO_AGES, Ages

_CURE = (
    "name the listener that is meant in parentRefs (sectionName), delegate to fewer routes, or "
    "split the hub"
)
_SELECTED = 2
"""The number of paths to count for a route that another route delegates to by a wildcard."""


class Topology:
    """The graph of nodes by identity, with methods that return how they are connected."""

    def __init__(
        self,
        nodes: Iterable[Node],
        namespaces: "Topology | None" = None,
        ages: Ages = NO_AGES,
        external: ExternalObjects = NO_EXTERNAL,
    ) -> None:
        """Build the graph; the identities of the nodes must be unique.

        `namespaces` is a topology with the Namespaces and GatewayClasses that are not among the
        nodes: for a spoke, the hub's. `ages` (creation times) decide between routes and listeners
        that conflict. `external` declares objects that are not among the nodes; some are attached
        to Gateways among the nodes.
        """
        self.ages = ages
        self.external = external
        self.dropped: DroppedRules = {}
        self.dead: Mapping[Ref, Unprocessed] = {}
        self._namespaces = namespaces
        self.nodes = indexed(nodes)
        self._ships: dict[Ref, frozenset[Ref]] = {}
        self._declared: Mapping[str, Mapping[str, str]] = {}
        self._budgets: dict[str, InputBudget] = {}

    @property
    def around(self) -> "Topology":
        """Return the topology with Namespaces and GatewayClasses: for a spoke, the hub's."""
        return self if self._namespaces is None else self._namespaces

    def find(self, ref: Ref) -> Node | None:
        """Return an object of this topology or of `around`; None if neither has it."""
        return self.nodes.get(ref) or self.around.nodes.get(ref)

    def is_absent(self, ref: Ref) -> bool:
        """Return whether `ref` is in no file although files have all objects of its kind."""
        return self.find(ref) is None and consult(self.around.external.lacks, ref)

    def spend(self, amount: int, place: str, ref: Ref | None) -> None:
        """Count results, or steps toward results, against the budget of a place in the code.

        Raises `InputError` if the count exceeds the limit, which grows with the number of objects.
        """
        budget = self._budgets.get(place)
        if budget is None:
            budget = self._budgets[place] = InputBudget(self._limit, TOO_MANY_PATHS, _CURE)
        budget.spend(amount, place, ref)

    @cached_property
    def _limit(self) -> int:
        """Return how many paths between objects may exist before the files are refused.

        The number is a product: a few gateways with many listeners, and routes that name all of
        them, or chains of routes that delegate, make more paths than the files have characters.
        Large fleets in practice stay below, with a few dozen paths for each object and rule.
        """
        rules = sum(len(node.rules) for node in self.nodes.values())
        return 20_000 + 15 * len(self.nodes) + 6 * rules

    @cached_property
    def gateways(self) -> tuple[Ref, ...]:
        """Return all Gateways, sorted."""
        return tuple(sorted(ref for ref, item in self.nodes.items() if item.is_gateway))

    @cached_property
    def roots(self) -> tuple[Ref, ...]:
        """Return all Gateways, and the Services that rules place, sorted."""
        return tuple(sorted(ref for ref, item in self.nodes.items() if item.is_root))

    @cached_property
    def _namespace_labels(self) -> Mapping[str, Mapping[str, str]]:
        return {
            ref.name: dict(item.labels)
            for ref, item in self.nodes.items()
            if (ref.group, ref.kind) == NAMESPACE
        }

    def labels_of(self, ref: Ref) -> Mapping[str, str]:
        """Return the labels of an object; empty if it is not in the topology."""
        return dict(self.nodes[ref].labels) if ref in self.nodes else {}

    def with_labels(self, declared: Mapping[str, Mapping[str, str]]) -> "Topology":
        """Return the same graph for a cluster whose namespaces have the declared labels."""
        same = Topology(self.nodes.values(), self._namespaces, self.ages, self.external)
        same._declared = declared
        return same

    def without_rules(self, dropped: DroppedRules) -> "Topology":
        """Return the same graph without the rules that controllers drop."""
        same = self.without_gateways(self.dead)
        same.dropped = dropped
        return same

    def without_gateways(self, dead: Mapping[Ref, Unprocessed]) -> "Topology":
        """Return the same graph without the Gateways that controllers do not process."""
        same = self.with_labels(self._declared)
        same.dead = dead
        return same

    @memoised
    def labels_of_namespace(self, name: str) -> NamespaceLabels:
        """Return a namespace's declared labels, and the label that the API server sets."""
        declared = self.labels_told(name)
        labels = {**(declared or {}), "kubernetes.io/metadata.name": name}
        return NamespaceLabels(labels, is_complete=declared is not None)

    def labels_told(self, name: str) -> Mapping[str, str] | None:
        """Return the labels that files declare for a namespace; None if no file has it."""
        for labels in (self._declared, self._namespace_labels):
            if name in labels:
                return labels[name]
        return self._namespaces.labels_told(name) if self._namespaces is not None else None

    @cached_property
    def _by_kind(self) -> dict[tuple[str, str], tuple[Node, ...]]:
        kinds = grouped(((item.ref.group, item.ref.kind), item) for item in self.nodes.values())
        return {key: tuple(items) for key, items in kinds.items()}

    def of_kind(self, group: str, kind: str, namespace: str) -> tuple[Node, ...]:
        """Return the objects of one kind in one namespace."""
        nodes = self._by_kind.get((group, kind), ())
        return tuple(item for item in nodes if item.ref.namespace == namespace)

    @cached_property
    def _grants(self) -> tuple[Grant, ...]:
        return tuple(item.grant for item in self.nodes.values() if item.grant is not None)

    def permits(self, referrer: Ref, referent: Ref) -> bool:
        """Return whether `referrer` may name `referent`: in its namespace, or by a grant."""
        is_own, external = referent.namespace in ("", referrer.namespace), self.around.external
        is_open = is_own or consult(partial(external.declares, GRANT), referent.namespace)
        return is_open or any(it.permits(referrer, referent.whole) for it in self._grants)

    @cached_property
    def _carrying(self) -> dict[Ref, tuple[tuple[Ref, Reference], ...]]:
        carriers: dict[Ref, list[tuple[Ref, Reference]]] = {}
        for item in self.nodes.values():
            for link in (*item.references, *item.needs):
                for ref in self.carried(item, link) if link.row.role.carries else ():
                    carriers.setdefault(ref, []).append((item.ref, link))
                    if link.selector is not None:
                        self.spend(_SELECTED, "finding routes to delegate to", item.ref)
        return {
            ref: tuple(sorted(carrying, key=lambda each: each[0]))
            for ref, carrying in carriers.items()
        }

    def carried(self, carrier: Node, link: Reference) -> Iterator[Ref]:
        """Yield the objects that `link` names; a route only if `carrier` may delegate to it."""
        for ref in (link.ref.whole,) if link.selector is None else self._selected(link):
            child = self.nodes.get(ref)
            if child is None or not child.is_route or child.takes(carrier.ref):
                yield ref

    def carrying(self, ref: Ref) -> tuple[tuple[Ref, Reference], ...]:
        """Return the objects that name `ref` as backend, filter or requirement, and the references.

        The routes to which a route delegates are its backends.
        """
        return self._carrying.get(ref.whole, ())

    def is_beside(self, carrier: Ref, link: Reference) -> bool:
        """Return whether the referent has to be in the namespace of the referrer.

        This is so if the reference names no namespace, or if a route names its own namespace.
        """
        node = self.nodes.get(carrier)
        is_own = carrier.namespace == link.ref.namespace
        return is_own and (not link.explicit_namespace or (node is not None and node.is_route))

    def carriers(self, ref: Ref) -> tuple[Ref, ...]:
        """Return the objects, sorted, that name `ref` as a backend, filter or requirement."""
        return tuple(dict.fromkeys(route for route, _ in self.carrying(ref)))

    def targets(self, link: Reference) -> tuple[Ref, ...]:
        """Return a reference's targets; for an absent target, the objects that name the target."""
        if link.row.role.carries:
            return ()
        if link.selector is not None:
            return self._selected(link)
        target = link.ref.whole
        is_here = target in self.nodes or self._hangs_on(target)
        return (target,) if is_here else self.carriers(target)

    def _hangs_on(self, ref: Ref) -> list[Ref]:
        """Return the Gateways in this topology to which an external object is declared attached."""
        return [gateway for gateway in self.external.gateways(ref) if gateway in self.nodes]

    def parents(self, link: Reference) -> tuple[Ref, ...]:
        """Return the Gateways and ListenerSets in this topology that a route's reference names."""
        if link.selector is not None:
            return self._selected(link)
        return (link.ref.whole,) if link.ref.whole in self.nodes else ()

    def _selected(self, link: Reference) -> tuple[Ref, ...]:
        return self._select(link.ref, link.selector, True)

    def undetermined(self, link: Reference) -> tuple[Ref, ...]:
        """Return the objects that a reference may select, depending on labels in no file."""
        return self._select(link.ref, link.selector, None)

    @memoised
    def _select(
        self, place: Ref, selector: TargetSelector | None, is_certain: bool | None
    ) -> tuple[Ref, ...]:
        return tuple(
            item.ref
            for item in self._by_kind.get((place.group, place.kind), ())
            if selector is not None
            and self._looks_into(selector, place, item.ref.namespace)
            and item.meets(selector) is is_certain
        )

    def _looks_into(self, selector: TargetSelector, place: Ref, namespace: str) -> bool:
        """Return whether a selector in the namespace of `place` selects objects in `namespace`."""
        labels = self.labels_of_namespace(namespace).values
        return selector.admits_namespace(place.namespace, namespace, labels)

    def ships_with(self, ref: Ref) -> frozenset[Ref]:
        """Return the Gateways to which an object is attached, also through other objects."""
        if ref not in self._ships:
            self._ships[ref] = frozenset(self._gateways_above(ref))
        return self._ships[ref]

    def _gateways_above(self, start: Ref) -> Iterator[Ref]:
        """Yield the Gateways to which `start` is attached; references may form a cycle (mesh)."""
        seen, ahead = {start}, [start]
        while ahead:
            ref = ahead.pop()
            item = self.nodes.get(ref)
            if item is not None and item.is_root:
                yield ref
            if ref in self._ships:
                yield from self._ships[ref]
            elif item is None or not item.is_gateway:
                above = self._named(item) if item is not None else self._hangs_on(ref)
                more = {*self.carriers(ref), *above} - seen
                seen |= more
                ahead += more

    def _named(self, item: Node) -> Iterator[Ref]:
        for link in item.references:
            if link.row.role.ships:
                yield from self.targets(link)
                yield from self._unseen(link)

    def reached(self, link: Reference) -> frozenset[Ref]:
        """Return the Gateways to which one reference leads, directly or through other objects."""
        return frozenset().union(*map(self.ships_with, (*self.targets(link), *self._unseen(link))))

    def _unseen(self, link: Reference) -> Iterator[Ref]:
        """Yield Gateways of external objects, and backends in no file, that `link` may select."""
        selector, place = link.selector, link.ref
        if selector is None or link.row.role is not Role.SELECTOR:
            return
        for entry in self.external.entries:
            if self.may_select_of(link, entry):
                yield from (gateway for gateway in entry.gateways if gateway in self.nodes)
        for ref in self._carrying:
            is_unseen = (ref.group, ref.kind) == (place.group, place.kind) and ref not in self.nodes
            if is_unseen and self._looks_into(selector, place, ref.namespace):
                yield ref

    def may_select_of(self, link: Reference, external: ExternalPattern) -> bool:
        """Return whether `link` may select objects of `external`, whose labels are unknown."""
        selector, own, other = link.selector, link.ref.namespace, external.namespace
        if selector is None or (link.ref.group, link.ref.kind) != (external.group, external.kind):
            return False
        if selector.source == "Same" or not external.is_in_one_namespace:
            return selector.source != "Same" or consult(external.may_be_in, own)
        return self._looks_into(selector, link.ref, other)

    def moves_with(self, ref: Ref) -> tuple[tuple[Reference, Ref], ...]:
        """Return references that require a common namespace with `ref`, each with the object there.

        The objects are targets in the namespace of `ref` (also absent ones), objects that `ref`
        selects there, and routes that name `ref` as a filter.
        """
        filtered = (
            (link, route)
            for route, link in self.carrying(ref)
            if link.row.role is Role.FILTER and route.namespace == ref.namespace
        )
        return (*self._beside(self.nodes[ref]), *filtered)

    def _beside(self, item: Node) -> Iterator[tuple[Reference, Ref]]:
        for link in item.references:
            if not link.row.role.moves or link.ref.namespace != item.ref.namespace:
                continue
            if link.selector is None:
                yield link, link.ref.whole
            elif link.selector.source == "Same":
                yield from ((link, target) for target in self._selected(link))


@memoised
def find_class_controller(topology: Topology, gateway_class: str) -> Controller:
    """Return the controller of a GatewayClass; `kinds.kind.ANY` if it is unknown."""
    return _declared(topology, gateway_class) or find_controller("", gateway_class)


def has_effect_on(own: Controller, topology: Topology, gateway_class: str) -> bool:
    """Return whether policies of the controller `own` may have an effect on Gateways of a class.

    They may if no file has the class, as anybody can create a class of any name.
    """
    other = _declared(topology, gateway_class)
    return other is None or own.looks_at(other)


@memoised
def explain_unknown_class(topology: Topology, own: Controller, gateway_class: str) -> str:
    """Return why it is unknown whether policies of `own` affect Gateways of a class; else empty.

    A vendor's controller may run under a name that an administrator gave it.
    """
    other = _declared(topology, gateway_class)
    # A class without a file exists only on the spokes, such as most `downstreamClass`es: the
    # gateway is assumed to be of the controller whose policies follow it.
    if other is None or other.id or not own.names:
        return ""
    name = read_controller_name(topology, gateway_class)
    of = f"GatewayClass {gateway_class} is of the controller {name}"
    return f"{of}, and whether that carries out policies of {own.id} is not known"


def find_merged_gateways(topology: Topology, gateway: Ref) -> set[Ref]:
    """Return the Gateway, and the Gateways that its class merges with it."""
    proxy = find_proxy(topology, gateway)
    others = (gateway,) if proxy == gateway else topology.gateways
    return {other for other in others if find_proxy(topology, other) == proxy}


def find_proxy(topology: Topology, gateway: Ref) -> Ref:
    """Return the proxy of a Gateway: itself, or its GatewayClass if that merges its Gateways."""
    is_own = not is_merged(topology, gateway)
    return gateway if is_own else Ref(*GATEWAY_CLASS, "", topology.nodes[gateway].gateway_class)


def is_merged(topology: Topology, gateway: Ref) -> bool:
    """Return whether the parameters of a GatewayClass merge all its Gateways into one proxy.

    False if no file has the class or its parameters.
    """
    node = topology.nodes.get(gateway)
    if node is None:
        return False
    own_class = topology.find(Ref(*GATEWAY_CLASS, "", node.gateway_class))
    named = (topology.find(link.ref) for link in own_class.needs) if own_class is not None else ()
    return any(parameters is not None and parameters.merges for parameters in named)


@memoised
def _declared(topology: Topology, gateway_class: str) -> Controller | None:
    """Return the controller that the GatewayClass names; None if no file has the class."""
    name = read_controller_name(topology, gateway_class)
    return find_controller(name) if name else None


def read_controller_name(topology: Topology, gateway_class: str) -> str:
    """Return the `controllerName` of a GatewayClass; empty if no file has the class."""
    ref = Ref(*GATEWAY_CLASS, "", gateway_class)
    nodes = (graph.nodes[ref] for graph in (topology, topology.around) if ref in graph.nodes)
    return next((node.controller for node in nodes if node.controller), "")
