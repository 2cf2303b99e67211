"""Kinds as CustomResourceDefinitions define them: identity, scope, versions, target references."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spokerender.kinds.fields import EACH_ITEM, read_value, split_pattern
from spokerender.kinds.kind import SECTION, SECTIONS, Kind, NamespaceRule, ReferencePath, Role
from spokerender.kinds.merging import DIRECT
from spokerender.kinds.rows import ASSUMED
from spokerender.model import names
from spokerender.model.shapes import Json, as_list, as_text

CRD_KIND = "CustomResourceDefinition"
POLICY_LABEL = "gateway.networking.k8s.io/policy"
STRATEGY_FIELDS = ("defaults", "overrides", "strategy", "mergeType")
"""The fields of `spec` with which a policy chooses how it is merged."""
BUNDLE = "gateway.networking.k8s.io/bundle-version"
CHANNEL = "gateway.networking.k8s.io/channel"
"""The annotations of a Gateway API CRD with its release and channel."""

_ROLES = {
    "targetRef": Role.TARGET,
    "targetRefs": Role.TARGET,
    "targetReference": Role.TARGET,
    "targetSelectors": Role.SELECTOR,
    "gatewayRef": Role.TARGET,
    "gatewayRefs": Role.PARENT,
    "parentRef": Role.PARENT,
    "parentRefs": Role.PARENT,
}
"""The fields of `spec` with references, according to GEP-713 and convention."""

_ROOT = ("schema", "openAPIV3Schema")
_SPEC = (*_ROOT, "properties", "spec")
_ANYTHING = "x-kubernetes-preserve-unknown-fields"
_BACKENDS = ("backendRef", "backendRefs")
# CRDs of a hub are hostile until proven: a schema may be nested as deep as somebody likes.
_DEEPEST = 8
_KIND = re.compile(r"""\bkind\s*==\s*(['"]\w+['"])|\bkind\s+in\s+\[([^\]]*)\]""")
_WORD = re.compile(r"\w+")


def read_crd_kind(crd: Mapping[str, Any]) -> Kind | None:
    """Return the kind that a CRD defines, or None if the CRD says too little; raise nothing.

    A field counts as a reference only if its schema has group and kind (and a name, or labels):
    many objects, such as a HorizontalPodAutoscaler, have targets of another sort. If the stored
    version has no schema, or accepts any fields, reference fields are assumed. Policies of CRDs
    labelled direct are not merged, unless the schema contradicts the label.
    """
    group, kind = read_value(crd, ("spec", "group")), read_value(crd, ("spec", "names", "kind"))
    plural = read_value(crd, ("spec", "names", "plural"))
    if not (isinstance(group, str) and isinstance(kind, str) and group and kind):
        return None
    if find_name_fault(crd)[1]:
        return None  # no API server takes such a CRD, and nothing is one of its objects
    versions = _served(crd)
    by_path = {rule.path: rule for rule in _assumed(versions[0] if versions else {})}
    # The stored version is the first in the list, so it is read last and its fields hold.
    by_path |= {rule.path: rule for version in reversed(versions) for rule in _references(version)}
    targets = tuple(sorted({kind for version in versions for kind in _targets(version)}))
    specs = [read_value(version, (*_SPEC, "properties")) for version in versions]
    has_strategies = any(read_value(spec, (name,)) for spec in specs for name in STRATEGY_FIELDS)
    is_direct = read_policy_label(crd).casefold() == "direct"
    return Kind(
        group=group,
        kind=kind,
        plural=as_text(plural),
        versions=tuple(version["name"] for version in versions),
        namespaced=read_value(crd, ("spec", "scope")) != "Cluster",
        references=tuple(by_path[path] for path in sorted(by_path)),
        merging=DIRECT if is_direct and len(targets) <= 1 and not has_strategies else None,
        targets=targets,
    )


def read_policy_label(crd: Mapping[str, Any]) -> str:
    """Return the label with the class of a CRD's policies (GEP-713); empty if there is none."""
    return as_text(read_value(crd, ("metadata", "labels", POLICY_LABEL)))


def read_identity(crd: Mapping[str, Any]) -> tuple[str, str]:
    """Return the group and kind that a CRD defines."""
    return (
        str(read_value(crd, ("spec", "group"))),
        str(read_value(crd, ("spec", "names", "kind"))),
    )


def find_name_fault(crd: Mapping[str, Any]) -> tuple[str, str]:
    """Return the field of a CRD with an invalid name, and the reason; otherwise empty texts.

    Values that are not texts are left to the validation against schemas.
    """
    group = read_value(crd, ("spec", "group"))
    faults: dict[str, tuple[Any, Callable[[str], str]]] = {
        "spec.group": (group, names.group_fault),
        "spec.names.kind": (
            read_value(crd, ("spec", "names", "kind")),
            lambda kind: names.kind_fault(str(group), kind),
        ),
        "spec.names.plural": (read_value(crd, ("spec", "names", "plural")), names.label_fault),
    }
    found_faults = (
        (field, fault(text)) for field, (text, fault) in faults.items() if isinstance(text, str)
    )
    return next(((field, wrong) for field, wrong in found_faults if wrong), ("", ""))


def _served(crd: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the served versions, the stored version first."""
    versions = read_value(crd, ("spec", "versions"))
    served = [
        version
        for version in as_list(versions)
        if isinstance(version, Mapping)
        and isinstance(version.get("name"), str)
        and version.get("served") is not False
    ]
    return sorted(served, key=lambda version: version.get("storage") is not True)


def _targets(version: Mapping[str, Any]) -> Iterator[str]:
    """Yield the target kinds that the schema allows, by an enum or by CEL rules of a known form."""
    spec = read_value(version, _SPEC)
    fields = [
        read_value(spec, ("properties", field)) for field, role in _ROLES.items() if role.moves
    ]
    items = [read_value(field, ("items",)) for field in fields]
    for schema in (spec, *fields, *items):
        listed = as_list(read_value(schema, ("properties", "kind", "enum")))
        yield from (kind for kind in listed if isinstance(kind, str))
        rules = read_value(schema, ("x-kubernetes-validations",))
        for rule in as_list(rules):
            for one, several in _KIND.findall(str(read_value(rule, ("rule",)))):
                yield from _WORD.findall(one or several)


def _backends(schema: Json, path: str, depth: int = 0) -> Iterator[ReferencePath]:
    """Yield the fields that name backends in the Gateway API's form, down to a fixed depth."""
    properties = read_value(schema, ("properties",))
    if not isinstance(properties, Mapping) or depth > _DEEPEST:
        return
    for name, below in properties.items():
        items = read_value(below, ("items",))
        inner, place = (
            (items, f"{path}.{name}[]") if items is not None else (below, f"{path}.{name}")
        )
        named = read_value(inner, ("properties",))
        if name in _BACKENDS and isinstance(named, Mapping) and {"name", "kind"} <= set(named):
            kind = _default(named, "kind") or "Service"
            rule = _namespace_rule(named)
            yield ReferencePath(place, Role.BACKEND, _default(named, "group"), kind, rule)
        # In a pattern, dots separate keys, so no pattern can name a key with a dot.
        elif "." not in name:
            yield from _backends(inner, place, depth + 1)


def _references(version: Mapping[str, Any]) -> Iterator[ReferencePath]:
    yield from _backends(read_value(version, _SPEC), "spec")
    spec = read_value(version, (*_SPEC, "properties"))
    for field, role in _ROLES.items():
        schema = read_value(spec, (field,))
        items = read_value(schema, ("items",))
        is_list = isinstance(items, Mapping)
        properties = read_value(items if is_list else schema, ("properties",))
        named_by = "matchLabels" if role is Role.SELECTOR else "name"
        if not isinstance(properties, Mapping) or not {"group", "kind", named_by} <= set(
            properties
        ):
            continue
        max_items = read_value(schema, ("maxItems",))
        yield ReferencePath(
            path=f"spec.{field}[]" if is_list else f"spec.{field}",
            role=role,
            default_group=_default(properties, "group"),
            default_kind=_default(properties, "kind"),
            namespace=_namespace_rule(properties),
            section=next((key for key in (SECTION, SECTIONS) if key in properties), ""),
            max_items=max_items if isinstance(max_items, int) else None,
            infers_group=not _asks_for_group(items if is_list else schema),
        )


def _assumed(version: Mapping[str, Any]) -> Iterator[ReferencePath]:
    """Yield those of the assumed reference fields at which the schema accepts any fields."""
    for rule in ASSUMED:
        schema = read_value(version, _ROOT)
        for key in split_pattern(rule.path):
            is_open = _takes_anything(schema)
            path = ("items",) if key == EACH_ITEM else ("properties", key)
            schema = read_value(schema, path)
            if schema is None:
                break
        if is_open if schema is None else _takes_anything(schema):
            yield rule


def _takes_anything(schema: Json) -> bool:
    """Return whether a schema says nothing about an object's fields."""
    is_object = read_value(schema, ("type",)) in (None, "object")
    has_fields = bool(read_value(schema, ("properties",)))
    has_items = read_value(schema, ("items",)) is not None
    is_open = read_value(schema, (_ANYTHING,)) is True
    return is_open or (is_object and not has_fields and not has_items)


def _asks_for_group(schema: Json) -> bool:
    """Return whether a reference has to have a group, or the schema has a default for it."""
    required = read_value(schema, ("required",))
    is_required = isinstance(required, list) and "group" in required
    return is_required or bool(_default(read_value(schema, ("properties",)), "group"))


def _default(properties: Mapping[str, Any], field: str) -> str:
    return as_text(read_value(properties, (field, "default")))


def _namespace_rule(properties: Mapping[str, Any]) -> NamespaceRule:
    if "namespace" not in properties:
        return NamespaceRule.NONE
    rules = read_value(properties, ("namespace", "x-kubernetes-validations"))
    texts = [read_value(rule, ("rule",)) for rule in as_list(rules)]
    # Istio's way to keep the field and forbid its use.
    empty = any(
        isinstance(text, str) and "".join(text.split()) == "self.size()==0" for text in texts
    )
    return NamespaceRule.EMPTY if empty else NamespaceRule.ANY
