"""The status of consumers' objects, and the names of related objects, from exports of live spokes.

Source: kcp-dev/api-syncagent, internal/sync: status steps mutate the local object, and only its
status is written back. Nothing of it is rendered: no engine applies a status.
"""

from collections.abc import Iterator, Mapping, Sequence

from spokerender.findings.codes.publishing import NO_LIVE_COPY
from spokerender.findings.results import Fault, Result
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Manifest, Ref
from spokerender.model.shapes import Json
from spokerender.model.sources import File
from spokerender.rendering.values.provenance import hub_line
from spokerender.rendering.values.rendered import ConsumerStatus, Copy, Rendered
from spokerender.topology.hub import Hub, read_hub
from spokerender.wings.publishing.config.published import read_published
from spokerender.wings.publishing.config.published.main import PublishedSpec
from spokerender.wings.publishing.contexts import LogicalCluster
from spokerender.wings.publishing.copies.mutations import mutate_object
from spokerender.wings.publishing.copies.related_names import (
    PrimaryPair,
    list_origin_objects,
    pair_related_names,
)
from spokerender.wings.publishing.errors import PublishingError, no_crd_error
from spokerender.wings.publishing.profiles import PROFILES


def read_consumer_statuses(
    rendered: Rendered, exports: Mapping[str, Sequence[File]]
) -> tuple[tuple[ConsumerStatus, ...], tuple[Result, ...]]:
    """Return the status of every consumer's object by workspace and spoke, and findings.

    `exports` are the files of each exported spoke.
    """
    statuses: list[ConsumerStatus] = []
    results: list[Result] = []
    crds = [*(manifest.object for manifest in rendered.hub.crds), *rendered.contribution.crds]
    catalogue = Catalogue.of(crds)
    for spoke, files in sorted(exports.items()):
        export = _SpokeExport(read_hub(files, crds=crds), catalogue)
        bundle = rendered.bundles[spoke]
        for variant in bundle.blueprint.variants:
            copy = rendered.contribution.copies.get(variant.manifest.ref)
            if copy is None or copy.face is None:
                continue
            live = export.manifests.get(bundle.ref(variant.ref))
            if live is None:
                message = f"its copy {bundle.ref(variant.ref)} is not in the export of {spoke}"
                cure = "export it as well, or wait until the engine has applied it"
                fault = Fault(NO_LIVE_COPY, message, cure)
                results.append(fault.result(copy.source.ref, copy.source.origin, (spoke,)))
                continue
            try:
                status, related = export.read_status(copy, live)
            except PublishingError as error:
                origin = hub_line(copy.published, error.fault.field)
                results.append(error.fault.result(copy.published.ref, origin, (spoke,)))
                continue
            source = copy.source.ref
            statuses.append(ConsumerStatus(copy.workspace, source, spoke, status, related))
    ordered = sorted(statuses, key=lambda item: (item.workspace, item.object, item.spoke))
    return tuple(ordered), tuple(results)


class _SpokeExport:
    def __init__(self, live: Hub, catalogue: Catalogue) -> None:
        self.manifests = {manifest.ref: manifest for manifest in live.manifests}
        self._objects = list_origin_objects(live)
        self._catalogue = catalogue

    def read_status(self, copy: Copy, live: Manifest) -> tuple[Json, tuple[Ref, ...]]:
        profile = PROFILES[copy.profile]
        spec, _ = read_published(copy.published.object, copy.profile)
        assert spec is not None  # noqa: S101  (an invalid PublishedResource makes no copy)
        steps, field = spec.mutation.status or (), ("spec", "mutation", "status")
        mutated = mutate_object(dict(live.object), steps, field, profile, copy.source.object)
        cluster = LogicalCluster(copy.cluster, copy.path)
        primaries = PrimaryPair(copy.source.object, live.object, cluster, profile)
        related = self._list_related(spec, primaries)
        return mutated.object.get("status"), tuple(related)

    def _list_related(self, spec: PublishedSpec, primaries: PrimaryPair) -> Iterator[Ref]:
        for index, related in enumerate(spec.related):
            if related.origin != "service":
                continue
            kind = self._catalogue.by_resource(*related.origin_resource)
            field = ("spec", "related", index)
            if kind is None:
                raise no_crd_error(related.origin_resource, field)
            identity, (group, plural) = (kind.group, kind.kind), related.projected_resource
            projected = self._catalogue.by_resource(group, plural) or kind
            pairs = pair_related_names(related, primaries, self._objects, identity, field)
            for origin, destination in pairs.items():
                if Ref(*identity, *origin) in self.manifests:
                    yield Ref(group, projected.kind, *destination)
