"""One state of a fleet (rendered or committed), and the state of each policy in it."""

from collections.abc import Collection, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.attachment.statuses import Attachment, Truth
from spokerender.judging.effective.outcomes import Programmed, Reason
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.judging.judgement import Judgement
from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.comparison.views import SharedViews, SpokeView
from spokerender.review.values import PolicyState, ReviewedState


class FleetState(Struct, frozen=True, eq=False, dict=True):
    """One state of a fleet: its rendering, its judgement, and the name that a user gives to it."""

    rendered: Rendered
    fleet: JudgedFleet
    about: ReviewedState

    @cached_property
    def views(self) -> SharedViews:
        """The data that all spoke views of this state share."""
        hub = self.rendered.hub
        objects = {manifest.ref: manifest.object for manifest in hub.manifests}
        return SharedViews(hub.catalogue, self.rendered.settings.external, objects)

    @cached_property
    def bundles(self) -> Mapping[str, Bundle]:
        """The spokes of this state, without spokes that still wait for their rollout wave."""
        bundles = self.fleet.bundles
        return {name: item for name, item in bundles.items() if not self.rendered.holds(name)}

    def joined(self, other: "FleetState") -> "FleetState":
        """Return this state together with the spokes of `other`."""
        bundles = {**self.bundles, **other.bundles}
        judged = {**self.fleet.judged, **other.fleet.judged}
        rendered = replace(self.rendered, bundles=bundles, rollout=None)
        fleet = replace(self.fleet, judged=judged, bundles=bundles)
        return FleetState(rendered, fleet, self.about)

    def select(self, spokes: Collection[str]) -> "FleetState":
        """Return this state with only the given spokes."""
        bundles = {name: item for name, item in self.bundles.items() if name in spokes}
        fleet = replace(self.fleet, bundles=bundles)
        return replace(self, rendered=replace(self.rendered, bundles=bundles), fleet=fleet)

    def view(self, bundle: Bundle, spoke: str) -> SpokeView:
        """Return the view of `spoke`; slots (placeholders) have the values in `bundle`."""
        judged = self.fleet.judged[spoke]
        return SpokeView(self.views, bundle, judged.judgement, judged.variants)


@memoised
def find_states(judgement: Judgement) -> Mapping[Ref, PolicyState]:
    """Return the state of each policy of a judged cluster, by its name there."""
    outcomes = grouped(
        (policy, programmed) for (policy, _), programmed in judgement.programmed.items()
    )
    return {
        ref: _judge_state(attachment, outcomes.get(ref, []))
        for ref, attachment in judgement.attachments.items()
    }


def _judge_state(attachment: Attachment, outcomes: list[Programmed]) -> PolicyState:
    if not attachment.is_accepted:
        return PolicyState.UNKNOWN if attachment.may_hold else PolicyState.UNATTACHED
    if attachment.accepted.status is Truth.UNKNOWN:
        return PolicyState.UNKNOWN
    if not outcomes:
        return PolicyState.NO_EFFECT
    statuses = {item.status for item in outcomes}
    if None in statuses:
        reasons = {item.reason for item in outcomes if item.status is None}
        return PolicyState.NO_EFFECT if reasons == {Reason.UNKNOWN} else PolicyState.UNKNOWN
    if statuses == {False}:
        is_overridden = any(item.reason is Reason.OVERRIDDEN for item in outcomes)
        return PolicyState.OVERRIDDEN if is_overridden else PolicyState.NO_EFFECT
    is_partly = False in statuses or any(item.reason is Reason.PARTIALLY for item in outcomes)
    return PolicyState.PARTLY if is_partly else PolicyState.IN_FORCE
