"""Validates objects of Kubernetes' own kinds, and makes CRDs for these kinds."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from spokerender.findings.results import Fault
from spokerender.judging.validation.constraints import Constraints, make_validator
from spokerender.judging.validation.metadata import check_metadata
from spokerender.judging.validation.wording import report_errors
from spokerender.kinds.kind import Kind
from spokerender.kinds.table import is_cluster_scoped
from spokerender.model import Ref
from spokerender.model.shapes import Json, as_mapping, as_text

SCHEMAS = "kubernetes.json"
"""File with the schemas of Kubernetes' own kinds, of one release, by kind, group and version.

It is read only if needed. The library that the file (0.4 MB) is copied from has 26 times as much;
`pytest --update-golden` copies it anew.
"""


def check_builtin(value: dict[str, Json], ref: Ref) -> tuple[Fault, ...] | None:
    """Return the faults of an object of one of Kubernetes' own kinds; None for other kinds."""
    # Groups with a dot that are not of k8s.io are those of CRDs.
    if ref.group and "." in ref.group and not ref.group.endswith(".k8s.io"):
        return None
    schema = _compile_kind(str(value.get("apiVersion", "")), ref.kind)
    if schema is None:
        return None
    namespaced = not is_cluster_scoped(ref.group, ref.kind)
    # Metadata is checked by rules of its own, which the schemas do not have.
    bare = {key: item for key, item in value.items() if key != "metadata"}
    return (
        *check_metadata(value.get("metadata"), ref.group, namespaced=namespaced),
        *report_errors(schema.problems(bare)),
    )


@cache
def _compile_kind(api_version: str, kind: str) -> Constraints | None:
    schema = _find_schema(api_version, kind)
    if schema is None:
        return None
    needed: dict[str, Json] = {}
    _collect_definitions(schema, needed)
    return Constraints(make_validator({**schema, "definitions": needed}), ())


def _find_schema(api_version: str, kind: str) -> Mapping[str, Any] | None:
    group, slash, version = api_version.rpartition("/")
    # The library names groups by their first label alone.
    name = f"{kind}-{group.partition('.')[0]}{'-' if slash else ''}{version}".lower()
    schema: Mapping[str, Any] | None = _read_schemas()["kinds"].get(name)
    return schema


@cache
def _read_schemas() -> Mapping[str, Any]:
    text = resources.files(__package__).joinpath(SCHEMAS).read_text(encoding="utf-8")
    data: Mapping[str, Any] = json.loads(text)
    return data


def _collect_definitions(schema: Json, needed: dict[str, Json]) -> None:
    """Add to `needed` all definitions that a schema refers to, directly or indirectly."""
    if isinstance(schema, list):
        for item in schema:
            _collect_definitions(item, needed)
    elif isinstance(schema, dict):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            name = reference.rpartition("/")[2]
            # Definitions refer to each other in circles.
            if name not in needed:
                needed[name] = _read_schemas()["definitions"][name]
                _collect_definitions(needed[name], needed)
        for item in schema.values():
            _collect_definitions(item, needed)


_ANYTHING = "x-kubernetes-preserve-unknown-fields"
_KEPT = ("format", "required", "enum", "x-kubernetes-list-type", "x-kubernetes-list-map-keys")


def define_builtin(kind: Kind) -> dict[str, Any] | None:
    """Return a CRD equivalent to the schema of one of Kubernetes' own kinds; None for other kinds.

    All versions are served and the preferred version is stored, as in CRDs that api-syncagent makes
    from its cluster's OpenAPI (kcp-dev/api-syncagent 51995bd, internal/discovery).
    """
    prefix = f"{kind.group}/" if kind.group else ""
    schemas = ((version, _find_schema(prefix + version, kind.kind)) for version in kind.versions)
    versions = [
        {
            "name": version,
            "served": True,
            "storage": version == kind.versions[0],
            "schema": {"openAPIV3Schema": _make_root(schema)},
            **({"subresources": {"status": {}}} if "status" in schema["properties"] else {}),
        }
        for version, schema in schemas
        if schema is not None
    ]
    if not versions:
        return None
    return {
        "metadata": {"name": f"{kind.plural}.{kind.group or 'core'}"},
        "spec": {
            "group": kind.group,
            "names": {"kind": kind.kind, "plural": kind.plural},
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "versions": versions,
        },
    }


def _make_root(schema: Mapping[str, Any]) -> dict[str, Json]:
    root = _make_structural(schema, ())
    texts = {name: {"type": "string"} for name in ("apiVersion", "kind")}
    root["properties"] = {
        **as_mapping(root.get("properties")),
        **texts,
        "metadata": {"type": "object"},
    }
    return root


def _make_structural(schema: Mapping[str, Any], above: tuple[str, ...]) -> dict[str, Json]:
    """Return a structural schema with references inlined; a recursive one accepts any fields."""
    # References are written out, since a CRD's schema has none.
    name = as_text(schema.get("$ref")).rpartition("/")[2]
    if name.endswith(".ObjectMeta"):
        return {"type": "object"}
    # A CRD's schema can't refer to itself.
    if name in above:
        return {"type": "object", _ANYTHING: True}
    if name:
        return _make_structural(_read_schemas()["definitions"][name], (*above, name))
    if "oneOf" in schema:  # of numbers and texts
        return {"x-kubernetes-int-or-string": True}
    types = schema.get("type", "object")
    result = {"type": types if isinstance(types, str) else next(t for t in types if t != "null")}
    result |= {key: schema[key] for key in _KEPT if key in schema}
    fields = as_mapping(schema.get("properties"))
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            result[key] = _make_structural(schema[key], above)
    keys = result.get("x-kubernetes-list-map-keys", ())
    if not {*keys} <= {*as_mapping(result.get("items")).get("required", ())}:
        # CRDs have only keys that are required. Kubernetes' defaults are not in its OpenAPI.
        del result["x-kubernetes-list-type"], result["x-kubernetes-list-map-keys"]
    if fields:
        result["properties"] = {key: _make_structural(fields[key], above) for key in fields}
    elif result["type"] == "object" and "additionalProperties" not in result:
        result[_ANYTHING] = True
    return result
