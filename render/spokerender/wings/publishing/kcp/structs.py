"""CustomResourceDefinitions as Go's structs have them: which fields, in which order, which vanish.

A schema's name is a hash of these structs' JSON. Source: k8s.io/apiextensions-apiserver
(types.go, types_jsonschema.go, marshal.go). A field that the structs do not have vanishes; so does
one without a pointer that is zero, false or empty; one with a pointer stays, whatever it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from spokerender.model.shapes import as_mapping
from spokerender.wings.publishing import gojson

Json: TypeAlias = Any
Shape: TypeAlias = Callable[[Json], Json]

_LARGEST = 1e21


class Struct:
    """A struct: its fields in their order, each with the shape of its value, and how it is kept."""

    def __init__(
        self,
        shapes: Mapping[str, Shape],
        *,
        pointers: Iterable[str] = (),
        always: Iterable[str] = (),
    ) -> None:
        """`pointers` are kept when they are set, `always` are always written."""
        self._shapes = shapes
        self._kept = frozenset(pointers)
        self._always = frozenset(always)
        self._places = {name: place for place, name in enumerate(shapes)}

    def of(self, value: Json) -> dict[str, Json]:
        """The struct with this content; `value` is the mapping that YAML has."""
        data = as_mapping(value)
        names = [name for name in data if name in self._places and data[name] is not None]
        names += [name for name in self._always if data.get(name) is None]
        made: dict[str, Json] = {}
        for name in sorted(names, key=self._places.__getitem__):
            if data.get(name) is None:
                made[name] = _zero(name)
                continue
            shaped = self._shapes[name](data[name])
            if shaped or name in self._kept or name in self._always:
                made[name] = shaped
        return made


def _zero(name: str) -> Json:
    """What Go has where nothing is set: false for the flags, the empty text for the rest."""
    return False if name in {"served", "storage"} else ""


def _as_is(value: Json) -> Json:
    return value


def exact(value: Json) -> Json:
    """JSON that went through the API server: keys sorted at all depths, 1.0 is 1."""
    if isinstance(value, Mapping):
        return {key: exact(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [exact(item) for item in value]
    return number(value) if isinstance(value, float) else value


def number(value: Json) -> Json:
    """A float64; a whole one is written as an integer."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    as_float = float(value)
    is_whole = as_float.is_integer() and abs(as_float) < _LARGEST and str(as_float) != "-0.0"
    return int(gojson.format_decimal(as_float)) if is_whole else as_float


def _integer(value: Json) -> Json:
    return number(value) if isinstance(value, float) else value


def _list_of(shape: Shape) -> Shape:
    return lambda value: [shape(item) for item in value] if isinstance(value, list) else []


def _map_of(shape: Shape) -> Shape:
    def shaped(value: Json) -> Json:
        if not isinstance(value, Mapping):
            return {}
        return {key: shape(value[key]) for key in sorted(value)}

    return shaped


def _schema(value: Json) -> Json:
    return SCHEMA.of(value)


def _schema_or_list(value: Json) -> Json:
    return [_schema(item) for item in value] if isinstance(value, list) else _schema(value)


def _schema_or_flag(value: Json) -> Json:
    return value if isinstance(value, bool) else _schema(value)


def _schema_or_names(value: Json) -> Json:
    return value if isinstance(value, list) else _schema(value)


_RULE = Struct(
    dict.fromkeys(
        ("rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"), _as_is
    ),
    pointers=({"reason", "optionalOldSelf"}),
    always=({"rule"}),
)
_SCHEMAS, _SCHEMA_MAP = _list_of(_schema), _map_of(_schema)

SCHEMA = Struct(
    {
        "id": _as_is,
        "$schema": _as_is,
        "$ref": _as_is,
        "description": _as_is,
        "type": _as_is,
        "format": _as_is,
        "title": _as_is,
        "default": exact,
        "maximum": number,
        "exclusiveMaximum": _as_is,
        "minimum": number,
        "exclusiveMinimum": _as_is,
        "maxLength": _integer,
        "minLength": _integer,
        "pattern": _as_is,
        "maxItems": _integer,
        "minItems": _integer,
        "uniqueItems": _as_is,
        "multipleOf": number,
        "enum": _list_of(exact),
        "maxProperties": _integer,
        "minProperties": _integer,
        "required": _as_is,
        "items": _schema_or_list,
        "allOf": _SCHEMAS,
        "oneOf": _SCHEMAS,
        "anyOf": _SCHEMAS,
        "not": _schema,
        "properties": _SCHEMA_MAP,
        "additionalProperties": _schema_or_flag,
        "patternProperties": _SCHEMA_MAP,
        "dependencies": _map_of(_schema_or_names),
        "additionalItems": _schema_or_flag,
        "definitions": _SCHEMA_MAP,
        "externalDocs": Struct(dict.fromkeys(("description", "url"), _as_is)).of,
        "example": exact,
        "nullable": _as_is,
        "x-kubernetes-preserve-unknown-fields": _as_is,
        "x-kubernetes-embedded-resource": _as_is,
        "x-kubernetes-int-or-string": _as_is,
        "x-kubernetes-list-map-keys": _as_is,
        "x-kubernetes-list-type": _as_is,
        "x-kubernetes-map-type": _as_is,
        "x-kubernetes-validations": _list_of(_RULE.of),
    },
    pointers=(
        {
            "$ref",
            "default",
            "maximum",
            "minimum",
            "maxLength",
            "minLength",
            "maxItems",
            "minItems",
            "multipleOf",
            "maxProperties",
            "minProperties",
            "items",
            "not",
            "additionalProperties",
            "additionalItems",
            "externalDocs",
            "example",
            "x-kubernetes-preserve-unknown-fields",
            "x-kubernetes-list-type",
            "x-kubernetes-map-type",
        }
    ),
)
NAMES = Struct(
    dict.fromkeys(("plural", "singular", "shortNames", "kind", "listKind", "categories"), _as_is),
    always=({"plural", "kind"}),
)
_SCALE = Struct(
    dict.fromkeys(("specReplicasPath", "statusReplicasPath", "labelSelectorPath"), _as_is),
    pointers=({"labelSelectorPath"}),
    always=({"specReplicasPath", "statusReplicasPath"}),
)
SUBRESOURCES = Struct({"status": lambda _: {}, "scale": _SCALE.of}, pointers=({"status", "scale"}))
_COLUMN = Struct(
    {
        **dict.fromkeys(("name", "type", "format", "description"), _as_is),
        "priority": _integer,
        "jsonPath": _as_is,
    },
    always=({"name", "type", "jsonPath"}),
)
COLUMNS = _list_of(_COLUMN.of)
SELECTABLE = _list_of(Struct({"jsonPath": _as_is}, always=({"jsonPath"})).of)
VERSION = Struct(
    {
        "name": _as_is,
        "served": _as_is,
        "storage": _as_is,
        "deprecated": _as_is,
        "deprecationWarning": _as_is,
        "schema": Struct({"openAPIV3Schema": _schema}, pointers=({"openAPIV3Schema"})).of,
        "subresources": SUBRESOURCES.of,
        "additionalPrinterColumns": COLUMNS,
        "selectableFields": SELECTABLE,
    },
    pointers=({"deprecationWarning", "schema", "subresources"}),
    always=({"name", "served", "storage"}),
)
SPEC = Struct(
    {
        "group": _as_is,
        "names": NAMES.of,
        "scope": _as_is,
        "versions": _list_of(VERSION.of),
        "preserveUnknownFields": _as_is,
    },
    always=({"group", "names", "scope", "versions"}),
)
