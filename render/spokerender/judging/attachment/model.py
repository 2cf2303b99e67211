"""What is said of a policy's attachment: the conditions that GEP-713 gives its status."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any

from msgspec import Struct

from spokerender.findings.faults import Fault
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Order
from spokerender.model import Ref
from spokerender.topology.precedence import Orders

INVALID = "Invalid"
TARGET_NOT_FOUND = "TargetNotFound"
CONFLICTED = "Conflicted"
TARGET_CONFLICT = "TargetConflict"
NOT_KNOWN = "NotKnown"
"""Reasons of the condition `Accepted` (GEP-713)."""
ROOM = 16
"""The entries that `PolicyStatus` has room for (Gateway API v1.1 and later)."""


class Truth(StrEnum):
    """The status of a condition (Kubernetes, `metav1.ConditionStatus`)."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


class Condition(Struct, frozen=True):
    """A condition as a status has it; no time is an input here, so it has no transition time."""

    type: str
    status: Truth
    reason: str
    message: str


class Subject(Struct, frozen=True, eq=False):
    """A policy as a topology has it: its kind's row, and the object with its texts filled in."""

    ref: Ref
    kind: Kind
    object: Mapping[str, Any]


class Rivalry(StrEnum):
    """Why not all of several policies can hold (`spokerender.kinds.Several`)."""

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

    `target` has the section, where there is one. `orders` has all of them, the one that holds
    first; it is not certain where files can't tell who is older. `holding` are those that hold if
    the likely order comes about: one, or all that are of one age where the controller breaks no
    tie. `differs` tells whether it matters: whether they say different things. `fields` are what
    they are at odds about, if not all of it. `order` is what decides.
    """

    target: Ref
    orders: Orders
    holding: tuple[Ref, ...]
    differs: bool = True
    rivalry: Rivalry = Rivalry.ONE
    fields: tuple[str, ...] = ()
    order: Order = Order.OLDEST

    def takes(self, policy: Ref, target: Ref) -> bool:
        """Whether a policy loses a target of its own by it, if the likely order comes about."""
        if not self.refuses(policy):
            return False
        match self.rivalry:
            case Rivalry.OVERLAPPING:
                return True
            case Rivalry.UNEQUAL:
                return target.whole == self.target.whole
        return target == self.target

    def refuses(self, policy: Ref) -> bool:
        """Whether a policy is one of those that don't hold, if the likely order comes about."""
        return policy in self.rivals and policy not in self._held

    @cached_property
    def rivals(self) -> frozenset[Ref]:
        """All of them."""
        return frozenset(self.orders.likely)

    @cached_property
    def _held(self) -> frozenset[Ref]:
        return frozenset(self.holding)

    @cached_property
    def firsts(self) -> Mapping[Ref, None]:
        """Those that may come first, the established one before the others."""
        return dict.fromkeys(self.orders.firsts)

    @property
    def is_unbroken(self) -> bool:
        """Whether several are carried out at once."""
        return len(self.holding) > 1 and self.rivalry is Rivalry.ONE


class Summary(Struct, frozen=True):
    """An entry of a status that is about no object: what of a policy attaches to nothing.

    `is_all` is set where nothing else of it attaches for certain.
    """

    ancestor: Ref
    attached: Condition
    is_all: bool


class Attachment(Struct, frozen=True):
    """Where one policy attaches on one topology, and as what.

    `ancestors` are what its controller has an entry of its status for (`kinds.Ancestors`):
    the Gateways that it reaches, if nothing else is known, else its targets. `has_ancestors` is not
    set where it has no such entries, and gives the conditions to the policy itself. `targets` are
    what it is attached to, with sections: what it lost to another policy, or what is not there, is
    not among them; what it lost and may yet hold is `undecided`. Both are empty for an accepted
    policy that names no object: it is for whatever its controller finds. `failing` says why one
    that is not accepted keeps its targets all the same, and requests to them are refused. `room` is
    how many entries its controller keeps, where that is known. `summary` is its entry about what
    attaches to nothing, where its controller has one and accepts the policy all the same.
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
    failing: str = ""
    room: int | None = None
    summary: Summary | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether it takes part in what is in force.

        What only the spoke can know (a Service that is not among the files) is taken to be there.
        """
        return self.accepted.status is not Truth.FALSE

    @property
    def may_hold(self) -> tuple[Ref, ...]:
        """What it is attached to, and what it would be if it turned out to be the older one."""
        return (*self.targets, *self.undecided)
