"""Kubernetes' own kinds (Namespace, ConfigMap, NetworkPolicy, ...), by the schemas of one release.

They are carried beside this module, 0.4 MB that are read only when such a kind is validated; the
library that they are taken from carries 26 times as many. `pytest --update-golden` takes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources

from spokerender.findings.results import Fault
from spokerender.judging.validation.constraints import Constraints, compile_shared
from spokerender.judging.validation.metadata import metadata_faults
from spokerender.judging.validation.model import Json
from spokerender.judging.validation.wording import faults
from spokerender.model import Ref

SCHEMAS = "kubernetes.json"
"""By kind, group and version, each without its metadata, and the definitions that they share."""

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
    """The schema of a kind and version, with the definitions that it needs."""
    group, slash, version = api_version.rpartition("/")
    name = f"{kind}-{group.partition('.')[0]}{'-' if slash else ''}{version}".lower()
    schema = _schemas()["kinds"].get(name)
    if schema is None:
        return None
    needed: dict[str, Json] = {}
    _collect(schema, needed)
    return compile_shared({**schema, "definitions": needed})


@cache
def _schemas() -> dict[str, dict[str, Json]]:
    text = resources.files(__package__).joinpath(SCHEMAS).read_text(encoding="utf-8")
    schemas: dict[str, dict[str, Json]] = json.loads(text)
    return schemas


def _collect(schema: Json, needed: dict[str, Json]) -> None:
    """Add every definition that a schema refers to, and those that these do."""
    if isinstance(schema, list):
        for item in schema:
            _collect(item, needed)
    elif isinstance(schema, dict):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            name = reference.rpartition("/")[2]
            if name not in needed:
                needed[name] = _schemas()["definitions"][name]
                _collect(needed[name], needed)
        for item in schema.values():
            _collect(item, needed)
