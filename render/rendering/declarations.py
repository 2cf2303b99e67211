"""What a placement source declares, before anything of it is looked up."""

from __future__ import annotations

from dataclasses import dataclass

from render.config import OverrideRule, PlacementRule, SpokeSelection
from render.model import Origin, Place, Spoke

__all__ = ["Declarations", "Override", "Rule", "SpokeSelection"]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One entry of `spec.rules`; `number` counts through all documents, in their order."""

    number: int
    model: PlacementRule
    place: Place
    field: str

    @property
    def origin(self) -> Origin:
        """Where it is declared."""
        return self.place()


@dataclass(frozen=True, slots=True, eq=False)
class Override:
    """One entry of `spec.overrides`; they are applied in the order of `number`."""

    number: int
    model: OverrideRule
    place: Place
    field: str

    @property
    def origin(self) -> Origin:
        """Where it is declared."""
        return self.place()


@dataclass(frozen=True, slots=True)
class Declarations:
    """Spokes, rules and overrides of all documents, spokes sorted by name."""

    spokes: tuple[Spoke, ...]
    rules: tuple[Rule, ...]
    overrides: tuple[Override, ...]
