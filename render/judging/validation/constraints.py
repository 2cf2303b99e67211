"""A schema's value validations, by a JSON Schema library; the only door to it.

Kubernetes' structural schemas are turned into JSON Schema (draft 7). Patterns are RE2 there; the
library's own engine is linear in time as well and agrees with RE2 where it takes a pattern at
all. Patterns that it does not take are left to CEL's `matches`, which is RE2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice

import jsonschema_rs

from render.formats import cel
from render.judging.validation.formats import FORMATS
from render.judging.validation.model import Json
from render.judging.validation.wording import UNTOLD, SchemaError
from render.model import FieldPath

_COPIED = (
    "type", "enum", "pattern", "minLength", "maxLength", "minItems", "maxItems", "minProperties",
    "maxProperties", "minimum", "maximum", "multipleOf", "required", "uniqueItems",
)  # fmt: skip
_LISTS = ("allOf", "anyOf", "oneOf")
_BOUNDS = {"int32": 2**31, "int64": 2**63}
_RE2 = "x-re2"
_MOST_ERRORS = 100
_MOST_COMPARISONS = 2_000_000
"""Of alternatives with values. The Gateway API's and Kuadrant's objects come to some thousands."""
_REGEX = jsonschema_rs.RegexOptions()


@dataclass(frozen=True, slots=True, eq=False)
class Constraints:
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
        errors = islice(self.validator.iter_errors(value), _MOST_ERRORS)
        return [problem for error in errors for problem in _leaves(error)]


class UnusableError(Exception):
    """A schema that makes no sense; the text says why."""


def constraints_of(schema: Mapping[str, Json], opaque: tuple[str, ...] = ()) -> Constraints:
    """Compile the value validations of a schema; `opaque` properties are checked elsewhere.

    Raises `UnusableError` for a schema that is malformed.
    """
    converted = _converted(schema)
    properties = converted.get("properties", {})
    for name in opaque:
        properties.pop(name, None)
    unevaluated: list[tuple[FieldPath, str]] = []
    breadth = _breadth(converted)
    try:
        return Constraints(_validator(converted), (), breadth)
    except ValueError:
        _replace_patterns(converted, (), unevaluated)
    try:
        return Constraints(_validator(converted), tuple(unevaluated), breadth)
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
        _breadth(item, is_alternative=is_alternative or key in (*_LISTS, "not"))
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


def _converted(schema: Json) -> dict[str, Json]:
    """JSON Schema for what a structural schema says about values."""
    if not isinstance(schema, Mapping):
        return {}
    made = {key: schema[key] for key in _COPIED if key in schema}
    for key in _LISTS:
        if isinstance(schema.get(key), list):
            made[key] = [_converted(item) for item in schema[key]]
    for key in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(key), Mapping):
            made[key] = _converted(schema[key])
    if isinstance(schema.get("properties"), Mapping):
        made["properties"] = {key: _converted(item) for key, item in schema["properties"].items()}
    _convert_numbers(made, schema)
    if schema.get("x-kubernetes-int-or-string") is True and "type" not in made:
        made["type"] = ["integer", "string"]
    if schema.get("nullable") is True:
        _allow_null(made)
    shape = schema.get("format")
    is_text = made.get("type", "string") in ("string", ["string"])
    if is_text and isinstance(shape, str) and shape in FORMATS:
        made["format"] = shape
    return made


def _convert_numbers(made: dict[str, Json], schema: Mapping[str, Json]) -> None:
    """OpenAPI 3.0 has exclusive bounds as truth values, and bounds as formats."""
    for side in ("Minimum", "Maximum"):
        if schema.get(f"exclusive{side}") is True and side.lower() in made:
            made[f"exclusive{side}"] = made.pop(side.lower())
    bound = _BOUNDS.get(str(schema.get("format")))
    if bound is not None and made.get("type") == "integer":
        made.setdefault("minimum", -bound)
        made.setdefault("maximum", bound - 1)


def _allow_null(made: dict[str, Json]) -> None:
    kind = made.get("type")
    if isinstance(kind, str):
        made["type"] = [kind, "null"]
    elif isinstance(kind, list):
        made["type"] = [*kind, "null"]
    if isinstance(made.get("enum"), list):
        made["enum"] = [*made["enum"], None]


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
        for nested in chosen:
            yield from _leaves(nested)
    path = tuple(error.instance_path)
    if kind.name == "additionalProperties":
        unknown = details["unexpected"]
        yield from (SchemaError("falseSchema", (*path, key), None, details) for key in unknown)
    else:
        yield SchemaError(kind.name, path, error.instance, details)


def _chooses(error: jsonschema_rs.ValidationError) -> bool:
    return error.kind.name in ("enum", "const", "not")
