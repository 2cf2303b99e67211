"""The objects that a change makes spokes need, as entries of a review."""

from collections.abc import Iterable, Iterator, Sequence

from spokerender.findings.codes.review import NEWLY_NEEDED
from spokerender.model import Origin, Ref
from spokerender.rendering.values.alike import AlikeFleet
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.values import Consequence, Topic

NewlyNeeded = tuple[str, Ref, Ref | None, Origin | None]
"""An object in words and as such; what needs it, and the line of that, as far as they are known."""


def describe_needs(
    needs: Iterable[tuple[NewlyNeeded, Sequence[str]]], rendered: Rendered
) -> Iterator[Consequence]:
    """Yield what spokes newly need; what differs in their own names and values alone is one."""
    fleet = AlikeFleet(rendered.bundles.values())
    entries = [(need, [rendered.bundles[name] for name in spokes]) for need, spokes in needs]
    for item, bundles in fleet.join(entries):
        text, ref, user, origin = fleet.name_own(item, bundles)
        result = NEWLY_NEEDED.result(
            f"{text} has to be there{f' for {user}' if user is not None else ''}",
            cure="create it on the spokes before the change is applied there",
            resource=user or ref,
            origin=origin,
            spokes=tuple(sorted(bundle.spoke.name for bundle in bundles)),
        )
        yield Consequence(result, Topic.OBJECTS, objects=frozenset({ref}))
