"""What people ask about metapolicies: which definitions there are, what an expression comes to."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from spokerender.model import Origin, Ref
from spokerender.rendering.values.stages import GroupKind


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
    """What an expression comes to, as JSON data, and on which spokes."""

    spokes: tuple[str, ...]
    value: Any
