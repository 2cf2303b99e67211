"""The function behind a definition: its input, its edits, and the programs that may run it.

A function is pure: its edits depend on a metapolicy and the topology of one spoke alone. A `Runner`
may start processes for a function; callers pass it in, so that only `runners` does I/O.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from msgspec import Struct

from spokerender import authoring
from spokerender.config.base import API_VERSION
from spokerender.findings.phrasing import count, describe
from spokerender.findings.results import Fault, FindingKind, Severity
from spokerender.formats.cel.declaring import Library
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import FieldPath, Ref, shown
from spokerender.model.budget import Budget
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import Json, map_children, without_nulls

SPOKE: GroupKind = (API_VERSION.partition("/")[0], "Spoke")
"""The kind that a definition reads if its function looks at the spoke's name, labels or values."""


class Computed(Struct, frozen=True):
    """A text or number that an expression or a program computed.

    `varies` tells whether spokes may get different values for the same metapolicy. None means
    unknown: the values of all spokes are compared.
    """

    value: str | int
    varies: bool | None = True


class CreateObject(Struct, frozen=True, eq=False):
    """An object to create; an object without a namespace gets the metapolicy's namespace."""

    object: dict[str, Json]
    reason: Json = ""


class ChangeObject(Struct, frozen=True, eq=False):
    """A JSON merge patch for an object.

    Different values of several metapolicies for one field are an error. With `copies`, each of
    these metapolicies gets a copy of the object for its own target instead.
    """

    target: Ref
    merge: dict[str, Json]
    reason: Json = ""
    copies: bool = False


class RemoveObject(Struct, frozen=True, eq=False):
    """An object to remove."""

    target: Ref
    reason: Json = ""


class ReportFinding(Struct, frozen=True, eq=False):
    """A finding about the metapolicy; `field` is the path of the metapolicy's field in question."""

    finding: FindingKind
    message: Json
    cure: Json = ""
    field: Json = ""
    severity: Severity | None = None


RequestedEdit = CreateObject | ChangeObject | RemoveObject | ReportFinding
"""An edit in a function's answer; `Computed` marks texts and numbers that no author wrote."""


class RefusedError(Exception):
    """An expression is wrong, or a function fails; `faults` are all its problems, at least one."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__(faults[0].message)
        self.faults = faults


class FailedError(RefusedError):
    """A function fails for a metapolicy; `at` is the path of a field in the definition."""

    def __init__(
        self,
        finding: FindingKind,
        message: str,
        cure: str = "correct the function",
        at: FieldPath = (),
    ) -> None:
        super().__init__((Fault(finding, message, cure, at),))


class MetapolicyView(Library, Protocol):
    """One metapolicy on one spoke, and the topology around it; texts have the spoke's values.

    `budget` is the work that expressions may still do; `ref` is the reference of the metapolicy on
    the spoke. `spoke` has `name`, `labels` and `values`.
    """

    budget: Budget
    metapolicy: dict[str, Json]
    ref: Ref
    spoke: Mapping[str, Json]

    def spoke_field(self, *path: str) -> Json:
        """Return a field of the spoke, which the answer then depends on. Raises `KeyError`."""

    def metapolicy_message(self) -> Any:  # noqa: ANN401  (a message)
        """Return the metapolicy as expressions see it."""

    def objects(self, kinds: frozenset[GroupKind]) -> list[dict[str, Json]]:
        """Return the spoke's objects of these kinds, sorted by group, kind, namespace and name."""

    def named(self, ref: Ref) -> Ref | None:
        """Return `ref` as an edit must name the object; None if the spoke has no such object."""


class MetapolicyFunction(Struct, frozen=True, eq=False):
    """The function of a definition: equal input gives equal edits.

    The function reads the kinds in `reads`; it may create, change or remove objects of the kinds in
    `writes`. Placeholders (slots) never replace a text or number in `spelled_out`, which the author
    wrote. `of_spoke` has the paths of the spoke's fields that the function reads, such as
    `("labels", "region")`.
    """

    reads: frozenset[GroupKind]
    writes: frozenset[GroupKind]
    spelled_out: frozenset[str | int | float]
    of_spoke: frozenset[tuple[str, ...]]

    def render(self, view: MetapolicyView) -> Sequence[RequestedEdit]:
        """Return the edits for one metapolicy. Raises `FailedError`, `BudgetSpentError`."""
        raise NotImplementedError


class FunctionInput(Struct, frozen=True):
    """The input of a program as JSON data: the output may depend on nothing else.

    `items` are the objects of the kinds that the definition reads or writes, sorted. `spoke` has
    `name`, `labels` and `values`, or is empty if the definition does not read the spoke. `query`
    evaluates an expression over the spoke's topology and raises `RefusedError`.
    """

    metapolicy: dict[str, Json]
    items: Sequence[dict[str, Json]]
    spoke: Mapping[str, Json]
    definition: str
    query: Callable[[str], Json]


class FunctionOutput(Struct, frozen=True):
    """The output of a program: the items that the spoke is to have, and findings.

    An input item that is absent is removed, an additional item is created, a different item is
    changed.
    """

    items: Sequence[dict[str, Json]] = ()
    findings: Sequence[ReportFinding] = ()


class Runner(Protocol):
    """Runs functions that are programs."""

    def run(self, request: FunctionInput) -> FunctionOutput | Fault:
        """Return the output for an input, or why there is none; equal inputs run once."""


class RunCost(Struct):
    """The cost of a program: its runs, their seconds, and the inputs that needed no run."""

    runs: int = 0
    seconds: float = 0.0
    remembered: int = 0


def tell_costs(kind: str, costs: Mapping[str, RunCost], tell: Callable[[str], None]) -> None:
    """Call `tell` with a line for each program that ran: its `kind`, name and cost."""
    for name, cost in sorted(costs.items()):
        if cost.runs:
            runs = f"{count(cost.runs, 'run')} in {cost.seconds:.2f} s"
            tell(f"{kind} {name}: {runs}, {cost.remembered:,} remembered")


AuthoredCode = Callable[
    [authoring.Policy, authoring.SpokeTopology], Sequence[authoring.AuthoredEdit]
]
"""A function in Python, loaded: returns its author's edits, and raises `FailedError`."""


class Resources(Struct, frozen=True, eq=False):
    """The catalogue, runners and code from which functions are made.

    `runners` has the runners by the key of a definition's spec (`exec`, `extension`); `code` has
    the Python of each definition by its name, or the reason why it can't be loaded.
    """

    catalogue: Catalogue
    runners: Mapping[str, Runner]
    code: Mapping[str, AuthoredCode | Fault]


_DEEPEST = 100
"""The levels that an answer may nest: more than any kind has."""


def find_answer_problems(data: Any, path: FieldPath = ()) -> Iterator[str]:  # noqa: ANN401  (whatever an author returns)
    """Yield a message for each part of an answer that no API server would store unchanged."""
    place = shown(path) or "an object"
    if len(path) > _DEEPEST:
        yield f"{shown(path[:3])} in the function's answer nests deeper than {_DEEPEST} levels"
    elif isinstance(data, Mapping):
        for key, value in data.items():
            if not isinstance(key, str):
                yield f"{place} in the function's answer has {describe(key)} as a key"
            yield from find_answer_problems(value, (*path, key))
    elif isinstance(data, (list, tuple)):
        for number, item in enumerate(data):
            yield from find_answer_problems(item, (*path, number))
    elif type(data) not in (str, int, float, bool, type(None)):
        name = type(data).__name__
        yield f"{place} in the function's answer is of the type {name}, which YAML does not have"
    elif type(data) in (int, float) and not -(2**63) <= data < 2**63:
        yield f"{place} in the function's answer is a number that does not fit 64 bits"


_IDENTIFYING = frozenset(["apiVersion", "kind"])


def compute_object(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of `data` without nulls, in which texts and whole numbers are `Computed`."""
    # To an API server a null in a new object is the same as an absent key. The kind is never
    # computed, since later stages select objects by their kinds.
    return {
        key: value if key in _IDENTIFYING else compute(value)
        for key, value in without_nulls(data).items()
    }


def compute(data: Json, *, varies: bool | None = None) -> Json:
    """Return JSON data in which each text and each whole number is `Computed`."""
    if isinstance(data, str) or type(data) is int:
        return Computed(data, varies)
    return map_children(data, partial(compute, varies=varies))
