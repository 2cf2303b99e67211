"""Messages about invalid values in the API server's words, with suggested fixes.

The words are those of k8s.io/apimachinery `field.Error` and of kube-openapi's validation errors, so
that a finding reads like the error of `kubectl apply`.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.attachment import INVALID_VALUE, UNKNOWN_FIELD
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault
from spokerender.model import FieldPath, shown
from spokerender.model.shapes import Json

_LONGEST = 200
_INT64 = range(-(2**63), 2**63)
_TYPES: dict[type, str] = {
    dict: "object", list: "array", str: "string", bool: "boolean", int: "integer",
    float: "number", type(None): "null",
}  # fmt: skip

_UNQUOTED = {
    "integer": r"-?[0-9]+",
    "number": r"-?[0-9]+(\.[0-9]+)?",
    "boolean": r"true|false",
}

BLOCKING = frozenset(
    ("required", "maxLength", "maxItems", "maxProperties", "type", "format", "enum")
)
"""The errors after which the API server evaluates no rule (apiextensions, `hasBlockingErr`)."""

NOT_EXPLAINED = "not explained"
"""The kind of the error that replaces all errors if there are too many to compute."""


class SchemaError(Struct, frozen=True):
    """An error of the schema library: its kind, field path, value and details."""

    kind: str
    path: FieldPath
    value: Json
    details: Mapping[str, Any]


def report_errors(problems: list[SchemaError]) -> list[Fault]:
    """Return the errors as faults; equal errors of several alternatives become one fault."""
    return list(dict.fromkeys(map(_fault, problems)))


def _fault(problem: SchemaError) -> Fault:
    path = problem.path
    if problem.kind == "required":
        path = (*path, problem.details["property"])
    if problem.kind == "falseSchema":
        return Fault(UNKNOWN_FIELD, f'unknown field "{shown(path)}"', "take it out", path)
    # A status is validated alone, when its subresource is written, so its names begin below it.
    name = shown(path[1:] if path[:1] == ("status",) else path) or "<root>"
    text, cure = _describe(problem, name)
    return Fault(INVALID_VALUE, f"{shown(path) or '<root>'}: {text}", cure, path)


def _describe(problem: SchemaError, name: str) -> tuple[str, str]:
    """Return the message for an error, and the suggested fix."""
    if problem.kind in ("type", "enum"):
        return _describe_type(problem, name) if problem.kind == "type" else _describe_enum(problem)
    value, details = problem.value, problem.details
    limit = details.get("limit", details.get("multiple_of"))
    fields = {
        **details,
        "kind": problem.kind,
        "name": name,
        "value": show_value(value),
        "length": len(value) if isinstance(value, dict | list | str) else 0,
        # Go writes whole floats without a fraction.
        "limit": int(limit) if isinstance(limit, float) and limit.is_integer() else limit,
        "plural": "" if limit == 1 else "s",
        "pattern": details.get("pattern") or details.get("message", ""),
    }
    # A keyword that nobody has words for is still reported.
    text, cure = _WORDS.get(problem.kind, _OTHER)
    return text.format_map(fields), cure.format_map(fields)


def show_value(value: Json) -> str:
    """Return a value as the API server shows it: as JSON, or the type of a list or mapping."""
    return f'"{name_type(value)}"' if isinstance(value, dict | list) else _json(value)


def _json(value: Json) -> str:
    is_float = is_too_large(value) and abs(value) < 2**1023  # float() raises soon above
    read = float(value) if is_float else value
    text = json.dumps(read, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= _LONGEST else f'{text[:_LONGEST]}…"'


def name_type(value: Json) -> str:
    """Return the JSON type of a value; the API server reads integers outside int64 as `number`."""
    return "number" if is_too_large(value) else _TYPES.get(type(value), "number")


def is_too_large(value: Json) -> bool:
    """Return whether a value is a whole number outside int64."""
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return is_whole and int(value) not in _INT64


def _describe_type(problem: SchemaError, name: str) -> tuple[str, str]:
    # Null is how schemas write `nullable`, and no type that people write.
    types = [kind for kind in problem.details["types"] if kind != "null"]
    actual = name_type(problem.value)
    cure = f"write a value of type {' or '.join(map(str, types))}"
    if types == ["string"] and actual in ("integer", "number", "boolean"):
        cure = "put it in quotes"
    elif len(types) == 1 and actual == "string" and _is_quoted(problem.value, types[0]):
        cure = "write it without quotes"
    text = (
        f'Invalid value: "{actual}": {name} in body must be of type {",".join(types)}: "{actual}"'
    )
    return text, cure


def _is_quoted(text: str, json_type: str) -> bool:
    """Return whether a text would be a value of the JSON type without its quotes."""
    pattern = _UNQUOTED.get(json_type)
    return pattern is not None and re.fullmatch(pattern, text) is not None


def _describe_enum(problem: SchemaError) -> tuple[str, str]:
    options = [option for option in problem.details["options"] if option is not None]
    text = f"Unsupported value: {_json(problem.value)}: supported values: "
    hint = did_you_mean(str(problem.value), map(str, options))
    return text + ", ".join(map(show_value, options)), hint or "use one of the supported values"


def _bound(rule: str, seen: str = "value") -> tuple[str, str]:
    return f"Invalid value: {{{seen}}}: {{name}} in body should {rule}", f"it should {rule}"


def _alternatives(words: str) -> tuple[str, str]:
    cure = "give it one of the forms that the schema knows"
    return f'Invalid value: {{value}}: "{{name}}" must {words}', cure


_TOO_MANY = (
    "Too many: {length}: must have at most {limit} item{plural}",
    "keep at most {limit}, or split the object in two",
)
_PATTERN = (
    "Invalid value: {value}: {name} in body should match '{pattern}'",
    "write it in the form that the pattern asks for",
)
_OTHER = ("Invalid value: {value}: {name} in body is refused ({kind})", "")
_WORDS = {
    "required": ("Required value", "set {property}"),
    "maxLength": (
        "Too long: may not be more than {limit} bytes",
        "shorten it from {length} to {limit} characters",
    ),
    "maxItems": _TOO_MANY,
    "maxProperties": _TOO_MANY,
    "pattern": _PATTERN,
    "x-re2": _PATTERN,
    "format": (
        "Invalid value: {value}: {name} in body must be of type {format}: {value}",
        "write it as {format}",
    ),
    "minLength": _bound("be at least {limit} chars long"),
    "minItems": _bound("have at least {limit} items", "length"),
    "minProperties": _bound("have at least {limit} properties", "length"),
    "minimum": _bound("be greater than or equal to {limit}"),
    "maximum": _bound("be less than or equal to {limit}"),
    "exclusiveMinimum": _bound("be greater than {limit}"),
    "exclusiveMaximum": _bound("be less than {limit}"),
    "multipleOf": _bound("be a multiple of {limit}"),
    "anyOf": _alternatives("validate at least one schema (anyOf)"),
    "oneOfNotValid": _alternatives("validate one and only one schema (oneOf). Found none valid"),
    "oneOf": _alternatives("validate one and only one schema (oneOf). Found none valid"),
    "oneOfMultipleValid": _alternatives("validate one and only one schema (oneOf)"),
    "not": _alternatives("not validate the schema (not)"),
    NOT_EXPLAINED: (
        "the schema refuses the object, and its alternatives are too many to tell which of them",
        "see what kubectl apply --dry-run=server says of it",
    ),
}
"""The message and the suggested fix, by the kind of error."""
