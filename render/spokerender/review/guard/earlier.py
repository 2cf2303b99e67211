"""Spokes as they were before a change, with slots (placeholders) for spokes' own values.

Spokes that have the same new object mostly had the same old object, too. So the old text of only
one spoke is parsed; other spokes with the same differing lines get the same old object.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.cluster import Knowledge
from spokerender.judging.fleet.blueprints import BlueprintJudge, gather_knowledge
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.model import Manifest, Origin, Spoke
from spokerender.model.plan import FolderPlan
from spokerender.model.rollout import RolloutState
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.trees import ObjectText, Tree
from spokerender.review.comparison.documents import (
    Before,
    ChangedObjects,
    ObjectReader,
    changed_objects,
    documents,
)
from spokerender.review.comparison.states import FleetState
from spokerender.review.values import ReviewedState


class SpokesInTwoStates:
    """The spokes whose files differ, as they were before and are after the change."""

    def __init__(
        self,
        before: Before,
        after: Tree,
        plans: Iterable[FolderPlan],
        reader: ObjectReader,
    ) -> None:
        """Read the spokes; `before` returns deleted and changed files as they were."""
        self.old: dict[str, Bundle] = {}
        self.new: dict[str, Bundle] = {}
        earlier = _EarlierObjects(reader)
        for plan in plans:
            objects = changed_objects(plan, before, after, reader)
            bundle = after.bundle(plan.folder).with_name()
            self.old[plan.folder] = earlier.make_bundle(bundle, objects)
            self.new[plan.folder] = bundle

    def judge(
        self, rendered: Rendered, knowledge: tuple[Knowledge, Knowledge]
    ) -> tuple[FleetState, FleetState]:
        """Return both states, judged; `knowledge` has the facts about the clusters in each."""
        now = replace(rendered, hub=replace(rendered.hub, catalogue=knowledge[1].catalogue))
        judges = {id(each): BlueprintJudge(each) for each in knowledge}
        before, after = (
            _judge(bundles, judges[id(each)], now, ReviewedState("", len(bundles)))
            for bundles, each in zip((self.old, self.new), knowledge, strict=True)
        )
        return before, after


class _Earlier(Struct, frozen=True, eq=False):
    """An object before the change; `own` are its texts that may have a spoke's value, no slot."""

    variant: Variant | None
    own: frozenset[str] = frozenset()

    def has_values_of(self, bundle: Bundle) -> bool:
        """Return whether a text has a value of the spoke where a slot should be."""
        values = [value for value in bundle.values.values() if isinstance(value, str) and value]
        return any(value in text for text in self.own for value in values)


class _EarlierObjects:
    """A reader of objects before the change; equal differences of spokes are parsed once."""

    def __init__(self, reader: ObjectReader) -> None:
        self._reader = reader
        self._by_lines: dict[tuple[object, ...], _Earlier] = {}
        self._variants: dict[tuple[Variant, Variant], Variant] = {}
        self._blueprints: dict[tuple[object, ...], Blueprint] = {}

    def make_bundle(self, bundle: Bundle, objects: ChangedObjects) -> Bundle:
        """Return a spoke's bundle before the change, from its new bundle and the differences."""
        others: dict[Variant, Variant | None] = {
            written.variant: None
            for written in objects.added.values()
            if written.variant is not None
        }
        for text, written in objects.changed.values():
            if written.variant is not None:
                earlier = self._find(text, written, bundle)
                is_own = earlier.has_values_of(bundle)
                others[written.variant] = self._reader.parse(text) if is_own else earlier.variant
        all_gone = (self._find_gone(text, bundle) for text in objects.gone.values())
        gone = [variant for variant in all_gone if variant is not None]
        key = bundle.blueprint, frozenset(others.items()), tuple(gone)
        if key not in self._blueprints:
            variants = (others.get(variant, variant) for variant in bundle.blueprint.variants)
            every = tuple(item for item in (*variants, *gone) if item is not None)
            blueprint = Blueprint(bundle.blueprint.placed, (), every, ())
            self._blueprints[key] = blueprint
        return replace(bundle, blueprint=self._blueprints[key], results=())

    def _find_gone(self, text: bytes, bundle: Bundle) -> Variant | None:
        """Return a deleted object, with slots for the values that only the spoke has."""
        own = bundle.own_texts()
        key = own.blank(text), own.list_short(text)
        if key not in self._by_lines:
            variant = self._reader.parse(text)
            if variant is not None:
                # Other blueprints lose the same: what is one object is judged once.
                ref, data = own.with_slots((variant.ref, variant.object), with_short=True)
                variant = self._reader.variant_once(ref, data)
            self._by_lines[key] = _Earlier(variant)
        return self._by_lines[key].variant

    def _find(self, old: bytes, new: ObjectText, bundle: Bundle) -> _Earlier:
        """Return the object with the text `old` before the change, which is `new` after it."""
        assert new.variant is not None  # noqa: S101  (its caller asks)
        start, end, lines = _differing_lines(old, new.text)
        own = bundle.own_texts()
        marked = own.blank(lines)
        # Restrictions of policies are compared by value, so each spoke's own values are read.
        if marked != lines and self._is_security(new.variant):
            return self._read(old, new.variant, bundle)
        key = new.variant, start, end, marked, own.list_short(lines)
        if key not in self._by_lines:
            self._by_lines[key] = self._read(old, new.variant, bundle)
        return self._by_lines[key]

    def _read(self, old: bytes, new: Variant, bundle: Bundle) -> _Earlier:
        before = self._reader.parse(old)
        if before is None:
            return _Earlier(new)
        data = bundle.unfilled(before.object, new.object)
        if not self._is_security(new):
            data = bundle.own_texts().with_slots(data, with_short=True)
        if data == new.object:
            return _Earlier(new)
        variant = self._reader.variant_once(new.ref, data)
        if (variant, new) not in self._variants:  # lines come from the manifest on the hub
            self._variants[variant, new] = replace(variant, manifest=new.manifest)
        return _Earlier(self._variants[variant, new], variant.texts() - new.texts())

    def _is_security(self, variant: Variant) -> bool:
        return self._reader.catalogue.kind(variant.ref.group, variant.ref.kind).security


def _differing_lines(old: bytes, new: bytes) -> tuple[int, int, bytes]:
    """Return the number of equal lines at the start and at the end, and the old lines between."""
    before, after = old.split(b"\n"), new.split(b"\n")
    most = min(len(before), len(after))
    start = next((n for n in range(most) if before[n] != after[n]), most)
    most -= start
    end = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
    return start, end, b"\n".join(before[start : len(before) - end])


def judge_files(
    files: Mapping[str, Mapping[str, bytes]], now: Rendered, about: ReviewedState, place: str
) -> FleetState:
    """Return the judged state of the objects in the folders of an output.

    `files` are by folder of the output and by path in the folder; files that spokerender has not
    written are ignored. `place` is the output, for the origins of objects. Kinds, CRDs and labels
    of namespaces are those of `now`.
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
    return _judge(bundles, BlueprintJudge(gather_knowledge(now)), now, about)


def _judge(
    bundles: Mapping[str, Bundle], judge: BlueprintJudge, now: Rendered, about: ReviewedState
) -> FleetState:
    """Return a judged state with these bundles; all else is as in `now`."""
    rendered = replace(now, bundles=bundles, rollout=None)
    judged = _JudgedWhenAsked(bundles, cache(judge.judge))
    return FleetState(rendered, JudgedFleet(judged, bundles, ()), about)


class _JudgedWhenAsked(Mapping[str, JudgedBlueprint]):
    """The judged blueprints of spokes, each judged when it is first read."""

    def __init__(
        self, bundles: Mapping[str, Bundle], judge: Callable[[Blueprint], JudgedBlueprint]
    ) -> None:
        self._bundles, self._judge = bundles, judge

    def __getitem__(self, spoke: str) -> JudgedBlueprint:
        return self._judge(self._bundles[spoke].blueprint)

    def __iter__(self) -> Iterator[str]:
        return iter(self._bundles)

    def __len__(self) -> int:
        return len(self._bundles)


def _find_spoke(name: str, now: Rendered, place: str) -> Spoke:
    bundle = now.bundles.get(name)
    if bundle is not None:
        return bundle.spoke
    return Spoke(name, {}, {}, partial(Origin, f"{place}/{name}"))


class TreeInRollout:
    """The tree that a build leaves during a rollout (`values.trees.Tree`).

    Folders that wait for their wave have their present files, also folders of removed spokes.
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

    def files(self, folder: str, paths: Collection[str] | None = None) -> Mapping[str, bytes]:
        """Return a folder's files by path: at least those in `paths` (None: all)."""
        if self._rollout.holds(folder):
            return self._rollout.standing.read(folder)
        return self._rendered.tree.files(folder, paths)

    def bundle(self, folder: str) -> Bundle:
        """Return the new bundle of a spoke; the present one if the spoke waits for its wave."""
        if self._rollout.holds(folder):
            return self._waiting(folder)
        return self._rendered.tree.bundle(folder)

    def written(self, folder: str, paths: Collection[str] | None = None) -> Sequence[ObjectText]:
        """Return the objects in rendered files of a folder, which must not wait for its wave."""
        return self._rendered.tree.written(folder, paths)

    def _read_bundle(self, folder: str) -> Bundle:
        """Return a waiting spoke's bundle: the objects in its present files, and new Gateways."""
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
