"""The result of attaching a policy: its conditions (GEP-713), targets and contentions."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct

from spokerender.findings.results import Fault
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Exemption, Order
from spokerender.model import FieldPath, Ref
from spokerender.topology.precedence import Orders

INVALID = "Invalid"
TARGET_NOT_FOUND = "TargetNotFound"
NO_CERTIFICATE = "NoValidCACertificate"
CONFLICTED = "Conflicted"
TARGET_CONFLICT = "TargetConflict"
NOT_KNOWN = "NotKnown"
"""Reasons of the condition `Accepted` (GEP-713)."""
PARTIALLY_VALID = "PartiallyValid"
"""The reason of what is accepted but for what is missing (agentgateway)."""
DECIDED_BY_AGE = "DecidedByAge"
"""The reason where the older of several objects comes first, and no file has their ages."""
ROOM = 16
"""The entries that `PolicyStatus` has room for (Gateway API v1.1 and later)."""


FailingField = tuple[FieldPath, str]
"""A field for which requests are answered with 500, and why; without a field the whole policy."""


class Truth(StrEnum):
    """The status of a condition (Kubernetes, `metav1.ConditionStatus`)."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


class AgedOutcome(Struct, frozen=True):
    """A condition as it is if objects were made in one order; without a `status` there is none.

    It comes about if one of `first` is the oldest, or whatever `DecidedByAge` asks for; where it
    `ties`, also if all are of one age.
    """

    status: Truth | None
    reason: str
    message: str
    first: tuple[Ref, ...] = ()
    ties: bool = False


class DecidedByAge(Struct, frozen=True):
    """A decision that the ages of some objects make, which no file has: all of its outcomes.

    `among` are these objects, in no order that means anything. `by` says which of them decides, the
    oldest or the newest one; it is empty where it is not one alone.
    """

    among: tuple[Ref, ...]
    by: Literal["oldest", "newest", ""]
    outcomes: tuple[AgedOutcome, ...]


class Condition(Struct, frozen=True):
    """A condition of a status, without a transition time: time is not an input.

    Where `by_age` is set, status and reason are what its outcomes have in common, else UNKNOWN and
    `DECIDED_BY_AGE`, and the message has all of them.
    """

    type: str
    status: Truth
    reason: str
    message: str
    by_age: DecidedByAge | None = None


class StatusEntry(Struct, frozen=True):
    """The conditions of a policy on one ancestor, of a controller that writes several."""

    ancestor: Ref
    conditions: tuple[Condition, ...]


class RefusedPart(Struct, frozen=True):
    """A target, or a listener of it, where the policy is not carried out, and why.

    With `takes`, no other policy holds there either.
    """

    target: Ref
    part: Ref
    why: str
    takes: bool = False


class Subject(Struct, frozen=True, eq=False):
    """A policy of a topology: its ref, the row of its kind, and its object."""

    ref: Ref
    kind: Kind
    object: Mapping[str, Any]


class Rivalry(StrEnum):
    """The reason for which not all of several policies can hold (`spokerender.kinds.Several`)."""

    ONE = "one"
    """On one target one holds."""
    OVERLAPPING = "overlapping"
    """One sets a field of the other's, and is refused on all its targets."""
    UNEQUAL = "unequal"
    """They differ in a field, and none holds on that object."""
    UNKNOWN = "unknown"
    """What becomes of several is not known."""


class Contention(Struct, frozen=True, dict=True):
    """Policies of one kind on one target that can't all hold there.

    `target` has the section, if there is one. `orders` has all policies, the one that holds first;
    it is not certain where files can't tell who is older. `holding` are those that hold if the
    likely order comes about: one, or all of one age where the controller breaks no tie. `differs`
    is False where it does not matter who wins, because their specs are equal. `fields` are what
    they disagree about, if not everything. `order` is the criterion of precedence.
    """

    target: Ref
    orders: Orders
    holding: tuple[Ref, ...]
    differs: bool = True
    rivalry: Rivalry = Rivalry.ONE
    fields: tuple[str, ...] = ()
    order: Order = Order.OLDEST

    def takes(self, policy: Ref, target: Ref) -> bool:
        """Tell whether a policy loses a target of its own in the likely order."""
        if not self.refuses(policy):
            return False
        match self.rivalry:
            case Rivalry.OVERLAPPING:
                return True
            case Rivalry.UNEQUAL:
                return target.whole == self.target.whole
        return target == self.target

    def refuses(self, policy: Ref) -> bool:
        """Tell whether a policy is one of those that don't hold in the likely order."""
        return policy in self.rivals and policy not in self.holding

    @cached_property
    def rivals(self) -> frozenset[Ref]:
        """All policies that contend."""
        return frozenset(self.orders.likely)

    @cached_property
    def firsts(self) -> Mapping[Ref, None]:
        """The policies that may come first, the established one before the others."""
        return dict.fromkeys(self.orders.firsts)

    @property
    def is_open(self) -> bool:
        """True if the ages of the policies decide, which no file has."""
        return not self.orders.is_certain and self.rivalry is not Rivalry.UNKNOWN

    @property
    def is_unbroken(self) -> bool:
        """True if several are carried out at once, because nothing breaks their tie."""
        return len(self.holding) > 1 and self.rivalry is Rivalry.ONE


class Summary(Struct, frozen=True):
    """A status entry about no object: what of a policy attaches to nothing.

    `is_all` is set where nothing else of it attaches for certain.
    """

    ancestor: Ref
    accepted: Condition
    attached: Condition
    is_all: bool


class Attachment(Struct, frozen=True):
    """The attachment of one policy on one topology, with its conditions.

    `ancestors` are what its controller writes status entries for (`kinds.Ancestors`): the Gateways
    that it reaches if nothing else is known, else its targets. Without `has_ancestors` there are no
    such entries, and the conditions are those of the policy itself; nor if it `is_silent`,
    because no controller has it on a Gateway of its own. `room` is the number of entries
    that the controller keeps; None if that is not known.

    `targets` are without those that are absent or lost to another policy; empty for an accepted
    policy that names no object: it is for whatever its controller finds. Those that it likely loses
    and may yet hold are `undecided`. `failures` say why requests to its targets are refused, of
    a policy that is not accepted and keeps its targets all the same. `summary` is its entry about
    what attaches to nothing, where its controller has one and accepts the policy all the same.
    `parts` are the listeners on which it is carried out otherwise, each with the target that this
    is about. `doubtful` are the ancestors that lead to targets in no file alone, with what the
    spoke has to have.
    """

    policy: Ref
    ancestors: tuple[Ref, ...]
    targets: tuple[Ref, ...]
    accepted: Condition
    resolved_refs: Condition
    faults: tuple[Fault, ...] = ()
    contentions: tuple[Contention, ...] = ()
    undecided: tuple[Ref, ...] = ()
    has_ancestors: bool = True
    is_silent: bool = False
    failures: tuple[FailingField, ...] = ()
    room: int | None = None
    summary: Summary | None = None
    parts: tuple[tuple[Ref, Ref, Exemption], ...] = ()
    doubtful: tuple[tuple[Ref, str], ...] = ()

    @property
    def is_accepted(self) -> bool:
        """True if it takes part in what is in force.

        An object that only the spoke can have, such as a Service in no file, is taken to be there.
        """
        return self.accepted.status is not Truth.FALSE

    @property
    def failing(self) -> str:
        """Say why requests to its targets are refused; empty where they are not."""
        return join_failures(self.failures)

    @property
    def may_hold(self) -> tuple[Ref, ...]:
        """The targets that it is attached to, or would be if it turned out to be the older one."""
        return (*self.targets, *self.undecided)


def join_failures(failures: Iterable[FailingField]) -> str:
    """Say each reason once."""
    return "; ".join(dict.fromkeys(why for _, why in failures))
