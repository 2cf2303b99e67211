"""What advice looks at, made from judged cases."""

from __future__ import annotations

from spokerender.judging.advice.context import Shipped, SpokeView
from spokerender.judging.fleet.model import JudgedBlueprint
from spokerender.kinds import Catalogue
from spokerender.model import Manifest, PlacedGateway, Ref
from spokerender.rendering.values.bundles import Variant
from spokerender.rendering.values.rendered import Rendered


class Views:
    """Cases as advice sees them; an object that several cases have is the same one."""

    def __init__(self, rendered: Rendered) -> None:
        """Begin with none."""
        self._catalogue: Catalogue = rendered.hub.catalogue
        self._manifests = {manifest.ref: manifest for manifest in rendered.hub.manifests}
        self._shipped: dict[int, Shipped] = {}

    def of(self, judged: JudgedBlueprint) -> SpokeView:
        """One case; texts may hold slots."""
        own = {
            place.ref: self._existing(place) for place in judged.blueprint.placed if place.existing
        }
        objects = {ref: self._of_variant(ref, variant) for ref, variant in judged.variants.items()}
        return SpokeView(
            judged.topology, judged.around, judged.attachments, judged.effective, {**own, **objects}
        )

    def _of_variant(self, ref: Ref, variant: Variant) -> Shipped:
        if id(variant) not in self._shipped:
            self._shipped[id(variant)] = self._made(ref, variant.object, variant.manifest)
        return self._shipped[id(variant)]

    def _existing(self, place: PlacedGateway) -> Shipped:
        """A gateway that the spoke has of its own, told of as the hub's that it stands for."""
        return self._made(place.ref, {}, self._manifests[place.hub])

    def _made(self, ref: Ref, data: dict[str, object], manifest: Manifest) -> Shipped:
        kind = self._catalogue.kind(ref.group, ref.kind)
        writes = kind.merged.writes
        folded = self._catalogue.kind(writes.group, writes.kind) if writes else None
        return Shipped(ref, kind, data, manifest.ref, manifest.origin, folded)
