"""Checks whether a mapping is an object: its type and its names, as API servers check them."""

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.findings.phrasing import describe
from spokerender.model import GATEWAY_CLASS, NAMESPACE, SECRET, names
from spokerender.model.refs import Ref, shown
from spokerender.model.shapes import Json

_NEVER_SHIPPED = frozenset(
    (group, kind.casefold()) for group, kind in (SECRET, NAMESPACE, GATEWAY_CLASS)
)
"""Group and kind in lower case: a kind that is written in another case is not rendered either."""
LOCAL_CONFIG = "config.kubernetes.io/local-config"
_ITEMS = "items"
_NO_TEXT = "is missing or not a string"
_RBAC = "rbac.authorization.k8s.io"


def find_object_faults(value: Json) -> Iterator[tuple[str, str]]:
    """Yield each field that keeps a value from being an object, with the reason.

    A value without apiVersion or kind yields only that fault: it is the input of another tool.
    """
    if not isinstance(value, Mapping):
        yield "", f"is {_type(value)} where a mapping is expected"
        return
    for key in ("apiVersion", "kind"):
        if not _is_text(value.get(key)):
            yield key, _NO_TEXT
            # Values files and the like have neither field, and one fault says enough.
            if value.get(key) is None:
                return
    if wrong := find_list_fault(value):
        yield _ITEMS, wrong
    if not isinstance(value.get("spec", {}), Mapping | None):
        yield "spec", f"is {_type(value['spec'])}, not a mapping"
    metadata = value.get("metadata")
    if isinstance(metadata, Mapping):
        yield from _find_metadata_faults(metadata)
    else:
        yield "metadata", "is missing or not a mapping"


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and bool(value)


def _type(value: Json) -> str:
    # A scalar is not quoted: it may be the rest of a Secret whose lines lost their indentation.
    return describe(value) if value is None or isinstance(value, list | Mapping) else "a scalar"


def find_list_fault(data: Mapping[str, Any]) -> str:
    """Return the fault if other tools would read an object as a list of objects; else empty.

    kubectl and Argo CD apply the items of an object with `items`, not the object, whatever its kind
    (apimachinery, `Unstructured.IsList`); kustomize does so if the kind ends in `List`.
    """
    wrong = f"with {_ITEMS} at its top, kubectl takes it for a list of objects"
    return wrong if _ITEMS in data else ""


def _find_metadata_faults(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if not _is_text(metadata.get("name")):
        yield "metadata.name", _NO_TEXT
    if not isinstance(metadata.get("namespace"), str | None):
        yield "metadata.namespace", _describe_no_text(metadata["namespace"])
    for key in ("labels", "annotations"):
        marks = metadata.get(key)
        if not isinstance(marks, Mapping | None):
            yield f"metadata.{key}", "is not a mapping"
            continue
        for name, text in (marks or {}).items():
            if not isinstance(text, str):
                yield shown(("metadata", key, name)), _describe_no_text(text)


def _describe_no_text(value: Json) -> str:
    if isinstance(value, list | Mapping):
        return f"is {describe(value)}, not a string"
    return "is not a string (put it in quotes)"


def find_type_fault(api_version: str, kind: str) -> tuple[str, str]:
    """Return the field with a type that no API server can serve, and why; otherwise empty texts."""
    if wrong := names.api_version_fault(api_version):
        return "apiVersion", wrong
    wrong = names.kind_fault(api_version.rpartition("/")[0], kind)
    return ("kind", wrong) if wrong else ("", "")


def find_ref_fault(ref: Ref) -> str:
    """Return why an API server would refuse the name or namespace; empty if it would not.

    The names of custom resources are DNS subdomains; names of RBAC objects are path segments.
    """
    if ref.namespace and names.label_fault(ref.namespace):
        return f'namespace "{ref.namespace}" is not a DNS label'
    if len(ref.name) > names.SUBDOMAIN_LENGTH:
        return f"the name is longer than {names.SUBDOMAIN_LENGTH} characters"
    is_path = ref.group == _RBAC
    wrong = names.path_segment_fault(ref.name) if is_path else names.subdomain_fault(ref.name)
    return f'name "{ref.name}" is not a DNS name' if wrong else ""


def is_local(value: str) -> bool:
    """Return whether the annotation `LOCAL_CONFIG` keeps an object out of every cluster.

    kustomize treats any value except `false` as true (tried with kubectl kustomize 5.5).
    """
    return value != "false"


def is_never_shipped(ref: Ref) -> bool:
    """Return whether objects of this kind are never rendered to spokes, whoever wrote them."""
    return (ref.group, ref.kind.casefold()) in _NEVER_SHIPPED
