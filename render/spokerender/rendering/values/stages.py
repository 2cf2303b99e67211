"""The interface of the stages of wings, which create, edit and remove objects of a spoke.

A stage runs after retargeting and before overrides, so that its objects can be overridden, and are
checked, judged and explained like all others.
"""

from collections.abc import Hashable, Mapping
from typing import Protocol

from msgspec import Struct, field

from spokerender.findings.results import Result
from spokerender.model import Manifest, PlacedGateway, Spoke
from spokerender.model.refs import GroupKind
from spokerender.rendering.holding import SpokeSlots


class Given(Struct, frozen=True, eq=False):
    """The input of a stage: how a spoke's gateways are placed, and its objects so far.

    Texts may have slots. Spokes with equal placements and objects share one value.
    """

    placed: tuple[PlacedGateway, ...]
    objects: tuple[Manifest, ...]


class Amendment(Struct, frozen=True, eq=False):
    """A stage's answer: changes of the objects that it was given, by their index.

    All other objects are unchanged. `removed` has a reason for each object that must not ship.
    """

    edited: Mapping[int, Manifest] = field(default_factory=dict)
    removed: Mapping[int, str] = field(default_factory=dict)
    added: tuple[Manifest, ...] = ()
    results: tuple[Result, ...] = ()


class Stage(Protocol):
    """A stage of a wing; equal input gives equal answers."""

    @property
    def spelled_out(self) -> frozenset[str | int | float]:
        """Return the constant texts and numbers that the stage writes, which no slot replaces."""

    @property
    def first_of(self) -> frozenset[GroupKind]:
        """Return the kinds whose overrides are applied first, as the stage must see them."""

    def ask(self, spoke: Spoke, given: Given, spoke_slots: SpokeSlots) -> Hashable:
        """Return the input from a spoke that the answer depends on, in addition to `given`.

        Spokes with equal input and the same `given` share the answer. `spoke_slots` has the
        spoke's values so far; the stage may put more values into slots.
        """

    def amend(self, given: Given, asked: Hashable) -> Amendment:
        """Return the changes for the spokes with this input; texts may have slots."""
