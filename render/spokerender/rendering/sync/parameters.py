"""A GatewayClass's parameters: a ConfigMap with JSON or YAML text under `params`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spokerender.findings.causes import UNREADABLE_HUB, missing
from spokerender.findings.codes.sync import BAD_PARAMETERS, FOREIGN_PARAMETERS
from spokerender.findings.results import WARNING, Result
from spokerender.findings.suggest import did_you_mean
from spokerender.formats import yamlio
from spokerender.kinds import Catalogue
from spokerender.model import Manifest, Ref, kind_name
from spokerender.rendering.sync.entries import group_kind
from spokerender.rendering.sync.faults import Faults
from spokerender.rendering.values.sync import ClassParameters, GroupKind

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
