"""One state of a fleet, rendered or as it is committed, of which views look at the spokes."""

from collections.abc import Mapping
from functools import cached_property, partial

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.fleet.blueprints import BlueprintJudge, gather_knowledge
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.model import Manifest, Origin, Spoke
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.comparison.documents import ObjectReader, documents
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


def judge_files(
    files: Mapping[str, Mapping[str, bytes]], now: Rendered, about: ReviewedState, place: str
) -> FleetState:
    """Judge the objects in the folders of an output, with what is known of the fleet now.

    `files` is by folder of the output and by path below it, in which what is not ours is ignored;
    `place` is the output, for the lines that name objects of it. Kinds, CRDs and labels of
    namespaces are those of `now`.
    """
    reader = ObjectReader(now.hub.catalogue)
    distinct: dict[tuple[Variant, ...], Blueprint] = {}
    variants: dict[tuple[str, bytes], Variant | None] = {}
    bundles: dict[str, Bundle] = {}
    for folder in sorted(files):
        if folder.startswith("_"):
            continue
        shipped: list[Variant] = []
        for path, data in sorted(files[folder].items()):
            for text in documents({path: data}):
                if (path, text) not in variants:
                    variant = reader.parse(text)
                    if variant is not None:
                        origin = Origin(f"{place}/{folder}/{path}")
                        manifest = Manifest.read(variant.ref, variant.object, origin)
                        variant = replace(variant, manifest=manifest)
                    variants[path, text] = variant
                variant = variants[path, text]
                shipped += [variant] if variant is not None else []
        own = {item.ref: item for item in shipped}
        key = tuple(own.values())
        blueprint = distinct.setdefault(key, Blueprint((), (), key, ()))
        bundles[folder] = Bundle(_find_spoke(folder, now, place), blueprint, {}, ())
    judge = BlueprintJudge(gather_knowledge(now))
    judged = {blueprint: judge.judge(blueprint) for blueprint in distinct.values()}
    by_spoke = {name: judged[bundle.blueprint] for name, bundle in bundles.items()}
    rendered = replace(now, bundles=bundles, rollout=None)
    return FleetState(rendered, JudgedFleet(by_spoke, bundles, ()), about)


def _find_spoke(name: str, now: Rendered, place: str) -> Spoke:
    bundle = now.bundles.get(name)
    if bundle is not None:
        return bundle.spoke
    return Spoke(name, {}, {}, partial(Origin, f"{place}/{name}"))
