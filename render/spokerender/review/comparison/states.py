"""One state of a fleet, rendered or as it is committed, of which views look at the spokes."""

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.comparison.views import SharedViews, SpokeView
from spokerender.review.values import ReviewedState


class FleetState(Struct, frozen=True, eq=False, dict=True):
    """One state of a fleet: as it was rendered, as it was judged, and how a user calls it."""

    rendered: Rendered
    fleet: JudgedFleet
    about: ReviewedState

    @cached_property
    def views(self) -> SharedViews:
        """The parts that the views of this state share."""
        hub = self.rendered.hub
        objects = {manifest.ref: manifest.object for manifest in hub.manifests}
        return SharedViews(hub.catalogue, self.rendered.settings.external, objects)

    @cached_property
    def bundles(self) -> Mapping[str, Bundle]:
        """The spokes whose objects this state decides: not those whose wave is not done."""
        bundles = self.fleet.bundles
        return {name: item for name, item in bundles.items() if not self.rendered.holds(name)}

    def joined(self, other: "FleetState") -> "FleetState":
        """Return this state with the spokes of another one, which it decides nothing about."""
        bundles = {**self.bundles, **other.bundles}
        judged = {**self.fleet.judged, **other.fleet.judged}
        rendered = replace(self.rendered, bundles=bundles, rollout=None)
        fleet = replace(self.fleet, judged=judged, bundles=bundles)
        return FleetState(rendered, fleet, self.about)

    def view(self, bundle: Bundle, spoke: str) -> SpokeView:
        """Return the view of a spoke, with the values of `bundle`."""
        judged = self.fleet.judged[spoke]
        return SpokeView(self.views, bundle, judged.judgement, judged.variants)
