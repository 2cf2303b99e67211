"""What a metapolicy's function is asked and what it answers, in whichever way it is written.

A function is pure: from a metapolicy and the topology of one spoke to edits. Nothing here knows a
kind of policy, and nothing runs a process: whoever does so is a `Runner`, given from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct, field

from spokerender import authoring
from spokerender.config.base import API_VERSION
from spokerender.findings.results import Fault, FindingKind, Severity
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Ref
from spokerender.model.budget import Budget
from spokerender.rendering.values.stages import GroupKind

JSON = Any
SPOKE: GroupKind = (API_VERSION.partition("/")[0], "Spoke")
"""What a definition reads whose function looks at the spoke's own name, labels or values."""


class Computed(Struct, frozen=True):
    """A text or a number that an expression came to, in the place where it stands.

    `varies` tells whether it may be another one for another spoke and the same metapolicy; None
    where that will be seen.
    """

    value: str | int
    varies: bool | None = True


class Create(Struct, frozen=True, eq=False):
    """An object to make; without a namespace it is in the metapolicy's, if its kind has any."""

    object: dict[str, JSON]
    reason: JSON = ""


class Change(Struct, frozen=True, eq=False):
    """An object to change, by a JSON merge patch.

    Where several metapolicies write other values into one field, it is an error, or with
    `copies` each gets a copy of the object for its own target.
    """

    target: Ref
    merge: dict[str, JSON]
    reason: JSON = ""
    copies: bool = False


class Remove(Struct, frozen=True, eq=False):
    """An object to take out."""

    target: Ref
    reason: JSON = ""


class Told(Struct, frozen=True, eq=False):
    """Something to tell about the metapolicy; `field` is the one that it is about."""

    finding: FindingKind
    message: JSON
    cure: JSON = ""
    field: JSON = ""
    severity: Severity | None = None


Edit = Create | Change | Remove | Told
"""One part of an answer. Texts and numbers that are not spelled out are `Computed`."""


class Whereabouts(Protocol):
    """The topology of one spoke, as a function may look at it; texts have the spoke's values."""

    @property
    def budget(self) -> Budget:
        """Return what expressions may still cost."""

    @property
    def metapolicy(self) -> dict[str, JSON]:
        """The metapolicy itself."""

    @property
    def ref(self) -> Ref:
        """What it is called on the spoke."""

    @property
    def spoke(self) -> Mapping[str, JSON]:
        """The spoke: its `name`, `labels` and `values`."""

    def of_spoke(self, *path: str) -> JSON:
        """A part of the spoke: on it alone the answer depends. Raises `KeyError` without it."""

    def objects(self, kinds: frozenset[GroupKind]) -> Sequence[dict[str, JSON]]:
        """The spoke's objects of these kinds, sorted by group, kind, namespace and name."""

    def find(self, what: str, start: JSON, named: str) -> list[JSON]:
        """As of `spokerender.formats.cel.declaring.Library`."""

    def rules(self, path: JSON, named: str) -> dict[str, JSON]:
        """As of `spokerender.formats.cel.declaring.Library`."""

    def whole(self, start: JSON) -> dict[str, JSON]:
        """As of `spokerender.formats.cel.declaring.Library`."""

    def named(self, ref: Ref) -> Ref | None:
        """What stands for a name that an answer has, if there is an object of it."""


class FailedError(Exception):
    """A function came to no answer; `field` is where in its definition, the text says why."""

    def __init__(
        self, finding: FindingKind, message: str, cure: str = "", at: tuple[str | int, ...] = ()
    ) -> None:
        """`at` leads to the field, from the definition's top."""
        super().__init__(message)
        self.finding, self.message, self.cure, self.at = finding, message, cure, at


class Function(Protocol):
    """A metapolicy's function. Equal questions get equal answers."""

    @property
    def reads(self) -> frozenset[GroupKind]:
        """The kinds that it looks at."""

    @property
    def writes(self) -> frozenset[GroupKind]:
        """The kinds that it makes, changes or takes out; no others."""

    @property
    def spelled_out(self) -> frozenset[str | int | float]:
        """The texts and numbers that are written in it."""

    @property
    def of_spoke(self) -> frozenset[tuple[str, ...]]:
        """Which parts of the spoke's own labels and values it looks at: `("labels", "region")`."""

    def answer(self, where: Whereabouts) -> Sequence[Edit]:
        """The edits for one metapolicy on one spoke.

        Raises:
            FailedError: it comes to none.

        """


class Question(Struct, frozen=True):
    """What a runner is asked: JSON data, which alone its answer depends on.

    `metapolicy` is the object of a definition, `items` those of the kinds that that reads, sorted;
    `spoke` has `name`, `labels` and `values`, or nothing where the definition does not read it.
    What `query` gives counts as looked at: it takes an expression over the spoke's topology, and
    raises `queries.RefusedError`.
    """

    metapolicy: dict[str, JSON]
    items: Sequence[dict[str, JSON]]
    spoke: Mapping[str, JSON]
    definition: str = ""
    query: Callable[[str], JSON] | None = None


class Reply(Struct, frozen=True):
    """What a runner answers: the items as they shall be, and what there is to tell.

    What is not among `items` any more is taken out; a new one is made; another one is changed.
    `problem` is set where it came to nothing.
    """

    items: Sequence[dict[str, JSON]] = ()
    told: Sequence[Told] = ()
    problem: str = ""
    finding: FindingKind | None = None


class Runner(Protocol):
    """Runs a function that is no expression: given from outside, for it may start processes."""

    def run(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """An answer to each question, in order; equal questions are never asked twice."""


class Code(Protocol):
    """A function in Python: given from outside, where it was loaded."""

    def __call__(
        self, policy: authoring.Policy, spoke: authoring.Spoke
    ) -> Sequence[authoring.Edit]:
        """What its author says. Raises `FailedError`."""


class Noticed(Struct, frozen=True):
    """What an expression comes to for a metapolicy of a definition on a spoke; None for nothing."""

    definition: str
    metapolicy: Ref
    spoke: str
    expression: str
    value: JSON


@runtime_checkable
class Follower(Protocol):
    """A runner that wants to know what expressions come to, whenever a fleet is rendered."""

    def follows(self, definition: str) -> Sequence[str]:
        """The expressions, about the metapolicies of a definition."""

    def noticed(self, what: Noticed) -> None:
        """What one of them comes to."""


@runtime_checkable
class Noticing(Protocol):
    """A function that has somebody to tell, whether it has to answer or not."""

    @property
    def is_followed(self) -> bool:
        """Whether there is anything to tell."""

    def notice(self, where: Whereabouts) -> None:
        """Look at one metapolicy on one spoke."""


class Resources(Struct, frozen=True, eq=False):
    """What functions are made with, besides their definitions.

    `runners` run them, by their way; `code` is the Python of each definition, by its name, or why
    that can't be had.
    """

    catalogue: Catalogue
    runners: Mapping[str, Runner] = field(default_factory=dict)
    code: Mapping[str, Code | Fault] = field(default_factory=dict)
