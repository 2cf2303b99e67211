"""Bundles and what they are made of: variants of objects, and blueprints that spokes share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from render.findings.results import Result, Severity
from render.model import Manifest, PlacedGateway, Ref, Spoke
from render.rendering.values.placement import Override
from render.topology import Node


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one hub object becomes on a spoke; `object` is None where it does not ship.

    `reason` says why it does not, in a few words.
    """

    ref: Ref
    object: dict[str, Any] | None
    results: tuple[Result, ...] = ()
    reason: str = ""


Outcomes = tuple[Outcome, ...]
"""One outcome per hub manifest, in the hub's order."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """An override's patch for one object of one spoke, its expressions evaluated.

    `values` are the slots that stand in `patch` for the spoke's own values. `key` tells
    apart what is not held in a slot: equal keys mean equal patches.
    """

    override: Override
    patch: Any
    values: Mapping[str, Any]
    key: str
    results: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One object as one or more spokes get it; texts may hold slots."""

    manifest: Manifest
    ref: Ref
    object: dict[str, Any]
    node: Node
    results: tuple[Result, ...] = ()
    overrides: tuple[Evaluated, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Blueprint:
    """Everything that spokes which are placed and overridden alike have in common."""

    placed: tuple[PlacedGateway, ...]
    outcomes: Outcomes
    variants: tuple[Variant, ...]
    results: tuple[Result, ...]

    @property
    def has_errors(self) -> bool:
        """Whether it can't be built as it is."""
        return any(result.severity is Severity.ERROR for result in self.results)


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """What one spoke gets: its blueprint, the values of the slots, and what was wrong with them."""

    spoke: Spoke
    blueprint: Blueprint
    values: Mapping[str, Any]
    results: tuple[Result, ...]
