"""How policies of one kind come together: a vocabulary in which every controller's way is a value.

Two questions decide what is in force on a path: what becomes of several policies on one target
(`Several`), and what of policies on several levels (`Process`). The rest are their parameters.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Process(StrEnum):
    """A process that merges the policies of several levels of one path."""

    NONE = "none"
    """They don't: a section's policy holds before the whole's, the most specific level's alone."""
    OLDEST = "oldest"
    """They compete as if they were on one target: the oldest of all levels holds, whole."""
    FIELDS = "fields"
    """All contribute, field by field; a field is the most specific level's that has it, and there
    the first one's by precedence."""
    ALL = "all"
    """All of them are in force, side by side (Istio)."""
    GEP_713 = "gep-713"
    """GEP-713, abstract process: from the top down, each step by the higher one's strategy."""
    KUADRANT = "kuadrant"
    """kuadrant-operator: from the bottom up, each step by the higher one's strategy."""
    SINGLE = "single-policy-per-route"
    """Kuadrant's RFC of that name: fields of `default` and `override`, in one policy both."""
    ALONE = "alone"
    """Those of one level hold; what several levels come to is not known."""
    UNKNOWN = "unknown"
    """Nothing is known, not even of a policy that is alone."""


class Several(StrEnum):
    """A rule for several policies on one target."""

    PROCESS = "process"
    """As those of several levels do; where these don't, one of them holds."""
    ONE = "one"
    """One holds, whole: the first by precedence."""
    DISJOINT = "disjoint"
    """All contribute, but one that sets a field of an earlier one is refused on all its targets."""
    EQUAL = "equal"
    """All, if they agree in one field; else none of them."""
    ALONE = "alone"
    """One that is alone holds; of several nothing is known."""


class Merge(StrEnum):
    """A merge strategy of GEP-713: one step of a process, which takes two policies."""

    ATOMIC = "atomic"
    """One of the two, whole."""
    PATCH = "patch"
    """JSON merge patch (RFC 7386), field by field."""
    MERGE = "merge"
    """Both, rule by rule; a rule is never split (kuadrant-operator's own strategy)."""
    STRATEGIC = "strategic"
    """As PATCH, but some lists are merged by a key of their entries (Envoy Gateway)."""


class Ties(StrEnum):
    """A rule for policies of one age on one target."""

    ALPHABETICAL = "alphabetical"
    """The first by name is the established one (GEP-713)."""
    UNBROKEN = "unbroken"
    """None gives way: all of them are carried out, whatever that comes to."""


class Order(StrEnum):
    """The order of several policies on one target, by age."""

    OLDEST = "oldest"
    YOUNGEST = "youngest"
    UNORDERED = "unordered"
    """Nothing decides: whichever the controller happens to see first."""


class Names(StrEnum):
    """The part of the name that breaks a tie between policies of one age."""

    JOINED = "namespace/name"
    """One text, in which `-` is before `/` (GEP-713)."""
    PAIR = "namespace, then name"
    NAME = "name"


class Loser(StrEnum):
    """The status of a policy whose target another one holds."""

    CONFLICTED = "conflicted"
    """It is refused there: Accepted is False."""
    SILENT = "silent"
    """It is accepted all the same."""


class Rank(Struct, frozen=True):
    """A number that comes before age: where an object has it, and which is first.

    `absent` stands for a number that is not there, or is none.
    """

    path: tuple[str, ...]
    highest_first: bool = False
    absent: float = 0


class Precedence(Struct, frozen=True):
    """The precedence among several policies on one target."""

    order: Order = Order.OLDEST
    names: Names = Names.JOINED
    rank: Rank | None = None


class Apart(Struct, frozen=True):
    """A distinction between fields: they are not the same where another field differs.

    `absent` stands for a value that is not there; None is equal to all. With `sides` that is so
    only between a policy above all routes and one on a route.
    """

    field: str
    by: str
    absent: str | None = None
    sides: bool = False


class Fields(Struct, frozen=True):
    """The fields with rules of their own where policies are merged field by field.

    All are patterns below the spec proper, as `Merging.rules`. Of `unites` all values on the most
    specific level that has any are in force, of `gathers` those of all levels. Of `general` the
    least specific level's value holds. `lock` is a field of `spec` and its value: a policy that
    says so keeps its fields from the levels below it. `deep` are those that the controller may be
    set to merge in their turn. Of `opaque` nobody says what several on one side (above all
    routes, or on them) come to.
    """

    unites: tuple[str, ...] = ()
    gathers: tuple[str, ...] = ()
    general: tuple[str, ...] = ()
    apart: tuple[Apart, ...] = ()
    lock: tuple[str, str] | None = None
    deep: tuple[str, ...] = ()
    opaque: tuple[str, ...] = ()


class Asking(Struct, frozen=True):
    """A field of `spec` by which a route's policy asks to be merged into a gateway's.

    Its partner is the policy of the closest level above all routes; it patches that one as its
    value says. `lists` are merged by a key of their entries where that is strategic; without a key
    the partner's entries are followed by the policy's.
    """

    field: str
    types: tuple[tuple[str, Merge], ...]
    lists: tuple[tuple[str, str], ...] = ()


class Writes(Struct, frozen=True):
    """A kind whose controller writes a policy of another kind, with the same name and target.

    What it writes is merged there, by `strategy`, as overrides or defaults. Each of `rules` is a
    rule that it writes and the field of `spec` (a pattern) that it is made of: there is none where
    that field is absent. `name` is the key of a list's entries that the rule's `*` stands for.
    """

    group: str
    kind: str
    strategy: Merge
    rules: tuple[tuple[str, str], ...]
    overrides: bool = False
    name: str = ""


class Merging(Struct, frozen=True):
    """The way in which policies of a kind are merged, and what one rule of theirs is.

    `rules` are patterns (`spokerender.kinds.fields`) below the spec proper, which is the whole of
    `spec`, or of `defaults` or `overrides` in it. What a pattern's last wildcard stands for is the
    rule's name. None of them: every field of the spec proper is one. `counts` are the top fields
    that count at all, where not all do. A policy without anything at `substance` is empty, and
    gives way. `condition` is the rule that gates all others. `default` is the strategy of a policy
    that names none. `refusal` is the reason of one that is refused for another. `equal` is the
    field in which all have to agree (`Several.EQUAL`). `on_routes` has what is otherwise on paths
    through a kind of route. `source` is where it is known from, or why it is not.
    """

    process: Process = Process.NONE
    several: Several = Several.PROCESS
    rules: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    substance: str = ""
    condition: str = ""
    default: Merge = Merge.ATOMIC
    first: Precedence = Precedence()
    ties: Ties = Ties.ALPHABETICAL
    loser: Loser = Loser.CONFLICTED
    refusal: str = "Conflicted"
    fields: Fields = Fields()
    equal: str = ""
    asking: Asking | None = None
    writes: Writes | None = None
    on_routes: tuple[tuple[str, Merging], ...] = ()
    source: str = ""

    def on(self, route: str) -> Merging:
        """Return the merging on paths through a kind of route."""
        return dict(self.on_routes).get(route, self)

    @property
    def is_known(self) -> bool:
        """Tell whether the effect of a policy that is alone on a path is known."""
        return self.process is not Process.UNKNOWN

    @property
    def holds_one(self) -> bool:
        """Tell whether one of several policies on a target holds, and the others have no effect."""
        if self.several is Several.PROCESS:
            return self.process in (Process.NONE, Process.OLDEST)
        return self.several is Several.ONE

    @property
    def refuses(self) -> bool:
        """Tell whether a policy may be refused because of another one on its target."""
        if self.several in (Several.DISJOINT, Several.EQUAL):
            return True
        return self.holds_one and self.loser is Loser.CONFLICTED


UNKNOWN = Merging(Process.UNKNOWN, source="nobody has read what its controller does")
"""Of a kind of which nobody said how its policies come together."""
