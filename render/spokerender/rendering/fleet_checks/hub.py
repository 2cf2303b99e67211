"""Checks of the hub before anything is placed: malformed references, and missing targets."""

from collections.abc import Iterator
from functools import partial

from spokerender.findings.causes import UNREADABLE_HUB, missing, unshipped
from spokerender.findings.codes.hub import MISSING_TARGET, MISSPELT_KIND
from spokerender.findings.codes.placement import ASSUMED_SHAPE
from spokerender.findings.phrasing import did_you_mean, joined
from spokerender.findings.results import Result
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import EXPERIMENTAL, Role
from spokerender.kinds.malformed import find_malformed_references, report_unheard_version
from spokerender.kinds.reference import Reference
from spokerender.model import GATEWAY, GATEWAY_API, Manifest, Ref, kind_name, shown
from spokerender.model.selectors import ExternalObjects
from spokerender.model.shapes import as_mapping
from spokerender.rendering.values.placement import SyncList
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub
from spokerender.topology.node import PARENTS, Node


def hub_results(
    hub: Hub, topology: Topology, sync: SyncList, external: ExternalObjects
) -> tuple[Result, ...]:
    """Return the faults of objects of kinds that are synced to spokes.

    `external` are the objects that exist on the spokes and not in the hub.
    """
    results: list[Result] = []
    for manifest in hub.manifests:
        ref, version = manifest.ref, manifest.version
        node, kind = topology.nodes[ref], hub.catalogue.kind(ref.group, ref.kind)
        is_listed = (ref.group, ref.kind) in sync.listed_anywhere
        # Objects of the Gateway API that are not listed affect others, such as a ReferenceGrant.
        is_judged = is_listed or ref.group in (GATEWAY_API, EXPERIMENTAL)
        if is_judged and kind.versions and version not in kind.versions and not kind.is_configured:
            fault = report_unheard_version(version, ref, kind.versions)
            results.append(fault.result(ref, manifest.origin))
        if node.is_gateway or is_listed:
            results += (
                fault.result(ref, manifest.origin)
                for fault in find_malformed_references(kind, manifest.object, ref.namespace)
            )
            results += _missing(hub, topology, manifest, node, external)
            results += _missing_sections(manifest, node, external)
    return (*results, *_assumed(hub, sync))


def _missing(
    hub: Hub, topology: Topology, manifest: Manifest, node: Node, external: ExternalObjects
) -> Iterator[Result]:
    for link in node.attachments:
        target = link.ref.whole
        if link.selector or link.label or target in external or target in topology.nodes:
            continue
        report = partial(
            MISSING_TARGET.result,
            resource=manifest.ref,
            field=shown(link.path),
            origin=manifest.origin,
            causes=(missing(target), UNREADABLE_HUB, unshipped(manifest.ref)),
        )
        if near := _find_near(hub.catalogue, target):
            name = kind_name(target.group, target.kind)
            yield report(
                f"{target.kind} {target.full_name} is not in the hub: no kind {name} is known",
                cure=f'did you mean "{near}"? If there is such a kind, add its CRD to the hub',
            )
        kind = (target.group, target.kind)
        # Spokes have Services and the like already: `checks.references` reports these.
        if kind not in PARENTS and not hub.catalogue.kind(*kind).is_route:
            continue
        if any(needed.row.role is Role.NEED for _, needed in topology.carrying(target)):
            continue  # the controller of what needs it makes it there
        yield report(f"{target} is not in the hub", cure=_find_cure(topology, link))


def _find_near(catalogue: Catalogue, target: Ref) -> str:
    """Return the known kind that an unknown kind in a reference probably means; otherwise empty."""
    if catalogue.known(target.group, target.kind):
        return ""
    from spokerender.kinds.mistakes import find_meant  # noqa: PLC0415  (start-up counts)

    meant = find_meant(catalogue, target.group, target.kind, None)
    return kind_name(meant.group, meant.kind) if meant is not None else ""


def _find_cure(topology: Topology, link: Reference) -> str:
    """Return a fix for the missing target of `link`: moving, renaming, adding or declaring it."""
    target = link.ref.whole
    alike = [ref for ref in topology.nodes if (ref.group, ref.kind) == (target.group, target.kind)]
    namesakes = {ref.namespace for ref in alike if ref.name == target.name}
    namesakes |= {
        entry.namespace
        for entry in topology.external.entries
        if (entry.group, entry.kind, entry.name) == (target.group, target.kind, target.name)
    }
    if namesakes and link.namespace_path is None:
        return (
            f"the hub has it in {' and in '.join(sorted(namesakes))}: move this object there, for "
            "its kind can name nothing in another namespace"
        )
    names = [ref.full_name for ref in alike]
    if near := did_you_mean(target.full_name, names):
        return near
    group = "" if target.group == GATEWAY_API else f"group: {target.group}, "
    identity = f"{group}kind: {target.kind}, namespace: {target.namespace}, name: {target.name}"
    is_gateway = (target.group, target.kind) == GATEWAY
    more = "listeners: [NAME]" if is_gateway else "gateways: [NAMESPACE/NAME]"
    place = ", and place it with mode: existing" if is_gateway else ""
    there = f"{did_you_mean('', names, 'the hub has')}; " if names else ""
    return (
        f"{there}add it to the hub, or declare it under `spec.external` of fleet.yaml{place}:\n"
        f"- {{{identity}, {more}}}"
    )


def _missing_sections(
    manifest: Manifest, node: Node, external: ExternalObjects
) -> Iterator[Result]:
    """Yield findings about section names that an external object with known listeners lacks."""
    for link in node.attachments:
        sections = external.listeners(link.ref)
        for section in link.sections:
            if sections and section not in sections:
                yield MISSING_TARGET.result(
                    f'{link.ref.whole} has no listener "{section}"',
                    cure=did_you_mean(section, sections, "fleet.yaml says that it has"),
                    resource=manifest.ref,
                    field=shown(link.path),
                    origin=manifest.origin,
                )


def _assumed(hub: Hub, sync: SyncList) -> Iterator[Result]:
    assumed: set[tuple[str, str]] = set()
    for manifest in hub.manifests:
        kind = (manifest.ref.group, manifest.ref.kind)
        if kind in assumed or kind not in sync.listed_anywhere:
            continue
        # All objects of a kind have the same fields, so one finding is enough.
        assumed.add(kind)
        row, is_known = hub.catalogue.kind(*kind), hub.catalogue.known(*kind)
        fields = [rule.path for rule in row.references if rule.assumed]
        is_guess = not (is_known or kind in sync.added)
        if is_guess and (others := _find_namesakes(hub.catalogue, manifest)):
            yield MISSPELT_KIND.result(
                f"no kind {row.kind} of {row.group} is known",
                cure=f"if {' or '.join(others)} is meant, correct the group. If there is such a "
                "kind, add its CRD to the hub, or declare it under policyKinds in fleet.yaml",
                resource=manifest.ref,
                field="apiVersion",
                origin=manifest.origin,
            )
        elif fields:
            cure = "" if is_known else "add its CustomResourceDefinition to the hub, or "
            yield ASSUMED_SHAPE.result(
                f"{'its CRD says too little of' if is_known else 'nobody knows'} "
                f"{kind_name(*kind)}: its targets are taken from {joined(fields)}",
                cure=f"{cure}declare its `targetPaths` under policyKinds in fleet.yaml",
                resource=manifest.ref,
                origin=manifest.origin,
            )


def _find_namesakes(catalogue: Catalogue, manifest: Manifest) -> list[str]:
    from spokerender.kinds.mistakes import list_namesakes  # noqa: PLC0415  (start-up counts)

    spec = as_mapping(manifest.object.get("spec"))
    return list_namesakes(catalogue, manifest.ref.group, manifest.ref.kind, spec)
