"""The answers of `explain`, as values: of an object, of a spoke, of the whole fleet."""

from __future__ import annotations

from msgspec import Struct

from spokerender.explain.requirements import Requirements
from spokerender.findings.results import Result
from spokerender.model import Origin, Ref
from spokerender.rendering.values.sources import Traced


class Placing(Struct, frozen=True):
    """A hub Gateway on a spoke: as what, and the rule that put it there."""

    gateway: Ref
    ref: Ref
    existing: bool
    rule: Origin


class Step(Struct, frozen=True):
    """One reference on the way to a Gateway: the field and line that name `ref`."""

    ref: Ref
    field: str
    origin: Origin


class FieldChange(Struct, frozen=True):
    """A field that is not as on the hub, and the spokes on which it is so."""

    traced: Traced
    spokes: tuple[str, ...]


class Destination(Struct, frozen=True):
    """Spokes that get an object under one identity, at one path, below the same gateways.

    `fields` are ordered by path, then by the first spoke.
    """

    spokes: tuple[str, ...]
    ref: Ref
    path: str
    placings: tuple[Placing, ...]
    fields: tuple[FieldChange, ...]


class NotShipped(Struct, frozen=True):
    """Spokes that do not get an object, and why; `placings` are its gateways there."""

    spokes: tuple[str, ...]
    reason: str
    placings: tuple[Placing, ...]


class ObjectExplanation(Struct, frozen=True):
    """Where one hub object goes.

    `chains` lead from the object to each Gateway that it hangs on; a Gateway has none.
    """

    ref: Ref
    origin: Origin
    chains: tuple[tuple[Step, ...], ...]
    destinations: tuple[Destination, ...]
    not_shipped: tuple[NotShipped, ...]
    results: tuple[Result, ...]


class ShippedObject(Struct, frozen=True):
    """A hub object as one spoke gets it, and where it is written there."""

    hub: Ref
    ref: Ref
    path: str


class SpokeExplanation(Struct, frozen=True):
    """What one spoke gets, and what it must have besides."""

    spoke: str
    origin: Origin
    placings: tuple[Placing, ...]
    objects: tuple[ShippedObject, ...]
    requirements: Requirements
    results: tuple[Result, ...]


class SpokeSummary(Struct, frozen=True):
    """One spoke in numbers."""

    spoke: str
    gateways: int
    objects: int
    overridden: int


class FleetSummary(Struct, frozen=True):
    """The fleet in numbers; `not_shipped` are the hub objects that are on no spoke, and why."""

    spokes: tuple[SpokeSummary, ...]
    hub_objects: int
    not_shipped: tuple[tuple[Ref, str], ...]


Explanation = ObjectExplanation | SpokeExplanation | FleetSummary
