"""The result of attaching a policy: its conditions (GEP-713), targets and contentions."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct

from spokerender.findings.results import Fault
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Exemption, Order
from spokerender.kinds.table import find_row
from spokerender.model import FieldPath, Ref
from spokerender.model.selectors import NO_EXTERNAL, ExternalObjects, ExternalPattern
from spokerender.model.slots import consult
from spokerender.topology.node import PARENTS
from spokerender.topology.precedence import Orders

INVALID = "Invalid"
TARGET_NOT_FOUND = "TargetNotFound"
NO_CERTIFICATE = "NoValidCACertificate"
CONFLICTED = "Conflicted"
TARGET_CONFLICT = "TargetConflict"
NOT_KNOWN = "NotKnown"
"""Reasons of the condition `Accepted` (GEP-713; NotKnown is ours)."""
DECIDED_BY_AGE = "DecidedByAge"
"""The reason if creation times decide, which no file has."""
ROOM = 16
"""How many entries a `PolicyStatus` can hold (Gateway API v1.1 and later)."""


FailingField = tuple[FieldPath, str]
"""A field due to which requests get 500, and the reason; an empty path is the whole policy."""

HoldsRule = Callable[[str, Any], bool]
"""Evaluates a CEL rule on a value (`demands.holds_rule`)."""


class Elsewhere(Struct, frozen=True):
    """A container of the objects that a cluster may have though no file has them.

    It contains every object, except of kinds whose objects are all in files: Gateways,
    ListenerSets, routes, and kinds in `completeKinds`. Of these kinds it contains only `external`
    and the objects that `declared` (`external` in fleet.yaml) matches. No file has their labels.
    """

    external: frozenset[Ref] = frozenset()
    declared: ExternalObjects = NO_EXTERNAL

    def __contains__(self, ref: object) -> bool:
        if not isinstance(ref, Ref):
            return False
        if ref.whole in self.external or self.entries_of(ref):
            return True
        return not (is_known_from_files(ref) or consult(self.declared.lacks, ref))

    def entries_of(self, ref: Ref) -> tuple[ExternalPattern, ...]:
        """Return the declarations of an object; empty if it is not declared."""
        return tuple(
            entry for entry in self.declared.entries if consult(entry.__contains__, ref.whole)
        )


def is_known_from_files(ref: Ref) -> bool:
    """Return whether `ref` is a Gateway, ListenerSet or route: files have all of these objects."""
    row = find_row(ref.group, ref.kind)
    return (ref.group, ref.kind) in PARENTS or (row is not None and row.is_route)


class Truth(StrEnum):
    """The status of a condition (Kubernetes, `metav1.ConditionStatus`)."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


class AgedOutcome(Struct, frozen=True):
    """A condition as it would be if objects were created in a certain order.

    The order: one of `first` is the oldest (or the newest, see `DecidedByAge.by`), or, if `ties` is
    set, all objects are of one age. `status` None means that there would be no condition.
    """

    status: Truth | None
    reason: str
    message: str
    first: tuple[Ref, ...] = ()
    ties: bool = False


class DecidedByAge(Struct, frozen=True):
    """A decision by the creation times of objects, which no file has, and its possible outcomes.

    `among` are the objects, in no particular order. `by` is whether the oldest or the newest of
    these objects decides, or empty if no single object decides.
    """

    among: tuple[Ref, ...]
    by: Literal["oldest", "newest", ""]
    outcomes: tuple[AgedOutcome, ...]


class Condition(Struct, frozen=True):
    """A condition in a status, without a transition time, as time is not an input.

    If `by_age` is set, the message lists its outcomes. Status and reason are then the values that
    all outcomes share, or else UNKNOWN and `DECIDED_BY_AGE`.
    """

    type: str
    status: Truth
    reason: str
    message: str
    by_age: DecidedByAge | None = None


class StatusEntry(Struct, frozen=True):
    """The conditions of a policy on one ancestor; its controller writes several such entries."""

    ancestor: Ref
    conditions: tuple[Condition, ...]


class RefusedPart(Struct, frozen=True):
    """A target, or one of its listeners, on which a policy has no effect, and the reason.

    `part` is the target or the listener. If `takes` is set, the policy still keeps other policies
    from having an effect on the part.
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
    """The reason why not all of several policies can hold (`spokerender.kinds.Several`)."""

    ONE = "one"
    """Only one policy holds on a target."""
    OVERLAPPING = "overlapping"
    """A policy sets a field that an earlier policy sets, and is refused on all its targets."""
    UNEQUAL = "unequal"
    """The policies differ in a field, and none holds on the object."""
    UNKNOWN = "unknown"
    """The effect of several policies is not known."""


class Contention(Struct, frozen=True, dict=True):
    """Policies of one kind on one target that can't all be effective there.

    `target` includes the section, if there is one. `orders` has all policies, in the possible
    orders of precedence: several if no file has the ages. `holding` are the policies that are
    effective in the likely order: one, or several of one age if the controller breaks no tie.
    `differs` is False if all specs are equal. `fields` are the fields in conflict; empty means the
    whole spec. `order` is the criterion of precedence.
    """

    target: Ref
    orders: Orders
    holding: tuple[Ref, ...]
    differs: bool = True
    rivalry: Rivalry = Rivalry.ONE
    fields: tuple[str, ...] = ()
    order: Order = Order.OLDEST

    def takes(self, policy: Ref, target: Ref) -> bool:
        """Return whether `policy` loses `target`, one of its targets, in the likely order."""
        if not self.refuses(policy):
            return False
        match self.rivalry:
            case Rivalry.OVERLAPPING:
                return True
            case Rivalry.UNEQUAL:
                return target.whole == self.target.whole
        return target == self.target

    def refuses(self, policy: Ref) -> bool:
        """Return whether `policy` contends, and does not hold in the likely order."""
        return policy in self.rivals and policy not in self.holding

    @cached_property
    def rivals(self) -> frozenset[Ref]:
        """All policies that contend."""
        return frozenset(self.orders.likely)

    @cached_property
    def firsts(self) -> Mapping[Ref, None]:
        """The policies that may come first, beginning with the first of the likely order."""
        return dict.fromkeys(self.orders.firsts)

    @property
    def is_open(self) -> bool:
        """True if the ages of the policies decide, which no file has."""
        return not self.orders.is_certain and self.rivalry is not Rivalry.UNKNOWN

    @property
    def is_unbroken(self) -> bool:
        """True if several policies of one age all take effect, as nothing breaks their tie."""
        return len(self.holding) > 1 and self.rivalry is Rivalry.ONE


class Summary(Struct, frozen=True):
    """The status entry about the targets that a policy is not attached to (agentgateway).

    `ancestor` names no object. `is_all` is True if the policy certainly has no attached target.
    """

    ancestor: Ref
    accepted: Condition
    attached: Condition
    is_all: bool


class Attachment(Struct, frozen=True):
    """The attachment of one policy on one topology, with its conditions.

    `ancestors` are the objects for which the controller writes status entries (`kinds.Ancestors`):
    by default the policy's Gateways, or else its targets. If `has_ancestors` is False, the status
    has only conditions, and no entries. If `is_silent`, there is no status, as no controller
    configures the policy's Gateways. `room` is the limit of entries; None if no limit is known.

    `targets` excludes targets that are absent or lost to another policy. It is empty for an
    accepted policy that names no object, as the controller finds its targets. `undecided` are the
    targets that the policy has or lacks depending on facts in no file. `failures` are the reasons
    why requests to the targets get an error. `summary` is the status entry about targets that the
    policy is not attached to. `parts` are the listeners on which the policy acts differently, each
    with its target and the difference. `doubtful` are the ancestors that depend on objects in no
    file, each with this requirement.
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
        """True if the policy takes part in the effective policies."""
        # UNKNOWN counts as accepted: an object that only the spoke can have, such as a Service in
        # no file, is assumed to exist there.
        return self.accepted.status is not Truth.FALSE

    @property
    def failing(self) -> str:
        """The reasons why requests to the policy's targets get an error; empty if they do not."""
        return join_failures(self.failures)

    @property
    def may_hold(self) -> tuple[Ref, ...]:
        """The targets that the policy is or may be attached to."""
        return (*self.targets, *self.undecided)


def join_failures(failures: Iterable[FailingField]) -> str:
    """Return the distinct reasons of failures, joined."""
    return "; ".join(dict.fromkeys(why for _, why in failures))
