"""The policy kinds to sync: listed in the GatewayClass's parameters, and in fleet.yaml.

Kuadrant's policy sync RFC puts the list on the GatewayClass; its controller read it from a
ConfigMap, as JSON under `params`, with the keys `downstreamClass` and (first draft, RFC)
`policiesToSync` or (controller) `experimentalPolicySync`. If that controller said nothing (there
are no parameters, no `downstreamClass`, an unknown key), there is a finding here.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from spokerender.config.fleet import SyncedKind
from spokerender.findings.causes import UNREADABLE_HUB, missing
from spokerender.findings.codes import placement as codes
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import WARNING, FindingKind, Result, Severity
from spokerender.formats import yamlio
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.fields import read_value
from spokerender.kinds.kind import Kind
from spokerender.model import CONFIG_MAP, GATEWAY, GATEWAY_CLASS, Manifest, Origin, Ref, kind_name
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import Json, as_mapping, as_text
from spokerender.rendering.values.placement import ClassParameters, SyncList
from spokerender.topology.hub import Hub

_ENTRY_KEYS = ("group", "version", "kind", "resource")
_LISTS = ("policiesToSync", "experimentalPolicySync")
_KEYS = ("downstreamClass", *_LISTS)
_PARAMS = ("data", "params")


class SyncFaults:
    """Collects findings about one source of a sync list: a GatewayClass or fleet.yaml."""

    def __init__(self, ref: Ref | None, origin: Origin | None) -> None:
        self.results: list[Result] = []
        self._ref, self._origin = ref, origin

    def add(
        self, kind: FindingKind, message: str, cure: str, field: str = "", *causes: str
    ) -> None:
        """Add a finding about a field; `causes` are other findings that explain it."""
        ref, origin = self._ref, self._origin
        self.results.append(
            kind.result(message, cure=cure, resource=ref, field=field, origin=origin, causes=causes)
        )


def read_entry_kind(
    entry: Json,
    catalogue: Catalogue,
    present: frozenset[GroupKind],
    faults: SyncFaults,
    field: str,
) -> GroupKind | None:
    """Return the group and kind of an entry, a GVK or a GVR; None, with a finding, if it is wrong.

    The version does not matter. A kind is known if the table of kinds or a CRD of the hub has it,
    or if the hub has an object of the kind (`present`), whose references are found by structure.
    """
    if isinstance(entry, str):  # a bare kind, which might be of any group
        entry = {"resource" if entry.islower() else "kind": entry}
    if not isinstance(entry, Mapping) or not all(isinstance(v, str) for v in entry.values()):
        message = "an entry names group, version and kind (or resource), all of them texts"
        cure = 'write, e.g., {"group": "kuadrant.io", "version": "v1", "kind": "AuthPolicy"}'
        faults.add(codes.BAD_PARAMETERS, message, cure, field)
        return None
    _check_keys(entry, _ENTRY_KEYS, faults, field)
    group, kind, resource = (str(entry.get(key) or "") for key in ("group", "kind", "resource"))
    if bool(kind) == bool(resource):
        message = "exactly one of kind and resource is needed"
        cure = "name the kind, as in AuthPolicy, or the resource, as in authpolicies"
        faults.add(codes.BAD_PARAMETERS, message, cure, field)
        return None
    if kind and (catalogue.known(group, kind) or (group, kind) in present):
        return group, kind
    row = catalogue.by_resource(group, resource) if resource else None
    if row is not None:
        return row.group, row.kind
    message, cure = _explain_unknown(group, kind, resource, catalogue, present)
    faults.add(codes.UNKNOWN_KIND, message, cure, field)
    return None


def _check_keys(
    value: Mapping[str, Any], keys: tuple[str, ...], faults: SyncFaults, field: str
) -> None:
    for key in value:
        if key not in keys:
            cure = did_you_mean(key, keys, "known keys are")
            faults.add(codes.BAD_PARAMETERS, f'unknown key "{key}"', cure, f"{field}.{key}")


def _explain_unknown(
    group: str, kind: str, resource: str, catalogue: Catalogue, present: frozenset[GroupKind]
) -> tuple[str, str]:
    name = kind or resource
    groups = [] if group else _find_groups(kind, resource, catalogue, present)
    if not groups:
        message = f'nobody knows {"kind" if kind else "resource"} "{name}" of group "{group}"'
        cure = catalogue.suggest(group, name)
        return message, cure or "add its CustomResourceDefinition to the hub folder"
    field = f"kind: {kind}" if kind else f"resource: {resource}"
    first, *others = [f"{{group: {item}, {field}}}" for item in groups]
    if not others:
        return f'{name} is of group "{groups[0]}", and no group is named', f"write {first}"
    cure = f"write the one that is meant: {' or '.join((first, *others))}"
    return f"{name} may be of {len(groups)} groups, and no group is named", cure


def _find_groups(
    kind: str, resource: str, catalogue: Catalogue, present: frozenset[GroupKind]
) -> list[str]:
    """Return the groups with this kind or resource: in the hub, or else among all known kinds."""

    def is_named(row: Kind) -> bool:
        return row.kind == kind if kind else row.plural == resource

    in_hub = {group for group, name in present if is_named(catalogue.kind(group, name))}
    return sorted(
        in_hub - {""} or {row.group for row in catalogue.all_kinds().values() if is_named(row)}
    )


def read_parameters(
    gateway_class: Manifest,
    manifests: Mapping[Ref, Manifest],
    catalogue: Catalogue,
    present: frozenset[GroupKind],
    *,
    tolerant: bool,
) -> tuple[ClassParameters, list[Result]]:
    """Return the parameters of a class with their faults.

    If `tolerant` (fleet.yaml lists the kinds), parameters that don't look like ours are assumed to
    belong to another controller: a ConfigMap is reported, but not refused.
    """
    reference = read_value(gateway_class.object, ("spec", "parametersRef"))
    if not isinstance(reference, Mapping):
        return ClassParameters(), []
    kind = kind_name(str(reference.get("group") or ""), str(reference.get("kind")))
    # Parameters belong to a class's controller, and only MGC's classes have ours: if fleet.yaml
    # lists the kinds, the class may be any controller's.
    if tolerant and kind != "ConfigMap":
        return ClassParameters(), []
    if tolerant and _is_foreign(reference, manifests):
        is_here = _config_map_ref(reference) in manifests
        return ClassParameters(), [_foreign_result(gateway_class, is_here=is_here)]
    faults = SyncFaults(gateway_class.ref, gateway_class.origin)
    config_map = _find_config_map(reference, kind, manifests, faults)
    text = _find_text(config_map, faults) if config_map is not None else None
    if config_map is None or text is None:
        return ClassParameters(), faults.results
    inner = SyncFaults(config_map.ref, config_map.origin)
    parameters = _read_text(text, catalogue, present, inner)
    return replace(parameters, config_map=config_map), inner.results


def _foreign_result(gateway_class: Manifest, *, is_here: bool) -> Result:
    belongs = (
        "belong to another controller"
        if is_here
        else "are not in the hub, and taken for another controller's"
    )
    return codes.FOREIGN_PARAMETERS.result(
        f"its parameters (ConfigMap) {belongs}; fleet.yaml lists the kinds",
        cure="" if is_here else "add them to the hub if they are meant for spokerender",
        resource=gateway_class.ref,
        field="spec.parametersRef",
        origin=gateway_class.origin,
        severity=None if is_here else WARNING,
    )


def _is_foreign(reference: Mapping[str, Any], manifests: Mapping[Ref, Manifest]) -> bool:
    """Return whether a ConfigMap with parameters probably belongs to another controller.

    Other controllers also read ConfigMaps (Istio: `deployment`, `service`), which the hub need not
    have.
    """
    if not reference.get("namespace"):
        return False
    ref = _config_map_ref(reference)
    if ref not in manifests:
        return not did_you_mean(ref.full_name, _config_map_names(manifests))
    text = read_value(manifests[ref].object, _PARAMS)
    if not isinstance(text, str):
        return True
    documents, _ = yamlio.read(text.encode(), "data.params")
    value = documents[0].value if len(documents) == 1 else None
    if isinstance(value, Mapping):
        return not any(key in _KEYS or did_you_mean(key, _KEYS) for key in value)
    return not any(key in text for key in _KEYS)


def _config_map_ref(reference: Mapping[str, Any]) -> Ref:
    return Ref(*CONFIG_MAP, str(reference["namespace"]), str(reference.get("name") or ""))


def _config_map_names(manifests: Mapping[Ref, Manifest]) -> list[str]:
    return [ref.full_name for ref in manifests if (ref.group, ref.kind) == CONFIG_MAP]


def _find_config_map(
    reference: Mapping[str, Any], kind: str, manifests: Mapping[Ref, Manifest], faults: SyncFaults
) -> Manifest | None:
    field = "spec.parametersRef"
    if kind != "ConfigMap":
        cure = "point it at a ConfigMap, or list the kinds in fleet.yaml under spec.policiesToSync"
        faults.add(codes.BAD_PARAMETERS, f"parameters of kind {kind} can't be read", cure, field)
        return None
    # As MGC does (params.go): "Namespace must be defined".
    if not reference.get("namespace"):
        message = "no namespace: a ConfigMap is namespaced"
        faults.add(codes.BAD_PARAMETERS, message, "add `namespace`", f"{field}.namespace")
        return None
    ref = _config_map_ref(reference)
    if ref not in manifests:
        near = did_you_mean(ref.full_name, _config_map_names(manifests), "the hub has")
        causes = (missing(ref), UNREADABLE_HUB)
        cure = near or "add it to the hub"
        faults.add(codes.BAD_PARAMETERS, f"{ref} is not in the hub", cure, field, *causes)
        return None
    return manifests[ref]


def _find_text(config_map: Manifest, faults: SyncFaults) -> str | None:
    text = read_value(config_map.object, _PARAMS)
    if isinstance(text, str):
        return text
    data = as_mapping(config_map.object.get("data"))
    keys = ", ".join(sorted(data)) if data else "nothing"
    message = f"{config_map.ref} has no text under data.params (it has {keys})"
    cure = "put the parameters there, as JSON or YAML"
    faults.add(codes.BAD_PARAMETERS, message, cure, "spec.parametersRef")
    return None


def _read_text(
    text: str, catalogue: Catalogue, present: frozenset[GroupKind], faults: SyncFaults
) -> ClassParameters:
    field = "data.params"
    documents, problems = yamlio.read(text.encode(), field)
    for problem in problems:
        message = f"line {problem.line} of the text: {problem.message}"
        faults.add(codes.BAD_PARAMETERS, message, problem.cure, field)
    if problems:
        return ClassParameters()
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, Mapping):
        cure = 'write, e.g., {"downstreamClass": "istio", "policiesToSync": []}'
        faults.add(codes.BAD_PARAMETERS, "the text is not one mapping", cure, field)
        return ClassParameters()
    # MGC ignored unknown keys, and so also `policiesToSync`, the RFC's own key.
    _check_keys(value, _KEYS, faults, field)
    kinds: list[GroupKind | None] = []
    for name in _LISTS:
        entries = value.get(name, [])
        if not isinstance(entries, list):
            faults.add(codes.BAD_PARAMETERS, "must be a list", "use [ … ]", f"{field}.{name}")
            continue
        kinds += (
            read_entry_kind(entry, catalogue, present, faults, f"{field}.{name}[{index}]")
            for index, entry in enumerate(entries)
        )
    # Without it, MGC wrote Gateways with an empty class; here they keep the class of the hub.
    downstream = value.get("downstreamClass", "")
    if not isinstance(downstream, str):
        faults.add(codes.BAD_PARAMETERS, "must be text", "name a class", f"{field}.downstreamClass")
        downstream = ""
    return ClassParameters(frozenset(filter(None, kinds)), downstream, ours=True)


def read_sync_list(
    hub: Hub, fleet: Sequence[SyncedKind], fleet_at: Callable[..., Origin]
) -> SyncList:
    """Return the sync list: the parameters of all GatewayClasses that the hub's Gateways name.

    `fleet` is the list in fleet.yaml, and `fleet_at` returns the line of a field of fleet.yaml.
    """
    present = frozenset((m.ref.group, m.ref.kind) for m in hub.manifests)
    listed, results = _read_fleet_list(hub, fleet, present, fleet_at)
    manifests = {manifest.ref: manifest for manifest in hub.manifests}
    classes: dict[str, ClassParameters] = {}
    in_use = _classes_in_use(hub)
    for name, user in in_use.items():
        gateway_class = manifests.get(Ref(*GATEWAY_CLASS, "", name))
        if gateway_class is not None:
            classes[name], faults = read_parameters(
                gateway_class, manifests, hub.catalogue, present, tolerant=bool(fleet)
            )
            results += faults
        # With a list in fleet.yaml, the class's own parameters are not required.
        elif not fleet:
            results.append(_unknown_class(name, user))
    has_list = listed or any(c.kinds for c in classes.values())
    has_errors = any(result.severity is Severity.ERROR for result in results)
    # An earlier error explains why nothing is listed.
    if in_use and not has_list and not has_errors:
        results.append(_nothing_listed(hub, fleet_at()))
    everything = listed.union(*(c.kinds for c in classes.values()))
    return SyncList(listed, classes, tuple(results), everything)


def _read_fleet_list(
    hub: Hub,
    fleet: Sequence[SyncedKind],
    present: frozenset[GroupKind],
    fleet_at: Callable[..., Origin],
) -> tuple[frozenset[GroupKind], list[Result]]:
    kinds: set[GroupKind] = set()
    results: list[Result] = []
    for index, entry in enumerate(fleet):
        faults = SyncFaults(None, None)
        field = f"spec.policiesToSync[{index}]"
        given = entry.model_dump(exclude_none=True)
        kind = read_entry_kind(given, hub.catalogue, present, faults, field)
        kinds |= {kind} if kind else set()
        if faults.results:
            at = fleet_at("spec", "policiesToSync", index)
            results += (replace(result, origin=at) for result in faults.results)
    return frozenset(kinds), results


def _classes_in_use(hub: Hub) -> dict[str, Manifest]:
    """Return the classes that Gateways name, each with the first Gateway that names it."""
    users: dict[str, Manifest] = {}
    for manifest in hub.manifests:
        if (manifest.ref.group, manifest.ref.kind) == GATEWAY:
            name = read_value(manifest.object, ("spec", "gatewayClassName"))
            users.setdefault(as_text(name), manifest)
    return dict(sorted(users.items()))


def _unknown_class(name: str, user: Manifest) -> Result:
    return codes.UNKNOWN_CLASS.result(
        f'GatewayClass "{name}" is not in the hub, so nothing says which kinds to sync',
        cure="add the GatewayClass with its parameters, or list the kinds in fleet.yaml under "
        "spec.policiesToSync",
        resource=user.ref,
        field="spec.gatewayClassName",
        origin=user.origin,
        causes=(missing(Ref(*GATEWAY_CLASS, "", name)), UNREADABLE_HUB),
    )


def _nothing_listed(hub: Hub, fleet_origin: Origin) -> Result:
    classes = [m for m in hub.manifests if (m.ref.group, m.ref.kind) == GATEWAY_CLASS]
    return codes.NO_SYNC_LIST.result(
        "no GatewayClass and no fleet.yaml lists a policy kind to sync",
        cure="list kinds under `policiesToSync` in the GatewayClass's parameters or in fleet.yaml",
        resource=classes[0].ref if classes else None,
        origin=classes[0].origin if classes else fleet_origin,
    )
