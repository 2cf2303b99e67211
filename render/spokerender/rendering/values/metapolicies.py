"""Answers to questions about metapolicies: their definitions, and values of expressions."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct


class ListedDefinition(Struct, frozen=True, kw_only=True):
    """A definition of metapolicies, with the kinds that it reads and writes.

    It runs after the definitions `after`. Kinds are written as `KIND.GROUP`, objects as in
    messages.
    """

    name: str
    kind: str
    way: str
    origin: str
    reads: Sequence[str]
    writes: Sequence[str]
    after: Sequence[str]
    ships: bool
    objects: Sequence[str]


class Answer(Struct, frozen=True):
    """The value of an expression, as JSON data, and the spokes on which it has that value."""

    spokes: tuple[str, ...]
    value: Any
