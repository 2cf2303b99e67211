"""The statuses of routes, Gateways and ListenerSets in the terms of the Gateway API."""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.model import FieldPath, Ref
from spokerender.topology.taken import ListenerConflict

UNSUPPORTED = "UnsupportedValue"
"""The reason for a value that the controller does not support (Gateway API)."""
UNVERIFIED = "Unverified"
"""The reason for a condition that depends on objects or facts of the cluster."""


class FailingPart(Struct, frozen=True):
    """A part of a rule that answers no request on a Gateway: a backend, or the route itself.

    `rule` is a section of the route, and `field` the place of the part in the route. `is_read` is
    False if it is unknown what happens to requests. `is_used` is False if no request is for the
    part.
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
        """Say what happens to the requests of the rule, or to those for the backend."""
        if not self.is_read:
            return "its controller refuses the rule"
        return describe_failing(self.rule.whole, self.part)


class ClosedListener(Struct, frozen=True):
    """A listener with a fault of its own, and the reason in its status.

    If `is_opened`, only a part of the listener has no effect. `secrets` are the Secrets it names.
    """

    parent: Ref
    name: str
    reason: str
    why: str
    is_opened: bool
    secrets: tuple[Ref, ...]


class RoutingFaults(Struct, frozen=True):
    """The parts of routes that certainly fail on a cluster, and its faulty listeners."""

    parts: tuple[FailingPart, ...]
    listeners: tuple[ClosedListener, ...]

    @property
    def closed(self) -> Mapping[Ref, str]:
        """The listeners that are not opened, as sections, with the reason."""
        return {it.parent.section(it.name): it.why for it in self.listeners if not it.is_opened}


_OF_CONNECTIONS = ("TCPRoute", "TLSRoute", "UDPRoute")


def describe_failing(route: Ref, part: Ref) -> str:
    """Return what happens to requests if a part of a route (a backend, or the route) fails."""
    if part == route:
        return "requests are answered with 500"
    if route.kind in _OF_CONNECTIONS:
        return f"connections for {part} are refused"
    return f"requests for {part} are answered with 500"


class ParentStatus(Struct, frozen=True):
    """The status of a route for one parent (`RouteParentStatus`).

    `parent` includes the listener as its section. `silent` says why the controller writes no entry.
    """

    parent: Ref
    port: int | None = None
    conditions: tuple[Condition, ...] = ()
    silent: str = ""

    @property
    def refusal(self) -> tuple[str, str] | None:
        """Return reason and message if the parent refuses the route, or why there is no entry."""
        if self.silent:
            return "", self.silent
        accepted = find_condition(self.conditions, "Accepted")
        if accepted is None or accepted.status is not Truth.FALSE:
            return None
        return accepted.reason, accepted.message


class ListenerStatus(Struct, frozen=True):
    """The status of a listener: its conditions, and the kinds and numbers of its routes.

    `attached` is the number of routes that are certainly attached, `may_attach` the number of
    further routes that may be.
    """

    name: str
    kinds: tuple[tuple[str, str], ...]
    attached: int
    may_attach: int
    conditions: tuple[Condition, ...]


class HolderStatus(Struct, frozen=True):
    """The status of a Gateway or a ListenerSet: its own conditions, and its listeners'."""

    conditions: tuple[Condition, ...]
    listeners: tuple[ListenerStatus, ...] = ()
    sets: int = 0
    """How many ListenerSets are certainly attached to a Gateway."""


class Routing(Struct, frozen=True, eq=False):
    """The statuses of one cluster: of routes for each parent, and of Gateways and ListenerSets.

    `unsettled` are the conflicts of listeners that ages of objects decide.
    """

    routes: Mapping[Ref, tuple[ParentStatus, ...]]
    holders: Mapping[Ref, HolderStatus]
    unsettled: tuple[ListenerConflict, ...] = ()


class RuleProblem(Struct, frozen=True):
    """A problem of a rule: the condition that reports it, its reason, and the rule's index.

    `type` is empty if no condition reports the problem. `state` is UNKNOWN if only the cluster
    decides whether there is a problem. After a problem that `is_strict`, the controller checks
    nothing more; a problem that `is_dropped` makes it drop the rule. A backend's problem that
    `is_late` counts only if the filters beside the backend are in order. Problems of a rule that
    are `joined` are one problem with several reasons.
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
    """Return the first of several lists of conditions; `doubt` replaces those that others lack."""
    first, *others = parts
    # Messages may differ between clusters that agree.
    sure = [{(item.type, item.status, item.reason) for item in other} for other in others]
    return tuple(
        item if all((item.type, item.status, item.reason) in each for each in sure) else doubt(item)
        for item in first
    )


def make_unknown(kind: str, message: str, reason: str = UNVERIFIED) -> Condition:
    """Return a condition that files do not decide."""
    return Condition(kind, Truth.UNKNOWN, reason, message)


def find_condition(conditions: tuple[Condition, ...], kind: str) -> Condition | None:
    """Return the condition of a type."""
    return next((item for item in conditions if item.type == kind), None)
