"""A review: one comparison of two states of a fleet, what changes in it, and what that means.

`Review.changes` say what differs in the objects of spokes, `Review.consequences` what follows for
requests and for who may make them. Equal ones of many spokes are one, with all their spokes.
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
    """How much a caller may ask for: rate limits and their counters."""
    EXPOSURE = "exposure"
    """Where requests can come in: routes, hostnames, gateways and listeners that are new."""
    TRAFFIC = "traffic"
    """Where requests are served: hostnames, listeners and rules that go, and backends."""
    ENCRYPTION = "encryption"
    """Certificates, TLS modes, and the identity that is asked of backends and callers."""
    DNS = "dns"
    """DNS names, geos and weights."""
    POLICY = "policy"
    """A policy that attaches no longer, is overridden or undecided, or the reverse."""
    OBJECTS = "objects"
    """Objects that are pruned, or whose effect nobody knows."""


class ConsequencePath(Struct, frozen=True):
    """A path that a consequence is about: its levels from the gateway down.

    `match` is what its rule asks of requests, if it leads to one. With `is_latent`, it is for
    routes to come.
    """

    levels: Levels
    match: tuple[Match, ...] = ()
    is_latent: bool = False

    @property
    def steps(self) -> tuple[str, ...]:
        """Return the path as people read it: without what a section of it follows."""
        pairs = zip_longest(self.levels, self.levels[1:])
        steps = (str(ref) for ref, below in pairs if below is None or below.whole != ref)
        return (*steps, *["a route that is added later"] * self.is_latent)

    def __str__(self) -> str:
        """Write the path as `Gateway shop/web [https] > HTTPRoute shop/cart [rule-1]`."""
        return " > ".join(self.steps)


GOES, OPENS, UNSERVED = "goes", "opens", "unserved"
"""The object is deleted; or it stays and less is asked of callers; or requests get no answer."""


class LossName(Struct, frozen=True):
    """A name under which an error is acknowledged on a spoke: an object, and how it is lost."""

    spoke: str
    ref: Ref
    lost: str


class LostObject(Struct, frozen=True):
    """An object that goes, or one of an engine that stays and does otherwise with trees."""

    ref: Ref
    goes_with: tuple[Ref, ...] = ()
    """The topmost objects that go and that it depends on, if it depends on nothing else."""
    replaced: bool = False
    """Another object takes its place, so that nothing is lost."""
    stays: bool = False
    weakened: tuple[str, ...] = ()
    """The effects on trees that need no acknowledgement, of an object of an engine."""
    guarded: str = ""
    """Why its loss must be acknowledged, whatever it means for requests."""

    @property
    def lost(self) -> str:
        """Return the way of the loss."""
        return OPENS if self.stays else GOES


class Consequence(Struct, frozen=True):
    """One consequence of a change, on all spokes where it is the same.

    `result` has its stable code (SR25xx; or the guard's, SR19xx, of what no other consequence is
    about), severity, message, cure and spokes, which are none outside spokes; `result.resource` is
    the object whose change causes it, under its name on the hub, and `result.origin` the line of
    that change: of an override, of the object on the hub, or of the placement. A suppressed one is
    an info with the tag `suppressed`, as everywhere.

    `places` are the paths that it is about; empty where it is about no path.
    `hostnames` are those of these paths. `was` and `now` are the values before and after in a few
    words, empty where there are none. `policies` are the policies that it is about, as they are
    called on the spokes. Where spokes have values of their own in these, `hostnames` has those of
    all spokes, and the others have placeholders: `Gateway shop/web-{{ spoke.name }}`. `objects` are
    those that it is about, as any of the spokes calls them. `example` is one of the requests, as
    `ask` reads it; empty where it is about none. `also_at` are further lines of the
    change, where each spoke is declared on a line of its own; of several `hunks` of lines any one
    may be the cause, and with 0 none is it. `losses` are the names under which an
    error is acknowledged (`spec.deletions`): of each spoke the first is that of the cause. `tests`
    are the names of the tests that cover its requests, None where nobody asks for them;
    `failing_tests` are those of them that fail on its spokes, and `untested` the paths whose
    requests none covers.
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
        """Return its paths as people read them."""
        return tuple(map(str, self.places))

    @property
    def severity(self) -> Severity:
        """Return its severity, which a suppression makes that of an info."""
        return self.result.severity

    @property
    def lines(self) -> tuple[Origin, ...]:
        """Return the lines of the change; none where no file has it."""
        return (*filter(None, (self.result.origin,)), *self.also_at)

    @property
    def cause(self) -> str:
        """Return in words which lines cause it; empty where nobody looked for them."""
        return self.write_cause(str)

    def write_cause(self, write: Callable[[Origin], str]) -> str:
        """Return in words which lines cause it, each as `write` returns it."""
        if self.hunks == 0:
            return "no line of this change"
        several = f"one of these {self.hunks} changes: " if (self.hunks or 1) > 1 else ""
        return several + listed(map(write, self.lines))


def group_by_cause(
    items: Iterable[Consequence],
) -> Collection[tuple[str, Sequence[Consequence]]]:
    """Return the consequences of each cause, in the order of the first; those without one alone."""
    numbered = enumerate(items)
    groups = grouped(((item.cause, 0 if item.cause else n), item) for n, item in numbered)
    return [(cause, alike) for (cause, _), alike in groups.items()]


class PolicyState(StrEnum):
    """The state of a policy on a spoke, in one word (GEP-713: Accepted and Programmed)."""

    ABSENT = "absent"
    """The spoke does not get it."""
    IN_FORCE = "in force"
    PARTLY = "partly overridden"
    """It is in force on some of its paths, or in some of its rules."""
    OVERRIDDEN = "overridden"
    UNATTACHED = "not accepted"
    """It attaches to nothing, or is refused."""
    NO_EFFECT = "no effect"
    """It attaches, and there is no path on which it is carried out."""
    UNKNOWN = "not known"


class MatrixCell(Struct, frozen=True):
    """The state of one policy on spokes where it is the same, before and after the change."""

    spokes: tuple[str, ...]
    before: PolicyState
    after: PolicyState
    is_changed: bool
    """Set if the policy's object differs, comes or goes on these spokes."""


class MatrixRow(Struct, frozen=True):
    """One policy of the hub, and its states; the cells have all spokes that get it, or got it."""

    policy: Ref
    cells: tuple[MatrixCell, ...]

    @property
    def differs(self) -> bool:
        """Tell whether its object or its state is another one after the change on some spoke."""
        return any(cell.is_changed or cell.before is not cell.after for cell in self.cells)


class ReviewedState(Struct, frozen=True):
    """One side of a review.

    `name` is how a user calls it: a revision, a folder, or the working tree; `commit` has it, or is
    what the working tree is at. With `is_rendered` its objects were rendered from
    its sources; otherwise they are those of its committed tree, and `note` says why.
    """

    name: str
    spokes: int
    is_rendered: bool = True
    note: str = ""
    commit: str = ""

    def noted(self, note: str) -> "ReviewedState":
        """Return it with one more note."""
        return replace(self, note=f"{self.note}; {note}" if self.note else note)


class Review(Struct, frozen=True, kw_only=True):
    """The comparison of two states of a fleet.

    `consequences` are sorted: errors first, then by topic, who may call before where requests
    go, then those on most paths. `tightened` are
    changes after which somebody may do less than before: they are no consequences, and named so
    that "no consequence" and "nothing changes" can be told apart. `needed` are objects that spokes
    must have and did not need before. `matrix` has every policy that either side has, changed ones
    first.
    `left_out` counts what `changes` do not show, by its reason; empty where everything is shown.
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
