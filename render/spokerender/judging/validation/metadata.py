"""Validates `metadata`, by rules that are the same for all kinds (`ValidateObjectMeta`)."""

from collections.abc import Callable, Iterator
from typing import Any

from spokerender.findings.codes.attachment import BAD_METADATA, UNKNOWN_FIELD
from spokerender.findings.phrasing import describe, did_you_mean
from spokerender.findings.results import Fault
from spokerender.formats import cel
from spokerender.model import FieldPath, names, shown
from spokerender.model.shapes import Json

_TEXTS = (
    "creationTimestamp", "deletionTimestamp", "generateName", "name", "namespace",
    "resourceVersion", "selfLink", "uid",
)  # fmt: skip
_LISTS = ("finalizers", "managedFields", "ownerReferences")
_NUMBERS = ("deletionGracePeriodSeconds", "generation")
_KNOWN = (*_TEXTS, *_LISTS, *_NUMBERS, "annotations", "labels")
_ANNOTATIONS_SIZE = 256 * 1024
_PATH_SEGMENT_GROUPS = ("rbac.authorization.k8s.io",)


def check_metadata(value: Json, group: str, *, namespaced: bool) -> Iterator[Fault]:
    """Yield the faults of `metadata`; `namespaced` says whether it must have a namespace."""
    if not isinstance(value, dict):
        yield _fault(("metadata",), f"is {describe(value)}, not a mapping", "give it a name")
        return
    for key, item in value.items():
        yield from _check_field(key, item)
    yield from _check_name(value, group)
    yield from _check_namespace(value.get("namespace"), namespaced=namespaced)
    yield from _check_texts(value.get("labels"), "labels", names.label_value_fault)
    yield from _check_texts(value.get("annotations"), "annotations", lambda _: "")
    yield from _check_annotations_size(value.get("annotations"))


def _check_field(key: str, item: Json) -> Iterator[Fault]:
    path = ("metadata", key)
    if key not in _KNOWN:
        hint = did_you_mean(key, _KNOWN, "metadata has")
        yield Fault(UNKNOWN_FIELD, f'unknown field "{shown(path)}"', hint, path)
    expected: type = str if key in _TEXTS else list if key in _LISTS else object
    if item is not None and not isinstance(item, expected):
        words = "a text" if expected is str else "a list"
        yield _fault(path, f"is {describe(item)}, not {words}", f"write it as {words}")


def _check_name(metadata: dict[str, Json], group: str) -> Iterator[Fault]:
    name, prefix = metadata.get("name"), metadata.get("generateName")
    if name in (None, ""):
        if prefix in (None, ""):
            yield _fault(("metadata", "name"), "name or generateName is required", "give it a name")
        elif isinstance(prefix, str) and (wrong := _prefix_fault(prefix)):
            yield _fault(("metadata", "generateName"), wrong, "use a-z, 0-9 and -")
        return
    if not isinstance(name, str):
        return
    if group in _PATH_SEGMENT_GROUPS:
        is_wrong = name in (".", "..") or "/" in name or "%" in name
        wrong = f'"{name}" may not be ".", ".." or have "/" or "%"' if is_wrong else ""
    else:
        wrong = names.subdomain_fault(name)
    if wrong:
        yield _fault(("metadata", "name"), wrong, 'use a-z, 0-9, "-" and ".", at most 253')


def _prefix_fault(prefix: str) -> str:
    return names.subdomain_fault(f"{prefix[:-1]}a" if prefix.endswith("-") else prefix)


def _check_namespace(value: Json, *, namespaced: bool) -> Iterator[Fault]:
    path = ("metadata", "namespace")
    if not namespaced:
        if value not in (None, ""):
            yield _fault(path, "not allowed on this type: it is cluster-scoped", "take it out")
    elif value in (None, ""):
        yield _fault(path, "Required value", "say in which namespace it is")
    elif isinstance(value, str) and (wrong := names.label_fault(value)):
        yield _fault(path, wrong, 'use a-z, 0-9 and "-", at most 63')


def _check_texts(value: Json, field: str, fault: Callable[[str], str]) -> Iterator[Fault]:
    if value is None:
        return
    if not isinstance(value, dict):
        yield _fault(("metadata", field), f"is {describe(value)}, not a mapping", "use `key: text`")
        return
    for key, item in value.items():
        path = ("metadata", field, key)
        lowered = key.lower() if field == "annotations" else key
        if wrong := cel.format_fault("qualifiedName", lowered):
            yield _fault(("metadata", field), f"Invalid value: {wrong}", "use prefix/name")
        if item is None:
            continue
        if not isinstance(item, str):
            yield _fault(path, f"is {describe(item)}, not a text", "put it in quotes")
        elif wrong := fault(item):
            yield _fault(path, wrong, 'use at most 63 of A-Z, a-z, 0-9, "-", "_" and "."')


def _check_annotations_size(value: Json) -> Iterator[Fault]:
    pairs: Any = value.items() if isinstance(value, dict) else ()
    size = sum(len(k.encode()) + len(v.encode()) for k, v in pairs if isinstance(v, str))
    if size > _ANNOTATIONS_SIZE:
        wrong = f"Too long: may not be more than {_ANNOTATIONS_SIZE} bytes"
        yield _fault(("metadata", "annotations"), wrong, f"they have {size} bytes together")


def _fault(path: FieldPath, wrong: str, cure: str) -> Fault:
    return Fault(BAD_METADATA, f"{shown(path)}: {wrong}", cure, path)
