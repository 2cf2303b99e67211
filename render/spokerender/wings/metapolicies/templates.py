"""Templates: plain YAML whose keys and values may be expressions, compiled once.

A text may have expressions as `${...}`, as in `limits-of-${plan.tier}`; `$${` stands for `${`. A
text that is a single expression becomes the value of the expression; null omits the key or the
item. Three keys of a mapping are directives:

- `$when`: a condition; if it is false, the mapping is omitted;
- `$forEach`: a name and a list. A mapping in a list becomes an item for each element of the list;
  elsewhere the mapping has the keys for all elements together;
- `$value`: the value that replaces the mapping.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from msgspec import Struct

from spokerender.formats.cel.declaring import LIST_OF, is_data, item_of
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json
from spokerender.wings.metapolicies.expressions import (
    Compiler,
    FieldExpression,
    Scope,
    describe_type,
)
from spokerender.wings.metapolicies.functions import Computed, compute

_FOR_EACH, _WHEN, _VALUE = "$forEach", "$when", "$value"
_DIRECTIVES = frozenset([_FOR_EACH, _WHEN, _VALUE])
_TEXT_FIELDS = frozenset([("metadata", "name"), ("metadata", "namespace")])
_TEXT_MAPPINGS = frozenset([("metadata", "labels"), ("metadata", "annotations")])
_SCALARS = frozenset(["string", "int", "uint", "double", "bool", "dyn"])
_OPEN = "${"
_STRING_LITERAL = (
    r'[rR]?(?:"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|'
    r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
)
"""The pattern of CEL's string literals."""

_Node = Callable[[Scope], Iterator[Any]]
"""A compiled node of a template, which yields no value, a single value, or several."""
_Template = Callable[[Scope], Any]
"""A compiled template: returns its value, with `Computed` for expressions; None if omitted."""


class Loop(Struct, frozen=True, eq=False):
    """A name that stands for each item of a list in turn.

    `names` has the types of the names inside the loop. Without a list, the loop runs once.
    """

    name: str
    items: FieldExpression | None
    names: Mapping[str, str]

    def scopes(self, scope: Scope) -> Iterator[Scope]:
        """Yield `scope` with `name` set to each item of the list in turn."""
        if self.items is None:
            yield scope
            return
        for item in scope.items(self.items):
            yield scope.with_value(self.name, item)


class TemplateCompiler(Compiler, eq=False):
    """Compiles the templates of a definition, too, and collects their problems."""

    def template(self, data: Json, at: FieldPath, names: Mapping[str, str]) -> _Template:
        """Compile a template of JSON data at the field `at`; `names` has the names it may use."""
        node = self._node(data, at, (), names)
        return lambda scope: next(node(scope), None)

    def text(self, text: str, at: FieldPath, names: Mapping[str, str]) -> _Template:
        """Compile a template of a text at the field `at`; `names` has the names it may use."""
        node = self._text(text, at, ("metadata", "name"), names)
        return lambda scope: next(node(scope), None)

    def loop(self, data: Json, at: FieldPath, names: Mapping[str, str]) -> Loop:
        """Compile a loop, given as `{name: list}`; the loop `{}` runs once."""
        if not isinstance(data, Mapping) or len(data) > 1:
            message = "one name and one list are required here"
            self.refuse(message, at, "write {item: the list}")
            return Loop("", None, names)
        for name, source in data.items():
            items = self.expression(source, (*at, name), names, LIST_OF, "a list")
            kind = item_of(items.program.returns) if items is not None else "dyn"
            self.follow(name, items)
            return Loop(name, items, {**names, name: kind})
        return Loop("", None, names)

    def _node(
        self, data: Json, at: FieldPath, inside: FieldPath, names: Mapping[str, str]
    ) -> _Node:
        """Compile a part of a template; `inside` is its path in the object to make."""
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

    def _item(
        self, data: Json, at: FieldPath, inside: FieldPath, names: Mapping[str, str]
    ) -> _Node:
        if not isinstance(data, Mapping) or _FOR_EACH not in data:
            return self._node(data, at, inside, names)
        loop = self.loop(data[_FOR_EACH], (*at, _FOR_EACH), names)
        rest = {key: value for key, value in data.items() if key != _FOR_EACH}
        node = self._node(rest, at, inside, loop.names)
        return lambda scope: (value for inner in loop.scopes(scope) for value in node(inner))

    def _mapping(
        self, data: Mapping[str, Any], at: FieldPath, inside: FieldPath, names: Mapping[str, str]
    ) -> _Node:
        for key in data:
            if key.startswith("$") and not key.startswith(_OPEN) and key not in _DIRECTIVES:
                directives = ", ".join(sorted(_DIRECTIVES))
                self.refuse(f'"{key}" is no directive', at, f"use one of {directives}")
        loop = self.loop(data.get(_FOR_EACH, {}), (*at, _FOR_EACH), names)
        condition, place = data.get(_WHEN, "true"), (*at, _WHEN)
        when = self.condition(condition, place, loop.names)
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
            scopes = [inner for inner in loop.scopes(scope) if inner.truth(when)]
            filled = {
                value_of(name): value  # keys are never `Computed`: no slot can stand in a key
                for inner in scopes
                for key_node, value_node in entries
                for name, value in zip(key_node(inner), value_node(inner), strict=False)
            }
            is_there = scopes or loop.items is not None or when is None
            return iter([filled] if is_there else [])

        return fill

    def _text(self, text: str, at: FieldPath, inside: FieldPath, names: Mapping[str, str]) -> _Node:
        literals, sources = _split(text)
        if len(literals) == len(sources):
            self.refuse("an expression has no end: a } is missing", at, "close it")
            return lambda _: iter([text])
        if not sources:
            return lambda _: iter(literals)
        is_alone = literals == ["", ""]
        expected = None
        if not is_alone:
            expected = _SCALARS
        elif _needs_text(inside):
            expected = frozenset(["string", "dyn"])
        expressions: list[FieldExpression] = []
        for source in sources:
            expression = self.expression(source, at, names)
            if expression is not None:
                kind = expression.program.returns
                returns = f"its value is {describe_type(kind)}"
                if expected is not None and kind not in expected:
                    message = f"{returns}, where a text is needed"
                    self.refuse(message, at, "make a text of it: string(...)")
                elif not is_data(kind):
                    message = f"{returns}, which no object can hold"
                    self.refuse(message, at, "name a field of it, or take its object()")
                expressions.append(expression)
        return _value_node(expressions) if is_alone else _text_node(literals, expressions)


def value_of(data: Json) -> Json:
    """Return the value of a `Computed`; return any other value unchanged."""
    return data.value if isinstance(data, Computed) else data


def _needs_text(inside: FieldPath) -> bool:
    field, *below = inside[:2], *inside[2:]
    return field in _TEXT_FIELDS or (field in _TEXT_MAPPINGS and bool(below))


def _value_node(expressions: Sequence[FieldExpression]) -> _Node:
    def fill(scope: Scope) -> Iterator[Any]:
        for expression in expressions:  # one, in a definition without faults
            value = scope.data(expression)
            if value is not None:
                yield compute(value, varies=expression.varies)

    return fill


def _text_node(literals: Sequence[str], expressions: Sequence[FieldExpression]) -> _Node:
    varies = any(expression.varies for expression in expressions)

    def fill(scope: Scope) -> Iterator[Any]:
        texts = chain.from_iterable(zip(literals, map(scope.text, expressions), strict=False))
        yield Computed("".join((*texts, literals[-1])), varies)

    return fill


def _split(text: str) -> tuple[list[str], list[str]]:
    """Return the literal parts of a text, and the expressions between them.

    There is one more literal part than expressions, unless the last expression has no end.
    """
    literals, sources, place = [""], list[str](), 0
    while (start := text.find(_OPEN, place)) >= 0:
        if text[max(start - 1, 0) : start] == "$":
            literals[-1] += text[place : start - 1] + _OPEN
            place = start + len(_OPEN)
            continue
        end = _find_end(text, start + len(_OPEN))
        literals[-1] += text[place:start]
        sources.append(text[start + len(_OPEN) : end].strip())
        if end is None:
            return literals, sources
        literals.append("")
        place = end + 1
    literals[-1] += text[place:]
    return literals, sources


def _find_end(text: str, place: int) -> int | None:
    """Return the index of the brace that closes the expression at `place`; None if none does."""
    depth = 1
    while place < len(text):
        string = re.compile(_STRING_LITERAL, re.DOTALL).match(text, place)
        if string:
            place = string.end()
            continue
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return place
        place += 1
    return None
