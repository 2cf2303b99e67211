"""The values that walk through the house. Frozen; nothing here decides anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

GATEWAY_API = "gateway.networking.k8s.io"


@dataclass(frozen=True, slots=True, order=True)
class Ref:
    """The identity that references are resolved by (Gateway API: group, kind, namespace, name).

    The version is no part of it: a reference never names one. `section_name` is empty
    where the whole object is meant.
    """

    group: str
    kind: str
    namespace: str
    name: str
    section_name: str = ""

    @property
    def whole(self) -> Ref:
        """The object that this reference's section is in."""
        return Ref(self.group, self.kind, self.namespace, self.name) if self.section_name else self

    def __str__(self) -> str:
        """Kind, namespace and name, as kubectl users say it: `Gateway shop/public`."""
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {place}" + (f" [{self.section_name}]" if self.section_name else "")


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """Where something was written: file, index of the document in it, line (from 1)."""

    path: str
    index: int = 0
    line: int = 1

    def __str__(self) -> str:
        """Editors and terminals follow `file:line`."""
        return f"{self.path}:{self.line}"


Place = Callable[[], Origin]
"""Where something was written, found out only when it is asked for: lines cost a parse."""


@dataclass(frozen=True, slots=True, eq=False)
class Manifest:
    """One object as it was read, with its own text so that its comments can survive.

    `text` is empty where the text can't be kept (a list item, JSON, an alias in it).
    Compared by identity: objects are large, and equal ones at two places are two.
    """

    ref: Ref
    object: dict[str, Any]
    origin: Origin
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Spoke:
    """A cluster that policies are placed on, with what its labels and values say of it.

    `bundle` and `channel` are those of the Gateway API's CRDs that it has (`v1.4.1`, `standard`),
    empty where nobody said. Nothing is rendered by them.
    """

    name: str
    labels: Mapping[str, str]
    values: Mapping[str, Any]
    place: Place
    bundle: str = ""
    channel: str = ""

    @property
    def origin(self) -> Origin:
        """Where it is declared."""
        return self.place()

    @property
    def context(self) -> dict[str, Any]:
        """What an expression calls `spoke`."""
        return {"name": self.name, "labels": self.labels, "values": self.values}


@dataclass(frozen=True, slots=True)
class PlacedGateway:
    """A hub Gateway on one spoke: which rule put it there, and as what.

    Compared by value, and free of what does not matter to the tree: two spokes that place
    a gateway alike have equal ones. Texts may hold slots (`render.slots`). `existing` means
    that the spoke has the gateway and we render only what hangs on it. `listeners` is JSON:
    the listeners that the placement declares, merged by name into the hub's or, for an
    existing gateway, all there are.
    """

    hub: Ref
    ref: Ref
    rule: int
    existing: bool = False
    gateway_class: str = ""
    hostnames: tuple[tuple[str, str], ...] = ()
    labels: tuple[tuple[str, str | None], ...] = ()
    annotations: tuple[tuple[str, str | None], ...] = ()
    listeners: str = "[]"

    @property
    def moved(self) -> bool:
        """Whether its name or namespace differs from the hub's."""
        return self.hub != self.ref
