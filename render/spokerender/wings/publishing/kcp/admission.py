"""What kcp refuses of a schema, as rows with their sources. kcp-dev/kcp dac74f5.

What CRDs are refused for besides is the API server's own (apiextensions validation).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.publishing import REFUSED_BY_KCP, TOO_LARGE
from spokerender.findings.results import Fault
from spokerender.model.names import subdomain_fault
from spokerender.wings.publishing import gojson
from spokerender.wings.publishing.kcp.schemas import API_APPROVED

Schema = Mapping[str, Any]

MOST_APPLIED = 262_144
"""Bytes that the annotation of client-side apply can hold (TotalAnnotationSizeLimitB)."""

_VALIDATION = "pkg/admission/apiresourceschema/validation.go"
_CRD_VALIDATION = "apiextensions-apiserver, pkg/apis/apiextensions/validation"
_SCHEMA_CRD = "config/crds/apis.kcp.io_apiresourceschemas.yaml"
_BUILT_IN_GROUPS = {"apps", "batch", "extensions", "policy", "autoscaling"}
_PREFIX = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_VERSION = re.compile(r"v[1-9][0-9]*([a-z]+[1-9][0-9]*)?")
_SCHEMA_STRUCTS = "apiextensions-apiserver, pkg/apis/apiextensions/v1/types_jsonschema.go"
_INTEGERS = frozenset(
    f"{least_or_most}{counted}"
    for least_or_most in ("min", "max")
    for counted in ("Length", "Items", "Properties")
)
_INT64 = 2**63
_DATA = frozenset({"default", "enum", "example"})
"""Keywords of a schema that have values of what it describes, and no schemas."""
_PROTECTED = re.compile(r"(.*\.)?(k8s|kubernetes)\.io")


class Rule(Struct, frozen=True):
    """One thing that kcp refuses; `fault` says what, or is empty."""

    source: str
    fault: Callable[[Schema], str]


def faults(schema: Schema) -> Iterator[Fault]:
    """What kcp would say of a schema, and what it is too large for."""
    for rule in RULES:
        message = rule.fault(schema)
        if message:
            cure = f"mend the CRD or the projection ({rule.source})"
            yield Fault(REFUSED_BY_KCP, message, cure, ("spec",))
    size = len(gojson.encode(schema).encode())
    if size > MOST_APPLIED:
        message = f"{schema['metadata']['name']} has {size:,} bytes, and client-side apply can "
        message += f"carry {MOST_APPLIED:,}"
        yield Fault(TOO_LARGE, message, "apply it server-side", ("spec",))


def _name(schema: Schema) -> str:
    spec, name = schema["spec"], schema["metadata"]["name"]
    suffix = f".{spec['names'].get('plural')}.{spec['group'] or 'core'}"
    if not name.endswith(suffix):
        return f"the schema's name {name} does not end with {suffix}"
    prefix = name.removesuffix(suffix)
    return "" if _PREFIX.fullmatch(prefix) else f"the name of the schema begins with {prefix}"


def _group(schema: Schema) -> str:
    group = schema["spec"]["group"]
    if group == "core":
        return "the group core is written as the empty text"
    if not group or group in _BUILT_IN_GROUPS:
        return ""
    return "" if "." in group and not subdomain_fault(group) else f"the group {group} has no dot"


def _approval(schema: Schema) -> str:
    group = schema["spec"]["group"]
    annotations = schema["metadata"].get("annotations", {})
    if not _PROTECTED.fullmatch(group) or API_APPROVED in annotations:
        return ""
    return f"the group {group} is protected, and the CRD has no annotation {API_APPROVED}"


def _version_names(schema: Schema) -> str:
    names = [version["name"] for version in schema["spec"]["versions"]]
    odd = [name for name in names if not _VERSION.fullmatch(name)]
    if odd:
        return f"the version {odd[0]} is not called like v1, v1beta1 or v2alpha3"
    twice = [name for name in names if names.count(name) > 1]
    return f"two versions are called {twice[0]}" if twice else ""


def _storage(schema: Schema) -> str:
    stored = [v["name"] for v in schema["spec"]["versions"] if v["storage"]]
    return "" if len(stored) == 1 else f"{len(stored)} versions are stored, not one"


def _names(schema: Schema) -> str:
    wanted = ("plural", "singular", "kind", "listKind")
    missing = [key for key in wanted if not schema["spec"]["names"].get(key)]
    if missing:
        return f"the kind has no {missing[0]} name"
    names = schema["spec"]["names"]
    for key in ("plural", "singular"):
        if not _PREFIX.fullmatch(names[key]):
            return f'the {key} name "{names[key]}" is no DNS label'
    for key in ("kind", "listKind"):
        if not _PREFIX.fullmatch(names[key].lower()):
            return f'the {key} "{names[key]}" is no DNS label, even in lower case'
    same = names["kind"] == names["listKind"]
    return "kind and listKind are the same" if same else ""


def _schemas(schema: Schema) -> str:
    bare = [version["name"] for version in schema["spec"]["versions"] if "schema" not in version]
    return f"the version {bare[0]} has no schema" if bare else ""


def _types(schema: Schema) -> str:
    for version in schema["spec"]["versions"]:
        if version.get("schema", {}).get("type", "object") != "object":
            return f"the schema of {version['name']} is of no object"
        if "schema" in version and "type" not in version["schema"]:
            return f"the schema of {version['name']} says no type, so it is not structural"
    return ""


def _bounds(schema: Schema) -> str:
    rest: list[Any] = [version.get("schema") for version in schema["spec"]["versions"]]
    while rest:
        here = rest.pop()
        for key, value in here.items() if isinstance(here, Mapping) else ():
            if key in _INTEGERS and isinstance(value, int | float) and not _is_int64(value):
                return f"{key} is {value}, and has to be an integer of 64 bits"
            if key not in _DATA:
                rest.append(value)
        rest += here if isinstance(here, list) else ()
    return ""


def _is_int64(value: float) -> bool:
    return -_INT64 <= value < _INT64 and value == int(value)


def _scope(schema: Schema) -> str:
    scope = schema["spec"]["scope"]
    return "" if scope in {"Cluster", "Namespaced"} else f'the scope is "{scope}"'


RULES = (
    Rule(_VALIDATION, _name),
    Rule(_VALIDATION, _group),
    Rule(_CRD_VALIDATION, _approval),
    Rule(_SCHEMA_CRD, _version_names),
    Rule(_VALIDATION, _storage),
    Rule(_VALIDATION, _names),
    Rule(_SCHEMA_CRD, _schemas),
    Rule(_VALIDATION, _types),
    Rule(_SCHEMA_CRD, _scope),
    Rule(_SCHEMA_STRUCTS, _bounds),
)
