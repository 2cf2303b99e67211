"""Kubernetes' own kinds (Namespace, ConfigMap, NetworkPolicy, ...): the only door to their schemas.

The library has a JSON Schema of each kind for each release of Kubernetes. Its own `validate`
reads two megabytes for every object, so the schemas are taken from it and compiled here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import kubernetes_validate
from kubernetes_validate.utils import InvalidSchemaError, VersionNotSupportedError, schema_contents

from render.findings.faults import Fault
from render.judging.validation.constraints import Constraints, compile_shared
from render.judging.validation.metadata import metadata_faults
from render.judging.validation.model import Json
from render.judging.validation.wording import faults
from render.model import Ref

_DEFINITIONS = "_definitions.json"
_CLUSTER_SCOPED = frozenset(
    [
        "APIService",
        "CertificateSigningRequest",
        "ClusterRole",
        "ClusterRoleBinding",
        "CSIDriver",
        "CSINode",
        "CustomResourceDefinition",
        "FlowSchema",
        "IngressClass",
        "MutatingWebhookConfiguration",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PriorityClass",
        "PriorityLevelConfiguration",
        "RuntimeClass",
        "StorageClass",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
        "VolumeAttachment",
    ]
)


def builtin_faults(value: dict[str, Json], ref: Ref) -> tuple[Fault, ...] | None:
    """What Kubernetes says against an object of one of its own kinds; None if it is none."""
    if ref.group and "." in ref.group and not ref.group.endswith(".k8s.io"):
        return None
    schema = _constraints(str(value.get("apiVersion", "")), ref.kind)
    if schema is None:
        return None
    return tuple(_faults(value, ref, schema))


def _faults(value: dict[str, Json], ref: Ref, schema: Constraints) -> Iterator[Fault]:
    namespaced = ref.kind not in _CLUSTER_SCOPED
    yield from metadata_faults(value.get("metadata"), ref.group, namespaced=namespaced)
    yield from faults(
        schema.problems({key: item for key, item in value.items() if key != "metadata"})
    )


@cache
def _constraints(api_version: str, kind: str) -> Constraints | None:
    """The newest schema of a kind and version, with the definitions that it needs."""
    group, slash, version = api_version.rpartition("/")
    name = f"{kind}-{group.partition('.')[0]}{'-' if slash else ''}{version}".lower()
    if not all(part.isalnum() for part in name.split("-")):
        return None
    schema = _contents(f"{name}.json")
    if not isinstance(schema, dict):
        return None
    schema["properties"].pop("metadata", None)
    schema.pop("$schema", None)
    found: dict[str, Json] = {}
    _collect(schema, found)
    return compile_shared(
        {**_local(schema), "definitions": {k: _local(v) for k, v in found.items()}}
    )


def _contents(name: str) -> Json:
    release = kubernetes_validate.latest_version()
    try:
        return schema_contents(f"kubernetes-json-schema/v{release}-local-strict/{name}", release)
    except (FileNotFoundError, InvalidSchemaError, VersionNotSupportedError):
        return None


@cache
def _definitions() -> dict[str, Json]:
    contents: dict[str, Json] = _contents(_DEFINITIONS)["$defs"]
    return contents


def _collect(schema: Json, found: dict[str, Json]) -> None:
    """Add every definition that a schema refers to, and those that these do."""
    if isinstance(schema, list):
        for item in schema:
            _collect(item, found)
    elif isinstance(schema, dict):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            name = reference.rpartition("/")[2]
            if name not in found:
                found[name] = _definitions()[name]
                _collect(found[name], found)
        for item in schema.values():
            _collect(item, found)


def _local(schema: Json) -> Json:
    """The schema with its references pointing into the same document, and without prose."""
    if isinstance(schema, list):
        return [_local(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _local(item) for key, item in schema.items() if not _is_prose(key, item)}
    if isinstance(made.get("$ref"), str):
        made["$ref"] = "#/definitions/" + made["$ref"].rpartition("/")[2]
    return made


def _is_prose(key: str, item: Json) -> bool:
    return key == "description" and isinstance(item, str)
