"""Views for advice, made from judged blueprints and the values of their spokes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from spokerender.findings.occurrences import fill_result
from spokerender.findings.results import Result
from spokerender.judging.advice.view import FleetView, Shipped, Spokes, SpokeView
from spokerender.judging.fleet.judged import JudgedBlueprint
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Manifest, PlacedGateway, Ref
from spokerender.model.filling import filled, holds_slots
from spokerender.model.slots import Values
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


class SlottedFleetView(FleetView, frozen=True, eq=False):
    """The views of a rendered fleet, with the values that each spoke has for the slots in its own.

    `values` are by spoke (`spokerender.model.slots`).
    """

    values: Mapping[str, Values]

    def resolve(self, spokes: Spokes, data: tuple[Any, ...]) -> Iterator[tuple[Any, Spokes]]:
        """Yield the data with the spokes' values: each version once, with its spokes."""
        if not holds_slots(data):
            yield data, spokes
            return
        spokes_by_version: dict[tuple[Any, ...], list[str]] = {}
        for spoke in spokes:
            version = filled(data, self.values[spoke])
            spokes_by_version.setdefault(version, []).append(spoke)
        for version, names in spokes_by_version.items():
            yield version, tuple(names)

    def locate(self, result: Result, spokes: Spokes) -> Result:
        """Return a view's finding as one about these spokes, with the values of the first."""
        return replace(fill_result(result, self.values[spokes[0]]), spokes=spokes)
