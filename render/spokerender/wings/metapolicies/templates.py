"""Templates: plain YAML whose keys and values may be expressions, compiled once.

A text may have expressions as `${...}`, as in `limits-of-${plan.tier}`; `$${` stands for `${`. A
text that is one expression becomes its value; null omits the key or the item. Three keys of a
mapping are directives:

- `$when`: a condition; without it the mapping is omitted;
- `$forEach`: a name and a list. In a list there is one item per element; elsewhere the mapping has
  the keys of all elements together;
- `$value`: the value that replaces the mapping.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from spokerender.formats.cel.declaring import BOOL, LIST_OF, is_data, item_of
from spokerender.formats.cel.library import LibraryProgram
from spokerender.wings.metapolicies.expressions import Compiler, Scope, Step, describe_type
from spokerender.wings.metapolicies.functions import Computed, compute

_FOR_EACH, _WHEN, _VALUE = "$forEach", "$when", "$value"
_DIRECTIVES = frozenset([_FOR_EACH, _WHEN, _VALUE])
_TEXT_FIELDS = frozenset([("metadata", "name"), ("metadata", "namespace")])
_TEXT_MAPPINGS = frozenset([("metadata", "labels"), ("metadata", "annotations")])
_SCALARS = frozenset(["string", "int", "uint", "double", "bool", "dyn"])
_OPEN = "${"

Path = tuple[Step, ...]
Node = Callable[[Scope], Iterator[Any]]
"""A compiled node of a template: it yields no value, one, or several."""


class DataTemplate(Struct, frozen=True, eq=False):
    """A compiled template of an object, a patch or a text."""

    _node: Node

    def fill(self, scope: Scope) -> Any:  # noqa: ANN401  (JSON of any shape)
        """Return its value, with `Computed` for expressions; None if it is omitted."""
        return next(self._node(scope), None)


class Loop(Struct, frozen=True, eq=False):
    """A name that stands for each item of a list in turn; `names` are those inside the loop.

    Without a program there is no list: the loop runs once.
    """

    name: str
    program: LibraryProgram | None
    names: Mapping[str, str]

    def scopes(self, scope: Scope) -> Iterator[Scope]:
        """Yield the scope of each item."""
        if self.program is None:
            yield scope
            return
        for item in scope.items(self.program):
            yield scope.with_value(self.name, item)


class TemplateCompiler:
    """Compiles templates; their problems go to the compiler of expressions."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler

    def template(self, data: Any, at: Path, names: Mapping[str, str]) -> DataTemplate:  # noqa: ANN401  (JSON of any shape)
        """Compile a template of JSON data; `at` is its field in the definition."""
        return DataTemplate(self._node(data, at, (), names))

    def text(self, text: str, at: Path, names: Mapping[str, str]) -> DataTemplate:
        """Compile a template of a text."""
        return DataTemplate(self._text(text, at, ("metadata", "name"), names))

    def loop(self, data: Any, at: Path, names: Mapping[str, str]) -> Loop:  # noqa: ANN401  (JSON of any shape)
        """Compile a loop, given as `{name: list}`; `{}` is one that runs once."""
        if not isinstance(data, Mapping) or len(data) > 1:
            message = "one name and one list are required here"
            self._compiler.refuse(message, at, "write {item: the list}")
            return Loop("", None, names)
        for name, source in data.items():
            program = self._compiler.expression(source, (*at, name), names, LIST_OF, "a list")
            kind = item_of(program.returns) if program is not None else "dyn"
            self._compiler.follow(name, program)
            return Loop(name, program, {**names, name: kind})
        return Loop("", None, names)

    def _node(self, data: Any, at: Path, inside: Path, names: Mapping[str, str]) -> Node:  # noqa: ANN401  (JSON of any shape)
        """Compile a node; `inside` is its path in the object that the template makes."""
        if isinstance(data, Mapping):
            return self._mapping(data, at, inside, names)
        if isinstance(data, list):
            nodes = [
                self._item(item, (*at, index), (*inside, "*"), names)
                for index, item in enumerate(data)
            ]
            return lambda scope: iter([[item for node in nodes for item in node(scope)]])
        if isinstance(data, str):
            return self._text(data, at, inside, names)
        return lambda _: iter([data])

    def _item(self, data: Any, at: Path, inside: Path, names: Mapping[str, str]) -> Node:  # noqa: ANN401  (JSON of any shape)
        if not isinstance(data, Mapping) or _FOR_EACH not in data:
            return self._node(data, at, inside, names)
        loop = self.loop(data[_FOR_EACH], (*at, _FOR_EACH), names)
        rest = {key: value for key, value in data.items() if key != _FOR_EACH}
        node = self._node(rest, at, inside, loop.names)
        return lambda scope: (value for inner in loop.scopes(scope) for value in node(inner))

    def _mapping(
        self, data: Mapping[str, Any], at: Path, inside: Path, names: Mapping[str, str]
    ) -> Node:
        for key in data:
            if key.startswith("$") and not key.startswith(_OPEN) and key not in _DIRECTIVES:
                directives = ", ".join(sorted(_DIRECTIVES))
                self._compiler.refuse(f'"{key}" is no directive', at, f"use one of {directives}")
        loop = self.loop(data.get(_FOR_EACH, {}), (*at, _FOR_EACH), names)
        when = self._compiler.expression(
            data.get(_WHEN, "true"), (*at, _WHEN), loop.names, BOOL, "a truth value"
        )
        if _VALUE in data:
            node = self._node(data[_VALUE], (*at, _VALUE), inside, loop.names)
            return lambda scope: node(scope) if scope.truth(when) else iter(())
        entries = [
            (
                self._text(key, at, ("metadata", "name"), loop.names),
                self._node(value, (*at, key), (*inside, key), loop.names),
            )
            for key, value in data.items()
            if key not in _DIRECTIVES
        ]

        def fill(scope: Scope) -> Iterator[Any]:
            filled: dict[str, Any] = {}
            is_there = loop.program is not None or when is None
            for inner in loop.scopes(scope):
                if not inner.truth(when):
                    continue
                is_there = True
                for key, value in entries:
                    for name, result in zip(key(inner), value(inner), strict=False):
                        # Keys are never `Computed`: no slot can stand in a key.
                        filled[value_of(name)] = result
            return iter([filled] if is_there else [])

        return fill

    def _text(self, text: str, at: Path, inside: Path, names: Mapping[str, str]) -> Node:
        try:
            pieces = _split(text)
        except _UnclosedError as error:
            self._compiler.refuse(str(error), at, "close it")
            pieces = ()
        if not any(isinstance(piece, _Expression) for piece in pieces):
            literal = "".join(piece for piece in pieces if isinstance(piece, str))
            return lambda _: iter([literal])
        is_alone = len(pieces) == 1
        expected = None
        if not is_alone:
            expected = _SCALARS
        elif _needs_text(inside):
            expected = frozenset(["string", "dyn"])
        parts: list[str | LibraryProgram | None] = []
        for piece in pieces:
            if isinstance(piece, str):
                parts.append(piece)
            else:
                program = self._compiler.expression(piece.source, at, names)
                self._check_type(program, at, expected)
                parts.append(program)
        if is_alone and isinstance(parts[0], LibraryProgram):
            return _value_node(parts[0])
        return _text_node(parts)

    def _check_type(
        self, program: LibraryProgram | None, at: Path, expected: frozenset[str] | None
    ) -> None:
        if program is None:
            return
        if expected is not None and program.returns not in expected:
            message = f"its value is {describe_type(program.returns)}, where a text is needed"
            self._compiler.refuse(message, at, "make a text of it: string(...)")
        elif not is_data(program.returns):
            message = f"its value is {describe_type(program.returns)}, which no object can hold"
            self._compiler.refuse(message, at, "name a field of it, or take its object()")


def value_of(data: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    """Return the value of a `Computed`, and anything else unchanged."""
    return data.value if isinstance(data, Computed) else data


def _needs_text(inside: Path) -> bool:
    field, *below = inside[:2], *inside[2:]
    return field in _TEXT_FIELDS or (field in _TEXT_MAPPINGS and bool(below))


def _value_node(program: LibraryProgram) -> Node:
    def fill(scope: Scope) -> Iterator[Any]:
        value = scope.data(program)
        return iter(() if value is None else [compute(value, varies=scope.varies(program))])

    return fill


def _text_node(parts: list[str | LibraryProgram | None]) -> Node:
    def fill(scope: Scope) -> Iterator[Any]:
        texts = (
            part if isinstance(part, str) else scope.text(part)
            for part in parts
            if part is not None
        )
        varies = any(scope.varies(part) for part in parts if isinstance(part, LibraryProgram))
        return iter([Computed("".join(texts), varies)])

    return fill


class _Expression(Struct, frozen=True):
    """An expression in a text."""

    source: str


class _UnclosedError(ValueError):
    """An expression in a text has no end."""


def _split(text: str) -> tuple[str | _Expression, ...]:
    """Split a text into literal texts and expressions. Raises `_UnclosedError`."""
    pieces: list[str | _Expression] = []
    literal, place = "", 0
    while (start := text.find(_OPEN, place)) >= 0:
        if text[max(start - 1, 0) : start] == "$":
            literal += text[place : start - 1] + _OPEN
            place = start + len(_OPEN)
            continue
        end = _find_end(text, start + len(_OPEN))
        literal += text[place:start]
        pieces += [literal] if literal else []
        pieces.append(_Expression(text[start + len(_OPEN) : end].strip()))
        literal, place = "", end + 1
    literal += text[place:]
    return (*pieces, literal) if literal else tuple(pieces)


def _find_end(text: str, place: int) -> int:
    """Return the index of the brace that closes an expression, which may have braces itself."""
    depth = 1
    while place < len(text):
        string = _string_literal().match(text, place)
        if string:
            place = string.end()
            continue
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return place
        place += 1
    message = "an expression has no end: a } is missing"
    raise _UnclosedError(message)


@cache
def _string_literal() -> re.Pattern[str]:
    """Return the pattern of CEL's string literals."""
    return re.compile(
        r'[rR]?(?:"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|'
        r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')',
        re.DOTALL,
    )
