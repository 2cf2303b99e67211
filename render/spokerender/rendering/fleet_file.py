"""fleet.yaml as values: its settings, and its policy kinds for the catalogue of kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from spokerender.findings.codes.placement import NO_GATEWAY, UNUSED_POLICY_KIND
from spokerender.findings.codes.project import INVALID_VALUE, UNKNOWN_KEY
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Result
from spokerender.findings.suppressions import Accepted
from spokerender.kinds.catalogue import ConfiguredKind, KindAmendment
from spokerender.kinds.kind import SECTION, NamespaceRule, ReferencePath, Role, Sections
from spokerender.kinds.merging import Merge, Merging, Process, Several, Ties
from spokerender.kinds.references import normalize_group
from spokerender.model import GATEWAY, Manifest, Origin, Ref, kind_name
from spokerender.model.refs import GroupKind
from spokerender.model.selectors import EVERY_KIND, ExternalObjects, ExternalPattern
from spokerender.rendering.values.placement import OPEN_LISTENER
from spokerender.rendering.values.rendered import Settings
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub

if TYPE_CHECKING:  # the models of a file that its reader has
    from spokerender.config.fleet import ExternalObject, FleetSpec
    from spokerender.config.policies import ControllerSettings, PolicyKind
    from spokerender.config.suppressions import Suppression


def read_settings(spec: FleetSpec) -> Settings:
    """Return the settings of fleet.yaml that matter after rendering."""
    return Settings(
        one_file=spec.layout == "spoke",
        creates_namespaces=spec.namespaces == "create",
        external=read_external(spec),
        suppressions=tuple(map(_accepted, spec.suppressions)),
        crd_releases=spec.crd_releases,
    )


def read_external(spec: FleetSpec) -> ExternalObjects:
    """Return the objects and kinds that `spec.external` and `spec.completeKinds` declare."""
    return ExternalObjects(
        tuple(
            ExternalPattern(
                normalize_group(entry.group),
                entry.kind,
                entry.namespace,
                entry.name,
                entry.listeners,
                tuple(Ref(*GATEWAY, *name.split("/")) for name in entry.gateways),
            )
            for entry in spec.external
        ),
        frozenset(map(_read_kind, spec.complete_kinds)),
    )


def make_external_gateways(
    spec: FleetSpec, hub: Hub, placed: Iterable[Ref], at: Callable[..., Origin]
) -> Iterator[Manifest]:
    """Yield a stand-in for each Gateway of `spec.external` that rules place and the hub lacks.

    The stand-in counts as an existing Gateway of the spokes. It allows all routes on the listeners
    that the entry names; listeners that the placement rule declares take precedence.
    """
    left = {*placed} - {manifest.ref for manifest in hub.manifests}
    for index, entry in enumerate(spec.external):
        ref = Ref(normalize_group(entry.group), entry.kind, entry.namespace, entry.name)
        if ref not in left:
            continue
        left.remove(ref)
        data = make_stand_in(ref, entry.listeners)
        yield Manifest.made(ref, data, "external", partial(at, "spec", "external", index))


def make_stand_in(ref: Ref, sections: Sequence[str]) -> dict[str, Any]:
    """Return a Gateway object of which only the name and the listeners' names are known."""
    return {
        "apiVersion": f"{ref.group}/v1",
        "kind": ref.kind,
        "metadata": {"name": ref.name, "namespace": ref.namespace},
        "spec": {"listeners": [{"name": name, **OPEN_LISTENER} for name in sections or ("http",)]},
    }


def _read_kind(text: str) -> GroupKind:
    kind, _, group = text.partition(".")
    return group, kind


def check_fleet_file(
    spec: FleetSpec, hub: Hub, topology: Topology, at: Callable[..., Origin]
) -> Iterator[Result]:
    """Yield findings about entries of fleet.yaml that do not fit the hub.

    `at` returns the line of a field of fleet.yaml.
    """
    yield from _check_policy_kinds(spec.policy_kinds, hub, at)
    yield from _check_controllers(spec.controllers, at)
    yield from _check_complete_kinds(spec.complete_kinds, hub, at)
    yield from _check_external(spec.external, topology, at)


def _check_complete_kinds(
    entries: Sequence[str], hub: Hub, at: Callable[..., Origin]
) -> Iterator[Result]:
    """Yield an error for each kind in `spec.completeKinds` that neither table nor hub has."""
    present = {EVERY_KIND, *((item.ref.group, item.ref.kind) for item in hub.manifests)}
    for index, entry in enumerate(entries):
        kind = _read_kind(entry)
        if kind not in present and not hub.catalogue.known(*kind):
            yield INVALID_VALUE.result(
                f"nobody knows the kind {entry}",
                cure=hub.catalogue.suggest(*kind) or "correct it, or add its CRD to the hub",
                field=f"spec.completeKinds[{index}]",
                origin=at("spec", "completeKinds", index),
            )


def _check_external(
    entries: Sequence[ExternalObject], topology: Topology, at: Callable[..., Origin]
) -> tuple[Result, ...]:
    """Return an error for each Gateway that `spec.external` names and the hub lacks."""
    names = [ref.full_name for ref in topology.gateways]
    return tuple(
        NO_GATEWAY.result(
            f'no Gateway "{name}" in the hub',
            cure=did_you_mean(name, names, "the hub has") or "name a Gateway of the hub",
            field=f"spec.external[{index}].gateways[{position}]",
            origin=at("spec", "external", index, "gateways", position),
        )
        for index, entry in enumerate(entries)
        for position, name in enumerate(entry.gateways)
        if name not in names
    )


def _accepted(entry: Suppression) -> Accepted:
    return Accepted(
        code=entry.code,
        reason=entry.reason,
        resource=entry.resource,
        kind=entry.kind,
        namespace=entry.namespace,
        selector=entry.selector.value if entry.selector is not None else None,
        spoke=entry.spoke,
    )


def configured_kinds(spec: FleetSpec) -> tuple[KindAmendment, ...]:
    """Return the entries of `controllers` and `policyKinds`, as arguments for `Catalogue.of`."""
    configured = tuple(map(_configured, spec.policy_kinds))
    if not spec.controllers:
        return configured
    from spokerender.kinds.settings import ConfiguredController  # noqa: PLC0415  (few files have it)

    controllers = (ConfiguredController(item.name, item.settings) for item in spec.controllers)
    # A later entry amends a kind after an earlier one (`Catalogue.of`), so entries about a kind
    # have priority over those about its controller.
    return (*controllers, *configured)


def _configured(entry: PolicyKind) -> ConfiguredKind:
    merging = Merging(
        process=Process(entry.process),
        rules=entry.rules,
        substance=entry.substance or "",
        condition=entry.condition or "",
        default=Merge(entry.strategy),
        ties=Ties(entry.ties),
        several=Several.ONE if entry.one_each else Several.PROCESS,
        source="policyKinds",
    )
    return ConfiguredKind(
        entry.group,
        entry.kind,
        merging,
        entry.security,
        entry.targets,
        sections=Sections(entry.sections) if entry.sections is not None else None,
        within=entry.hostnames == "within" if entry.hostnames is not None else None,
        references=tuple(_read_target_path(path, entry.targets) for path in entry.target_paths),
    )


def _read_target_path(path: str, targets: Sequence[str] | None) -> ReferencePath:
    """Return a reference field at `path`; a single kind in `targets` is its default kind."""
    return ReferencePath(
        path,
        Role.TARGET,
        default_kind=targets[0] if targets and len(targets) == 1 else "",
        namespace=NamespaceRule.WRITTEN,
        section=SECTION,
        infers_group=True,
    )


def _check_controllers(
    entries: Sequence[ControllerSettings], at: Callable[..., Origin]
) -> Iterator[Result]:
    """Yield errors for settings that a controller does not have, and for repeated controllers."""
    if not entries:
        return
    from spokerender.kinds.settings import (  # noqa: PLC0415  (few files have them)
        SettingProblem,
        find_setting_problems,
    )

    names = [entry.name for entry in entries]
    for index, entry in enumerate(entries):
        problems = [*find_setting_problems(entry.name, entry.settings)]
        if entry.name in names[:index]:
            message = f"{entry.name} is configured twice"
            problems.append(SettingProblem(("name",), message, "keep one of the two"))
        for item in problems:
            yield (UNKNOWN_KEY if item.is_key else INVALID_VALUE).result(
                item.message,
                cure=item.cure,
                field=f"spec.controllers[{index}].{'.'.join(item.place)}",
                origin=at("spec", "controllers", index, *item.place),
            )


def _check_policy_kinds(
    entries: Sequence[PolicyKind], hub: Hub, at: Callable[..., Origin]
) -> tuple[Result, ...]:
    """Return a warning for each entry whose kind is in neither the table of kinds nor the hub."""
    present = {(manifest.ref.group, manifest.ref.kind) for manifest in hub.manifests}
    return tuple(
        UNUSED_POLICY_KIND.result(
            f"nobody knows {kind_name(entry.group, entry.kind)}, and the hub has no object of "
            "that kind",
            cure=hub.catalogue.suggest(entry.group, entry.kind) or "take the entry out",
            field=f"spec.policyKinds[{index}]",
            origin=at("spec", "policyKinds", index),
        )
        for index, entry in enumerate(entries)
        if not hub.catalogue.known(entry.group, entry.kind)
        and (entry.group, entry.kind) not in present
    )
