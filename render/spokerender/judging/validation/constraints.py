"""A schema's value validations, by a JSON Schema library; the only door to it.

Kubernetes' structural schemas are turned into JSON Schema (draft 7). Patterns are RE2 there; the
library's own engine is linear in time as well and agrees with RE2 where it takes a pattern at
all. Patterns that it does not take are left to CEL's `matches`, which is RE2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

import jsonschema_rs
from msgspec import Struct

from spokerender.formats import cel
from spokerender.judging.validation.converting import ALTERNATIVES, converted
from spokerender.judging.validation.formats import FORMATS
from spokerender.judging.validation.model import Json
from spokerender.judging.validation.wording import UNTOLD, SchemaError, is_too_large
from spokerender.model import FieldPath

_RE2 = "x-re2"
_TOO_LARGE = {
    "minimum": ["integer"], "maximum": ["integer"],
    "exclusiveMinimum": ["integer", "string"], "exclusiveMaximum": ["integer", "string"],
}  # fmt: skip
"""What a whole number that no int64 holds should be, by the bound that it breaks."""
_OF_TEXTS = {"maxLength": 0, "minLength": 1, "pattern": 2, _RE2: 2}
"""In the order in which the API server looks at a text."""
_MOST_ERRORS = 100
_MOST_COMPARISONS = 2_000_000
"""Of alternatives with values. The Gateway API's and Kuadrant's objects come to some thousands."""
_REGEX = jsonschema_rs.RegexOptions()


class Constraints(Struct, frozen=True, eq=False):
    """A compiled schema. `unevaluated` are patterns that no engine here takes, with reasons.

    `breadth` is how many schemas and fixed values there are in its alternatives.
    """

    validator: jsonschema_rs.Validator
    unevaluated: tuple[tuple[FieldPath, str], ...]
    breadth: int = 0

    def problems(self, value: Json) -> list[SchemaError]:
        """What the schema says against JSON data, in the order of its fields.

        No more than a hundred errors are taken. Each has all that its alternatives say, which the
        library makes at once: where a hostile CRD has too many of them, it is only said that the
        object is refused.
        """
        if self.validator.is_valid(value):
            return []
        if self.breadth * _size(value) > _MOST_COMPARISONS:
            return [SchemaError(UNTOLD, (), value, {})]
        errors = list(islice(self.validator.iter_errors(value), _MOST_ERRORS))
        return [problem for error in _first_of_texts(errors) for problem in _leaves(error)]


class UnusableError(Exception):
    """A schema that makes no sense; the text says why."""


def constraints_of(schema: Mapping[str, Json], opaque: tuple[str, ...] = ()) -> Constraints:
    """Compile the value validations of a schema; `opaque` properties are checked elsewhere.

    Raises `UnusableError` for a schema that is malformed.
    """
    made = converted(schema)
    properties = made.get("properties", {})
    for name in opaque:
        properties.pop(name, None)
    unevaluated: list[tuple[FieldPath, str]] = []
    breadth = _breadth(made)
    try:
        return Constraints(_validator(made), (), breadth)
    except ValueError:
        _replace_patterns(made, (), unevaluated)
    try:
        return Constraints(_validator(made), tuple(unevaluated), breadth)
    except ValueError as error:
        raise UnusableError(str(error).partition("\n")[0]) from error


def _breadth(schema: Json, *, is_alternative: bool = False) -> int:
    """How many schemas and fixed values stand below `allOf`, `anyOf`, `oneOf` and `not`."""
    if isinstance(schema, list):
        return sum(_breadth(item, is_alternative=is_alternative) for item in schema)
    if not isinstance(schema, dict):
        return 0
    enum = schema.get("enum")
    own = 1 + (len(enum) if isinstance(enum, list) else 0) if is_alternative else 0
    return own + sum(
        _breadth(item, is_alternative=is_alternative or key in (*ALTERNATIVES, "not"))
        for key, item in schema.items()
        if key != "enum"
    )


def _size(value: Json) -> int:
    """How many values there are in a value, itself among them."""
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1


def _validator(schema: dict[str, Json]) -> jsonschema_rs.Validator:
    return jsonschema_rs.Draft7Validator(
        schema,
        validate_formats=True,
        formats=FORMATS,
        pattern_options=_REGEX,
        keywords={_RE2: _Re2},
    )


def compile_shared(schema: dict[str, Json]) -> Constraints:
    """Compile JSON Schema that is JSON Schema already (Kubernetes' own kinds)."""
    return Constraints(_validator(schema), ())


class _Re2:
    """A pattern for CEL's engine."""

    def __init__(self, parent_schema: Json, value: Json, schema_path: Json) -> None:
        """Keep the pattern; the library gives the rest."""
        del parent_schema, schema_path
        self.pattern = value

    def validate(self, instance: Json) -> None:
        """Raise ValueError, as the library asks, where the pattern is not found."""
        if isinstance(instance, str) and not cel.matches(self.pattern, instance):
            raise ValueError(self.pattern)


def _replace_patterns(
    schema: Json, place: FieldPath, unevaluated: list[tuple[FieldPath, str]]
) -> None:
    """Move each pattern that the library's engine doesn't take to one that does, or out."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            _replace_patterns(item, (*place, index), unevaluated)
    elif isinstance(schema, dict):
        pattern = schema.get("pattern")
        if isinstance(pattern, str) and not _is_taken(pattern):
            del schema["pattern"]
            try:
                cel.matches(pattern, "")
                schema[_RE2] = pattern
            except cel.UnevaluableError as error:
                unevaluated.append(((*place, "pattern"), f"{pattern!r}: {error}"))
        for key, item in list(schema.items()):
            _replace_patterns(item, (*place, key), unevaluated)


@cache
def _is_taken(pattern: str) -> bool:
    try:
        jsonschema_rs.Draft7Validator({"pattern": pattern}, pattern_options=_REGEX)
    except ValueError:
        return False
    return True


def _leaves(error: jsonschema_rs.ValidationError) -> Iterator[SchemaError]:
    """The problem, before it those of the alternative that is most likely meant.

    That is the first in which no fixed value contradicts (a `type` that chooses), as the API
    server tells the errors of the alternative that matches best.
    """
    kind = error.kind
    details = kind.as_dict()
    contexts: list[list[jsonschema_rs.ValidationError]] = details.pop("context", [])
    if contexts and kind.name != "oneOfMultipleValid":
        chosen = next((c for c in contexts if c and not any(map(_chooses, c))), contexts[0])
        for nested in _first_of_texts(chosen):
            yield from _leaves(nested)
    path = tuple(error.instance_path)
    if kind.name == "additionalProperties":
        unknown = details["unexpected"]
        yield from (SchemaError("falseSchema", (*path, key), None, details) for key in unknown)
    elif kind.name in _TOO_LARGE and is_too_large(error.instance):
        yield SchemaError("type", path, error.instance, {"types": _TOO_LARGE[kind.name]})
    else:
        yield SchemaError(kind.name, path, error.instance, details)


def _first_of_texts(errors: list[jsonschema_rs.ValidationError]) -> list[Any]:
    """The errors, of those that one schema has about one text the first alone.

    That is where the API server stops looking (kube-openapi, validator.go, stringValidator).
    """
    first: dict[tuple[FieldPath, FieldPath], int] = {}
    ranked = [_rank_and_place(error) for error in errors]
    for rank, place in ranked:
        if rank is not None:
            first[place] = min(rank, first.get(place, rank))
    return [
        error
        for error, (rank, place) in zip(errors, ranked, strict=True)
        if rank is None or rank == first[place]
    ]


def _rank_and_place(
    error: jsonschema_rs.ValidationError,
) -> tuple[int | None, tuple[FieldPath, FieldPath]]:
    place = (tuple(error.instance_path), tuple(error.schema_path[:-1]))
    return _OF_TEXTS.get(error.kind.name), place


def _chooses(error: jsonschema_rs.ValidationError) -> bool:
    return error.kind.name in ("enum", "const", "not")
