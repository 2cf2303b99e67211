"""Templates: plain YAML whose keys and values may be expressions, compiled once.

A text that is one expression becomes what that comes to; null leaves the key or the item out. In a
mapping stand besides:

- `$when`: whether the mapping is there at all;
- `$forEach`: a name and a list; in a list there is then one item for each, else the keys of all
  come together in one mapping;
- `$value`: what stands there in the mapping's place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.formats.cel.declaring import BOOL, LIST_OF, is_data, item_of
from spokerender.formats.cel.library import Program
from spokerender.wings.metapolicies.expressions import Compiler, Scope, Step, shown_type
from spokerender.wings.metapolicies.model import Computed
from spokerender.wings.metapolicies.texts import Hole, UnclosedError, pieces

FOR_EACH, WHEN, VALUE = "$forEach", "$when", "$value"
_DIRECTIVES = frozenset([FOR_EACH, WHEN, VALUE])
_TEXTS = frozenset([("metadata", "name"), ("metadata", "namespace")])
_MARKS = frozenset([("metadata", "labels"), ("metadata", "annotations")])
_SCALARS = frozenset(["string", "int", "uint", "double", "bool", "dyn"])

Path = tuple[Step, ...]
Node = Callable[[Scope], Iterator[Any]]
"""What a node of a template comes to: no value, one, or several."""


class Template(Struct, frozen=True, eq=False):
    """A template of an object or of a patch."""

    _node: Node

    def filled(self, scope: Scope) -> Any:  # noqa: ANN401  (JSON of any shape)
        """What it comes to; texts and numbers of expressions are `Computed`. None for nothing."""
        return next(self._node(scope), None)


class Reader:
    """Reads templates; what is wrong goes to the compiler."""

    def __init__(self, compiler: Compiler) -> None:
        """`compiler` knows the names at the template's top."""
        self._compiler = compiler

    def template(self, data: Any, at: Path, names: Mapping[str, str]) -> Template:  # noqa: ANN401
        """A template of JSON data; `at` is where it stands in the definition."""
        return Template(self._node(data, at, (), names))

    def text(self, text: str, at: Path, names: Mapping[str, str]) -> Template:
        """A template of a text."""
        return Template(self._text(text, at, ("metadata", "name"), names))

    def _node(self, data: Any, at: Path, inside: Path, names: Mapping[str, str]) -> Node:  # noqa: ANN401
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

    def _item(self, data: Any, at: Path, inside: Path, names: Mapping[str, str]) -> Node:  # noqa: ANN401
        """An item of a list: one for each of a loop."""
        if not isinstance(data, Mapping) or FOR_EACH not in data:
            return self._node(data, at, inside, names)
        loop = self.loop(data[FOR_EACH], (*at, FOR_EACH), names)
        rest = {key: value for key, value in data.items() if key != FOR_EACH}
        node = self._node(rest, at, inside, loop.names)
        return lambda scope: (item for each in loop.each(scope) for item in node(each))

    def _mapping(
        self, data: Mapping[str, Any], at: Path, inside: Path, names: Mapping[str, str]
    ) -> Node:
        odd = [key for key in data if key.startswith("$") and not key.startswith("${")]
        for key in odd:
            if key not in _DIRECTIVES:
                known = ", ".join(sorted(_DIRECTIVES))
                self._compiler.refuse(f'"{key}" is no word of templates', at, f"known: {known}")
        loop = self.loop(data.get(FOR_EACH, {}), (*at, FOR_EACH), names)
        when = self._compiler.expression(
            data.get(WHEN, "true"), (*at, WHEN), loop.names, BOOL, "a truth value"
        )
        if VALUE in data:
            value = self._node(data[VALUE], (*at, VALUE), inside, loop.names)
            return _when(when, value)
        entries = [
            (
                self._text(key, at, ("metadata", "name"), loop.names),
                self._node(value, (*at, key), (*inside, key), loop.names),
            )
            for key, value in data.items()
            if key not in _DIRECTIVES
        ]

        def filled(scope: Scope) -> Iterator[Any]:
            made: dict[str, Any] = {}  # keys stay as they are: nothing looks for slots in one
            kept = not loop.is_loop and when is None
            for each in loop.each(scope):
                if when is not None and not each.truth(when):
                    continue
                kept = True
                for key, value in entries:
                    for name, found in zip(key(each), value(each), strict=False):
                        made[plain(name)] = found
            return iter([made] if kept or loop.is_loop else [])

        return filled

    def loop(self, said: Any, at: Path, names: Mapping[str, str]) -> Loop:  # noqa: ANN401
        """A loop, as `{name: list}` says it; for nothing said, what runs once."""
        if not isinstance(said, Mapping) or len(said) > 1:
            self._compiler.refuse("it must be one name and one list", at, "write {item: the list}")
            return Loop("", None, names)
        for name, source in said.items():
            program = self._compiler.expression(source, (*at, name), names, LIST_OF, "a list")
            kind = item_of(program.returns) if program is not None else "dyn"
            self._compiler.follow(name, program)
            return Loop(name, program, {**names, name: kind})
        return Loop("", None, names)

    def _text(self, text: str, at: Path, inside: Path, names: Mapping[str, str]) -> Node:
        try:
            found = pieces(text)
        except UnclosedError as error:
            self._compiler.refuse(str(error), at, "close it")
            found = ()
        if not any(isinstance(piece, Hole) for piece in found):
            whole = "".join(piece for piece in found if isinstance(piece, str))
            return lambda _: iter([whole])
        is_alone = len(found) == 1
        wanted = _SCALARS if not is_alone else frozenset(["string", "dyn"])
        parts: list[str | Program | None] = []
        for piece in found:
            if isinstance(piece, str):
                parts.append(piece)
                continue
            program = self._compiler.expression(piece.source, at, names)
            self._fits(program, at, wanted if not is_alone or _is_text(inside) else None)
            parts.append(program)
        if is_alone and isinstance(parts[0], Program):
            return _whole(parts[0])
        return _joined(parts)

    def _fits(self, program: Program | None, at: Path, wanted: frozenset[str] | None) -> None:
        if program is None:
            return
        if wanted is not None and program.returns not in wanted:
            told = f"it comes to {shown_type(program.returns)}, where a text is needed"
            self._compiler.refuse(told, at, "make a text of it: string(...)")
        elif not is_data(program.returns):
            told = f"it comes to {shown_type(program.returns)}, which no object can hold"
            self._compiler.refuse(told, at, "name a field of it, or take its object()")


class Loop(Struct, frozen=True, eq=False):
    """What is done for each item of a list, under a name; `names` are those inside."""

    name: str
    program: Program | None
    names: Mapping[str, str]

    @property
    def is_loop(self) -> bool:
        """Whether there is a list at all."""
        return self.program is not None

    def each(self, scope: Scope) -> Iterator[Scope]:
        """The names and values for each item."""
        if self.program is None:
            yield scope
            return
        for item in scope.items(self.program):
            yield scope.with_value(self.name, item)


def plain(data: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    """What a `Computed` has; anything else as it is."""
    return data.value if isinstance(data, Computed) else data


def _is_text(inside: Path) -> bool:
    return inside[:2] in _TEXTS or (inside[:2] in _MARKS and len(inside) > len(inside[:2]))


def _when(when: Program | None, node: Node) -> Node:
    if when is None:
        return node
    return lambda scope: node(scope) if scope.truth(when) else iter(())


def _whole(program: Program) -> Node:
    def filled(scope: Scope) -> Iterator[Any]:
        value = scope.data(program)
        return iter(() if value is None else [_computed(value, varies=scope.varies(program))])

    return filled


def _computed(value: Any, *, varies: bool) -> Any:  # noqa: ANN401  (JSON of any shape)
    if isinstance(value, dict):
        return {key: _computed(item, varies=varies) for key, item in value.items()}
    if isinstance(value, list):
        return [_computed(item, varies=varies) for item in value]
    is_held = isinstance(value, str) or type(value) is int
    return Computed(value, varies) if is_held else value


def _joined(parts: list[str | Program | None]) -> Node:
    def filled(scope: Scope) -> Iterator[Any]:
        texts = (
            part if isinstance(part, str) else scope.text(part)
            for part in parts
            if part is not None
        )
        varies = any(scope.varies(part) for part in parts if isinstance(part, Program))
        return iter([Computed("".join(texts), varies)])

    return filled
