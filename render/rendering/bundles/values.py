"""What the bundles are made of: variants of objects, cases that spokes share, a spoke's bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from render.findings.results import Result, Severity
from render.model import Manifest, PlacedGateway, Ref, Spoke
from render.rendering.overrides import Evaluated
from render.rendering.retarget import Outcome
from render.topology import Node

Outcomes = tuple[Outcome, ...]
"""One outcome per hub manifest, in the hub's order."""


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
class Case:
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
    """What one spoke gets: its case, the values of the slots, and what was wrong with them."""

    spoke: Spoke
    case: Case
    values: Mapping[str, Any]
    results: tuple[Result, ...]
