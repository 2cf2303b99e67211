"""Effective policies as values: the rules in force (effective) on a path, with their policies."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Exemption
from spokerender.kinds.table import find_row
from spokerender.model.refs import FieldPath, Ref, shown
from spokerender.model.shapes import as_mapping
from spokerender.topology.paths import RequestPath

ExplainMerged = Callable[[Ref, str], tuple[str, str]]


class AttachedPolicy(Struct, frozen=True, eq=False):
    """A policy that is or may be accepted, with the targets that it is or may be attached to.

    `unsure` are the targets that other policies likely take from it. `rank` precedes the age: the
    policy with the smaller rank is first. `folded` is the row of the kind of object that the
    controller writes for the policy, if policies are merged as that kind (`Merging.writes`).
    `failures` are the fields that make requests fail if effective, each with the reason; an empty
    path is the whole policy. `parts` are listeners on which the policy acts differently, each with
    the target. `explain_merged` takes a less specific policy and a target's kind, and returns why a
    merge with that policy is refused, and why requests then fail; the texts may be empty. `idle` is
    the reason if it is unknown whether a policy on no path is effective. A policy `is_lacking` if
    its controller waits for objects that it makes for other, refused policies.
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
    is_lacking: bool = False

    @property
    def row(self) -> Kind:
        """The row of the kind under which the policy is merged with other policies."""
        return self.folded if self.folded is not None else self.kind


class EffectiveRule(Struct, frozen=True):
    """A rule in force (effective): its name, its value, and the field of the policy that sets it.

    `path` is the rule's field path in the spec proper (without targets and strategy), `key` the
    same as text (`limits.per-user`). `field` is the field path in the policy's object. If a JSON
    merge patch combines a rule from several policies, each policy's part is a rule.
    """

    path: FieldPath
    value: Any
    policy: Ref
    field: FieldPath

    @property
    def key(self) -> str:
        """The path as text."""
        return shown(self.path)


def derive_rule(rule: EffectiveRule, row: Kind) -> EffectiveRule | None:
    """Return a rule converted for the kind `row`, under which it is merged; None if unknown."""
    policy = rule.policy
    written = find_row(policy.group, policy.kind) if policy.kind != row.kind else None
    if written is None or written.merged.writes is None:
        return rule
    derive = written.merged.writes.derive
    return replace(rule, value=derive(as_mapping(rule.value))) if derive is not None else None


def join_rules(rules: Iterable[EffectiveRule]) -> dict[str, Any]:
    """Return one spec, without targets and strategy, that has each rule at its field path."""
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
    """A rule of a policy on the path that is not in force, and the policy that overrules it.

    `key` is empty if the whole policy is overruled. `by` is `policy` itself if its own content is
    the cause, such as a field that does not count. `why` is the reason, such as a strategy in
    GEP-713's words with its target. `field` and `by_field` are the field paths of the overruled and
    the overruling rule in their policies' objects; both are empty for a whole policy. A rule that
    `is_refused` is left out because the controller refuses a predicate.
    """

    policy: Ref
    key: str
    by: Ref
    why: str
    field: FieldPath = ()
    by_field: FieldPath = ()
    is_refused: bool = False


class PolicyOutcome(Struct, frozen=True):
    """The rules in force on a path for one order of precedence of the policies.

    `unknown` is the reason if the rules are unknown; then `rules` is empty, and `candidates` are
    all rules that may be in force. `failing` is the reason if requests get 500; then no rule is in
    force. `merged` is empty or has two policies: the second requests to be merged with the first
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
        """The rules in force, or if these are unknown, all rules that may be in force."""
        return self.rules or self.candidates

    @property
    def refused(self) -> tuple[Overruled, ...]:
        """The rules that are left out because the controller refuses a predicate."""
        return tuple(lost for lost in self.overruled if lost.is_refused)

    @property
    def policies(self) -> tuple[Ref, ...]:
        """The policies that a rule in force came from, sorted."""
        return tuple(sorted({rule.policy for rule in self.rules}))


class EffectivePolicy(Struct, frozen=True):
    """The effective policy of one kind on one path.

    `stack` are the policies on the path, the least specific first, and `targets` the target of
    each. `likely` is the outcome if names break ties. `others` are different outcomes that the
    creation times of policies on the cluster may cause. `is_beyond` is True if no policy applies
    because the path's hostnames reach beyond the listener's.
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
        """The outcomes in `others` for other orders of creation, not for an absence of the path."""
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
    """The effect of the policy is not known, for instance as it is unknown how its kind merges."""


class Programmed(Struct, frozen=True):
    """The condition `Programmed` of an accepted policy; `status` is None if it is unknown."""

    status: bool | None
    reason: Reason
    message: str


class MadePart(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """An object or setting that Kuadrant's operator makes of policies for the component `to`."""

    to: str
    value: Any
    not_in_files: str = ""
