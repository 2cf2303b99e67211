"""What consumers would see of their objects, read from exports of live spokes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from spokerender.findings.codes.publishing import NO_LIVE_COPY
from spokerender.findings.results import Result
from spokerender.rendering.values.provenance import hub_line
from spokerender.rendering.values.rendered import ConsumerStatus, Rendered
from spokerender.topology.hub import assemble
from spokerender.wings.publishing.copies.upward import going_up
from spokerender.wings.publishing.problems import Refused

Files = Sequence[tuple[str, bytes]]


def consumer_statuses(
    rendered: Rendered, exports: Mapping[str, Files]
) -> tuple[tuple[ConsumerStatus, ...], tuple[Result, ...]]:
    """The status of every consumer's object, by workspace and spoke, and what is not to be had.

    `exports` are the files of each spoke of which there is an export.
    """
    statuses: list[ConsumerStatus] = []
    results: list[Result] = []
    known = rendered.contribution.crds
    for spoke, files in sorted(exports.items()):
        live = assemble(files, crds=[*(m.object for m in rendered.hub.crds), *known])
        objects = {manifest.ref: manifest for manifest in live.manifests}
        bundle = rendered.bundles[spoke]
        for variant in bundle.blueprint.variants:
            copy = rendered.contribution.copies.get(variant.manifest.ref)
            if copy is None or copy.face is None:
                continue
            ref = bundle.ref(variant.ref)
            if ref not in objects:
                warning = NO_LIVE_COPY.result(
                    f"its copy {ref} is not in the export of {spoke}",
                    cure="export it as well, or wait for the engine",
                    resource=copy.source.ref,
                    origin=copy.source.origin,
                )
                results.append(replace(warning, spokes=(spoke,)))
                continue
            try:
                made = going_up(copy, objects[ref], live, rendered.hub.catalogue)
            except Refused as refused:
                origin = hub_line(copy.published, refused.fault.field)
                results.append(refused.fault.result(copy.published.ref, origin, (spoke,)))
                continue
            statuses.append(
                ConsumerStatus(copy.workspace, copy.source.ref, spoke, made.status, made.related)
            )
    ordered = sorted(statuses, key=lambda item: (item.workspace, item.object, item.spoke))
    return tuple(ordered), tuple(results)
