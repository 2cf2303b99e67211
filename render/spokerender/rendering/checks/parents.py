"""Routes and ListenerSets that attach to less of their parents than on the hub.

`allowedRoutes` and `allowedListeners` refer to the parent's own namespace (`from: Same`), so their
meaning changes if the gateway moves and its routes do not (GEP-1324, GEP-1713). A placement or an
override may also narrow listeners, or change their ports and kinds.
"""

from collections.abc import Callable, Iterator
from operator import attrgetter

from msgspec import Struct

from spokerender.findings.codes.attachment import ATTACHES_LESS, HOSTNAME_OUTSIDE, NOT_ADMITTED
from spokerender.findings.phrasing import LISTED
from spokerender.findings.results import FindingKind, Result
from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.model import Ref, grouped, shown
from spokerender.rendering.checks.comparison import Comparison
from spokerender.rendering.checks.context import SpokeContext
from spokerender.topology.admission import find_named_listeners
from spokerender.topology.guards import Attached, Guards, Obstacle, find_obstacle
from spokerender.topology.hostnames import is_within
from spokerender.topology.node import Admission, Listener, Node

_FOLLOW = (
    "let the routes of its namespace follow it, in the rule that places it:\n  routes: follow\n"
)
_OPEN = (
    "let it take routes of other namespaces, in the rule that places it:\n"
    "  as:\n    allowedRoutes: {namespaces: {from: All}}\n"
    "or keep the gateway in the hub's namespace"
)
_DECLARE = (
    "declare its listeners as the spoke has them, with `allowedRoutes`, in the rule that places "
    "it:\n"
    "  as:\n    listeners:\n"
)
_ADMIT = _FOLLOW + "or let its `allowedListeners` admit that namespace"
_LABEL = "give namespace {} these labels, and declare them under `spec.namespaces`,\nor "
_MAP = "map it in the rule's `as.hostnames`, or add a listener for it"


def check_parents(context: SpokeContext, comparison: Comparison, node: Node) -> Iterator[Result]:
    """Yield a finding for every parent, listener and hostname that `node` has only on the hub."""
    for link, hub_link in context.links(node):
        parent = context.spoke.nodes.get(link.ref.whole)
        if link.row.role is not Role.PARENT or parent is None or parent.is_route:  # or selected
            continue
        check = _ParentCheck(context, comparison, node, parent, link, hub_link)
        results = check.set_results() if node.listeners else check.route_results()
        # A route may name a parent several times, and lose all references for the same reason.
        yield from dict.fromkeys(results)


def _listeners_by_hostname(
    guards: Guards, of: Reference, name: Callable[[Ref], str] = attrgetter("section_name")
) -> dict[str, list[str]]:
    return grouped(
        (attached.hostname, name(attached.thing)) for attached, link in guards if link is of
    )


class _ParentCheck(Struct, frozen=True):
    """Checks one parent that a route or a ListenerSet names, on the hub and on the spoke."""

    context: SpokeContext
    comparison: Comparison
    node: Node
    parent: Node
    link: Reference
    hub_link: Reference

    def set_results(self) -> Iterator[Result]:
        """Yield findings about a ListenerSet that its rendered gateway no longer admits."""
        on_hub = self.comparison.on_hub(self.node)
        before = any(link is self.hub_link for _, link in on_hub)
        now = any(link is self.link for _, link in self.comparison.on_spoke(self.node))
        # No file has the `allowedListeners` of a gateway that the spoke has already.
        if before and not now and self.parent.ref not in self.comparison.existing:
            here = self.parent.admits_listener_sets
            yield from self._not_admitted([here], [self._hub_parent.admits_listener_sets])

    def route_results(self) -> Iterator[Result]:
        """Yield findings about each hostname that is on fewer listeners than on the hub."""
        on_hub = self.comparison.on_hub(self.node)
        before = _listeners_by_hostname(on_hub, self.hub_link, self.comparison.section)
        now = _listeners_by_hostname(self.comparison.on_spoke(self.node), self.link)
        expected = {name: self.comparison.hostname(name, self.node) for name in before}
        for name, listeners in before.items():
            hostname = expected[name]
            # An override removed the hostname deliberately.
            if hostname is None:
                continue
            if listeners_now := now.get(hostname) or self._otherwise(hostname, listeners):
                yield from self._lost_listeners(name, hostname, listeners, listeners_now)
            else:
                yield from self._unserved(hostname)
        if before:
            yield from self._added({*now, *expected.values()})

    def _otherwise(self, hostname: str, listeners: list[str]) -> list[str]:
        """Return those of `listeners` that serve the hostname by another reference of the route."""
        parent = self.parent.ref
        everywhere = {attached for attached, _ in self.comparison.on_spoke(self.node)}
        return [
            name for name in listeners if Attached(parent.section(name), hostname) in everywhere
        ]

    def _added(self, served: set[str | None]) -> Iterator[Result]:
        """Yield findings about hostnames that an override added and no listener serves."""
        hub_names = self.context.hub_node(self.node).hostnames
        mapped = {self.comparison.hostname(name, self.node) for name in hub_names}
        served |= mapped | {
            attached.hostname
            for attached, _ in self.comparison.on_spoke(self.node)
            if attached.thing.whole == self.parent.ref
        }
        for hostname in self.node.hostnames:
            if hostname not in served and Obstacle.HOSTNAME in self._obstacles(hostname):
                yield self._outside(hostname)

    def _obstacles(self, hostname: str) -> list[Obstacle | None]:
        meant = find_named_listeners(self.parent, self.link)
        return [self._obstacle(listener, hostname) for listener in meant]

    def _obstacle(self, listener: Listener, hostname: str) -> Obstacle | None:
        return find_obstacle(self.context.spoke, self.parent, listener, self.node, hostname)

    def _unserved(self, hostname: str) -> Iterator[Result]:
        """Yield findings about a hostname (or a route without one) that no listener serves."""
        obstacles = self._obstacles(hostname)
        if Obstacle.HOSTNAME in obstacles:
            yield self._outside(hostname)
        elif Obstacle.NAMESPACE in obstacles:
            here, on_hub = (
                [listener.routes for listener in find_named_listeners(*named)]
                for named in ((self.parent, self.link), (self._hub_parent, self.hub_link))
            )
            yield from self._not_admitted(here, on_hub)
        elif obstacles:
            yield self._result(
                NOT_ADMITTED,
                f"{self.parent.ref} took routes of kind {self.node.ref.kind} on the hub and does "
                "not on the spoke",
                "let its listeners have the protocol for that kind, and name it in their "
                "`allowedRoutes.kinds` if they name any",
            )
        elif not self.link.sections:  # `check_sections` reports a missing section
            port = f" on port {self.link.port}" if self.link.port is not None else ""
            yield self._result(
                ATTACHES_LESS,
                f"{self.parent.ref} has no listener{port} on the spoke",
                self._declare()
                if self.parent.ref in self.comparison.existing and not port
                else "declare one in the rule's `as.listeners`, or name another port",
            )

    def _lost_listeners(
        self, hub_name: str, hostname: str, before: list[str], now: list[str]
    ) -> Iterator[Result]:
        """Yield a finding for each listener in `before` that no longer serves the hostname."""
        serving = {*now, *self._otherwise(hostname, before)}
        for listener in self.parent.listeners:
            is_lost = listener.name in before and listener.name not in serving
            others = serving.intersection(before)
            if is_lost and not self._is_hidden(hub_name, listener.name, others):
                why, cure = self._explain(listener, hostname)
                # The loss depends on labels that nobody declared for the hub.
                if not why:
                    continue
                yield self._result(
                    ATTACHES_LESS,
                    f"{self.parent.ref} [{listener.name}] serves it on the hub and does not on "
                    f"the spoke, where {why}",
                    cure,
                )

    def _is_hidden(self, hostname: str, name: str, others: set[str]) -> bool:
        """Return whether on the hub one of `others` gets all requests for the hostname.

        Among listeners on one port, the one with the most specific hostname gets the requests
        (Gateway API, `Listener.hostname`). `name` is the lost listener.
        """
        hub_parent = self._hub_parent
        listeners = {
            self.comparison.section(hub_parent.ref.section(listener.name)): listener
            for listener in hub_parent.listeners
        }
        lost_listener = listeners[name]
        return any(
            (lost_listener.port, lost_listener.protocol) == (other.port, other.protocol)
            and lost_listener.hostname != other.hostname
            and is_within(other.hostname, lost_listener.hostname or "*")
            and is_within(hostname, other.hostname)
            for other in map(listeners.__getitem__, others)
        )

    def _explain(self, listener: Listener, hostname: str) -> tuple[str, str]:
        """Return why a listener no longer serves the hostname, and a fix; empty if uncertain."""
        match self._obstacle(listener, hostname):
            case Obstacle.KIND:
                return f"the listener takes no {self.node.ref.kind}", "let it take that kind"
            case Obstacle.NAMESPACE:
                on_hub = [
                    each.routes
                    for each in self._hub_parent.listeners
                    if self.comparison.section(self._hub_parent.ref.section(each.name))
                    == listener.name
                ]
                why = f"the listener admits no routes of namespace {self.node.ref.namespace}"
                return self._explain_admission(why, [listener.routes], on_hub)
            case Obstacle.HOSTNAME:
                return f"{hostname} is outside its hostname {listener.hostname}", _MAP
        return f"the listener is on port {listener.port}", "keep its port, or name another"

    def _declare(self) -> str:
        """Return a fix with YAML that declares the listeners of the spoke's existing gateway."""
        return _DECLARE + "\n".join(
            f"    - {{name: {item.name}, for: {item.name}, port: {item.port}, "
            f"protocol: {item.protocol}, "
            + (f'hostname: "{item.hostname}", ' if item.hostname else "")
            + "allowedRoutes: {namespaces: {from: All}}}"
            for item in self._hub_parent.listeners[:LISTED]
        )

    def _opening(self) -> str:
        if self.node.listeners:
            return _ADMIT
        cure = self._declare() if self.parent.ref in self.comparison.existing else _OPEN
        meant = find_named_listeners(self.parent, self.link)
        # `from: Same` admits routes that follow; any other setting has to be changed itself.
        is_own = any(listener.routes.source == "Same" for listener in meant)
        return f"{_FOLLOW}or {cure}" if is_own else cure

    @property
    def _hub_parent(self) -> Node:
        return self.context.hub.nodes[self.hub_link.ref.whole]

    def _is_sure(self, admission: Admission) -> bool:
        """Return whether the hub certainly admits the object; False if unknown labels decide."""
        namespace = self.context.hub_node(self.node).ref.namespace
        labels = self.context.hub.labels_of_namespace(namespace)
        is_admitted = admission.admits(self._hub_parent.ref.namespace, namespace, labels)
        return is_admitted and not admission.is_open_question(labels)

    def _explain_admission(
        self, why: str, here: list[Admission], on_hub: list[Admission]
    ) -> tuple[str, str]:
        """Return why the parent does not admit the object on the spoke, and the suggested fix.

        Both are empty if labels are declared for the spoke only, as the hub may not admit the
        object either.
        """
        if any(admission.source != "Selector" for admission in here):
            return why, self._opening()
        if not any(map(self._is_sure, on_hub)):
            return "", ""
        namespace = self.node.ref.namespace
        why = f"namespace {namespace} does not have the labels that are selected"
        return why, _LABEL.format(namespace) + self._opening()

    def _not_admitted(self, here: list[Admission], on_hub: list[Admission]) -> Iterator[Result]:
        moved = f"the gateway is in namespace {self.parent.ref.namespace}"
        why, cure = self._explain_admission(moved, here, on_hub)
        if why:
            message = f"{self.parent.ref} admitted it on the hub and does not on the spoke, where "
            yield self._result(NOT_ADMITTED, message + why, cure)

    def _outside(self, hostname: str) -> Result:
        meant = find_named_listeners(self.parent, self.link)
        served = ", ".join(
            listener.hostname
            for listener in meant
            if self._obstacle(listener, hostname) is Obstacle.HOSTNAME
        )
        return self.context.result(
            HOSTNAME_OUTSIDE,
            self.node,
            f"hostname {hostname} is outside the listeners of {self.parent.ref} on the spoke "
            f"({served})",
            _MAP,
            f"spec.hostnames[{self.node.hostnames.index(hostname)}]",
        )

    def _result(self, kind: FindingKind, message: str, cure: str) -> Result:
        return self.context.result(kind, self.node, message, cure, shown(self.link.path))
