"""Rules about CustomResourceDefinitions of policies: what their authors have to mend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.findings.codes import attachment as codes
from spokerender.findings.faults import Fault
from spokerender.judging.attachment.definitions import POLICY_LABEL, at, label, schemas
from spokerender.kinds import Kind, NamespaceRule, Role, read
from spokerender.kinds.crds import kind_of
from spokerender.model.shapes import as_list

_CLASSES = ("direct", "inherited")
_TARGETS = 16
_ANCESTORS = 16
_CONDITIONS = 8
_FIELDS = ("targetRef", "targetRefs", "targetSelectors")
_STRATEGIES = ("defaults", "overrides", "strategy", "mergeType")
_LABEL = ("metadata", "labels", POLICY_LABEL)
_SPEC = ("spec", "versions")

Crd = Mapping[str, Any]


def defines_policy(crd: Crd) -> bool:
    """Whether the CRD is a policy's: by its label, or since its objects name targets."""
    kind = kind_of(crd)
    return kind is not None and (bool(label(crd)) or bool(_naming(kind)))


def _naming(kind: Kind) -> list[str]:
    """The fields of `spec` in which it names targets by group, kind and name (or labels)."""
    roles = (Role.TARGET, Role.SELECTOR)
    return [
        rule.path.removeprefix("spec.").removesuffix("[]")
        for rule in kind.references
        if rule.role in roles
    ]


def is_labelled(crd: Crd) -> Iterator[Fault]:
    """C1: the label says that it is a policy, and of which class."""
    value = label(crd)
    if not value:
        message = f"has no label {POLICY_LABEL}, so tools don't find its policies"
    elif value.casefold() not in _CLASSES:
        message = (
            f"has the label {POLICY_LABEL}: {value}, which names no class (GEP-713 has direct and "
            "inherited, the Gateway API's own CRDs write Direct)"
        )
    else:
        return
    yield Fault(codes.NO_LABEL, message, "label it Direct or Inherited", _LABEL)


def has_status(crd: Crd) -> Iterator[Fault]:
    """C2: there are `spec` and `status`, and the status has conditions."""
    versions = read(crd, ("spec", "versions"))
    for version in as_list(versions):
        schema = read(version, ("schema", "openAPIV3Schema"), {})
        if read(version, ("served",)) is False:
            continue
        has_conditions = at(schema, "status", "conditions") or at(
            schema, "status", "ancestors", "conditions"
        )
        lacks = [
            name
            for name, there in (
                ("spec", at(schema, "spec")),
                ("status.conditions", has_conditions),
                (
                    "the status subresource",
                    isinstance(read(version, ("subresources", "status")), Mapping),
                ),
            )
            if not there
        ]
        if lacks:
            message = f"version {read(version, ('name',))} has no {', '.join(lacks)}"
            yield Fault(codes.NO_STATUS, message, "add it", _SPEC)


def is_named_policy(crd: Crd) -> Iterator[Fault]:
    """C3: kind and plural say what it is."""
    names = {key: str(read(crd, ("spec", "names", key)) or "") for key in ("kind", "plural")}
    for key, suffix in (("kind", "Policy"), ("plural", "policies")):
        if not names[key].endswith(suffix):
            message = f"the {key} {names[key]} does not end in {suffix}"
            yield Fault(codes.NOT_NAMED_POLICY, message, "rename it", ("spec", "names", key))


def has_targets(crd: Crd) -> Iterator[Fault]:
    """C4: targets are in `targetRefs` (or a single `targetRef`), with group and kind."""
    kind = kind_of(crd)
    names = _naming(kind) if kind is not None else []
    if not set(names) & set(_FIELDS):
        has = f" (it has spec.{names[0]})" if names else ""
        yield Fault(
            codes.ODD_TARGETS,
            f"has no spec.targetRefs or spec.targetRef with group, kind and name{has}",
            "add spec.targetRefs",
            _SPEC,
        )


def limits_targets(crd: Crd) -> Iterator[Fault]:
    """C5: `targetRefs` has from 1 to at most 16 entries."""
    for schema in schemas(crd):
        targets = at(schema, "spec", "targetRefs")
        if not targets:
            continue
        most, least = targets.get("maxItems"), targets.get("minItems")
        if not isinstance(most, int) or most > _TARGETS:
            message = f"allows {'any number of' if most is None else most} targets, not {_TARGETS}"
            yield Fault(codes.UNLIMITED_TARGETS, message, f"set maxItems: {_TARGETS}", _SPEC)
        if not least:
            message = "allows an empty list of targets"
            yield Fault(codes.UNLIMITED_TARGETS, message, "set minItems: 1", _SPEC)


def separates_target_fields(crd: Crd) -> Iterator[Fault]:
    """C6: a CRD with both target fields has a CEL rule about them."""
    for schema in schemas(crd):
        spec = at(schema, "spec")
        both = all(at(schema, "spec", field) for field in _FIELDS[:2])
        if both and not any(all(field in text for field in _FIELDS[:2]) for text in _cel(spec)):
            message = (
                "has spec.targetRef and spec.targetRefs, and no CEL rule that keeps them apart"
            )
            yield Fault(codes.BOTH_TARGET_FIELDS, message, "add such a rule", _SPEC)


def _cel(schema: Mapping[str, Any]) -> list[str]:
    """The CEL rules of one schema."""
    rules = schema.get("x-kubernetes-validations")
    texts = [read(rule, ("rule",)) for rule in as_list(rules)]
    return [text for text in texts if isinstance(text, str)]


def keeps_to_namespace(crd: Crd) -> Iterator[Fault]:
    """C7: a reference that can name a namespace needs a handshake, which no CRD can show."""
    kind = kind_of(crd)
    for rule in kind.references if kind is not None else ():
        if rule.role is Role.TARGET and rule.namespace is NamespaceRule.ANY:
            message = f"{rule.path} can name another namespace, whose owner has to agree"
            cure = "leave `namespace` out of it, or have the controller ask for a ReferenceGrant"
            yield Fault(codes.OPEN_NAMESPACE, message, cure, _SPEC)


def is_really_direct(crd: Crd) -> Iterator[Fault]:
    """C8: what is called direct has one kind of target, and no merge strategies."""
    if label(crd).casefold() != "direct":
        return
    for schema in schemas(crd):
        strategies = [name for name in _STRATEGIES if at(schema, "spec", name)]
        kinds = _target_kinds(schema)
        if strategies:
            message = f"is labelled direct, and has strategies (spec.{strategies[0]})"
        elif len(kinds) > 1:
            message = f"is labelled direct, and takes several kinds of target: {', '.join(kinds)}"
        else:
            continue
        yield Fault(codes.SUSPECT_LABEL, message, "label it Inherited", _LABEL)


def _target_kinds(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of target that an `enum` lists, or a CEL rule in the Gateway API's manner.

    Such as `self.kind in ['Gateway', 'HTTPRoute']` and `self.kind == 'Gateway' || …`.
    """
    for field in _FIELDS[:2]:
        whole = at(schema, "spec", field)
        enum = at(schema, "spec", field, "kind").get("enum")
        if isinstance(enum, list):
            return tuple(str(kind) for kind in enum)
        items = whole.get("items")
        texts = [*_cel(whole), *(_cel(items) if isinstance(items, Mapping) else [])]
        for text in texts:
            if ".kind" in text:
                quoted = text.replace('"', "'").split("'")[1::2]
                return tuple(word for word in dict.fromkeys(quoted) if word[:1].isupper())
    return ()


def has_one_strategy(crd: Crd) -> Iterator[Fault]:
    """C9: where there are several strategies, one object can choose only one of them."""
    for schema in schemas(crd):
        blocks = [name for name in ("defaults", "overrides") if at(schema, "spec", name)]
        rules = [*_cel(schema), *_cel(at(schema, "spec"))]
        if len(blocks) > 1 and not any(all(name in text for name in blocks) for text in rules):
            message = "lets one object have spec.defaults and spec.overrides"
            yield Fault(codes.UNSELECTABLE, message, "add a CEL rule that refuses it", _SPEC)


def has_ancestors(crd: Crd) -> Iterator[Fault]:
    """C10: the status is a `PolicyStatus`: limited ancestors, each with limited conditions."""
    for schema in schemas(crd):
        ancestors = at(schema, "status", "ancestors")
        limit = ancestors.get("maxItems")
        most = at(schema, "status", "ancestors", "conditions").get("maxItems")
        if not ancestors:
            message = "has no status.ancestors, so its status can't tell gateways apart"
        elif not isinstance(limit, int) or limit > _ANCESTORS:
            message = (
                f"has room for {'any number of' if limit is None else limit} ancestors; "
                f"PolicyStatus has {_ANCESTORS} (GEP-2648 said 32)"
            )
        elif not isinstance(most, int) or most > _CONDITIONS:
            message = f"does not limit an ancestor's conditions to {_CONDITIONS}"
        else:
            continue
        yield Fault(codes.OTHER_STATUS, message, "use PolicyStatus of the Gateway API", _SPEC)
