"""APIResourceSchemas: the schema of a published kind, with upstream's name and text.

The name of a schema is a hash of the JSON of the CRD's Go structs. Fields that the structs do not
have are dropped, and so are fields that are zero, false or empty, unless they are pointers. Source:
k8s.io/apiextensions-apiserver (types.go, types_jsonschema.go, marshal.go); kcp-dev/api-syncagent
(internal/controller/apiresourceschema); kcp-dev/kcp (`CRDToAPIResourceSchema`).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from spokerender.kinds.fields import read_value
from spokerender.model.shapes import Json, as_list, as_mapping
from spokerender.wings.publishing import gojson

API_VERSION = "apis.kcp.io/v1alpha1"
KIND = "APIResourceSchema"
AGENT_ANNOTATION = "syncagent.kcp.io/agent-name"
API_APPROVED = "api-approved.kubernetes.io"
_GENERATION_ANNOTATION = "syncagent.kcp.io/source-generation"
_HASH_DIGITS = 8
_MAX_DECIMAL = 1e21

_Crd = Mapping[str, Any]
Shape: TypeAlias = Callable[[Json], Json]
"""Converts a JSON value into the form in which Go writes a value of its type."""


def make_schema(crd: _Crd, source: _Crd, agent: str) -> dict[str, Any]:
    """Return the APIResourceSchema of a projected CRD; `source` is the CRD before projection."""
    # Upstream hashes the spec without `conversion`, which `CRD_SPEC` does not have.
    spec = CRD_SPEC(crd["spec"])
    digits = gojson.hash_sha1(gojson.encode(spec) + "\n")[:_HASH_DIGITS]
    # A file rarely has a generation; the API server gives 1 to what it creates.
    generation = source["metadata"].get("generation")
    if not isinstance(generation, int) or generation <= 0:
        generation = 1
    metadata: dict[str, Any] = {
        "name": f"v{digits}.{spec['names']['plural']}.{spec['group']}",
        "labels": {AGENT_ANNOTATION: agent},
        "annotations": {AGENT_ANNOTATION: agent, _GENERATION_ANNOTATION: str(generation)},
    }
    # Upstream forgets this annotation, without which kcp refuses a schema of a protected group.
    approved = read_value(source, ("metadata", "annotations", API_APPROVED))
    if isinstance(approved, str) and approved:
        metadata["annotations"][API_APPROVED] = approved
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": metadata,
        "spec": convert_spec(spec),
    }


def convert_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a CRD's spec, in the form of Go's structs, into a schema's spec."""
    converted = {
        "group": spec["group"],
        "names": spec["names"],
        "scope": spec["scope"],
        "versions": [_convert_version(version) for version in spec["versions"]],
    }
    # A published kind can't have a conversion webhook.
    has_conversion = len(spec["versions"]) > 1
    return converted | ({"conversion": {"strategy": "None"}} if has_conversion else {})


def _convert_version(version: Mapping[str, Any]) -> dict[str, Any]:
    # The API that the agent is built with has no selectable fields; only the hash is of them.
    optional = ("deprecated", "deprecationWarning", "additionalPrinterColumns")
    converted = {key: version[key] for key in ("name", "served", "storage")}
    converted |= {key: version[key] for key in optional if key in version}
    schema = version.get("schema", {}).get("openAPIV3Schema")
    if schema is not None:
        converted["schema"] = schema
    return {**converted, "subresources": version.get("subresources", {})}


def _struct_of(
    shapes: Mapping[str, Shape], *, pointers: Iterable[str] = (), always: Iterable[str] = ()
) -> Callable[[Json], dict[str, Json]]:
    """Return the shape of a Go struct: its fields in order, each with the shape of its value.

    Empty fields are left out, except those in `pointers` that are set, or in `always`.
    """
    required = frozenset(always)
    kept_when_empty = required.union(pointers)

    def shape_fields(value: Json) -> dict[str, Json]:
        data = as_mapping(value)
        fields: dict[str, Json] = {}
        for name, shape in shapes.items():
            if data.get(name) is not None:
                shaped = shape(data[name])
                if shaped or name in kept_when_empty:
                    fields[name] = shaped
            elif name in required:
                fields[name] = False if name in {"served", "storage"} else ""  # Go's zero values
        return fields

    return shape_fields


def _keep(value: Json) -> Json:
    return value


def _sort_json(value: Json) -> Json:
    """Return JSON as the API server stores it: keys are sorted, and 1.0 is 1."""
    if isinstance(value, Mapping):
        return {key: _sort_json(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sort_json(item) for item in value]
    return _shape_float(value) if isinstance(value, float) else value


def _shape_float(value: Json) -> Json:
    """Return a float64 as Go writes it: a whole number has no fraction."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    number = float(value)
    is_whole = number.is_integer() and abs(number) < _MAX_DECIMAL and str(number) != "-0.0"
    return int(gojson.format_decimal(number)) if is_whole else number


def _shape_integer(value: Json) -> Json:
    return _shape_float(value) if isinstance(value, float) else value


def _list_of(shape: Shape) -> Shape:
    return lambda value: [shape(item) for item in as_list(value)]


def _map_of(shape: Shape) -> Shape:
    return lambda value: {key: shape(item) for key, item in sorted(as_mapping(value).items())}


def _shape_schema(value: Json) -> Json:
    return _SCHEMA(value)


def _schema_or_list(value: Json) -> Json:
    is_list = isinstance(value, list)
    return [_shape_schema(item) for item in value] if is_list else _shape_schema(value)


def _schema_or(other: type) -> Shape:
    return lambda value: value if isinstance(value, other) else _shape_schema(value)


def _text_shapes(*names: str) -> dict[str, Shape]:
    return dict.fromkeys(names, _keep)


_SCHEMAS, _SCHEMA_MAP = _list_of(_shape_schema), _map_of(_shape_schema)

_RULE = _struct_of(
    _text_shapes("rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"),
    pointers={"reason", "optionalOldSelf"},
    always={"rule"},
)
_SCHEMA = _struct_of(
    {
        **_text_shapes("id", "$schema", "$ref", "description", "type", "format", "title"),
        "default": _sort_json,
        "maximum": _shape_float,
        "exclusiveMaximum": _keep,
        "minimum": _shape_float,
        "exclusiveMinimum": _keep,
        "maxLength": _shape_integer,
        "minLength": _shape_integer,
        "pattern": _keep,
        "maxItems": _shape_integer,
        "minItems": _shape_integer,
        "uniqueItems": _keep,
        "multipleOf": _shape_float,
        "enum": _list_of(_sort_json),
        "maxProperties": _shape_integer,
        "minProperties": _shape_integer,
        "required": _keep,
        "items": _schema_or_list,
        "allOf": _SCHEMAS,
        "oneOf": _SCHEMAS,
        "anyOf": _SCHEMAS,
        "not": _shape_schema,
        "properties": _SCHEMA_MAP,
        "additionalProperties": _schema_or(bool),
        "patternProperties": _SCHEMA_MAP,
        "dependencies": _map_of(_schema_or(list)),
        "additionalItems": _schema_or(bool),
        "definitions": _SCHEMA_MAP,
        "externalDocs": _struct_of(_text_shapes("description", "url")),
        "example": _sort_json,
        **_text_shapes(
            "nullable",
            "x-kubernetes-preserve-unknown-fields",
            "x-kubernetes-embedded-resource",
            "x-kubernetes-int-or-string",
            "x-kubernetes-list-map-keys",
            "x-kubernetes-list-type",
            "x-kubernetes-map-type",
        ),
        "x-kubernetes-validations": _list_of(_RULE),
    },
    pointers={
        *("$ref", "default", "maximum", "minimum", "maxLength", "minLength", "maxItems"),
        *("minItems", "multipleOf", "maxProperties", "minProperties", "items", "not"),
        *("additionalProperties", "additionalItems", "externalDocs", "example"),
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
    },
)
_NAMES = _struct_of(
    _text_shapes("plural", "singular", "shortNames", "kind", "listKind", "categories"),
    always={"plural", "kind"},
)
_SCALE = _struct_of(
    _text_shapes("specReplicasPath", "statusReplicasPath", "labelSelectorPath"),
    pointers={"labelSelectorPath"},
    always={"specReplicasPath", "statusReplicasPath"},
)
_SUBRESOURCES = _struct_of({"status": lambda _: {}, "scale": _SCALE}, pointers={"status", "scale"})
_COLUMN = _struct_of(
    {
        **_text_shapes("name", "type", "format", "description"),
        "priority": _shape_integer,
        "jsonPath": _keep,
    },
    always={"name", "type", "jsonPath"},
)
_SELECTABLE_FIELD = _struct_of(_text_shapes("jsonPath"), always={"jsonPath"})
_VERSION = _struct_of(
    {
        **_text_shapes("name", "served", "storage", "deprecated", "deprecationWarning"),
        "schema": _struct_of({"openAPIV3Schema": _shape_schema}, pointers={"openAPIV3Schema"}),
        "subresources": _SUBRESOURCES,
        "additionalPrinterColumns": _list_of(_COLUMN),
        "selectableFields": _list_of(_SELECTABLE_FIELD),
    },
    pointers={"deprecationWarning", "schema", "subresources"},
    always={"name", "served", "storage"},
)
CRD_SPEC = _struct_of(
    {
        "group": _keep,
        "names": _NAMES,
        "scope": _keep,
        "versions": _list_of(_VERSION),
        "preserveUnknownFields": _keep,
    },
    always={"group", "names", "scope", "versions"},
)
"""The shape of the spec of a CustomResourceDefinition."""
