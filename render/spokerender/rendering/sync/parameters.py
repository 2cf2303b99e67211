"""The parameters of a GatewayClass: a ConfigMap with JSON or YAML text under `params`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spokerender.findings.causes import UNREADABLE_HUB, missing
from spokerender.findings.codes.placement import BAD_PARAMETERS, FOREIGN_PARAMETERS, UNKNOWN_KIND
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import WARNING, FindingKind, Result
from spokerender.formats import yamlio
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Kind
from spokerender.model import Manifest, Origin, Ref, kind_name
from spokerender.rendering.values.sync import ClassParameters, GroupKind


class Faults:
    """Collects what is wrong with one source of a list."""

    def __init__(self, ref: Ref | None, origin: Origin | None) -> None:
        """Everything that is added is told of this object, at this place."""
        self.results: list[Result] = []
        self._ref, self._origin = ref, origin

    def add(
        self, rule: FindingKind, message: str, cure: str, where: str = "", *causes: str
    ) -> None:
        """Add a finding; `where` is the field, `causes` are what it may follow from."""
        self.results.append(
            rule.result(
                message,
                cure=cure,
                resource=self._ref,
                field=where,
                origin=self._origin,
                causes=causes,
            )
        )


ENTRY_KEYS = ("group", "version", "kind", "resource")


def group_kind(
    entry: Any,  # noqa: ANN401  (JSON of any shape)
    catalogue: Catalogue,
    present: frozenset[GroupKind],
    faults: Faults,
    where: str,
) -> GroupKind | None:
    """The group and kind that an entry means; the version is no part of an identity.

    A kind is known if the table or a CRD of the hub has it, or if the hub has an object of
    it (`present`): then its references are found by structure.
    """
    if isinstance(entry, str):  # a bare kind, which might be of any group
        entry = {"resource" if entry.islower() else "kind": entry}
    if not isinstance(entry, Mapping) or not all(isinstance(v, str) for v in entry.values()):
        faults.add(
            BAD_PARAMETERS,
            "an entry names group, version and kind (or resource), all of them texts",
            'write, e.g., {"group": "kuadrant.io", "version": "v1", "kind": "AuthPolicy"}',
            where,
        )
        return None
    for key in entry:
        if key not in ENTRY_KEYS:
            faults.add(
                BAD_PARAMETERS,
                f'unknown key "{key}"',
                did_you_mean(key, ENTRY_KEYS, "known keys are"),
                f"{where}.{key}",
            )
    group, kind, resource = (str(entry.get(key) or "") for key in ("group", "kind", "resource"))
    if bool(kind) == bool(resource):
        faults.add(
            BAD_PARAMETERS,
            "exactly one of kind and resource is needed",
            "name the kind, as in AuthPolicy, or the resource, as in authpolicies",
            where,
        )
        return None
    if kind and (catalogue.known(group, kind) or (group, kind) in present):
        return group, kind
    of_resource = catalogue.by_resource(group, resource) if resource else None
    if of_resource is not None:
        return of_resource.group, of_resource.kind
    message, cure = _unknown(group, kind, resource, catalogue, present)
    faults.add(UNKNOWN_KIND, message, cure, where)
    return None


def _unknown(
    group: str, kind: str, resource: str, catalogue: Catalogue, present: frozenset[GroupKind]
) -> tuple[str, str]:
    """What is wrong with an entry that nobody knows, and what to write instead."""
    name = kind or resource
    meant = [] if group else _groups(kind, resource, catalogue, present)
    if not meant:
        message = f'nobody knows {"kind" if kind else "resource"} "{name}" of group "{group}"'
        cure = catalogue.suggest(group, name)
        return message, cure or "add its CustomResourceDefinition to the hub folder"
    first, *others = [_written(each, kind, resource) for each in meant]
    if not others:
        return f'{name} is of group "{meant[0]}", and no group is named', f"write {first}"
    cure = f"write the one that is meant: {' or '.join((first, *others))}"
    return f"{name} may be of {len(meant)} groups, and no group is named", cure


def _groups(
    kind: str, resource: str, catalogue: Catalogue, present: frozenset[GroupKind]
) -> list[str]:
    """The groups that have a kind or resource: those of the hub's objects, else all known."""

    def is_meant(each: Kind) -> bool:
        return each.kind == kind if kind else each.plural == resource

    in_hub = {group for group, name in present if is_meant(catalogue.kind(group, name))}
    return sorted(in_hub - {""} or {k.group for k in catalogue.all_kinds().values() if is_meant(k)})


def _written(group: str, kind: str, resource: str) -> str:
    named = f"kind: {kind}" if kind else f"resource: {resource}"
    return f"{{group: {group}, {named}}}"


_LISTS = ("policiesToSync", "experimentalPolicySync")
_KEYS = ("downstreamClass", *_LISTS)
_FOREIGN = "belong to another controller"
_ABSENT = "are not in the hub, and taken for another controller's"


def read_parameters(
    gateway_class: Manifest,
    manifests: Mapping[Ref, Manifest],
    catalogue: Catalogue,
    present: frozenset[GroupKind],
    *,
    tolerant: bool,
) -> tuple[ClassParameters, list[Result]]:
    """What a class's parameters say, and what is wrong with them.

    With `tolerant`, where fleet.yaml lists the kinds, parameters that do not look like ours belong
    to another controller and are told, not refused.
    """
    spec = gateway_class.object.get("spec")
    reference = spec.get("parametersRef") if isinstance(spec, Mapping) else None
    if not isinstance(reference, Mapping):
        return ClassParameters(), []
    kind = kind_name(str(reference.get("group") or ""), str(reference.get("kind")))
    if tolerant and _is_foreign(reference, kind, manifests):
        is_here = kind != "ConfigMap" or _config_map_ref(reference) in manifests
        foreign = FOREIGN_PARAMETERS.result(
            f"its parameters ({kind}) {_FOREIGN if is_here else _ABSENT}; fleet.yaml lists the "
            "kinds",
            cure="" if is_here else "add them to the hub if they are meant for spokerender",
            resource=gateway_class.ref,
            field="spec.parametersRef",
            origin=gateway_class.origin,
            severity=None if is_here else WARNING,
        )
        return ClassParameters(), [foreign]
    faults = Faults(gateway_class.ref, gateway_class.origin)
    config_map = _config_map(reference, kind, manifests, faults)
    if config_map is None:
        return ClassParameters(), faults.results
    text = _params(config_map, faults)
    if text is None:
        return ClassParameters(), faults.results
    inner = Faults(config_map.ref, config_map.origin)
    return _parameters(text, catalogue, present, inner), inner.results


def _is_foreign(reference: Mapping[str, Any], kind: str, manifests: Mapping[Ref, Manifest]) -> bool:
    """Whether nothing says that the parameters are meant for us.

    Other controllers read ConfigMaps too (Istio: `deployment`, `service`), and need not have
    them in the hub.
    """
    if kind != "ConfigMap" or not reference.get("namespace"):
        return kind != "ConfigMap"
    ref = _config_map_ref(reference)
    if ref not in manifests:
        return not did_you_mean(ref.full_name, _config_maps(manifests))
    data = manifests[ref].object.get("data")
    text = data.get("params") if isinstance(data, Mapping) else None
    if not isinstance(text, str):
        return True
    documents, _ = yamlio.read(text.encode(), "data.params")
    value = documents[0].value if len(documents) == 1 else None
    if isinstance(value, Mapping):
        return not any(key in _KEYS or did_you_mean(key, _KEYS) for key in value)
    return not any(key in text for key in _KEYS)


def _config_map_ref(reference: Mapping[str, Any]) -> Ref:
    return Ref("", "ConfigMap", str(reference["namespace"]), str(reference.get("name") or ""))


def _config_maps(manifests: Mapping[Ref, Manifest]) -> list[str]:
    return [ref.full_name for ref in manifests if (ref.group, ref.kind) == ("", "ConfigMap")]


def _config_map(
    reference: Mapping[str, Any], kind: str, manifests: Mapping[Ref, Manifest], faults: Faults
) -> Manifest | None:
    if kind != "ConfigMap":
        faults.add(
            BAD_PARAMETERS,
            f"parameters of kind {kind} can't be read",
            "point it at a ConfigMap, or list the kinds in fleet.yaml under spec.policiesToSync",
            "spec.parametersRef",
        )
        return None
    if not reference.get("namespace"):
        faults.add(
            BAD_PARAMETERS,
            "no namespace: a ConfigMap is namespaced",
            "add `namespace`",
            "spec.parametersRef.namespace",
        )
        return None
    ref = _config_map_ref(reference)
    if ref not in manifests:
        faults.add(
            BAD_PARAMETERS,
            f"{ref} is not in the hub",
            did_you_mean(ref.full_name, _config_maps(manifests), "the hub has")
            or "add it to the hub",
            "spec.parametersRef",
            missing(ref),
            UNREADABLE_HUB,
        )
        return None
    return manifests[ref]


def _params(config_map: Manifest, faults: Faults) -> str | None:
    data = config_map.object.get("data")
    text = data.get("params") if isinstance(data, Mapping) else None
    if isinstance(text, str):
        return text
    keys = ", ".join(sorted(data)) if isinstance(data, Mapping) and data else "nothing"
    faults.add(
        BAD_PARAMETERS,
        f"{config_map.ref} has no text under data.params (it has {keys})",
        "put the parameters there, as JSON or YAML",
        "spec.parametersRef",
    )
    return None


def _parameters(
    text: str, catalogue: Catalogue, present: frozenset[GroupKind], faults: Faults
) -> ClassParameters:
    documents, problems = yamlio.read(text.encode(), "data.params")
    for problem in problems:
        faults.add(
            BAD_PARAMETERS,
            f"line {problem.line} of the text: {problem.message}",
            problem.cure,
            "data.params",
        )
    value = documents[0].value if len(documents) == 1 else None
    if problems:
        return ClassParameters()
    if not isinstance(value, Mapping):
        faults.add(
            BAD_PARAMETERS,
            "the text is not one mapping",
            'write, e.g., {"downstreamClass": "istio", "policiesToSync": []}',
            "data.params",
        )
        return ClassParameters()
    for key in value:
        if key not in _KEYS:
            faults.add(
                BAD_PARAMETERS,
                f'unknown key "{key}"',
                did_you_mean(key, _KEYS, "known keys are"),
                f"data.params.{key}",
            )
    kinds = [kind for name in _LISTS for kind in _list(value, name, catalogue, present, faults)]
    downstream = value.get("downstreamClass", "")
    if not isinstance(downstream, str):
        faults.add(BAD_PARAMETERS, "must be text", "name a class", "data.params.downstreamClass")
        downstream = ""
    return ClassParameters(frozenset(kinds), downstream, ours=True)


def _list(
    value: Mapping[str, Any],
    name: str,
    catalogue: Catalogue,
    present: frozenset[GroupKind],
    faults: Faults,
) -> list[GroupKind]:
    entries = value.get(name, [])
    if not isinstance(entries, list):
        faults.add(BAD_PARAMETERS, "must be a list", "use [ … ]", f"data.params.{name}")
        return []
    kinds = [
        group_kind(entry, catalogue, present, faults, f"data.params.{name}[{index}]")
        for index, entry in enumerate(entries)
    ]
    return [kind for kind in kinds if kind is not None]
