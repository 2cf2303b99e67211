"""The copy of a consumer's object: mutated, named, stripped, and labelled as by the agent.

Source: kcp-dev/api-syncagent, internal/sync (object_syncer.go, meta.go, templating/naming.go).
"""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.publishing import BAD_NAME, CLUSTER_SCOPED_NAME, UNMUTABLE
from spokerender.formats.patching import count_values
from spokerender.kinds.marks import OF_A_SERVER
from spokerender.model import FieldPath, Manifest, Ref
from spokerender.model.names import label_fault, label_key_fault, label_value_fault, subdomain_fault
from spokerender.wings.publishing.config.published import PublishedSpec
from spokerender.wings.publishing.contexts import (
    LogicalCluster,
    Object,
    TemplateEngine,
    make_name_context,
)
from spokerender.wings.publishing.copies.mutations import MutatedObject, mutate_object
from spokerender.wings.publishing.errors import PublishingError
from spokerender.wings.publishing.gojson import hash_sha1
from spokerender.wings.publishing.resources import PublishedResource
from spokerender.wings.publishing.withdrawn import AGENT_LABEL, CLUSTER_LABEL

_PREFIX = "syncagent.kcp.io/"
NAME_HASH_LABEL = _PREFIX + "remote-object-name-hash"
NAMESPACE_HASH_LABEL = _PREFIX + "remote-object-namespace-hash"
NAME_ANNOTATION = _PREFIX + "remote-object-name"
NAMESPACE_ANNOTATION = _PREFIX + "remote-object-namespace"
PATH_ANNOTATION = _PREFIX + "remote-object-workspace-path"
_DELETION_ANNOTATION = _PREFIX + "deletion-propagation-policy"
"""Set by consumers for a live agent (api-syncagent, pull request 180)."""

_STRIPPED = {
    "annotations": (
        {
            "kcp.io/cluster",
            "kubectl.kubernetes.io/last-applied-configuration",
            NAME_ANNOTATION,
            NAMESPACE_ANNOTATION,
            PATH_ANNOTATION,
            _DELETION_ANNOTATION,
        },
        "related-resources.syncagent.kcp.io/",
    ),
    "labels": (
        {CLUSTER_LABEL, NAME_HASH_LABEL, NAMESPACE_HASH_LABEL},
        "claimed.internal.apis.kcp.io/",
    ),
}
"""The labels and annotations that an agent never copies: their names, and a prefix of others."""
# The defaults of upstream's main (51995bd); v0.2 made the names of 20 digits of SHA-1.
_DEFAULT_NAME = (
    "{{ .Object.metadata.namespace | sha3short }}-{{ .Object.metadata.name | sha3short }}"
)
_DEFAULT_NAMESPACE = "{{ .ClusterName }}"
_PLACEHOLDERS = {
    "remoteClusterName": ".ClusterName",
    "remoteNamespaceHash": '.Object.metadata.namespace | default "" | shortHash',
    "remoteNamespace": '.Object.metadata.namespace | default ""',
    "remoteNameHash": ".Object.metadata.name | shortHash",
    "remoteName": ".Object.metadata.name",
}
"""Templates for the placeholders of a pattern without `{{`; a longer name precedes its prefix."""

COST_OF_OBJECT = 3
"""The cost of reading an object or applying a step, in copied values."""
_COST_OF_COPY = 50


class UnlinkedCopy(Struct, frozen=True, eq=False):
    """A copy of `source` whose references still name the consumer's objects."""

    source: Manifest
    resource: PublishedResource
    ref: Ref
    object: dict[str, Any]
    mutated: MutatedObject


def estimate_copy(data: Object, steps: int) -> int:
    """Return the cost of copying and mutating an object, in copied values."""
    values = count_values(data)
    grown = values + steps  # each step may add a value, and a quarter of the rest is copied again
    return _COST_OF_COPY + values + steps * (COST_OF_OBJECT + grown // 4)


def copy_object(
    manifest: Manifest, resource: PublishedResource, cluster: LogicalCluster
) -> UnlinkedCopy:
    """Copy a primary. Raises `PublishingError` with the field of the PublishedResource."""
    data = manifest.object
    spec = resource.spec
    field: FieldPath = ("spec", "mutation", "spec")
    mutated = mutate_object(dict(data), spec.mutation.spec or (), field)
    source = require_metadata(mutated, data)
    # Upstream's order: names are made from the mutated object.
    namespace, name = name_copy(source, spec, cluster, is_namespaced=resource.is_namespaced)
    stripped = strip_object(source)
    if not isinstance(stripped.get("spec", {}), Mapping | None):
        message = "the mutations replace the copy's spec by something that is no mapping"
        raise PublishingError(UNMUTABLE, message, "correct the path", field)
    # The marks have the consumer's names, by which a live agent finds the copy.
    original_namespace = str(data["metadata"].get("namespace") or "")
    labels, annotations = make_identity_marks(
        cluster, original_namespace, str(data["metadata"]["name"])
    )
    labels[AGENT_LABEL] = resource.agent.name
    if spec.enable_workspace_paths:
        annotations[PATH_ANNOTATION] = cluster.path
    metadata = stripped["metadata"]
    stripped["metadata"] = {
        **metadata,
        "labels": {**(metadata.get("labels") or {}), **labels},
        "annotations": {**(metadata.get("annotations") or {}), **annotations},
    }
    ref = Ref(*resource.spec.resource.group_kind, namespace, name)
    version = resource.find_local_version(manifest.version)
    copy = identify_copy(stripped, ref, version, field)
    return UnlinkedCopy(manifest, resource, ref, copy, mutated)


def identify_copy(data: dict[str, Any], ref: Ref, version: str, field: FieldPath) -> dict[str, Any]:
    """Return the object with the kind, name and namespace of its copy.

    Raises `PublishingError` for labels and annotations that an API server refuses; `field` leads to
    the mutations that may have written them.
    """
    metadata: dict[str, Any] = {"name": ref.name}
    if ref.namespace:
        metadata["namespace"] = ref.namespace
    others = {k: v for k, v in data["metadata"].items() if k not in {"name", "namespace"}}
    for key, value in (others.get("labels") or {}).items():
        fault = label_value_fault(value) if isinstance(value, str) else "it must be a string"
        if fault:
            message = f"the label {key}: {fault}"
            raise PublishingError(BAD_NAME, message, "correct the value", field)
    for key, value in (others.get("annotations") or {}).items():
        if not isinstance(value, str):
            message = f"the annotation {key} must be a string"
            raise PublishingError(BAD_NAME, message, "correct the value", field)
    api_version = f"{ref.group}/{version}" if ref.group else version
    return data | {"apiVersion": api_version, "kind": ref.kind, "metadata": metadata | others}


def require_metadata(mutated: MutatedObject, data: Object) -> dict[str, Any]:
    """Return the mutated object, if the mutations keep the metadata that an agent needs.

    `data` is the object before the mutations. Raises `PublishingError` at the step that deletes or
    replaces the metadata.
    """
    if not (fault := _find_metadata_fault(mutated.object, data)):
        return mutated.object
    results = (*(step.before for step in mutated.steps[1:]), mutated.object)
    pairs = zip(mutated.steps, results, strict=True)
    field = next(step.field for step, after in pairs if _find_metadata_fault(after, data))
    raise PublishingError(UNMUTABLE, fault, "correct the path, or what the step writes", field)


def _find_metadata_fault(data: Object, original: Object) -> str:
    metadata, before = data.get("metadata"), original["metadata"]
    if not isinstance(metadata, Mapping):
        return "the mutations delete or replace metadata as a whole"
    for key in ("name", "namespace"):
        if before.get(key) and not (isinstance(metadata.get(key), str) and metadata[key]):
            return f"the mutations delete metadata.{key}, by which an agent finds the object"
    return next(filter(None, (_find_mark_fault(key, metadata, before) for key in _STRIPPED)), "")


def _find_mark_fault(key: str, metadata: Object, before: Object) -> str:
    """Return why mutations make `key` (labels or annotations) invalid; empty if they don't."""
    marks, earlier = metadata.get(key) or {}, before.get(key) or {}
    if not isinstance(marks, Mapping):
        return f"the mutations replace metadata.{key} by something that is no mapping"
    for name, value in marks.items():
        is_stripped = _is_stripped(key, name) or name == AGENT_LABEL
        if is_stripped and earlier.get(name) != value:
            return f"the agent removes or replaces {name} in metadata.{key}, which a step sets"
        if key_fault := label_key_fault(name):
            return f'the key "{name}" in metadata.{key}: {key_fault}'
    return ""


def _is_stripped(key: str, name: str) -> bool:
    names, prefix = _STRIPPED[key]
    return name in names or name.startswith(prefix)


def strip_object(data: Object) -> dict[str, Any]:
    """Return an object without its status, and without metadata of the cluster or the agent."""
    metadata = {key: value for key, value in data["metadata"].items() if key not in OF_A_SERVER}
    for field in _STRIPPED:
        marks = metadata.pop(field, None)
        if isinstance(marks, Mapping):
            rest = {name: v for name, v in marks.items() if not _is_stripped(field, name)}
            metadata |= {field: rest} if rest else {}
    fields = {key: value for key, value in data.items() if key != "status"}
    return fields | {"metadata": metadata}


def make_identity_marks(
    cluster: LogicalCluster, namespace: str, name: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the labels, and the annotations, by which a live agent finds the copy of an object."""
    labels = {CLUSTER_LABEL: cluster.name, NAME_HASH_LABEL: hash_sha1(name)}
    annotations = {NAME_ANNOTATION: name}
    if namespace:
        labels[NAMESPACE_HASH_LABEL] = hash_sha1(namespace)
        annotations[NAMESPACE_ANNOTATION] = namespace
    return labels, annotations


def name_copy(
    data: Object,
    spec: PublishedSpec,
    cluster: LogicalCluster,
    *,
    is_namespaced: bool,
) -> tuple[str, str]:
    """Return the namespace and the name for the copy of a mutated object.

    The namespace of a cluster-scoped copy is empty. Raises `PublishingError` if a template fails,
    or if its output is no valid name.
    """
    pattern = spec.naming.name
    # The agent fails here as well: it passes a missing namespace to a function of texts (#163).
    if not pattern and not data["metadata"].get("namespace"):
        message = "the default name of copies contains the namespace, and there is none"
        cure = "set naming.name: '{{ .ClusterName }}-{{ .Object.metadata.name }}'"
        raise PublishingError(CLUSTER_SCOPED_NAME, message, cure, ("spec", "naming", "name"))
    name = _fill_pattern(pattern or _DEFAULT_NAME, data, cluster, "name")
    check_name(name, subdomain_fault(name), "the copy's name", ("spec", "naming", "name"))
    # The scope of the local CRD counts, and not that of the projection.
    if not is_namespaced:
        return "", name
    pattern = spec.naming.namespace or _DEFAULT_NAMESPACE
    namespace = _fill_pattern(pattern, data, cluster, "namespace")
    field = ("spec", "naming", "namespace")
    check_name(namespace, label_fault(namespace), "the copy's namespace", field)
    return namespace, name


def check_name(name: str, fault: str, subject: str, field: FieldPath) -> None:
    """Raise `PublishingError` if `fault`, the fault in the name of `subject`, is not empty."""
    if fault:
        message = f'{subject} would be "{name}": {fault}'
        cure = "use only a-z, 0-9 and -, and begin and end with a letter or digit"
        raise PublishingError(BAD_NAME, message, cure, field)


def _fill_pattern(pattern: str, data: Object, cluster: LogicalCluster, field: str) -> str:
    """Return the pattern rendered as a template.

    In a pattern without `{{` (v0.2), placeholders such as `$remoteName` become templates first.
    """
    # Without `{{`, a pattern is in the syntax of v0.2, which upstream still reads.
    if "{{" not in pattern:
        placeholder = rf"\$({'|'.join(_PLACEHOLDERS)})"
        pattern = re.sub(placeholder, lambda m: f"{{{{ {_PLACEHOLDERS[m[1]]} }}}}", pattern)
    context = make_name_context(data, cluster)
    return TemplateEngine().render(pattern, context, ("spec", "naming", field)).text
