"""The rules about CRDs of policies (C1 to C10), and the facts that they give to other rules."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from msgspec import Struct

from spokerender.findings.codes import attachment as codes
from spokerender.findings.results import Fault
from spokerender.kinds.crds import (
    POLICY_LABEL,
    STRATEGY_FIELDS,
    read_crd_kind,
    read_identity,
    read_policy_label,
)
from spokerender.kinds.fields import read_value
from spokerender.kinds.kind import Kind, NamespaceRule, Role
from spokerender.model.shapes import as_list, as_mapping

_CLASSES = ("direct", "inherited")
_MAX_TARGETS = 16
_MAX_ANCESTORS = 16
_MAX_CONDITIONS = 8
_TARGET_FIELDS = ("targetRef", "targetRefs", "targetSelectors")
_LABEL = ("metadata", "labels", POLICY_LABEL)
_VERSIONS = ("spec", "versions")

_Crd = Mapping[str, Any]


class PolicyDefinition(Struct, frozen=True):
    """The facts of a policy's CRD that rules about policies use.

    `label` is the policy label in lower case: GEP-713 has `direct`, the Gateway API's constant
    `Direct`. `ancestors` is the most entries that `status.ancestors` can have; None if there is no
    limit or no such field. `is_flat` is set if the status has conditions, but no `ancestors`.
    """

    label: str
    ancestors: int | None
    is_flat: bool = False

    @classmethod
    def read(cls, crd: _Crd) -> Self:
        """Return the facts of a CRD; malformed parts of it are skipped."""
        schemas = list(_list_schemas(crd))
        lists = [_find_field(schema, "status", "ancestors") for schema in schemas]
        limits = [each["maxItems"] for each in lists if isinstance(each.get("maxItems"), int)]
        has_conditions = any(_find_field(schema, "status", "conditions") for schema in schemas)
        is_flat = has_conditions and not any(lists)
        return cls(read_policy_label(crd).casefold(), min(limits, default=None), is_flat)


def index_definitions(crds: Iterable[_Crd]) -> dict[tuple[str, str], PolicyDefinition]:
    """Return the facts of each CRD by the group and kind that it defines."""
    return {read_identity(crd): PolicyDefinition.read(crd) for crd in crds}


def _list_schemas(crd: _Crd) -> Iterator[Mapping[str, Any]]:
    """Yield the schemas of the CRD's served versions, in the CRD's order."""
    for version in as_list(read_value(crd, _VERSIONS)):
        schema = read_value(version, ("schema", "openAPIV3Schema"))
        if isinstance(schema, Mapping) and version.get("served") is not False:
            yield schema


def _find_field(schema: Mapping[str, Any], *fields: str) -> Mapping[str, Any]:
    """Return the schema of a nested field, also inside items of lists; empty if there is none."""
    place: Any = schema
    for field in fields:
        items = read_value(place, ("items",))
        place = read_value(items if isinstance(items, Mapping) else place, ("properties", field))
    return as_mapping(place)


def defines_policy(crd: _Crd) -> bool:
    """Return whether a CRD defines a policy: by the policy label, or by fields for targets."""
    kind = read_crd_kind(crd)
    return kind is not None and (bool(read_policy_label(crd)) or bool(_list_target_fields(kind)))


def _list_target_fields(kind: Kind) -> list[str]:
    """Return the names of the fields in `spec` that name targets according to the schema."""
    return [
        rule.path.removeprefix("spec.").removesuffix("[]")
        for rule in kind.references
        if rule.role in (Role.TARGET, Role.SELECTOR) and not rule.assumed
    ]


def check_label(crd: _Crd) -> Iterator[Fault]:
    """Check that the CRD has the policy label, with the value `direct` or `inherited` (C1)."""
    value = read_policy_label(crd)
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


def check_status(crd: _Crd) -> Iterator[Fault]:
    """Check that versions have `spec`, conditions in the status, and the subresource (C2)."""
    for version in as_list(read_value(crd, _VERSIONS)):
        schema = read_value(version, ("schema", "openAPIV3Schema"), {})
        if read_value(version, ("served",)) is False:
            continue
        has_conditions = _find_field(schema, "status", "conditions") or _find_field(
            schema, "status", "ancestors", "conditions"
        )
        lacks = [
            name
            for name, there in (
                ("spec", _find_field(schema, "spec")),
                ("status.conditions", has_conditions),
                (
                    "the status subresource",
                    isinstance(read_value(version, ("subresources", "status")), Mapping),
                ),
            )
            if not there
        ]
        if lacks:
            message = f"version {read_value(version, ('name',))} has no {', '.join(lacks)}"
            yield Fault(codes.NO_STATUS, message, "add it", _VERSIONS)


def check_names(crd: _Crd) -> Iterator[Fault]:
    """Check that the kind ends in `Policy` and the plural in `policies` (C3)."""
    names = {key: str(read_value(crd, ("spec", "names", key)) or "") for key in ("kind", "plural")}
    for key, suffix in (("kind", "Policy"), ("plural", "policies")):
        if not names[key].endswith(suffix):
            message = f"the {key} {names[key]} does not end in {suffix}"
            yield Fault(codes.NOT_NAMED_POLICY, message, "rename it", ("spec", "names", key))


def check_target_fields(crd: _Crd) -> Iterator[Fault]:
    """Check that targets are in `targetRefs` or `targetRef`, with group and kind (C4)."""
    kind = read_crd_kind(crd)
    names = _list_target_fields(kind) if kind is not None else []
    if not set(names) & set(_TARGET_FIELDS):
        has = f" (it has spec.{names[0]})" if names else ""
        yield Fault(
            codes.ODD_TARGETS,
            f"has no spec.targetRefs or spec.targetRef with group, kind and name{has}",
            "add spec.targetRefs",
            _VERSIONS,
        )


def check_target_limits(crd: _Crd) -> Iterator[Fault]:
    """Check that `targetRefs` has from 1 to 16 entries (C5)."""
    for schema in _list_schemas(crd):
        targets = _find_field(schema, "spec", "targetRefs")
        if not targets:
            continue
        most, least = targets.get("maxItems"), targets.get("minItems")
        if not isinstance(most, int) or most > _MAX_TARGETS:
            message = (
                f"allows {'any number of' if most is None else most} targets, not {_MAX_TARGETS}"
            )
            yield Fault(
                codes.UNLIMITED_TARGETS, message, f"set maxItems: {_MAX_TARGETS}", _VERSIONS
            )
        if not least:
            message = "allows an empty list of targets"
            yield Fault(codes.UNLIMITED_TARGETS, message, "set minItems: 1", _VERSIONS)


def check_target_exclusion(crd: _Crd) -> Iterator[Fault]:
    """Check that a CEL rule mentions `targetRef` and `targetRefs` if the CRD has both (C6)."""
    for schema in _list_schemas(crd):
        spec = _find_field(schema, "spec")
        both = all(_find_field(schema, "spec", field) for field in _TARGET_FIELDS[:2])
        if both and not any(
            all(field in text for field in _TARGET_FIELDS[:2]) for text in _list_rules(spec)
        ):
            message = (
                "has spec.targetRef and spec.targetRefs, and no CEL rule that keeps them apart"
            )
            yield Fault(codes.BOTH_TARGET_FIELDS, message, "add such a rule", _VERSIONS)


def _list_rules(schema: Mapping[str, Any]) -> list[str]:
    rules = schema.get("x-kubernetes-validations")
    texts = [read_value(rule, ("rule",)) for rule in as_list(rules)]
    return [text for text in texts if isinstance(text, str)]


def check_target_namespaces(crd: _Crd) -> Iterator[Fault]:
    """Check that no target can be in another namespace, whose owner would have to agree (C7)."""
    kind = read_crd_kind(crd)
    for rule in kind.references if kind is not None else ():
        if rule.role is Role.TARGET and rule.namespace is NamespaceRule.ANY:
            message = f"{rule.path} can name another namespace, whose owner has to agree"
            cure = "leave `namespace` out of it, or have the controller ask for a ReferenceGrant"
            yield Fault(codes.OPEN_NAMESPACE, message, cure, _VERSIONS)


def check_direct_label(crd: _Crd) -> Iterator[Fault]:
    """Check that a CRD labelled direct has one kind of target and no merge strategies (C8)."""
    if read_policy_label(crd).casefold() != "direct":
        return
    for schema in _list_schemas(crd):
        strategies = [name for name in STRATEGY_FIELDS if _find_field(schema, "spec", name)]
        kinds = _list_target_kinds(schema)
        if strategies:
            message = f"is labelled direct, and has strategies (spec.{strategies[0]})"
        elif len(kinds) > 1:
            message = f"is labelled direct, and takes several kinds of target: {', '.join(kinds)}"
        else:
            continue
        yield Fault(codes.SUSPECT_LABEL, message, "label it Inherited", _LABEL)


def _list_target_kinds(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the kinds of target by the first `enum` or CEL rule that lists any; empty if none."""
    for field in _TARGET_FIELDS[:2]:
        whole = _find_field(schema, "spec", field)
        enum = _find_field(schema, "spec", field, "kind").get("enum")
        if isinstance(enum, list):
            return tuple(str(kind) for kind in enum)
        # The Gateway API writes `self.kind in ['Gateway', 'HTTPRoute']`, Envoy Gateway
        # `self.kind == 'Gateway' || …`.
        items = whole.get("items")
        texts = [*_list_rules(whole), *(_list_rules(items) if isinstance(items, Mapping) else [])]
        for text in texts:
            if ".kind" in text:
                quoted = text.replace('"', "'").split("'")[1::2]
                return tuple(word for word in dict.fromkeys(quoted) if word[:1].isupper())
    return ()


def check_strategy_fields(crd: _Crd) -> Iterator[Fault]:
    """Check that a CEL rule excludes `defaults` together with `overrides` (C9)."""
    for schema in _list_schemas(crd):
        blocks = [name for name in ("defaults", "overrides") if _find_field(schema, "spec", name)]
        rules = [*_list_rules(schema), *_list_rules(_find_field(schema, "spec"))]
        if len(blocks) > 1 and not any(all(name in text for name in blocks) for text in rules):
            message = "lets one object have spec.defaults and spec.overrides"
            yield Fault(codes.UNSELECTABLE, message, "add a CEL rule that refuses it", _VERSIONS)


def check_ancestors(crd: _Crd) -> Iterator[Fault]:
    """Check that the status has `ancestors` with the limits of a `PolicyStatus` (C10)."""
    for schema in _list_schemas(crd):
        ancestors = _find_field(schema, "status", "ancestors")
        limit = ancestors.get("maxItems")
        most = _find_field(schema, "status", "ancestors", "conditions").get("maxItems")
        if not ancestors:
            message = "has no status.ancestors, so its status can't tell gateways apart"
        elif not isinstance(limit, int) or limit > _MAX_ANCESTORS:
            message = (
                f"has room for {'any number of' if limit is None else limit} ancestors; "
                f"PolicyStatus has {_MAX_ANCESTORS} (GEP-2648 said 32)"
            )
        elif not isinstance(most, int) or most > _MAX_CONDITIONS:
            message = f"does not limit an ancestor's conditions to {_MAX_CONDITIONS}"
        else:
            continue
        yield Fault(codes.OTHER_STATUS, message, "use PolicyStatus of the Gateway API", _VERSIONS)
