"""The interface of stages that are added: they make, edit and remove objects of a spoke.

It stands behind retargeting and before overrides, so that what it makes can be overridden, is
checked, judged and explained like everything else.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Protocol

from msgspec import Struct, field

from spokerender.findings.results import Result
from spokerender.model import Manifest, PlacedGateway, Spoke
from spokerender.rendering.holding import Held
from spokerender.rendering.values.placement import GroupKind


class Given(Struct, frozen=True, eq=False):
    """The input of a stage: how a spoke's gateways are placed, and its objects so far.

    Texts may hold slots. Spokes that are alike up to here share one.
    """

    placed: tuple[PlacedGateway, ...]
    objects: tuple[Manifest, ...]


class SpokeInput(Struct, frozen=True):
    """The input of a stage from one spoke, besides `Given`.

    Spokes of which `key` is equal, and which are given the same, share its answer.
    """

    key: Hashable = ()


class Amendment(Struct, frozen=True, eq=False):
    """A stage's answer: what becomes of the objects that it was given, by their index.

    What is not named stays as it is. `removed` says in a few words why an object does not ship.
    """

    edited: Mapping[int, Manifest] = field(default_factory=dict)
    removed: Mapping[int, str] = field(default_factory=dict)
    made: tuple[Manifest, ...] = ()
    results: tuple[Result, ...] = ()


class NeedsValues(Struct, frozen=True):
    """A stage's answer where slots hide what it has to see; it is asked again with the values."""


class Stage(Protocol):
    """A stage that is added. Equal questions get equal answers."""

    @property
    def spelled_out(self) -> frozenset[str | int | float]:
        """The texts and numbers that it writes of its own accord: no slot may stand for them."""

    @property
    def first_of(self) -> frozenset[GroupKind]:
        """The kinds that it reads as they are after their overrides: those go before it."""

    def ask(self, spoke: Spoke, given: Given, held: Held) -> SpokeInput:
        """Return what the answer for a spoke depends on, besides `given`.

        `held` has the values of the slots so far. The spoke's own values may be put into more.
        """

    def amend(self, given: Given, asked: SpokeInput) -> Amendment | NeedsValues:
        """Return the changes of the spokes that ask so; texts may hold slots."""
