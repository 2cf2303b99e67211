"""Spokes, and gateways as they are placed there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Self

from msgspec import Struct, field

from spokerender.model.origins import Origin, Place
from spokerender.model.refs import Ref


class Spoke(Struct, frozen=True, eq=False):
    """A cluster that policies are placed on, with what its labels and values say of it.

    `bundle` and `channel` are those of the Gateway API's CRDs that it has (`v1.4.1`, `standard`),
    empty where nobody said. `namespaces` has the labels of its namespaces that are known. Nothing
    is rendered by them.
    """

    name: str
    labels: Mapping[str, str]
    values: Mapping[str, Any]
    place: Place
    bundle: str = ""
    channel: str = ""
    namespaces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def origin(self) -> Origin:
        """Where it is declared."""
        return self.place()

    @property
    def context(self) -> dict[str, Any]:
        """What an expression calls `spoke`."""
        return {"name": self.name, "labels": self.labels, "values": self.values}


class JsonValue(Struct, frozen=True, eq=False):
    """A value that is compared as JSON: for Python `1` and `True` are equal. Made by `of`."""

    data: Any = None
    text: str = "null"

    def __eq__(self, other: object) -> bool:
        """Compare the JSON texts."""
        return isinstance(other, JsonValue) and self.text == other.text

    def __hash__(self) -> int:
        """Hash the JSON text."""
        return hash(self.text)

    @classmethod
    def of(cls, data: Any) -> Self:  # noqa: ANN401  (JSON of any shape)
        """Take the data, which nobody changes any more."""
        return cls(data, json.dumps(data))


NO_VALUE = JsonValue()


class DeclaredListeners(Struct, frozen=True, eq=False):
    """Listeners that a placement declares. Made by `DeclaredListeners.of`.

    Two are equal where they are the same JSON: for Python `1` and `True` are.
    """

    entries: tuple[Mapping[str, Any], ...] = ()
    text: str = "[]"

    def __eq__(self, other: object) -> bool:
        """Compare the JSON texts."""
        return isinstance(other, DeclaredListeners) and self.text == other.text

    def __hash__(self) -> int:
        """Hash the JSON text."""
        return hash(self.text)

    @classmethod
    def of(cls, entries: Iterable[Mapping[str, Any]]) -> Self:
        """Take the entries, each of which has a name."""
        kept = tuple(entries)
        return cls(kept, json.dumps(kept))

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called, in their order."""
        return tuple(entry["name"] for entry in self.entries)


NO_LISTENERS = DeclaredListeners()


class PlacedGateway(Struct, frozen=True):
    """A hub Gateway on one spoke: which rule put it there, and as what.

    Compared by value, and free of what does not matter to the tree: two spokes that place
    a gateway alike have equal ones. Texts may hold slots (`model.slots`). `existing` means
    that the spoke has the gateway and we render only what hangs on it. `listeners` are those that
    the placement declares, merged by name into the hub's or, for an existing gateway, all there
    are. `allowed_routes` is what stands in place of the `allowedRoutes` of the hub's listeners, if
    anything does. `routes_follow` is set where the routes of the hub gateway's namespace go with
    it.
    """

    hub: Ref
    ref: Ref
    rule: int
    existing: bool = False
    gateway_class: str = ""
    hostnames: tuple[tuple[str, str], ...] = ()
    labels: tuple[tuple[str, str | None], ...] = ()
    annotations: tuple[tuple[str, str | None], ...] = ()
    listeners: DeclaredListeners = NO_LISTENERS
    allowed_routes: JsonValue = NO_VALUE
    routes_follow: bool = False

    @property
    def moved(self) -> bool:
        """Whether its name or namespace differs from the hub's."""
        return self.hub != self.ref
