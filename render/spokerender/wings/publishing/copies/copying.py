"""A consumer's object becomes a copy: mutated, named, stripped, and marked as the agent marks it.

Source: kcp-dev/api-syncagent, internal/sync (object_syncer.go, meta.go); the order is its own:
spec mutations first, then name and namespace from what they made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.publishing import BAD_NAME, UNMUTABLE
from spokerender.findings.results import Fault
from spokerender.formats.patching import count_values
from spokerender.model import FieldPath, Ref
from spokerender.model.names import label_value_fault
from spokerender.rendering.cleaning import OF_A_SERVER
from spokerender.wings.publishing.contexts import Home
from spokerender.wings.publishing.copies.mutations import Mutator, Step
from spokerender.wings.publishing.copies.naming import copy_name, sha1
from spokerender.wings.publishing.problems import Refused
from spokerender.wings.publishing.resources import Resource
from spokerender.wings.publishing.withdrawn import AGENT_LABEL, CLUSTER_LABEL

_PREFIX = "syncagent.kcp.io/"
NAME_HASH_LABEL = _PREFIX + "remote-object-name-hash"
NAMESPACE_HASH_LABEL = _PREFIX + "remote-object-namespace-hash"
NAME = _PREFIX + "remote-object-name"
NAMESPACE = _PREFIX + "remote-object-namespace"
PATH = _PREFIX + "remote-object-workspace-path"

_ANNOTATIONS = {
    "kcp.io/cluster",
    "kubectl.kubernetes.io/last-applied-configuration",
    NAME,
    NAMESPACE,
    PATH,
}
_ANNOTATION_PREFIX = "related-resources.syncagent.kcp.io/"
_LABELS = {CLUSTER_LABEL, NAME_HASH_LABEL, NAMESPACE_HASH_LABEL}
_LABEL_PREFIX = "claimed.internal.apis.kcp.io/"

COST_OF_OBJECT = 3
"""What it costs to look at an object or a step, in values that are copied."""
_COST_OF_COPY = 50

Object = Mapping[str, Any]


class Copied(Struct, frozen=True, eq=False):
    """A copy, before its references follow; what its mutations did, and what is to be told."""

    ref: Ref
    object: dict[str, Any]
    mutated: dict[str, Any]
    steps: tuple[Step, ...]
    told: tuple[Fault, ...]


def cost_of_copy(data: Object, steps: int) -> int:
    """Return what it costs to copy an object and to mutate it, in values that are copied."""
    values = count_values(data)
    grown = values + steps  # each step may add a value, and a quarter of the rest is copied again
    return _COST_OF_COPY + values + steps * (COST_OF_OBJECT + grown // 4)


def copied(data: Object, resource: Resource, home: Home) -> Copied:
    """The copy of a primary. Raises `Refused`, with the field of the PublishedResource."""
    spec, profile = resource.spec, resource.agent.profile
    steps = spec.mutation.spec or ()
    mutated = Mutator(profile).mutated(dict(data), steps, ("spec", "mutation", "spec"))
    source = with_metadata(mutated.object, data)
    namespace, name = copy_name(source, spec, home, profile, namespaced=resource.is_namespaced)
    group, kind = resource.local_identity
    version = resource.local_version(str(data["apiVersion"]).rpartition("/")[2])
    made = stripped(source)
    if not isinstance(made.get("spec", {}), Mapping | None):
        message = "the mutations make the copy's spec something other than a mapping"
        raise Refused(UNMUTABLE, message, "correct the path", ("spec", "mutation", "spec"))
    metadata: dict[str, Any] = {"name": name, **({"namespace": namespace} if namespace else {})}
    metadata.update(marked(made["metadata"], data["metadata"], resource, home))
    made |= {
        "apiVersion": f"{group}/{version}" if group else version,
        "kind": kind,
        "metadata": metadata,
    }
    return Copied(Ref(group, kind, namespace, name), made, source, mutated.steps, mutated.told)


def with_metadata(mutated: Object, data: Object) -> dict[str, Any]:
    """The mutated object; where a step destroyed its metadata, with that of the source."""
    metadata = mutated.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(metadata.get("name"), str):
        return dict(mutated)
    return {**mutated, "metadata": data["metadata"]}


def stripped(data: Object) -> dict[str, Any]:
    """The object without what its cluster owns, and without a status; order of keys as it was."""
    metadata = {key: value for key, value in data["metadata"].items() if key not in OF_A_SERVER}
    for field, names, prefix in (
        ("annotations", _ANNOTATIONS, _ANNOTATION_PREFIX),
        ("labels", _LABELS, _LABEL_PREFIX),
    ):
        marks = metadata.pop(field, None)
        if isinstance(marks, Mapping):
            kept = {k: v for k, v in marks.items() if k not in names and not k.startswith(prefix)}
            metadata |= {field: kept} if kept else {}
    return {
        key: metadata if key == "metadata" else value
        for key, value in data.items()
        if key != "status"
    }


def marked(
    metadata: Mapping[str, Any], source: Mapping[str, Any], resource: Resource, home: Home
) -> dict[str, Any]:
    """The metadata but for name and namespace, with the agent's labels and annotations."""
    labels, annotations = identity_marks(
        home, str(source.get("namespace") or ""), str(source["name"])
    )
    labels[AGENT_LABEL] = resource.agent.name
    if resource.spec.enable_workspace_paths:
        annotations[PATH] = home.path
    made = {k: v for k, v in metadata.items() if k not in {"name", "namespace"}}
    made["labels"] = {**(metadata.get("labels") or {}), **labels}
    made["annotations"] = {**(metadata.get("annotations") or {}), **annotations}
    check_marks(made, ("spec", "mutation", "spec"))
    return made


def check_marks(metadata: Mapping[str, Any], field: FieldPath) -> None:
    """Refuse labels and annotations that no API server takes. Raises `Refused`."""
    for key, value in (metadata.get("labels") or {}).items():
        fault = label_value_fault(value) if isinstance(value, str) else "it is no text"
        if fault:
            raise Refused(BAD_NAME, f"the label {key}: {fault}", "correct the value", field)
    for key, value in (metadata.get("annotations") or {}).items():
        if not isinstance(value, str):
            message = f"the annotation {key} is no text"
            raise Refused(BAD_NAME, message, "correct the value", field)


def identity_marks(home: Home, namespace: str, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """The labels and annotations by which a live agent knows its copy."""
    labels = {CLUSTER_LABEL: home.cluster, NAME_HASH_LABEL: sha1(name)}
    annotations = {NAME: name}
    if namespace:
        labels[NAMESPACE_HASH_LABEL] = sha1(namespace)
        annotations[NAMESPACE] = namespace
    return labels, annotations
