"""The policy kinds to sync: the GatewayClass's parameters, and fleet.yaml's own list.

Kuadrant's policy sync RFC puts the list on the GatewayClass; its controller read it from a
ConfigMap, as JSON under `params`, with the keys `downstreamClass` and (first draft, RFC)
`policiesToSync` or (controller) `experimentalPolicySync`. Where that controller was silent
(no parameters at all, no `downstreamClass`, an unknown key) there is a finding here.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec.structs import replace

from spokerender.findings.causes import UNREADABLE_HUB, missing
from spokerender.findings.codes.placement import NO_SYNC_LIST, UNKNOWN_CLASS
from spokerender.findings.results import Result, Severity
from spokerender.model import GATEWAY_API, Manifest, Origin, Ref
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import as_text
from spokerender.rendering.sync.parameters import (
    ENTRY_KEYS,
    SyncFaults,
    read_entry_kind,
    read_parameters,
)
from spokerender.rendering.values.placement import ClassParameters, SyncList
from spokerender.topology.hub import Hub

_GATEWAY_CLASS = (GATEWAY_API, "GatewayClass")


class KindToSync(Protocol):
    """An entry of fleet.yaml's `policiesToSync`."""

    @property
    def group(self) -> str: ...  # noqa: D102
    @property
    def version(self) -> str | None: ...  # noqa: D102
    @property
    def kind(self) -> str | None: ...  # noqa: D102
    @property
    def resource(self) -> str | None: ...  # noqa: D102


def read_sync_list(
    hub: Hub, fleet: Sequence[KindToSync], fleet_at: Callable[..., Origin]
) -> SyncList:
    """Read the parameters of every GatewayClass that a Gateway of the hub names.

    `fleet_at` returns the line of a field of the fleet file.
    """
    present = frozenset((m.ref.group, m.ref.kind) for m in hub.manifests)
    listed, results = _read_fleet_list(hub, fleet, present, fleet_at)
    manifests = {manifest.ref: manifest for manifest in hub.manifests}
    classes: dict[str, ClassParameters] = {}
    in_use = _classes_in_use(hub)
    for name, user in in_use.items():
        gateway_class = manifests.get(Ref(*_GATEWAY_CLASS, "", name))
        if gateway_class is not None:
            classes[name], faults = read_parameters(
                gateway_class, manifests, hub.catalogue, present, tolerant=bool(fleet)
            )
            results += faults
        elif not fleet:
            results.append(_unknown_class(name, user))
    has_list = listed or any(c.kinds for c in classes.values())
    has_errors = any(result.severity is Severity.ERROR for result in results)
    if in_use and not has_list and not has_errors:
        results.append(_nothing_listed(hub, fleet_at()))
    everything = listed.union(*(c.kinds for c in classes.values()))
    return SyncList(listed, classes, tuple(results), everything, fleet_at)


def _read_fleet_list(
    hub: Hub,
    fleet: Sequence[KindToSync],
    present: frozenset[GroupKind],
    fleet_at: Callable[..., Origin],
) -> tuple[frozenset[GroupKind], list[Result]]:
    kinds: set[GroupKind] = set()
    results: list[Result] = []
    for index, entry in enumerate(fleet):
        faults = SyncFaults(None, None)
        field = f"spec.policiesToSync[{index}]"
        fields = {key: getattr(entry, key) for key in ENTRY_KEYS}
        given = {key: value for key, value in fields.items() if value is not None}
        kind = read_entry_kind(given, hub.catalogue, present, faults, field)
        kinds |= {kind} if kind else set()
        if faults.results:
            at = fleet_at("spec", "policiesToSync", index)
            results += (replace(result, origin=at) for result in faults.results)
    return frozenset(kinds), results


def _classes_in_use(hub: Hub) -> dict[str, Manifest]:
    """Return the first Gateway that names a class, by class name."""
    users: dict[str, Manifest] = {}
    for manifest in hub.manifests:
        if (manifest.ref.group, manifest.ref.kind) == (GATEWAY_API, "Gateway"):
            spec = manifest.object.get("spec")
            name = spec.get("gatewayClassName") if isinstance(spec, Mapping) else None
            users.setdefault(as_text(name), manifest)
    return dict(sorted(users.items()))


def _unknown_class(name: str, user: Manifest) -> Result:
    return UNKNOWN_CLASS.result(
        f'GatewayClass "{name}" is not in the hub, so nothing says which kinds to sync',
        cure="add the GatewayClass with its parameters, or list the kinds in fleet.yaml under "
        "spec.policiesToSync",
        resource=user.ref,
        field="spec.gatewayClassName",
        origin=user.origin,
        causes=(missing(Ref(GATEWAY_API, "GatewayClass", "", name)), UNREADABLE_HUB),
    )


def _nothing_listed(hub: Hub, fleet_origin: Origin) -> Result:
    classes = [m for m in hub.manifests if (m.ref.group, m.ref.kind) == _GATEWAY_CLASS]
    return NO_SYNC_LIST.result(
        "no GatewayClass and no fleet.yaml lists a policy kind to sync",
        cure="list kinds under `policiesToSync` in the GatewayClass's parameters or in fleet.yaml",
        resource=classes[0].ref if classes else None,
        origin=classes[0].origin if classes else fleet_origin,
    )
