"""JSON Schema (draft 7) for what a structural schema of a CRD says about values."""

from __future__ import annotations

from collections.abc import Mapping

from spokerender.judging.validation.formats import FORMATS
from spokerender.judging.validation.model import Json

_COPIED = (
    "type", "enum", "pattern", "minLength", "maxLength", "minItems", "maxItems", "minProperties",
    "maxProperties", "minimum", "maximum", "multipleOf", "required", "uniqueItems",
)  # fmt: skip
ALTERNATIVES = ("allOf", "anyOf", "oneOf")
_BOUNDS = {"int32": 2**31, "int64": 2**63}


def converted(schema: Json) -> dict[str, Json]:
    """JSON Schema for what a structural schema says about values."""
    if not isinstance(schema, Mapping):
        return {}
    made = {key: schema[key] for key in _COPIED if key in schema}
    for key in ALTERNATIVES:
        if isinstance(schema.get(key), list):
            made[key] = [converted(item) for item in schema[key]]
    for key in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(key), Mapping):
            made[key] = converted(schema[key])
    if isinstance(schema.get("properties"), Mapping):
        made["properties"] = {key: converted(item) for key, item in schema["properties"].items()}
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
    bound = _BOUNDS.get(str(schema.get("format")), 2**63)
    if schema.get("x-kubernetes-int-or-string") is True:
        made.setdefault("exclusiveMinimum", -bound - 1)
        made.setdefault("exclusiveMaximum", bound)
    elif made.get("type") == "integer":
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
