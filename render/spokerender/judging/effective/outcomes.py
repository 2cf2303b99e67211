"""The policy in force on a path, with the policy that each rule came from."""

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

    `unsure` are targets that it likely loses and may yet hold. `rank` goes before its age: the
    smaller is first. `folded` is the row of the kind that its controller writes from it, if it
    comes together with others as that kind (`Merging.writes`). `failures` are fields for which
    requests are refused where these would be in force, and why; the whole policy without a field.
    `parts` are the listeners where it counts otherwise for one of its targets; of several ways
    there the first one counts. `explain_merged` says of a policy that it is merged with, and the
    kind of a target, why the result is refused, and why requests fail; nothing of a sound one.
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

    @property
    def row(self) -> Kind:
        """The row of the kind as which it comes together with others."""
        return self.folded if self.folded is not None else self.kind


class EffectiveRule(Struct, frozen=True):
    """A rule in force: its name, its value, and the field of the policy that has it.

    `path` is the rule's place below the spec proper, `key` the same as people write it
    (`limits.per-user`). `field` leads to it from the root of the policy's object. A rule that a
    JSON merge patch combines from several policies is listed in parts, each of one policy.
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
    """Join the rules to one spec proper, each at its place."""
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
    """A rule of a policy on the path that is not in force, and what overruled it.

    `key` is empty if the whole policy is overruled. `by` is the policy itself where it has the
    rule in a place that does not count. `why` names the strategy in GEP-713's words, and its
    target. `field` leads to the rule from the root of the policy's object, `by_field` to what takes
    its place from the root of the other's; both are empty if the whole policy is overruled. One
    that `is_refused` would be in force if its controller took the predicates of all rules.
    """

    policy: Ref
    key: str
    by: Ref
    why: str
    field: FieldPath = ()
    by_field: FieldPath = ()
    is_refused: bool = False


class PolicyOutcome(Struct, frozen=True):
    """The rules that are in force if ties are broken in one way.

    `unknown` says why the rules are not known: then none are listed as in force, and `candidates`
    are all that may be. `failing` says why requests are answered with 500: then no rule is in force
    either. `merged` are two policies of which one asked to be merged with the other
    (`Merging.asking`).
    """

    rules: tuple[EffectiveRule, ...]
    overruled: tuple[Overruled, ...] = ()
    unknown: str = ""
    candidates: tuple[EffectiveRule, ...] = ()
    merged: tuple[Ref, ...] = ()
    failing: str = ""

    @property
    def asked(self) -> tuple[EffectiveRule, ...]:
        """The rules that are in force, or that may be."""
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
    """The policy of one kind in force on one path.

    `stack` are the policies on the path, the least specific first, and `targets` the level of
    each. `likely` is the outcome if names break ties; `others` are outcomes with another value of
    some rule, which the ages of policies on the cluster may bring about. `is_beyond` is set where
    nothing is carried out, because the path's hostnames reach beyond the listener's.
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
        """The `others` that the ages of policies bring about.

        The last one of a path that is not certain is that the path is not there.
        """
        return self.others if self.path.is_certain else self.others[:-1]


class Reason(StrEnum):
    """Reasons of the condition `Programmed` (GEP-713), and two of kuadrant-operator's."""

    PROGRAMMED = "Programmed"
    PARTIALLY = "PartiallyProgrammed"
    OVERRIDDEN = "Overridden"
    REFUSED = "InvalidCelExpression"
    UNKNOWN = "Unknown"
    """It is on no path: kuadrant-operator's reason for a gateway's policy without any route."""
    NOT_KNOWN = "NotKnown"
    """How policies of its kind come together is not known."""


class Programmed(Struct, frozen=True):
    """The condition `Programmed` of an accepted policy; its status is None if it is not known."""

    status: bool | None
    reason: Reason
    message: str
