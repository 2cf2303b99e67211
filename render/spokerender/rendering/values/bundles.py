"""Bundles and what they are made of: variants of objects, and blueprints that spokes share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.occurrences import Occurrence
from spokerender.findings.results import Result, Severity
from spokerender.model import Manifest, PlacedGateway, Ref, Spoke, filling, slots
from spokerender.model.asking import Record, recording
from spokerender.rendering.values.placement import Override
from spokerender.topology.node import Node

Value = TypeVar("Value")


class How(StrEnum):
    """What gave a field its value; a stage that is added has words of its own (`Edit.how`)."""

    HUB = "hub"
    RULE = "placement rule"
    OVERRIDE = "override"
    DROPPED = "its gateway is not placed here"
    DOWNSTREAM_CLASS = "downstreamClass"
    SYNCED = "set on every synced copy"
    CLUSTER_OWNED = "a cluster's own, never copied"
    DEFAULT_NAMESPACE = "the default namespace"
    MUTATED = "mutation"
    AGENT = "the agent that copies it"
    PUBLISHED = "the agent that publishes it"


class Outcome(Struct, frozen=True):
    """What one hub object becomes on a spoke; `object` is None where it does not ship.

    `reason` says why it does not, in a few words; with `is_meant` nobody can have expected it to.
    """

    ref: Ref
    object: dict[str, Any] | None
    results: tuple[Result, ...] = ()
    reason: str = ""
    is_meant: bool = False


Outcomes = tuple[Outcome, ...]
"""One outcome per hub manifest, in the hub's order."""


class Evaluated(Struct, frozen=True):
    """An override's patch for one object of one spoke, its expressions evaluated.

    Equal keys mean equal patches of the override; texts and numbers may be slots.
    """

    override: Override
    patch: Any
    key: str
    results: tuple[Result, ...] = ()


class Variant(Struct, frozen=True, eq=False):
    """One object as one or more spokes get it; texts may hold slots.

    `manifest` is what it is on the hub, or what a stage made; findings speak of that one. `shipped`
    is what has become of it, with everything that was done to it on the way.
    """

    manifest: Manifest
    shipped: Manifest
    node: Node
    results: tuple[Result, ...] = ()
    overrides: tuple[Evaluated, ...] = ()

    @property
    def ref(self) -> Ref:
        """What it is called on the spoke."""
        return self.shipped.ref

    @property
    def object(self) -> dict[str, Any]:
        """The object as the spoke gets it."""
        return self.shipped.object


class Blueprint(Struct, frozen=True, eq=False):
    """Everything that spokes which are placed and overridden alike have in common.

    `needs_values` tells that a stage could not do its part with slots in the place of values.
    """

    placed: tuple[PlacedGateway, ...]
    outcomes: Outcomes
    variants: tuple[Variant, ...]
    results: tuple[Result, ...]
    needs_values: bool = False

    @property
    def has_errors(self) -> bool:
        """Whether it can't be built as it is."""
        return any(result.severity is Severity.ERROR for result in self.results)


class Bundle(Struct, frozen=True, eq=False):
    """What one spoke gets: its blueprint, the values of the slots, and what was wrong with them."""

    spoke: Spoke
    blueprint: Blueprint
    values: Mapping[str, Any]
    results: tuple[Result, ...]

    def object_of(self, variant: Variant) -> dict[str, Any]:
        """A variant's object with this spoke's values."""
        filled: dict[str, Any] = self.data(variant.object)
        return filled

    def ref(self, ref: Ref) -> Ref:
        """An identity with this spoke's values."""
        return slots.fill_ref(ref, self.values)

    def text(self, text: str) -> str:
        """A text with this spoke's values."""
        return slots.fill_text(text, self.values)

    def data(self, data: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
        """JSON data with this spoke's values; what has no slot is shared."""
        return slots.fill(data, self.values)

    def filled(self, value: Value) -> Value:
        """Return a frozen value with this spoke's values in its texts; itself if it has no slot."""
        return filling.filled(value, self.values)

    def unfilled(self, old: Any, new: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
        """Return this spoke's old data with the slots of new data where both are equal."""
        return filling.unfilled(old, new, self.values)


def is_shared(value: object) -> bool:
    """Whether a value of a blueprint is the same on all of its spokes: it has no slot."""
    return not filling.holds_slots(value)


class SharedAnswers(Generic[Value]):
    """Answers that are worked out once for all spokes of a blueprint, on objects with slots."""

    def __init__(self) -> None:
        """Start without an answer."""
        self._record = Record()

    def answer(self, bundle: Bundle, work_out: Callable[[], Value]) -> Value | None:
        """Return what `work_out` returns, with the spoke's values.

        None where a comparison comes out otherwise with these than with slots.
        """
        with recording(self._record):
            answer = work_out()
        return bundle.filled(answer) if self._record.is_true_of(bundle.values) else None


def sharing(bundles: Iterable[Bundle]) -> tuple[tuple[Blueprint, tuple[Bundle, ...]], ...]:
    """The distinct blueprints, each with the bundles that are made of it."""
    made_of: dict[int, tuple[Blueprint, list[Bundle]]] = {}
    for bundle in bundles:
        made_of.setdefault(id(bundle.blueprint), (bundle.blueprint, []))[1].append(bundle)
    return tuple((blueprint, tuple(alike)) for blueprint, alike in made_of.values())


def in_blueprints(results_of: Iterable[tuple[Bundle, Iterable[Result]]]) -> Iterator[Occurrence]:
    """What was found of the bundles' blueprints; texts may hold slots."""
    for bundle, results in results_of:
        if bundle.blueprint.has_errors and not bundle.values:
            yield from with_values((bundle, result) for result in results)
        else:
            where = (bundle.spoke.name,)
            yield from (Occurrence(result, where, values=bundle.values) for result in results)


def with_values(results_of: Iterable[tuple[Bundle, Result]]) -> Iterator[Occurrence]:
    """What was found of spokes with their own values in it, which don't make it another.

    A finding that spokes share, the very same one, is looked at once for all of them in which
    none of their values is.
    """
    sharing: dict[int, tuple[Result, list[Bundle]]] = {}
    for bundle, result in results_of:
        sharing.setdefault(id(result), (result, []))[1].append(bundle)
    own = _OwnValues()
    for result, bundles in sharing.values():
        without: list[Bundle] = []
        for bundle in bundles:
            if not own.are_in(result, bundle.spoke):
                without.append(bundle)
                continue
            key = own.blanked(result, bundle.spoke)
            yield Occurrence(result, (bundle.spoke.name,), key, bundle.values)
        if without:
            names = tuple(bundle.spoke.name for bundle in without)
            yield Occurrence(result, names, None, without[0].values)


class _OwnValues:
    """The values that spokes have of their own, each looked for once."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[str, ...]] = {}

    def are_in(self, result: Result, spoke: Spoke) -> bool:
        """Whether one of them is in what is told."""
        message, cure = result.message, result.cure
        return any(value in message or value in cure for value in self._of(spoke))

    def blanked(self, result: Result, spoke: Spoke) -> Result:
        """The finding with a blank for every one, to tell what it shares with others."""
        values = "|".join(map(re.escape, self._of(spoke)))
        own = re.compile(rf"(?<![A-Za-z0-9])({values})(?![A-Za-z0-9])")
        message, cure = own.sub("\0", result.message), own.sub("\0", result.cure)
        return replace(result, message=message, cure=cure)

    def _of(self, spoke: Spoke) -> tuple[str, ...]:
        """All of a spoke's, the longest first."""
        if spoke.name not in self._values:
            values = {*slots.strings_in(dict(spoke.values)), spoke.name} - {""}
            self._values[spoke.name] = tuple(sorted(values, key=len, reverse=True))
        return self._values[spoke.name]
