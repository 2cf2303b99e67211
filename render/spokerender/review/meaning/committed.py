"""The state of a committed tree, which is judged as a rendered one is."""

from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from spokerender.judging.fleet.blueprints import BlueprintJudge, gather_knowledge
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.model import Manifest, Origin, Spoke
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.comparison.documents import ObjectReader, documents
from spokerender.review.comparison.states import FleetState
from spokerender.review.values import ReviewedState


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
                    origin = Origin(f"{place}/{folder}/{path}")
                    variants[path, text] = _locate(reader.parse(text), origin)
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


def _locate(variant: Variant | None, origin: Origin) -> Variant | None:
    if variant is None:
        return None
    manifest = Manifest.read(variant.ref, variant.object, origin)
    return replace(variant, manifest=manifest)


def _find_spoke(name: str, now: Rendered, place: str) -> Spoke:
    bundle = now.bundles.get(name)
    if bundle is not None:
        return bundle.spoke
    return Spoke(name, {}, {}, partial(Origin, f"{place}/{name}"))
