"""The JSON Schema of our files, for editors: read off the models that read the files."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from render.config.base import API_VERSION
from render.config.fields import FieldInfo, MinItems, Model, MoreThan, TextRule, WithJsonSchema
from render.config.fleet import Fleet
from render.config.placement import Placement
from render.config.publishing import Publishing

_KINDS = (Fleet, Placement, Publishing)

Schema = dict[str, Any]

_SCALARS: Mapping[Any, Schema] = {
    Any: {},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    str: {"type": "string"},
}


def schema() -> Schema:
    """One JSON Schema (2020-12) for all kinds; `kind` decides which of them counts."""
    definitions: dict[str, Schema] = {}
    for kind in _KINDS:
        _model(kind, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://{API_VERSION}/schema.json",
        "title": "spokerender",
        "description": "A fleet, a placement or a publishing file of spokerender.",
        "type": "object",
        "required": ["apiVersion", "kind"],
        "properties": {"kind": {"enum": [kind.__name__ for kind in _KINDS]}},
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": kind.__name__}}, "required": ["kind"]},
                "then": {"$ref": f"#/$defs/{kind.__name__}"},
            }
            for kind in _KINDS
        ],
        "$defs": dict(sorted(definitions.items())),
    }


def _model(model: type[Model], definitions: dict[str, Schema]) -> Schema:
    """A reference to a model, which is then among the definitions."""
    name = model.__name__
    if name not in definitions:
        definitions[name] = {}
        hints = get_type_hints(model, include_extras=True)
        fields = model.fields_of
        required = [info.key for info in fields.values() if info.is_required]
        definitions[name] = _sorted(
            {
                "additionalProperties": False,
                "description": model.__doc__,
                "properties": {
                    info.key: _field(own, info, hints[own], definitions)
                    for own, info in fields.items()
                },
                **({"required": required} if required else {}),
                "title": name,
                "type": "object",
                **model.schema_of,
            }
        )
    return {"$ref": f"#/$defs/{name}"}


def _field(
    name: str,
    info: FieldInfo,
    annotation: Any,  # noqa: ANN401  (a type form of any shape)
    definitions: dict[str, Schema],
) -> Schema:
    found = {**_type(annotation, definitions), "description": info.description}
    has_default = not info.is_required and info.default_factory is None
    if has_default and not isinstance(info.default, Model):
        found["default"] = list(info.default) if isinstance(info.default, tuple) else info.default
    return _sorted({**found, "title": name.rstrip("_").replace("_", " ")})


def _type(annotation: Any, definitions: dict[str, Schema]) -> Schema:  # noqa: ANN401, PLR0911
    """The schema of the values of an annotated type."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:], definitions)
    if origin in (Union, UnionType):
        (kind,) = (argument for argument in arguments if argument is not NoneType)
        return {"anyOf": [_type(kind, definitions), {"type": "null"}]}
    if origin is Literal:
        words = {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
        return {**words, "type": "string"}
    if origin is tuple:
        return {"items": _type(arguments[0], definitions), "type": "array"}
    if origin is dict:
        return _mapping(*(_type(argument, definitions) for argument in arguments))
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return _model(annotation, definitions)
    return dict(_SCALARS[annotation])


def _mapping(keys: Schema, values: Schema) -> Schema:
    names = {key: rule for key, rule in keys.items() if key != "type"}
    return {
        "additionalProperties": values or True,
        **({"propertyNames": names} if names else {}),
        "type": "object",
    }


def _annotated(
    annotation: Any,  # noqa: ANN401  (a type form of any shape)
    metadata: tuple[Any, ...],
    definitions: dict[str, Schema],
) -> Schema:
    found = _type(annotation, definitions)
    for rule in metadata:
        match rule:
            case WithJsonSchema():
                found = dict(rule.schema)
            case MinItems():
                size = "minItems" if found.get("type") == "array" else "minProperties"
                found[size] = rule.least
            case MoreThan():
                found["exclusiveMinimum"] = rule.bound
            case TextRule():
                found |= {
                    key: limit
                    for key, limit in (
                        ("maxLength", rule.max_length),
                        ("minLength", rule.min_length),
                        ("pattern", rule.pattern),
                    )
                    if limit
                }
    return _sorted(found)


def _sorted(found: Schema) -> Schema:
    return dict(sorted(found.items()))
