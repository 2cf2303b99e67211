"""Answers to questions about metapolicies: their definitions, and values of expressions."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from spokerender.model import Origin, Ref
from spokerender.rendering.values.placement import GroupKind


class Known(Struct, frozen=True):
    """A definition of metapolicies: what it reads and writes, and what goes before it."""

    name: str
    kind: GroupKind
    way: str
    origin: Origin
    reads: tuple[GroupKind, ...]
    writes: tuple[GroupKind, ...]
    behind: tuple[str, ...]
    ships: bool
    metapolicies: tuple[Ref, ...]


class Answer(Struct, frozen=True):
    """The value of an expression, as JSON data, and the spokes where it has that value."""

    spokes: tuple[str, ...]
    value: Any
