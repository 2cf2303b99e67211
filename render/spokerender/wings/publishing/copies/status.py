"""The status of consumers' objects, and the names of related objects, from exports of live spokes.

Source: kcp-dev/api-syncagent, internal/sync: status steps mutate the local object, and only its
status is written back. Nothing here is rendered: no engine applies a status.
"""

from collections.abc import Iterator

from spokerender.findings.results import Result
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Manifest, Ref
from spokerender.model.shapes import Json
from spokerender.rendering.values.rendered import ConsumerStatus, Copy, Rendered
from spokerender.topology.hub import Hub
from spokerender.topology.places import hub_line
from spokerender.wings.publishing.config.published import PublishedSpec, read_published
from spokerender.wings.publishing.contexts import LogicalCluster
from spokerender.wings.publishing.copies.mutations import mutate_object
from spokerender.wings.publishing.copies.related_copies import (
    PrimaryPair,
    list_origin_objects,
    pair_related_names,
)
from spokerender.wings.publishing.errors import PublishingError, no_crd_error


class ConsumerStatuses:
    """The statuses of all consumers' objects with a copy on a spoke, and findings."""

    def __init__(self, rendered: Rendered) -> None:
        self._rendered = rendered
        crds = [*(manifest.object for manifest in rendered.hub.crds), *rendered.contribution.crds]
        self._catalogue = Catalogue.of(crds)
        self.statuses: list[ConsumerStatus] = []
        self.results: list[Result] = []

    def read(self, spoke: str, live: Hub) -> None:
        """Read the statuses from a spoke's export; a copy that is absent there has no status."""
        copies, bundle = self._rendered.contribution.copies, self._rendered.bundles[spoke]
        export = _SpokeExport(live, self._catalogue)
        for variant in bundle.blueprint.variants:
            copy = copies.get(variant.manifest.ref)
            own = export.manifests.get(bundle.ref(variant.ref))
            if copy is None or copy.face is None or own is None:
                continue
            try:
                status, related = export.read_status(copy, own)
            except PublishingError as error:
                origin = hub_line(copy.published, error.fault.field)
                self.results.append(error.fault.result(copy.published.ref, origin, (spoke,)))
                continue
            source = copy.source.ref
            self.statuses.append(ConsumerStatus(copy.workspace, source, spoke, status, related))


class _SpokeExport:
    def __init__(self, live: Hub, catalogue: Catalogue) -> None:
        self.manifests = {manifest.ref: manifest for manifest in live.manifests}
        self._objects = list_origin_objects(live)
        self._catalogue = catalogue

    def read_status(self, copy: Copy, live: Manifest) -> tuple[Json, tuple[Ref, ...]]:
        spec, _ = read_published(copy.published.object)
        assert spec is not None  # noqa: S101  (an invalid PublishedResource makes no copy)
        steps, field = spec.mutation.status or (), ("spec", "mutation", "status")
        mutated = mutate_object(dict(live.object), steps, field, copy.source.object)
        cluster = LogicalCluster(copy.cluster, copy.path)
        primaries = PrimaryPair(copy.source.object, live.object, cluster)
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
