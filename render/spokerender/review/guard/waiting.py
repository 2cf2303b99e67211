"""The output in mid-rollout: rendered folders where a wave is done, all others as they are."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial

from msgspec.structs import replace

from spokerender.model import Origin, Spoke
from spokerender.model.rollout import RolloutState
from spokerender.rendering.values.bundles import Blueprint, Bundle
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.trees import ObjectText
from spokerender.review.comparison.documents import ObjectReader, documents


class TreeInRollout:
    """The tree that a build in mid-rollout leaves (`values.trees.Tree`).

    Folders that wait have the objects in their files, also those of spokes that left.
    """

    def __init__(self, rendered: Rendered) -> None:
        rollout = rendered.rollout
        assert rollout is not None  # noqa: S101  (the caller asks)
        self._rendered = rendered
        self._rollout: RolloutState = rollout
        self._reader = ObjectReader(rendered.hub.catalogue)
        self._waiting = cache(self._read_bundle)
        waiting = filter(rollout.holds, sorted(rollout.standing.folders))
        released = (name for name in rendered.tree.folders if not rollout.holds(name))
        self.folders: Sequence[str] = (*released, *waiting)

    def paths(self, folder: str) -> Collection[str]:
        """Return the paths of a folder's files."""
        if self._rollout.holds(folder):
            return tuple(self.files(folder))
        return self._rendered.tree.paths(folder)

    def files(self, folder: str) -> Mapping[str, bytes]:
        """Return a folder's files by path."""
        if self._rollout.holds(folder):
            return self._rollout.standing.read(folder)
        return self._rendered.tree.files(folder)

    def bundle(self, folder: str) -> Bundle:
        """Return what a spoke gets, or what one that waits has."""
        if self._rollout.holds(folder):
            return self._waiting(folder)
        return self._rendered.tree.bundle(folder)

    def written(self, folder: str, paths: Collection[str] | None = None) -> Sequence[ObjectText]:
        """Return the objects in files of a folder that does not wait."""
        return self._rendered.tree.written(folder, paths)

    def _read_bundle(self, folder: str) -> Bundle:
        """Read a spoke's objects; it has the gateways that it will have, which nobody renders."""
        parsed = map(self._reader.parse, documents(self.files(folder)))
        rendered = self._rendered.bundles.get(folder)
        if rendered is not None:
            placed, spoke = rendered.filled(rendered.blueprint.placed), rendered.spoke
            sources = {rendered.ref(it.ref): it.manifest for it in rendered.blueprint.variants}
        else:
            placed, spoke, sources = (), Spoke(folder, {}, {}, partial(Origin, folder)), {}
        variants = tuple(
            replace(variant, manifest=sources.get(variant.ref, variant.manifest))
            for variant in parsed
            if variant is not None
        )
        return Bundle(spoke, Blueprint(placed, (), variants, ()), {}, ())
