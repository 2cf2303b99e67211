"""What is in force on a path, each rule with the policy that it came from."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from spokerender.kinds.kind import Kind
from spokerender.model import FieldPath, Ref
from spokerender.topology.paths import RequestPath


class AttachedPolicy(Struct, frozen=True, eq=False):
    """A policy that is accepted, or may be: its kind's row, its `spec`, what it is attached to.

    `targets` have sections as their section names. Of `unsure` it is known only on the cluster
    whether it has them, and it likely has not. `rank` comes before its age: the smaller is first.
    `folded` is the row of the kind as which it comes together with others, if that is not its own
    (`Merging.writes`). `failing` says why requests are refused where it would be in force.
    """

    ref: Ref
    kind: Kind
    spec: Mapping[str, Any]
    targets: tuple[Ref, ...]
    unsure: frozenset[Ref] = frozenset()
    rank: float = 0
    folded: Kind | None = None
    failing: str = ""

    @property
    def row(self) -> Kind:
        """The row by which it comes together with others."""
        return self.folded if self.folded is not None else self.kind


class EffectiveRule(Struct, frozen=True):
    """One rule that is in force: its name, its value, and where it is written.

    `key` is the rule's place below the spec proper as people write it (`limits.per-user`).
    `field` leads to it from the root of the policy's object. A rule that JSON merge patch put
    together from several policies is told in parts, each of one policy.
    """

    key: str
    value: Any
    policy: Ref
    field: FieldPath


class Overruled(Struct, frozen=True):
    """A rule that a policy on the path has and that is not in force, and what overruled it.

    `key` is empty where it is all of the policy's. `by` is the policy itself where it has the
    rule in a place that does not count. `why` names the strategy in GEP-713's words, and whose
    it is. `field` leads to the rule from the root of the policy's object, and `by_field` to what
    has its place from the root of the other's; both are empty where all of it is meant.
    """

    policy: Ref
    key: str
    by: Ref
    why: str
    field: FieldPath = ()
    by_field: FieldPath = ()


class Outcome(Struct, frozen=True):
    """What may be in force: one for each way in which a tie may be broken.

    `unknown` says why nobody can tell, where nobody can: then there are no rules in force, and
    `candidates` are all that may be. `failing` says why requests are answered with 500, where they
    are: then nothing is in force either. `merged` are two of which one asked to be merged with the
    other (`Merging.asking`).
    """

    rules: tuple[EffectiveRule, ...]
    overruled: tuple[Overruled, ...] = ()
    unknown: str = ""
    candidates: tuple[EffectiveRule, ...] = ()
    merged: tuple[Ref, ...] = ()
    failing: str = ""

    @property
    def policies(self) -> tuple[Ref, ...]:
        """The policies that a rule in force came from, sorted."""
        return tuple(sorted({rule.policy for rule in self.rules}))


class EffectivePolicy(Struct, frozen=True):
    """The policy of one kind in force on one path.

    `stack` are the policies on the path, the least specific first, and `targets` the level that
    each is on. `likely` is what the alphabet
    decides; `others` are outcomes that differ from it in a rule's value and that come about where
    ages on the cluster are otherwise. Empty where the order changes nothing. `is_beyond` is set
    where nothing is carried out, because the path's hostnames reach beyond the listener's.
    """

    path: RequestPath
    group: str
    kind: str
    stack: tuple[Ref, ...]
    targets: tuple[Ref, ...]
    likely: Outcome
    others: tuple[Outcome, ...] = ()
    is_beyond: bool = False


class Reason(StrEnum):
    """Reasons of the condition `Programmed` (GEP-713), and one of kuadrant-operator's."""

    PROGRAMMED = "Programmed"
    PARTIALLY = "PartiallyProgrammed"
    OVERRIDDEN = "Overridden"
    UNKNOWN = "Unknown"
    """It is on no path: kuadrant-operator says so of a gateway's policy without any route."""
    NOT_KNOWN = "NotKnown"
    """How policies of its kind come together is not known."""


class Programmed(Struct, frozen=True):
    """The condition `Programmed` of an accepted policy, by the likely outcomes.

    `status` is None where nobody can tell.
    """

    status: bool | None
    reason: Reason
    message: str
