"""The ways in which controllers combine policies of one kind, as values.

Two questions decide the effective policy of a path: how several policies on one target combine
(`Several`), and how policies on several levels, such as Gateway and route, combine (`Process`).
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct


class Process(StrEnum):
    """The ways to merge policies on several levels of a path (Gateway, listener, route, rule)."""

    NONE = "none"
    """No merge: only the most specific policy is effective; a section is more specific than all."""
    OLDEST = "oldest"
    """No merge: the oldest policy of all levels is effective."""
    FIELDS = "fields"
    """Merged by field: a field comes from the most specific level that has it, and there from the
    first policy by precedence."""
    ALL = "all"
    """All policies are effective, side by side (Istio)."""
    GEP_713 = "gep-713"
    """GEP-713, abstract process: from the Gateway down, by the less specific policy's strategy."""
    KUADRANT = "kuadrant"
    """kuadrant-operator: from the rule up, by the less specific policy's strategy."""
    SINGLE = "single-policy-per-route"
    """Kuadrant's RFC of that name: a policy has fields of both `default` and `override`."""
    ALONE = "alone"
    """The policies of a single level are effective; the result of several levels is unknown."""
    UNKNOWN = "unknown"
    """The effect is unknown, even of a single policy."""


class Several(StrEnum):
    """The ways to combine several policies on one target."""

    PROCESS = "process"
    """As on several levels; if levels are not merged, one policy is effective."""
    ONE = "one"
    """The first policy by precedence is effective."""
    DISJOINT = "disjoint"
    """Merged; a policy that sets a field of an earlier one is refused on all its targets."""
    EQUAL = "equal"
    """All are effective if they agree in one field; otherwise none is."""
    ALONE = "alone"
    """A single policy is effective; the result of several is unknown."""


class Merge(StrEnum):
    """A merge strategy of GEP-713: how one step of a process combines two policies."""

    ATOMIC = "atomic"
    """One of the two, whole."""
    PATCH = "patch"
    """JSON merge patch (RFC 7386), field by field."""
    MERGE = "merge"
    """Merged by rule; a rule is never split (kuadrant-operator's own strategy)."""
    STRATEGIC = "strategic"
    """As PATCH, but some lists are merged by a key of their entries (Envoy Gateway)."""


class Ties(StrEnum):
    """The rule for policies of equal age on one target."""

    ALPHABETICAL = "alphabetical"
    """The first by name takes precedence (GEP-713)."""
    UNBROKEN = "unbroken"
    """None takes precedence: all are effective."""


class Order(StrEnum):
    """The order of several policies on one target, by their ages."""

    OLDEST = "oldest"
    YOUNGEST = "youngest"
    UNORDERED = "unordered"
    """Undefined: the first policy that the controller happens to see."""


class Names(StrEnum):
    """The part of the name that decides between policies of equal age."""

    JOINED = "namespace/name"
    """Compared as one string, in which `-` precedes `/` (GEP-713)."""
    PAIR = "namespace, then name"
    NAME = "name"


class Loser(StrEnum):
    """The status of a policy that loses a target to another policy."""

    CONFLICTED = "conflicted"
    """The policy is refused for this target: Accepted is False."""
    SILENT = "silent"
    """The policy is accepted nevertheless."""


class Exemption(StrEnum):
    """The difference between a policy's effect on one listener and on the rest of its target."""

    LEFT_OUT = "left out"
    """The policy has no effect, as if it did not exist."""
    HOLLOW = "hollow"
    """The policy has no effect, and prevents other policies from having an effect."""
    SPARED = "spared"
    """The policy's error has no effect there."""


class Rank(Struct, frozen=True):
    """A field with a number that takes precedence over age.

    `absent` is the number for an object without the field, or with a value of another type.
    """

    path: tuple[str, ...]
    highest_first: bool = False
    absent: float = 0


class Precedence(Struct, frozen=True):
    """The order of precedence among several policies on one target."""

    order: Order = Order.OLDEST
    names: Names = Names.JOINED
    rank: Rank | None = None


class Apart(Struct, frozen=True):
    """A field that is not merged between policies that differ in the field `by`.

    `absent` is the value that counts if the field `by` is absent; None: a value equal to every
    other. If `sides`, this applies only between a policy on a gateway or listener and a policy on a
    route or rule.
    """

    field: str
    by: str
    absent: str | None = None
    sides: bool = False


class Fields(Struct, frozen=True):
    """Fields with rules of their own, if policies are merged field by field.

    All are patterns below the spec proper, as in `Merging.rules`.
    """

    unites: tuple[str, ...] = ()
    """Fields of which all values on the most specific level with any value are effective."""
    gathers: tuple[str, ...] = ()
    """Fields of which the values of all levels are effective."""
    general: tuple[str, ...] = ()
    """Fields of which the value of the least specific level is effective."""
    apart: tuple[Apart, ...] = ()
    lock: tuple[str, tuple[str | None, ...]] | None = None
    """A field, and values (None: absent) that keep more specific levels from replacing fields."""
    on_routes: tuple[str, ...] = ()
    """Fields that have an effect only in policies on routes."""
    deep: tuple[tuple[str, str], ...] = ()
    """Fields, and settings that make the controller merge them recursively; opaque if unknown."""
    opaque: tuple[str, ...] = ()
    """Fields with an unknown result if several policies on one side (gateways, routes) set them."""
    unset: tuple[tuple[str, tuple[str | None, ...]], ...] = ()


class MergedList(Struct, frozen=True):
    """A list in `spec` that a strategic merge joins by a key of its items.

    If `key` is empty, the lists are concatenated. Items without the field `selector` are the list's
    default: the patch replaces the default, even if the patch has none. A JSON merge patch whose
    items all lack the selector leaves the items with a selector unchanged.
    """

    path: str
    key: str = ""
    selector: str = ""


class Asking(Struct, frozen=True):
    """A field of `spec` with which a route's policy requests a merge with a gateway's policy.

    The requesting policy patches the policy of the listener or else of the Gateway. The strategy is
    that of the field's value in `types`. In a strategic merge, `lists` are joined.
    """

    field: str
    types: tuple[tuple[str, Merge], ...]
    lists: tuple[MergedList, ...] = ()


class Writes(Struct, frozen=True):
    """A policy of another kind that the controller creates, with the same name and target.

    The created policy has overrides or defaults with the merge strategy `strategy`. `rules` pairs
    each of its rules with the field of `spec` (a pattern) from which it is derived. `name` is the
    key of list items whose value replaces the `*` of a rule. `derive` makes the value of a created
    rule from that of its field; if None, the value can't be made from files. If `is_vital`, the
    policy is reported as not accepted if its created policy is not enforced; else as not enforced.
    """

    group: str
    kind: str
    strategy: Merge
    rules: tuple[tuple[str, str], ...]
    overrides: bool = False
    name: str = ""
    derive: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    is_vital: bool = False


class Merging(Struct, frozen=True):
    """The merging of policies of a kind, and the rules into which a policy is split."""

    process: Process = Process.NONE
    several: Several = Several.PROCESS
    rules: tuple[str, ...] = ()
    """Patterns (`spokerender.kinds.fields`) below the spec proper: `spec` itself, or its `defaults`
    or `overrides`. The match of a pattern's last wildcard is the name of the rule. Without
    patterns, every field of the spec proper is a rule."""
    counts: tuple[str, ...] = ()
    """The only top-level fields with an effect; empty: all have one."""
    substance: str = ""
    """A policy without this field counts as empty and is skipped."""
    condition: str = ""
    """The rule on which all other rules depend."""
    variable: str = ""
    """A name in CEL for use in predicates of this kind's rules, and of kinds after it on a path."""
    default: Merge = Merge.ATOMIC
    """The default merge strategy."""
    first: Precedence = Precedence()
    ties: Ties = Ties.ALPHABETICAL
    loser: Loser = Loser.CONFLICTED
    refusal: str = "Conflicted"
    """The reason in the status of a refused policy."""
    fails: bool = True
    """An error in a policy makes requests fail; otherwise its other fields are effective."""
    opens: tuple[str, ...] = ()
    """Fields or items that may set `failOpen`: if such a part has an error, only it is left out."""
    fields: Fields = Fields()
    equal: str = ""
    """The field that must be equal in all policies (`Several.EQUAL`)."""
    asking: Asking | None = None
    writes: Writes | None = None
    on_paths: "tuple[tuple[str, Merging], ...]" = ()
    """Mergings for paths through some kind of route, or to a listener of some protocol."""
    delegated: str = ""
    """Why the result of policies on a route and on routes that delegate to it is unknown; empty if
    these policies merge like policies on two levels."""
    oldest_on: tuple[str, ...] = ()
    """Kinds of target: of several policies on such a target, only the oldest takes part."""
    pooled: str = ""
    """A list whose items have the same effect in whichever of otherwise equal policies they are."""
    implied: tuple[tuple[str, str | tuple[str, ...]], ...] = ()
    """Fields, with their values, that a policy whose spec proper is empty has by default."""
    source: str = ""
    """The source of these facts, or the reason why there is none."""

    def on(self, end: str) -> "Merging":
        """Return the merging on paths whose `end` is a kind of route or a listener's protocol."""
        # Pairs and not a mapping: a row is frozen, and can be hashed.
        return dict(self.on_paths).get(end, self)

    @property
    def is_known(self) -> bool:
        """Return whether the effect of a single policy on a path is known."""
        return self.process is not Process.UNKNOWN

    def explain_unknown(self) -> str:
        """Return a sentence that the merging of the kind's policies is unknown, with the reason."""
        return f"how policies of this kind come together is not known ({self.source})"

    @property
    def holds_one(self) -> bool:
        """Return whether only one of several policies on a target has an effect."""
        if self.several is Several.PROCESS:
            return self.process in (Process.NONE, Process.OLDEST)
        return self.several is Several.ONE

    @property
    def refuses(self) -> bool:
        """Return whether a policy may be refused because of another policy on its target."""
        if self.several in (Several.DISJOINT, Several.EQUAL):
            return True
        return self.holds_one and self.loser is Loser.CONFLICTED


UNKNOWN = Merging(Process.UNKNOWN, source="nobody has read what its controller does")
"""The merging of a kind whose controller nobody has examined."""
DIRECT = Merging(source="its CRD is labelled as that of a direct policy (GEP-2648)")
"""The merging of a kind of which only a CRD is known: none; a section precedes the whole."""
