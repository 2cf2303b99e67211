"""Effective policies as values: the rules in force on a path, each with its policy."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Exemption
from spokerender.model.refs import FieldPath, Ref, shown
from spokerender.topology.paths import RequestPath

ExplainMerged = Callable[[Ref, str], tuple[str, str]]


class AttachedPolicy(Struct, frozen=True, eq=False):
    """A policy that is accepted, or may be, with the targets that it is attached to.

    `unsure` are targets that it likely loses and may hold. `rank` comes before its age: the policy
    with the smaller rank is first. `folded` is the row of the kind of object that its controller
    writes for it, if policies are merged as that kind (`Merging.writes`). `failures` are the fields
    because of which requests fail where the fields are in force, each with the reason; an empty
    path is the whole policy. `parts` are listeners where the policy acts differently for a target;
    the first entry for a listener and target counts. `explain_merged` takes a policy above and the
    kind of a target; it says why the merge is refused, and why requests fail, or two empty texts.
    `idle` says why nobody knows whether it is in force if no path of requests leads to its targets.
    """

    ref: Ref
    kind: Kind
    spec: Mapping[str, Any]
    targets: tuple[Ref, ...]
    unsure: frozenset[Ref] = frozenset()
    rank: float = 0
    folded: Kind | None = None
    failures: tuple[tuple[FieldPath, str], ...] = ()
    parts: tuple[tuple[Ref, Ref, Exemption], ...] = ()
    explain_merged: ExplainMerged = lambda *_: ("", "")
    idle: str = ""

    @property
    def row(self) -> Kind:
        """The row of the kind under which the policy is merged with other policies."""
        return self.folded if self.folded is not None else self.kind


class EffectiveRule(Struct, frozen=True):
    """A rule in force: its name, its value, and the field of the policy that sets it.

    `path` is the rule's place below the spec proper, and `key` the same as text
    (`limits.per-user`). `field` leads to it from the root of the policy's object. A rule that a
    JSON merge patch combines from several policies is listed in parts, one for each policy.
    """

    path: FieldPath
    value: Any
    policy: Ref
    field: FieldPath

    @property
    def key(self) -> str:
        """Return the path as text."""
        return shown(self.path)


def join_rules(rules: Iterable[EffectiveRule]) -> dict[str, Any]:
    """Return one spec proper with each rule at its place."""
    whole: dict[str, Any] = {}
    for rule in rules:
        *above, last = map(str, rule.path)
        inside = whole
        for key in above:
            below = inside.setdefault(key, {})
            inside = below if isinstance(below, dict) else {}
        inside.setdefault(last, rule.value)
    return whole


class Overruled(Struct, frozen=True):
    """A rule of a policy on the path that is not in force, and the policy that overruled it.

    `key` is empty if the whole policy is overruled. `by` is the policy itself if it has the rule in
    a place that does not count. `why` names the strategy in GEP-713's words, and its target.
    `field` and `by_field` lead to the overruled and the overruling rule, each from the root of its
    policy's object; both are empty for a whole policy. A rule that `is_refused` is left out because
    the controller refuses a predicate.
    """

    policy: Ref
    key: str
    by: Ref
    why: str
    field: FieldPath = ()
    by_field: FieldPath = ()
    is_refused: bool = False


class PolicyOutcome(Struct, frozen=True):
    """The rules in force if ties between policies are broken in one way.

    `unknown` says why the rules are unknown: no rules are listed, and `candidates` are all that may
    be in force. `failing` says why requests get 500, and no rule is in force. `merged` are two
    policies, the second of which asked to be merged with the first (`Merging.asking`).
    """

    rules: tuple[EffectiveRule, ...]
    overruled: tuple[Overruled, ...] = ()
    unknown: str = ""
    candidates: tuple[EffectiveRule, ...] = ()
    merged: tuple[Ref, ...] = ()
    failing: str = ""

    @property
    def asked(self) -> tuple[EffectiveRule, ...]:
        """The rules that are in force or may be in force."""
        return self.rules or self.candidates

    @property
    def refused(self) -> tuple[Overruled, ...]:
        """The rules that are left out because of a predicate."""
        return tuple(lost for lost in self.overruled if lost.is_refused)

    @property
    def policies(self) -> tuple[Ref, ...]:
        """The policies that a rule in force came from, sorted."""
        return tuple(sorted({rule.policy for rule in self.rules}))


class EffectivePolicy(Struct, frozen=True):
    """The effective policy of one kind on one path.

    `stack` are the policies on the path, the least specific first, and `targets` the level of each.
    `likely` is the outcome if names break ties. `others` are outcomes with another value of a rule,
    which the ages of policies on the cluster may bring about. `is_beyond` is True if nothing is
    carried out because the path's hostnames reach beyond the listener's.
    """

    path: RequestPath
    group: str
    kind: str
    stack: tuple[Ref, ...]
    targets: tuple[Ref, ...]
    likely: PolicyOutcome
    others: tuple[PolicyOutcome, ...] = ()
    is_beyond: bool = False

    @property
    def by_order(self) -> tuple[PolicyOutcome, ...]:
        """The `others` that the ages of policies bring about."""
        # The last outcome of an uncertain path stands for the case that the path does not exist.
        return self.others if self.path.is_certain else self.others[:-1]


class Reason(StrEnum):
    """Reasons of the condition `Programmed` (GEP-713), and two reasons of kuadrant-operator."""

    PROGRAMMED = "Programmed"
    PARTIALLY = "PartiallyProgrammed"
    OVERRIDDEN = "Overridden"
    REFUSED = "InvalidCelExpression"
    UNKNOWN = "Unknown"
    """The policy is on no path: kuadrant-operator's reason for a Gateway without any route."""
    NOT_KNOWN = "NotKnown"
    """How policies of the kind merge is not known."""


class Programmed(Struct, frozen=True):
    """The condition `Programmed` of an accepted policy; its status is None if it is not known."""

    status: bool | None
    reason: Reason
    message: str


class MadePart(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """An object that Kuadrant's operator makes of policies for a component, or a part of one."""

    to: str
    value: Any
    not_in_files: str = ""
