"""What a template is made of, once it is read."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct


class Literal(Struct, frozen=True):
    """A constant; `nil` is None."""

    value: Any


class Dot(Struct, frozen=True):
    """`.`, and fields below it."""

    fields: tuple[str, ...] = ()


class Variable(Struct, frozen=True):
    """`$name`, and fields below it; `$` alone is what the template was given."""

    name: str
    fields: tuple[str, ...] = ()


class Nested(Struct, frozen=True):
    """A pipeline in parentheses, and fields below what it comes to."""

    pipeline: Pipeline
    fields: tuple[str, ...] = ()


class Named(Struct, frozen=True):
    """A function's name."""

    name: str


Operand: TypeAlias = Literal | Dot | Variable | Nested | Named


class Command(Struct, frozen=True):
    """An operand alone, or a function or method with arguments."""

    operands: tuple[Operand, ...]


class Pipeline(Struct, frozen=True):
    """Commands, each given the result of the one before; perhaps into variables."""

    commands: tuple[Command, ...]
    variables: tuple[str, ...] = ()
    declares: bool = False
    line: int = 0


class Text(Struct, frozen=True):
    """What stands outside of actions."""

    text: str


class Action(Struct, frozen=True):
    """A pipeline that is printed, unless it goes into a variable."""

    pipeline: Pipeline


class Branch(Struct, frozen=True):
    """`if`, `with` or `range`."""

    word: str
    pipeline: Pipeline
    body: Body
    otherwise: Body


class Leave(Struct, frozen=True):
    """`break` or `continue`."""

    word: str


Node: TypeAlias = Text | Action | Branch | Leave
Body: TypeAlias = tuple[Node, ...]
