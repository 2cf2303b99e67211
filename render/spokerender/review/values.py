"""A review: the comparison of two states of a fleet, with its differences and consequences.

`Review.changes` are the differences in the objects of spokes, `Review.consequences` the effects on
requests and on who may make them. Items that are equal on several spokes are one item.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.phrasing import listed
from spokerender.findings.results import Result, Severity
from spokerender.model import Origin, Ref, grouped
from spokerender.review.changes.values import Difference
from spokerender.topology.node import Match
from spokerender.topology.paths import Levels


class Topic(StrEnum):
    """The topic of a consequence."""

    ACCESS = "access"
    """Who may call: authentication, authorization, and rules that keep somebody out."""
    LIMITS = "limits"
    """How many requests a caller may make: rate limits and their counters."""
    EXPOSURE = "exposure"
    """New paths for requests: new routes, hostnames, gateways and listeners."""
    TRAFFIC = "traffic"
    """Paths for requests: removed hostnames, listeners and rules, and backends."""
    ENCRYPTION = "encryption"
    """Certificates, TLS modes, and the identities that backends and callers must prove."""
    DNS = "dns"
    """DNS names, geos and weights."""
    POLICY = "policy"
    """A policy that no longer attaches, is overridden or of unknown effect, or the reverse."""
    OBJECTS = "objects"
    """Objects that are deleted, or whose effect is unknown."""


class ConsequencePath(Struct, frozen=True):
    """A path with a consequence: its `levels` are objects and sections from the Gateway down.

    `match` are the matches of its rule, if it has one. `is_latent` is set for a listener's path if
    the consequence is only for routes that are added later.
    """

    levels: Levels
    match: tuple[Match, ...] = ()
    is_latent: bool = False

    @property
    def steps(self) -> tuple[str, ...]:
        """Return the path as text: an object is left out if a section of it follows."""
        pairs = zip_longest(self.levels, self.levels[1:])
        steps = (str(ref) for ref, below in pairs if below is None or below.whole != ref)
        return (*steps, *["a route that is added later"] * self.is_latent)

    def __str__(self) -> str:
        """Return the path as `Gateway shop/web [https] > HTTPRoute shop/cart [rule-1]`."""
        return " > ".join(self.steps)


GOES, OPENS, UNSERVED = "goes", "opens", "unserved"
"""The kinds of loss: an object is deleted; access is less restricted; requests are not served."""


class LossName(Struct, frozen=True):
    """The key by which an error is acknowledged on a spoke: an object and the kind of its loss."""

    spoke: str
    ref: Ref
    lost: str


class LostObject(Struct, frozen=True):
    """A deleted object, or an object of a delivery engine with changed fields that affect trees."""

    ref: Ref
    goes_with: tuple[Ref, ...] = ()
    """The topmost deleted objects that the object depends on, if it depends on these alone."""
    replaced: bool = False
    """Another object replaces the object, so nothing is lost."""
    stays: bool = False
    weakened: tuple[str, ...] = ()
    """The effects of an engine's object on trees that need no acknowledgement."""
    guarded: str = ""
    """Why the loss must be acknowledged, whatever it means for requests."""

    @property
    def lost(self) -> str:
        """Return the kind of loss."""
        return OPENS if self.stays else GOES


class Consequence(Struct, frozen=True):
    """One consequence of a change, on all spokes where it is the same.

    `result` has the code (SR25xx; or SR19xx, a finding of the guard that no consequence covers),
    severity, message, suggested fix and spokes (none if it is outside spokes). `result.resource` is
    the object whose change is the cause, by its name on the hub. `result.origin` is the line of
    that change: in an override, in the object's file or in the placement. A suppressed consequence
    is an info with the tag `suppressed`.

    `places` are the affected paths, if any, and `hostnames` their hostnames. `was` and `now` are
    the values before and after, as short texts that may be empty. `policies` are the affected
    policies by their names on the spokes. If spokes differ in these values, `hostnames` has those
    of all spokes, and the other fields have placeholders: `Gateway shop/web-{{ spoke.name }}`.
    `objects` are the affected objects by the name on each spoke. `example` is an affected request
    as `ask` reads it, or empty. `also_at` are further lines of the change, if each spoke is
    declared on its own line. `hunks` is the number of hunks that may each be the cause: 0 if none
    is, None if nobody searched. `losses` are the acknowledgements that an error needs
    (`spec.deletions`); the first one of each spoke is that of the cause. `tests` are the names of
    the tests that cover its requests (None: not searched), `failing_tests` those that fail on its
    spokes, and `untested` the paths that no test covers.
    """

    result: Result
    topic: Topic
    places: tuple[ConsequencePath, ...] = ()
    hostnames: tuple[str, ...] = ()
    policies: tuple[Ref, ...] = ()
    was: str = ""
    now: str = ""
    objects: frozenset[Ref] = frozenset()
    example: str = ""
    also_at: tuple[Origin, ...] = ()
    hunks: int | None = None
    losses: tuple[LossName, ...] = ()
    tests: tuple[str, ...] | None = None
    failing_tests: tuple[str, ...] = ()
    untested: tuple[ConsequencePath, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths as text."""
        return tuple(map(str, self.places))

    @property
    def severity(self) -> Severity:
        """Return the severity of the result."""
        return self.result.severity

    @property
    def lines(self) -> tuple[Origin, ...]:
        """Return the lines of the change; empty if it is in no file."""
        return (*filter(None, (self.result.origin,)), *self.also_at)

    @property
    def cause(self) -> str:
        """Return a text that names the causing lines; empty if nobody searched for them."""
        return self.write_cause(str)

    def write_cause(self, write: Callable[[Origin], str]) -> str:
        """Return a text that names the causing lines, each written by `write`."""
        if self.hunks == 0:
            return "no line of this change"
        several = f"one of these {self.hunks} changes: " if (self.hunks or 1) > 1 else ""
        return several + listed(map(write, self.lines))


def group_by_cause(
    items: Iterable[Consequence],
) -> Collection[tuple[str, Sequence[Consequence]]]:
    """Return the consequences by cause, in order; each without a cause is a group of its own."""
    numbered = enumerate(items)
    groups = grouped(((item.cause, 0 if item.cause else n), item) for n, item in numbered)
    return [(cause, alike) for (cause, _), alike in groups.items()]


class PolicyState(StrEnum):
    """The state of a policy on a spoke, in one word (GEP-713: Accepted and Programmed)."""

    ABSENT = "absent"
    """The spoke does not have the policy."""
    IN_FORCE = "in force"
    PARTLY = "partly overridden"
    """The policy is effective on some of its paths, or with some of its rules."""
    OVERRIDDEN = "overridden"
    UNATTACHED = "not accepted"
    """The policy attaches to nothing, or is refused."""
    NO_EFFECT = "no effect"
    """The policy attaches, but no path exists on which a controller implements it."""
    UNKNOWN = "not known"


class MatrixCell(Struct, frozen=True):
    """The state of one policy on spokes where it is the same, before and after the change."""

    spokes: tuple[str, ...]
    before: PolicyState
    after: PolicyState
    is_changed: bool
    """Set if the policy's object is added, changed or deleted on these spokes."""


class MatrixRow(Struct, frozen=True):
    """One policy of the hub; the cells cover all spokes that have it in either state."""

    policy: Ref
    cells: tuple[MatrixCell, ...]

    @property
    def differs(self) -> bool:
        """Return whether the object or its state changes on any spoke."""
        return any(cell.is_changed or cell.before is not cell.after for cell in self.cells)


class ReviewedState(Struct, frozen=True):
    """One side of a review.

    `name` is a revision, a folder, or the working tree, as a user calls it; `commit` is its commit,
    or the one that is checked out. With `is_rendered` its objects were rendered from its sources;
    otherwise they were read from its committed tree, and `note` says why.
    """

    name: str
    spokes: int
    is_rendered: bool = True
    note: str = ""
    commit: str = ""

    def noted(self, note: str) -> "ReviewedState":
        """Return the state with one more note."""
        return replace(self, note=f"{self.note}; {note}" if self.note else note)


class Review(Struct, frozen=True, kw_only=True):
    """The comparison of two states of a fleet.

    `consequences` are sorted by severity, then topic (access before traffic), then number of paths
    and spokes. `tightened` are changes after which callers may do less than before: they are
    reported apart, so that a reader can tell "no consequence" from "no change". `needed` are
    objects that spokes must have now, but not before. `matrix` has every policy of either state,
    changed ones first. `left_out` counts by reason the changes that `changes` does not show.
    """

    before: ReviewedState
    after: ReviewedState
    changes: tuple[Difference, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    tightened: tuple[Consequence, ...] = ()
    needed: tuple[Consequence, ...] = ()
    matrix: tuple[MatrixRow, ...] = ()
    results: tuple[Result, ...] = ()
    """Findings about reading the two sides."""
    left_out: Mapping[str, int] = {}

    @property
    def counts(self) -> Mapping[Severity, int]:
        """Return the number of consequences by severity, errors first."""
        severities = [item.severity for item in self.consequences]
        return {severity: severities.count(severity) for severity in Severity}
