"""The policy kinds to sync, and the class of a Gateway on spokes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.results import Result

GroupKind = tuple[str, str]


class ClassParameters(Struct, frozen=True):
    """The sync parameters of a GatewayClass; without them `ours` is false."""

    kinds: frozenset[GroupKind] = frozenset()
    downstream_class: str = ""
    ours: bool = False


class SyncList(Struct, frozen=True):
    """The kinds to sync for each hub Gateway, and its default class on a spoke."""

    fleet: frozenset[GroupKind]
    classes: Mapping[str, ClassParameters]
    results: tuple[Result, ...] = ()
    listed_anywhere: frozenset[GroupKind] = frozenset()

    def with_kinds(self, kinds: frozenset[GroupKind]) -> SyncList:
        """Return the list with more kinds, which go with every Gateway."""
        if not kinds:
            return self
        listed = self.listed_anywhere | kinds
        return replace(self, fleet=self.fleet | kinds, listed_anywhere=listed)

    @property
    def own_classes(self) -> frozenset[str]:
        """The classes with sync parameters, which only the hub has a controller for."""
        return frozenset(name for name, of_class in self.classes.items() if of_class.ours)

    def kinds(self, gateway_class: str) -> frozenset[GroupKind]:
        """Return the kinds that go with a Gateway of that class."""
        of_class = self.classes.get(gateway_class)
        return self.fleet | of_class.kinds if of_class else self.fleet

    def spoke_class(self, gateway_class: str) -> str:
        """Return `downstreamClass`, else the hub's own class."""
        of_class = self.classes.get(gateway_class)
        return (of_class.downstream_class if of_class else "") or gateway_class

    def is_listed_anywhere(self, kind: GroupKind) -> bool:
        """Whether some class, or fleet.yaml, lists the kind."""
        return kind in self.listed_anywhere
