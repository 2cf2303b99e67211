"""What placement sources declare, and what comes of it once everything is looked up."""

from __future__ import annotations

from dataclasses import dataclass

from render.config import OverrideRule, PlacementRule, SpokeSelection
from render.findings.results import Result
from render.model import Origin, Place, Ref, Spoke

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


@dataclass(frozen=True, slots=True)
class Decision:
    """The placement, resolved: gateways and spokes per rule, spokes per override."""

    spokes: tuple[Spoke, ...]
    rules: tuple[Rule, ...]
    overrides: tuple[Override, ...]
    gateways_of_rule: tuple[tuple[Ref, ...], ...]
    rules_of_spoke: dict[str, tuple[Rule, ...]]
    overrides_of_spoke: dict[str, tuple[Override, ...]]
    results: tuple[Result, ...]

    @property
    def overrides_in_use(self) -> tuple[Override, ...]:
        """The overrides that concern some spoke; of the others a finding tells already."""
        used = {
            override.number
            for overrides in self.overrides_of_spoke.values()
            for override in overrides
        }
        return tuple(override for override in self.overrides if override.number in used)

    def gateways_on(self, spoke: str) -> tuple[tuple[Ref, Rule], ...]:
        """The hub gateways that are placed on a spoke, each with the rule that placed it."""
        return tuple(
            (gateway, rule)
            for rule in self.rules_of_spoke.get(spoke, ())
            for gateway in self.gateways_of_rule[rule.number]
        )
