"""The statuses of routes, Gateways and ListenerSets, as the Gateway API has them."""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.model import FieldPath, Ref
from spokerender.topology.taken import ListenerConflict

UNSUPPORTED = "UnsupportedValue"
"""The reason where a controller does not support a value (Gateway API)."""
UNVERIFIED = "Unverified"
"""The reason where it depends on what only the cluster has."""


class FailingPart(Struct, frozen=True):
    """A part of a rule that answers no request on a Gateway: a backend, or the route itself.

    `rule` is the rule as a section of its route, `field` the place of the part in it. Where it is
    not known what becomes of requests, `is_read` is False; where none is for the part, `is_used`.
    """

    gateway: Ref
    rule: Ref
    part: Ref
    why: str
    reason: str
    field: FieldPath
    is_read: bool = True
    is_used: bool = True

    def describe(self) -> str:
        """Say what becomes of a rule's requests, or of those for a backend."""
        if not self.is_read:
            return "its controller refuses the rule"
        return describe_failing(self.rule.whole, self.part)


class ClosedListener(Struct, frozen=True):
    """A listener with a fault of its own, by the reason in its status.

    With `is_opened`, a part of it counts for nothing. `secrets` are those that it names.
    """

    parent: Ref
    name: str
    reason: str
    why: str
    is_opened: bool
    secrets: tuple[Ref, ...]


class RoutingFaults(Struct, frozen=True):
    """The parts of routes that fail for certain on a cluster, and its listeners with a fault."""

    parts: tuple[FailingPart, ...]
    listeners: tuple[ClosedListener, ...]

    @property
    def closed(self) -> Mapping[Ref, str]:
        """The listeners that are not opened, as sections, and why."""
        return {it.parent.section(it.name): it.why for it in self.listeners if not it.is_opened}


_OF_CONNECTIONS = ("TCPRoute", "TLSRoute", "UDPRoute")


def describe_failing(route: Ref, part: Ref) -> str:
    """Say what becomes of requests if a part of a route fails: a backend, or the route itself."""
    if part == route:
        return "requests are answered with 500"
    if route.kind in _OF_CONNECTIONS:
        return f"connections for {part} are refused"
    return f"requests for {part} are answered with 500"


class ParentStatus(Struct, frozen=True):
    """The status of a route for one of its parents (`RouteParentStatus`).

    `parent` has the listener as its section. `silent` says why the controller writes no entry.
    """

    parent: Ref
    port: int | None = None
    conditions: tuple[Condition, ...] = ()
    silent: str = ""


class ListenerStatus(Struct, frozen=True):
    """The status of a listener: the kinds of route that it takes, by group and kind, and how many.

    `attached` is the number of routes that are attached for certain, `may_attach` of those besides
    of which files can't tell.
    """

    name: str
    kinds: tuple[tuple[str, str], ...]
    attached: int
    may_attach: int
    conditions: tuple[Condition, ...]


class HolderStatus(Struct, frozen=True):
    """The status of a Gateway or a ListenerSet: its own conditions, and those of its listeners."""

    conditions: tuple[Condition, ...]
    listeners: tuple[ListenerStatus, ...] = ()
    sets: int = 0
    """The number of ListenerSets that are attached to a Gateway for certain."""


class Routing(Struct, frozen=True, eq=False):
    """The statuses of one cluster: of routes by parent, and of what has listeners.

    `unsettled` are the conflicts of listeners that the ages of objects decide.
    """

    routes: Mapping[Ref, tuple[ParentStatus, ...]]
    holders: Mapping[Ref, HolderStatus]
    unsettled: tuple[ListenerConflict, ...] = ()


class RuleProblem(Struct, frozen=True):
    """A problem with a rule: the condition that reports it, its reason, and the rule's position.

    Without a type, no status reports it.

    `state` is UNKNOWN where only the cluster can tell whether there is one. One that `is_strict` is
    the last that its controller sees; with `is_dropped` it makes nothing of the rule. One of a
    backend that `is_late` is seen if the filters beside it are in order. Those of a rule's filters
    that are `joined` are one problem to their controller, with all their reasons.
    """

    type: str
    state: Truth
    reason: str
    why: str
    rule: int
    is_strict: bool = False
    is_dropped: bool = False
    is_late: bool = False
    joined: bool = False


def make_true(kind: str, message: str) -> Condition:
    """Return a condition that is met; its reason is its type, as everywhere in the Gateway API."""
    return Condition(kind, Truth.TRUE, kind, message)


def make_false(kind: str, reason: str, message: str) -> Condition:
    """Return a condition that is not met."""
    return Condition(kind, Truth.FALSE, reason, message)


def leave_common(
    parts: Iterable[tuple[Condition, ...]], doubt: Callable[[Condition], Condition]
) -> tuple[Condition, ...]:
    """Return the first conditions; `doubt` returns the one in place of one that others lack."""
    first, *others = parts
    sure = [{(item.type, item.status, item.reason) for item in other} for other in others]
    return tuple(
        item if all((item.type, item.status, item.reason) in each for each in sure) else doubt(item)
        for item in first
    )


def make_unknown(kind: str, message: str, reason: str = UNVERIFIED) -> Condition:
    """Return a condition of which files can't tell whether it is met."""
    return Condition(kind, Truth.UNKNOWN, reason, message)


def find_condition(conditions: tuple[Condition, ...], kind: str) -> Condition | None:
    """Return the condition of a type."""
    return next((item for item in conditions if item.type == kind), None)
