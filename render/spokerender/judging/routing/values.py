"""The statuses of routes, Gateways and ListenerSets as values, in the Gateway API's terms."""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.model import FieldPath, Ref
from spokerender.topology.taken import ListenerConflict

UNSUPPORTED = "UnsupportedValue"
"""The reason for a value that the controller does not support (Gateway API)."""
INVALID_PRESENTED, PRESENTED_NOT_GRANTED = "InvalidClientCertificateRef", "ClientRefNotPermitted"
"""Reasons for a wrong certificate for backends. The second is ours, not the API's: its
RefNotPermitted would not tell it from a listener's certificate."""
UNVERIFIED = "Unverified"
"""The reason for a condition that depends on objects or facts of the cluster."""


class FailingPart(Struct, frozen=True):
    """A backend in a route's rule that serves no requests on a Gateway, or the whole rule.

    `rule` is the rule as a section of the route. `part` is the backend, or the route for the whole
    rule. `field` is the field path of the backend or rule in the route. `is_read` is False if it
    is unknown what happens to requests. `is_used` is False if no request would go to the part.
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
        """Return as text what happens to the requests that the rule or the backend would get."""
        if not self.is_read:
            return "its controller refuses the rule"
        return describe_failing(self.rule.whole, self.part)


class ClosedListener(Struct, frozen=True):
    """A listener with a fault that other listeners do not cause, and the reason in its status.

    If `is_opened`, the listener works in part. `secrets` are the Secrets that the listener names.
    """

    parent: Ref
    name: str
    reason: str
    why: str
    is_opened: bool
    secrets: tuple[Ref, ...]


class RoutingFaults(Struct, frozen=True):
    """The parts of routes that certainly fail on a cluster, and the faulty listeners."""

    parts: tuple[FailingPart, ...]
    listeners: tuple[ClosedListener, ...]

    @property
    def closed(self) -> Mapping[Ref, str]:
        """The reason for each listener that is not opened, by the listener's ref."""
        return {it.parent.section(it.name): it.why for it in self.listeners if not it.is_opened}


_OF_CONNECTIONS = ("TCPRoute", "TLSRoute", "UDPRoute")


def describe_failing(route: Ref, part: Ref) -> str:
    """Return as text what happens to requests if `part` fails, a backend or the route itself."""
    if part == route:
        return "requests are answered with 500"
    if route.kind in _OF_CONNECTIONS:
        return f"connections for {part} are refused"
    return f"requests for {part} are answered with 500"


class ParentStatus(Struct, frozen=True):
    """The status of a route for one parent (`RouteParentStatus`).

    `parent` includes the listener as a section, if the route names one. `silent` says why no
    controller writes the entry; empty if one does.
    """

    parent: Ref
    port: int | None = None
    conditions: tuple[Condition, ...] = ()
    silent: str = ""

    @property
    def refusal(self) -> tuple[str, str] | None:
        """(Reason, message) of a refusal; ("", why) if there is no entry; None if not refused."""
        if self.silent:
            return "", self.silent
        accepted = find_condition(self.conditions, "Accepted")
        if accepted is None or accepted.status is not Truth.FALSE:
            return None
        return accepted.reason, accepted.message


class ListenerStatus(Struct, frozen=True):
    """The status of a listener: its conditions, kinds of route, and numbers of attached routes.

    `attached` routes are certainly attached; `may_attach` is how many further routes may be.
    """

    name: str
    kinds: tuple[tuple[str, str], ...]
    attached: int
    may_attach: int
    conditions: tuple[Condition, ...]


class HolderStatus(Struct, frozen=True):
    """The status of a Gateway or a ListenerSet: conditions of its own, and of its listeners."""

    conditions: tuple[Condition, ...]
    listeners: tuple[ListenerStatus, ...] = ()
    sets: int = 0
    """How many ListenerSets are certainly attached to a Gateway."""


class Routing(Struct, frozen=True, eq=False):
    """The statuses on one cluster: of routes for each parent, and of Gateways and ListenerSets.

    `unsettled` are the conflicts of listeners that creation times decide, which no file has.
    """

    routes: Mapping[Ref, tuple[ParentStatus, ...]]
    holders: Mapping[Ref, HolderStatus]
    unsettled: tuple[ListenerConflict, ...] = ()


class RuleProblem(Struct, frozen=True):
    """A problem of a route's rule: the type of the condition that reports it, and its reason.

    `type` is empty if no condition reports the problem. `state` is UNKNOWN if only the cluster can
    tell whether the problem exists. `rule` is the index of the rule. After a problem that
    `is_strict`, the controller checks nothing more; it drops a rule whose problem `is_dropped`. A
    backend's problem that `is_late` counts only if the filters of the backend have no problem. All
    `joined` problems of a rule count as one problem with several reasons.
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
    """Return a condition with status True, whose reason is its type, as in the Gateway API."""
    return Condition(kind, Truth.TRUE, kind, message)


def make_false(kind: str, reason: str, message: str) -> Condition:
    """Return a condition with status False."""
    return Condition(kind, Truth.FALSE, reason, message)


def leave_common(
    parts: Iterable[tuple[Condition, ...]], doubt: Callable[[Condition], Condition]
) -> tuple[Condition, ...]:
    """Return the first list of conditions; `doubt` replaces conditions that another list lacks."""
    first, *others = parts
    # Messages may differ between clusters that agree.
    sure = [{(item.type, item.status, item.reason) for item in other} for other in others]
    return tuple(
        item if all((item.type, item.status, item.reason) in each for each in sure) else doubt(item)
        for item in first
    )


def make_unknown(kind: str, message: str, reason: str = UNVERIFIED) -> Condition:
    """Return a condition with status Unknown, since files do not decide it."""
    return Condition(kind, Truth.UNKNOWN, reason, message)


def find_condition(conditions: tuple[Condition, ...], kind: str) -> Condition | None:
    """Return the condition of type `kind`, or None."""
    return next((item for item in conditions if item.type == kind), None)
