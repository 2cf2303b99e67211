"""The rules by which kcp refuses a schema, with their sources (kcp-dev/kcp dac74f5).

The API server's own validation of CRDs (apiextensions) is not repeated here, but for two rules.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spokerender.findings.codes.publishing import REFUSED_BY_KCP, TOO_LARGE
from spokerender.findings.results import Fault
from spokerender.model.names import group_fault
from spokerender.wings.publishing import gojson
from spokerender.wings.publishing.kcp.schemas import API_APPROVED

Schema = Mapping[str, Any]

MAX_APPLIED_BYTES = 262_144
"""Bytes that the annotation of client-side apply can hold (TotalAnnotationSizeLimitB)."""

_VALIDATION = "pkg/admission/apiresourceschema/validation.go"
_CRD_VALIDATION = "apiextensions-apiserver, pkg/apis/apiextensions/validation"
_SCHEMA_CRD = "config/crds/apis.kcp.io_apiresourceschemas.yaml"
_SCHEMA_STRUCTS = "apiextensions-apiserver, pkg/apis/apiextensions/v1/types_jsonschema.go"
_LABEL = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_INTEGERS = frozenset(f"{b}{n}" for b in ("min", "max") for n in ("Length", "Items", "Properties"))
_INT64 = 2**63


def check_schema(schema: Schema) -> Iterator[Fault]:
    """Check a schema by all rules, and its size."""
    for source, check in RULES:
        message = check(schema)
        if message:
            cure = f"correct the CRD or the projection ({source})"
            yield Fault(REFUSED_BY_KCP, message, cure, ("spec",))
    size = len(gojson.encode(schema).encode())
    if size > MAX_APPLIED_BYTES:
        message = f"{schema['metadata']['name']} has {size:,} bytes, more than the "
        message += f"{MAX_APPLIED_BYTES:,} of client-side apply"
        yield Fault(TOO_LARGE, message, "apply it server-side", ("spec",))


def _check_name(schema: Schema) -> str:
    spec, name = schema["spec"], schema["metadata"]["name"]
    suffix = f".{spec['names'].get('plural')}.{spec['group'] or 'core'}"
    if not name.endswith(suffix):
        return f"the schema's name {name} does not end with {suffix}"
    prefix = name.removesuffix(suffix)
    return "" if re.fullmatch(_LABEL, prefix) else f"the schema's name begins with {prefix}"


def _check_group(schema: Schema) -> str:
    group = schema["spec"]["group"]
    if group == "core":
        return "the core group must be written as an empty string"
    return f"the group {group} has no dot" if group_fault(group) else ""


def _check_approval(schema: Schema) -> str:
    group = schema["spec"]["group"]
    annotations = schema["metadata"].get("annotations", {})
    is_protected = re.fullmatch(r"(.*\.)?(k8s|kubernetes)\.io", group) is not None
    if not is_protected or API_APPROVED in annotations:
        return ""
    return f"the group {group} is protected, and the CRD has no annotation {API_APPROVED}"


def _check_versions(schema: Schema) -> str:
    names = [version["name"] for version in schema["spec"]["versions"]]
    pattern = r"v[1-9][0-9]*([a-z]+[1-9][0-9]*)?"
    for name in names:
        if not re.fullmatch(pattern, name):
            return f"the version {name} does not look like v1, v1beta1 or v2alpha3"
    duplicates = [name for name in names if names.count(name) > 1]
    return f"two versions have the name {duplicates[0]}" if duplicates else ""


def _check_storage(schema: Schema) -> str:
    stored = [v["name"] for v in schema["spec"]["versions"] if v["storage"]]
    return "" if len(stored) == 1 else f"{len(stored)} versions are stored, but one is required"


def _check_names(schema: Schema) -> str:
    names = schema["spec"]["names"]
    for key in ("plural", "singular", "kind", "listKind"):
        name = names.get(key)
        if not name:
            return f"the kind has no {key} name"
        is_kind = key in {"kind", "listKind"}
        if not re.fullmatch(_LABEL, name.lower() if is_kind else name):
            return f'the {key} name "{name}" is not a DNS label' + " in lower case" * is_kind
    is_same = names["kind"] == names["listKind"]
    return "kind and listKind are the same" if is_same else ""


def _check_schemas(schema: Schema) -> str:
    bare = [version["name"] for version in schema["spec"]["versions"] if "schema" not in version]
    return f"the version {bare[0]} has no schema" if bare else ""


def _check_types(schema: Schema) -> str:
    for version in schema["spec"]["versions"]:
        if version.get("schema", {}).get("type", "object") != "object":
            return f"the schema of {version['name']} must have the type object"
        if "schema" in version and "type" not in version["schema"]:
            return f"the schema of {version['name']} has no type, so it is not structural"
    return ""


def _check_bounds(schema: Schema) -> str:
    waiting: list[Any] = [version.get("schema") for version in schema["spec"]["versions"]]
    while waiting:
        current = waiting.pop()
        for key, value in current.items() if isinstance(current, Mapping) else ():
            if key in _INTEGERS and isinstance(value, int | float) and not _is_int64(value):
                return f"{key} is {value}, but must be an integer of 64 bits"
            if key not in {"default", "enum", "example"}:  # these have values, and no schemas
                waiting.append(value)
        waiting += current if isinstance(current, list) else ()
    return ""


def _is_int64(value: float) -> bool:
    return -_INT64 <= value < _INT64 and value == int(value)


def _check_scope(schema: Schema) -> str:
    scope = schema["spec"]["scope"]
    is_valid = scope in {"Cluster", "Namespaced"}
    return "" if is_valid else f'the scope is "{scope}", but must be Cluster or Namespaced'


RULES: tuple[tuple[str, Callable[[Schema], str]], ...] = (
    (_VALIDATION, _check_name),
    (_VALIDATION, _check_group),
    (_CRD_VALIDATION, _check_approval),
    (_SCHEMA_CRD, _check_versions),
    (_VALIDATION, _check_storage),
    (_VALIDATION, _check_names),
    (_SCHEMA_CRD, _check_schemas),
    (_VALIDATION, _check_types),
    (_SCHEMA_CRD, _check_scope),
    (_SCHEMA_STRUCTS, _check_bounds),
)
"""Each rule with its source; it returns what it refuses, or an empty text."""
