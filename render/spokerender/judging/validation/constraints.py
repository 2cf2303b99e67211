"""Validates values by a schema with a JSON Schema library, which no other module imports.

A structural schema of Kubernetes becomes JSON Schema (draft 7). The API server's patterns are RE2;
the library's engine is linear in time as well, and agrees with RE2 on each pattern that it accepts.
The other patterns are evaluated by CEL's `matches`, which is RE2.
"""

import ipaddress
import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

import jsonschema_rs
from msgspec import Struct

from spokerender.formats import cel
from spokerender.judging.validation.wording import NOT_EXPLAINED, SchemaError, is_too_large
from spokerender.model import FieldPath
from spokerender.model.shapes import Json

_COPIED = (
    "type", "enum", "pattern", "minLength", "maxLength", "minItems", "maxItems", "minProperties",
    "maxProperties", "minimum", "maximum", "multipleOf", "required", "uniqueItems",
)  # fmt: skip
_OPAQUE = ("apiVersion", "kind", "metadata")
_ALTERNATIVES = ("allOf", "anyOf", "oneOf")
_ABOUT_PARTS = (*_ALTERNATIVES, "not", "enum", "uniqueItems", "x-kubernetes-embedded-resource")
_BOUNDS = {"int32": 2**31, "int64": 2**63}
_RE2 = "x-re2"
_TOO_LARGE = {
    "minimum": ["integer"], "maximum": ["integer"],
    "exclusiveMinimum": ["integer", "string"], "exclusiveMaximum": ["integer", "string"],
}  # fmt: skip
"""The types to report if a whole number is outside int64, by the bound that it violates."""
_TEXT_CHECKS = {"maxLength": 0, "minLength": 1, "pattern": 2, _RE2: 2}
"""The checks of a text in the order in which the API server makes them."""
_MOST_ERRORS = 100
_MOST_COMPARISONS = 2_000_000
"""The limit of alternatives times values; Gateway API and Kuadrant objects have a few thousand."""
_REGEX = jsonschema_rs.RegexOptions()

_DATE = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_TIME = (
    r"[Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]|:60)?([.,][0-9]{1,9})?"
    r"([Zz]|[+-][0-9]{2}:?[0-9]{2})?"
)
# There is one way only to match each part: a second one would double the time with every part.
_GO_DURATION = r"[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)"
_DURATION = r"(?>[0-9]+\s*(?>second|minute|hour|week|day|ns|us|µs|ms|hr|s|m|h|d|w)s?\s*)++"
_HOSTNAME = r"[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?"
_UUID = r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}"
_MAC = r"(?i)[0-9a-f]{2}([:-][0-9a-f]{2}){5}([:-][0-9a-f]{2}){0,14}|([0-9a-f]{4}\.){2,}[0-9a-f]{4}"
_EMAIL = r'[^\s@<>()",;:\\\[\]]+@[^\s@<>()",;:\\]+'
# As Go's `url.ParseRequestURI`: absolute, or an absolute path.
_URI = r"([A-Za-z][A-Za-z0-9+.-]*:|/)[^\x00-\x20\x7f]*"
_COLOR = r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"
_HOSTNAME_LENGTH = 255


def _parsed(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except (ValueError, Base64Error):
        return False
    return True


def _base64(text: str) -> bytes:
    return b64decode(text, validate=True)


def _is_date_time(text: str) -> bool:
    date, time = text[:10], text[10:]
    return bool(re.fullmatch(_DATE, date)) and (not time or bool(re.fullmatch(_TIME, time)))


def _is_hostname(text: str) -> bool:
    return len(text) <= _HOSTNAME_LENGTH and all(
        re.fullmatch(_HOSTNAME, label) for label in text.split(".")
    )


def _is_uuid(version: str) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        match = re.fullmatch(_UUID, text)
        return match is not None and version in ("", match[1])

    return check


FORMATS: dict[str, Callable[[str], bool]] = {
    "byte": lambda text: _parsed(_base64, text),
    "cidr": lambda text: (
        "/" in text and _parsed(lambda t: ipaddress.ip_network(t, strict=False), text)
    ),
    "date": lambda text: bool(re.fullmatch(_DATE, text)),
    "date-time": _is_date_time,
    "datetime": _is_date_time,
    "duration": lambda text: bool(
        re.fullmatch(_GO_DURATION, text) or re.fullmatch(_DURATION, text)
    ),
    "email": lambda text: bool(re.fullmatch(_EMAIL, text)),
    "hexcolor": lambda text: bool(re.fullmatch(_COLOR, text)),
    "hostname": _is_hostname,
    "ipv4": lambda text: _parsed(ipaddress.IPv4Address, text),
    "ipv6": lambda text: "%" not in text and _parsed(ipaddress.IPv6Address, text),
    "mac": lambda text: bool(re.fullmatch(_MAC, text)),
    "uri": lambda text: bool(re.fullmatch(_URI, text)),
    "uuid": _is_uuid(""),
    "uuid3": _is_uuid("3"),
    "uuid4": _is_uuid("4"),
    "uuid5": _is_uuid("5"),
}
"""The values of `format` that the API server enforces for strings (kube-openapi, `strfmt`).

Other formats (isbn, creditcard, ssn, bsonobjectid, ...) are not checked.
"""


class Constraints(Struct, frozen=True, eq=False):
    """A compiled schema.

    `unevaluated` are the places of patterns that no engine accepts, with the reasons. `breadth` is
    the number of schemas and fixed values in the schema's alternatives (`allOf` and so on).
    """

    validator: jsonschema_rs.Validator
    unevaluated: tuple[tuple[FieldPath, str], ...]
    breadth: int = 0

    def problems(self, value: Json) -> list[SchemaError]:
        """Return the errors of a JSON value, at most a hundred from the library."""
        if self.validator.is_valid(value):
            return []
        # The library makes the errors of all alternatives at once, of which a hostile CRD may have
        # too many: then the only error is that the object is refused.
        if self.breadth * _count_values(value) > _MOST_COMPARISONS:
            return [SchemaError(NOT_EXPLAINED, (), value, {})]
        errors = list(islice(self.validator.iter_errors(value), _MOST_ERRORS))
        return [problem for error in _drop_later_text_errors(errors) for problem in _flatten(error)]


class UnusableError(Exception):
    """A malformed schema; the text describes the fault."""


def compile_constraints(schema: Mapping[str, Json], *, is_root: bool = True) -> Constraints:
    """Return the compiled validations of a CRD's schema, or (not `is_root`) of a node in it.

    Raises `UnusableError` if the schema is malformed.
    """
    draft_7 = _convert(schema)
    properties = draft_7.get("properties", {})
    # The object's identity at the root is validated elsewhere.
    for name in _OPAQUE if is_root else ():
        properties.pop(name, None)
    unevaluated: list[tuple[FieldPath, str]] = []
    breadth = _count_alternatives(draft_7)
    try:
        return Constraints(make_validator(draft_7), (), breadth)
    except ValueError:
        _replace_patterns(draft_7, (), unevaluated)
    try:
        return Constraints(make_validator(draft_7), tuple(unevaluated), breadth)
    except ValueError as error:
        raise UnusableError(str(error).partition("\n")[0]) from error


def compares_parts(schema: Mapping[str, Json]) -> bool:
    """Return whether a schema relates several parts of a list or mapping to each other."""
    return any(key in schema for key in _ABOUT_PARTS)


def _convert(schema: Json) -> dict[str, Json]:
    """Return the JSON Schema (draft 7) of a structural schema's value validations."""
    if not isinstance(schema, Mapping):
        return {}
    draft_7 = {key: schema[key] for key in _COPIED if key in schema}
    for key in _ALTERNATIVES:
        if isinstance(schema.get(key), list):
            draft_7[key] = [_convert(item) for item in schema[key]]
    for key in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(key), Mapping):
            draft_7[key] = _convert(schema[key])
    if isinstance(schema.get("properties"), Mapping):
        draft_7["properties"] = {key: _convert(item) for key, item in schema["properties"].items()}
    _convert_numbers(draft_7, schema)
    if schema.get("x-kubernetes-int-or-string") is True and "type" not in draft_7:
        draft_7["type"] = ["integer", "string"]
    if schema.get("nullable") is True:
        _allow_null(draft_7)
    shape = schema.get("format")
    is_text = draft_7.get("type", "string") in ("string", ["string"])
    if is_text and isinstance(shape, str) and shape in FORMATS:
        draft_7["format"] = shape
    return draft_7


def _convert_numbers(draft_7: dict[str, Json], schema: Mapping[str, Json]) -> None:
    """Set bounds in `draft_7` for OpenAPI 3.0's booleans (`exclusiveMinimum`) and formats."""
    for side in ("Minimum", "Maximum"):
        if schema.get(f"exclusive{side}") is True and side.lower() in draft_7:
            draft_7[f"exclusive{side}"] = draft_7.pop(side.lower())
    bound = _BOUNDS.get(str(schema.get("format")), 2**63)
    if schema.get("x-kubernetes-int-or-string") is True:
        draft_7.setdefault("exclusiveMinimum", -bound - 1)
        draft_7.setdefault("exclusiveMaximum", bound)
    elif draft_7.get("type") == "integer":
        draft_7.setdefault("minimum", -bound)
        draft_7.setdefault("maximum", bound - 1)


def _allow_null(draft_7: dict[str, Json]) -> None:
    kind = draft_7.get("type")
    if isinstance(kind, str):
        draft_7["type"] = [kind, "null"]
    elif isinstance(kind, list):
        draft_7["type"] = [*kind, "null"]
    if isinstance(draft_7.get("enum"), list):
        draft_7["enum"] = [*draft_7["enum"], None]


def _count_alternatives(schema: Json, *, is_alternative: bool = False) -> int:
    """Return the number of schemas and fixed values in `allOf`, `anyOf`, `oneOf` and `not`."""
    if isinstance(schema, list):
        return sum(_count_alternatives(item, is_alternative=is_alternative) for item in schema)
    if not isinstance(schema, dict):
        return 0
    enum = schema.get("enum")
    count = 1 + (len(enum) if isinstance(enum, list) else 0) if is_alternative else 0
    return count + sum(
        _count_alternatives(item, is_alternative=is_alternative or key in (*_ALTERNATIVES, "not"))
        for key, item in schema.items()
        if key != "enum"
    )


def _count_values(value: Json) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_count_values, value.values()))
    return 1 + sum(map(_count_values, value)) if isinstance(value, list) else 1


def make_validator(schema: dict[str, Json]) -> jsonschema_rs.Validator:
    """Return the compiled JSON Schema (draft 7), with the formats that API servers enforce."""
    return jsonschema_rs.Draft7Validator(
        schema,
        validate_formats=True,
        formats=FORMATS,
        pattern_options=_REGEX,
        keywords={_RE2: _Re2},
    )


class _Re2:
    """A keyword of JSON Schema whose pattern CEL's engine evaluates."""

    def __init__(self, parent_schema: Json, value: Json, schema_path: Json) -> None:
        """Keep the pattern; the library requires the other arguments."""
        del parent_schema, schema_path
        self.pattern = value

    def validate(self, instance: Json) -> None:
        """Raise ValueError, as the library requires, if the text does not match."""
        if isinstance(instance, str) and not cel.matches_pattern(self.pattern, instance):
            raise ValueError(self.pattern)


def _replace_patterns(
    schema: Json, place: FieldPath, unevaluated: list[tuple[FieldPath, str]]
) -> None:
    """Move each pattern that the library rejects to the RE2 keyword, or to `unevaluated`."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            _replace_patterns(item, (*place, index), unevaluated)
    elif isinstance(schema, dict):
        pattern = schema.get("pattern")
        if isinstance(pattern, str) and not _is_accepted(pattern):
            del schema["pattern"]
            try:
                cel.matches_pattern(pattern, "")
                schema[_RE2] = pattern
            except cel.UnevaluableError as error:
                unevaluated.append(((*place, "pattern"), f"{pattern!r}: {error}"))
        for key, item in list(schema.items()):
            _replace_patterns(item, (*place, key), unevaluated)


@cache
def _is_accepted(pattern: str) -> bool:
    try:
        jsonschema_rs.Draft7Validator({"pattern": pattern}, pattern_options=_REGEX)
    except ValueError:
        return False
    return True


def _flatten(error: jsonschema_rs.ValidationError) -> Iterator[SchemaError]:
    """Yield the problems of the most likely alternative, then the error itself."""
    kind = error.kind
    details = kind.as_dict()
    contexts: list[list[jsonschema_rs.ValidationError]] = details.pop("context", [])
    if contexts and kind.name != "oneOfMultipleValid":
        # Like the API server, take the alternative that matches best: the first alternative that no
        # fixed value contradicts, such as a `type` that selects it.
        choices = {"enum", "const", "not"}
        plain = (c for c in contexts if c and choices.isdisjoint(each.kind.name for each in c))
        chosen = next(plain, contexts[0])
        for nested in _drop_later_text_errors(chosen):
            yield from _flatten(nested)
    path = tuple(error.instance_path)
    if kind.name == "additionalProperties":
        unknown = details["unexpected"]
        yield from (SchemaError("falseSchema", (*path, key), None, details) for key in unknown)
    elif kind.name in _TOO_LARGE and is_too_large(error.instance):
        yield SchemaError("type", path, error.instance, {"types": _TOO_LARGE[kind.name]})
    else:
        yield SchemaError(kind.name, path, error.instance, details)


def _drop_later_text_errors(errors: list[jsonschema_rs.ValidationError]) -> list[Any]:
    """Return the errors; of one text and schema, only the error that the API server finds first."""
    # The API server stops there (kube-openapi, validator.go, stringValidator).
    first: dict[tuple[FieldPath, FieldPath], int] = {}
    ranked = [
        (
            _TEXT_CHECKS.get(error.kind.name),
            (tuple(error.instance_path), tuple(error.schema_path[:-1])),
        )
        for error in errors
    ]
    for rank, place in ranked:
        if rank is not None:
            first[place] = min(rank, first.get(place, rank))
    return [
        error
        for error, (rank, place) in zip(errors, ranked, strict=True)
        if rank is None or rank == first[place]
    ]
