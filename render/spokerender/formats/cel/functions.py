"""How a function of ours is declared; the tables of them are in the modules beside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

Value: TypeAlias = Any
"""What the library hands over: None, bool, int, float, str, bytes, a list, a dict, a time."""


class Function(Struct, frozen=True):
    """One overload.

    `parameters` and `returns` are names of types; `list(string)` is a list of texts, `map(string)`
    a mapping of texts to texts.

    The first parameter of a member is the value before the dot.
    """

    name: str
    parameters: tuple[str, ...]
    returns: str
    call: Callable[..., Value]
    is_member: bool = True


def member(name: str, parameters: str, returns: str, call: Callable[..., Value]) -> Function:
    """A function that is called on its first parameter; `parameters` are separated by spaces."""
    return Function(name, tuple(parameters.split()), returns, call)


def plain(name: str, parameters: str, returns: str, call: Callable[..., Value]) -> Function:
    """A function that is called by its name alone."""
    return Function(name, tuple(parameters.split()), returns, call, is_member=False)
