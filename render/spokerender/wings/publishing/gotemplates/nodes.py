"""What a template is made of, once it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; `nil` is None."""

    value: Any


@dataclass(frozen=True, slots=True)
class Dot:
    """`.`, and fields below it."""

    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variable:
    """`$name`, and fields below it; `$` alone is what the template was given."""

    name: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Nested:
    """A pipeline in parentheses, and fields below what it comes to."""

    pipeline: Pipeline
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Named:
    """A function's name."""

    name: str


Operand: TypeAlias = Literal | Dot | Variable | Nested | Named


@dataclass(frozen=True, slots=True)
class Command:
    """An operand alone, or a function or method with arguments."""

    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands, each given the result of the one before; perhaps into variables."""

    commands: tuple[Command, ...]
    variables: tuple[str, ...] = ()
    declares: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """What stands outside of actions."""

    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """A pipeline that is printed, unless it goes into a variable."""

    pipeline: Pipeline


@dataclass(frozen=True, slots=True)
class Branch:
    """`if`, `with` or `range`."""

    word: str
    pipeline: Pipeline
    body: Body
    otherwise: Body


@dataclass(frozen=True, slots=True)
class Leave:
    """`break` or `continue`."""

    word: str


Node: TypeAlias = Text | Action | Branch | Leave
Body: TypeAlias = tuple[Node, ...]
