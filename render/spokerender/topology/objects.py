"""Tests whether a mapping is an object: its type and its names, as an API server takes them."""

from collections.abc import Mapping
from typing import Any

from spokerender.findings.phrasing import describe
from spokerender.model import names
from spokerender.model.refs import GATEWAY_API, Ref, shown
from spokerender.model.shapes import Json

_NEVER_SHIPPED = frozenset(
    (group, kind.casefold())
    for group, kind in (("", "Secret"), ("", "Namespace"), (GATEWAY_API, "GatewayClass"))
)
"""By group and kind in lower case: what is written in another case is never rendered either."""
LOCAL_CONFIG = "config.kubernetes.io/local-config"
_ITEMS = "items"
_NO_TEXT = "is missing or not a string"
_RBAC = "rbac.authorization.k8s.io"


def find_object_fault(value: Any) -> tuple[str, str]:  # noqa: ANN401  (any JSON value)
    """Return the field that keeps a value from being an object, and why; else empty texts."""
    if not isinstance(value, Mapping):
        return "", f"is {_type(value)} where a mapping is expected"
    for key in ("apiVersion", "kind"):
        if not isinstance(value.get(key), str) or not value[key]:
            return key, _NO_TEXT
    if wrong := find_list_fault(value):
        return _ITEMS, wrong
    if not isinstance(value.get("spec", {}), Mapping | None):
        return "spec", f"is {_type(value['spec'])}, not a mapping"
    return _metadata_fault(value.get("metadata"))


def _type(value: Json) -> str:
    # A scalar is not quoted: it may be the rest of a Secret whose lines lost their indentation.
    return describe(value) if value is None or isinstance(value, list | Mapping) else "a scalar"


def find_list_fault(data: Mapping[str, Any]) -> str:
    """Return the fault of an object that would be read as a list of others, or an empty text.

    kubectl and Argo CD apply its items instead of it, whatever its kind (apimachinery,
    `Unstructured.IsList`); kustomize does so where the kind ends in `List`.
    """
    wrong = f"with {_ITEMS} at its top, kubectl takes it for a list of objects"
    return wrong if _ITEMS in data else ""


def _metadata_fault(metadata: Json) -> tuple[str, str]:
    if not isinstance(metadata, Mapping):
        return "metadata", "is missing or not a mapping"
    if not isinstance(metadata.get("name"), str) or not metadata["name"]:
        return "metadata.name", _NO_TEXT
    return _marks_fault(metadata)


def _marks_fault(metadata: Mapping[str, Any]) -> tuple[str, str]:
    if not isinstance(metadata.get("namespace") or "", str):
        return "metadata.namespace", "is not a string"
    for key in ("labels", "annotations"):
        marks = metadata.get(key)
        if marks is None:
            continue
        if not isinstance(marks, Mapping):
            return f"metadata.{key}", "is not a mapping"
        for name, text in marks.items():
            if not isinstance(text, str):
                return shown(("metadata", key, name)), "is not a string (put it in quotes)"
    return "", ""


def find_type_fault(api_version: str, kind: str) -> tuple[str, str]:
    """Return the field under which no API server could serve a kind, and why; else empty texts."""
    if wrong := names.api_version_fault(api_version):
        return "apiVersion", wrong
    wrong = names.kind_fault(api_version.rpartition("/")[0], kind)
    return ("kind", wrong) if wrong else ("", "")


def find_ref_fault(ref: Ref) -> str:
    """Return what an API server would refuse in the name and namespace, or an empty text.

    Every custom resource's name is a DNS subdomain; RBAC's names are path segments.
    """
    if ref.namespace and names.label_fault(ref.namespace):
        return f'namespace "{ref.namespace}" is not a DNS label'
    if len(ref.name) > names.SUBDOMAIN_LENGTH:
        return f"the name is longer than {names.SUBDOMAIN_LENGTH} characters"
    is_path = ref.group == _RBAC
    wrong = names.path_segment_fault(ref.name) if is_path else names.subdomain_fault(ref.name)
    return f'name "{ref.name}" is not a DNS name' if wrong else ""


def is_local(value: str) -> bool:
    """Tell whether the annotation `LOCAL_CONFIG` keeps an object from every cluster.

    For kustomize any value does but `false`, spelled so (tried with kubectl kustomize 5.5).
    """
    return value != "false"


def is_never_shipped(ref: Ref) -> bool:
    """Tell whether no spoke ever gets objects of this kind, whoever made it."""
    return (ref.group, ref.kind.casefold()) in _NEVER_SHIPPED
