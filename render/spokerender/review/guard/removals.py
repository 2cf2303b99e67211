"""The losses of a change to the whole output; spokes that change alike are examined once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.cluster import Anything, Knowledge
from spokerender.judging.effective.rule_changes import compare_rules
from spokerender.judging.fleet.blueprints import BlueprintJudge, gather_knowledge
from spokerender.kinds.catalogue import Catalogue, KindAmendment
from spokerender.kinds.kind import Kind
from spokerender.model import Origin, PlacedGateway, Ref
from spokerender.model.memo import memoised
from spokerender.model.plan import KUSTOMIZATION, FolderPlan
from spokerender.model.refs import DataByRef
from spokerender.rendering.values.bundles import Blueprint, Bundle, SharedAnswers, Variant, sharing
from spokerender.rendering.values.rendered import Contribution, Rendered
from spokerender.rendering.values.trees import SpokeTrees, Tree
from spokerender.review.comparison.documents import (
    Before,
    ChangedObjects,
    ObjectReader,
    changed_objects,
    documents,
    shipped_objects,
)
from spokerender.review.comparison.openings import list_served
from spokerender.review.comparison.pairs import SharedAnswersOfPairs
from spokerender.review.comparison.views import SharedViews, SpokeView
from spokerender.review.guard.delivered import DeliveryComparison, Engines, lose_with_spoke
from spokerender.review.guard.earlier import EarlierObjects, is_harmless
from spokerender.review.guard.losses import Loss, LostObject, Removal
from spokerender.review.guard.spoke import SpokeComparison, without_served
from spokerender.review.guard.targets import SpokeState
from spokerender.topology.graph import Topology
from spokerender.topology.reading import read_node

Differences = Mapping[Ref, Variant | None]


class _BlueprintChange(Struct, frozen=True, eq=False):
    """The differences of a blueprint before and after the change; texts may hold slots.

    `old` are objects as they were, `new` as they are; None for one that can't be read. Changes that
    do not affect protection are in neither. The blueprint has only what the change may concern.
    """

    blueprint: Blueprint
    old: Differences
    new: Differences

    @property
    def key(self) -> tuple[Blueprint, frozenset[object], frozenset[object]]:
        """A key that spokes share if they change alike."""
        return self.blueprint, frozenset(self.old.items()), frozenset(self.new.items())


class SpokeGuard:
    """A guard that compares one spoke after the other, and does common work once."""

    def __init__(
        self, knowledge: Knowledge, reader: ObjectReader, earlier: Topology | None = None
    ) -> None:
        """Start; `earlier` is the hub before the change, if Gateways may depend on what differs."""
        self._knowledge = knowledge
        self._reader = reader
        self._hub_before = earlier
        before = replace(knowledge, namespaces=earlier) if earlier is not None else knowledge
        self._judge_before = BlueprintJudge(before)
        self._earlier = EarlierObjects(reader)
        self._judge = BlueprintJudge(knowledge)
        self._views = SharedViews(knowledge.catalogue)
        self._of_pairs = SharedAnswersOfPairs(compare_rules)
        self._compared: dict[object, tuple[LostObject, ...]] = {}
        self._distinct: dict[tuple[tuple[PlacedGateway, ...], tuple[Variant, ...]], Blueprint] = {}
        """The reduced blueprints by content: those of several blueprints may be the same."""
        self._shared = SharedAnswers[tuple[LostObject, ...]]()

    def find_lost(self, bundle: Bundle, objects: ChangedObjects) -> tuple[LostObject, ...]:
        """Return what a spoke loses by objects that come, go or change."""
        bundle = bundle.with_name()
        change, is_shared = self._read_change(bundle, objects)
        is_concerned = any(self._kind(ref).security for ref in change.new)
        has_routes = any(item is not None and item.node.is_route for item in change.new.values())
        if not (change.old or is_concerned or has_routes):
            return ()
        if is_shared:
            lost = self._shared.answer(bundle, lambda: self._compare(change, bundle))
            if lost is not None:
                return _sort_names(lost)
        alone = SpokeGuard(self._knowledge, self._reader, self._hub_before)
        return _sort_names(alone._find_lost(self._resolve(change, bundle), bundle))

    def _compare(self, change: _BlueprintChange, bundle: Bundle) -> tuple[LostObject, ...]:
        if (key := change.key) not in self._compared:
            self._compared[key] = self._find_lost(change, bundle)
        return self._compared[key]

    def _find_lost(self, change: _BlueprintChange, bundle: Bundle) -> tuple[LostObject, ...]:
        """Return what a change of a blueprint deletes, and what is no longer protected."""
        catalogue = self._knowledge.catalogue
        new_variants = change.blueprint.variants
        unchanged = (variant for variant in new_variants if variant.ref not in change.new)
        old_variants = (*unchanged, *(item for item in change.old.values() if item is not None))

        def view(judge: BlueprintJudge, variants: tuple[Variant, ...]) -> SpokeView:
            blueprint = replace(change.blueprint, variants=variants)
            plain = replace(bundle, blueprint=blueprint, values={})
            judged = judge.judge(blueprint)
            return SpokeView(self._views, plain, judged.judgement, judged.variants)

        judge_before = self._judge if self._hub_before is None else self._judge_before
        before, after = view(judge_before, old_variants), view(self._judge, new_variants)
        return SpokeComparison(
            SpokeState(change.old, before),
            SpokeState(change.new, after),
            self._of_pairs,
            may_weaken=_may_weaken(change, catalogue),
        ).lost()

    def list_hostnames(self, after: Tree) -> frozenset[str]:
        """Return every hostname that is served on some spoke."""
        bundles = [after.bundle(folder) for folder in after.folders if not folder.startswith("_")]
        return frozenset(
            bundle.text(name)
            for blueprint, alike in sharing(bundles)
            for name in list_served(self._views.ways(self._judge.topology_of(blueprint))[1])
            for bundle in alike
        )

    def _read_change(
        self, bundle: Bundle, objects: ChangedObjects
    ) -> tuple[_BlueprintChange, bool]:
        """Return what was different, and whether it may be shared with other spokes.

        It may not if a value of this spoke is in an old text, as others have other values there, or
        if an old text seems to be another one than a new text that it is equal to.
        """
        own_texts = set[str]()
        is_shared = True
        old: dict[Ref, Variant | None] = {}
        for ref, text in objects.gone.items():
            earlier = self._earlier.find_gone(text, bundle)
            old[earlier.variant.ref if earlier.variant is not None else ref] = earlier.variant
            own_texts |= earlier.own
        new = {
            written.variant.ref if written.variant is not None else ref: written.variant
            for ref, written in objects.added.items()
        }
        for old_text, written in objects.changed.values():
            earlier = self._earlier.find(old_text, written, bundle)
            if earlier.variant is not None and written.variant is not None:
                old[written.variant.ref] = earlier.variant
                new[written.variant.ref] = written.variant
                is_shared &= not earlier.has_values_of(bundle)
                own_texts |= earlier.own
        for variant in bundle.blueprint.variants if self._hub_before is not None else ():
            if variant.node.listeners and variant.ref not in new:
                old[variant.ref] = new[variant.ref] = variant
        reduced = self._reduce(bundle.blueprint, frozenset((*old, *new)))
        is_shared = is_shared and (not own_texts or bundle.tells_apart(own_texts))
        return _BlueprintChange(reduced, old, new), is_shared

    @memoised
    def _reduce(self, blueprint: Blueprint, changed: frozenset[Ref]) -> Blueprint:
        """Return a blueprint without policies whose protection the change can't affect.

        Where only policies change, those of other kinds protect what they did.
        """
        kinds = {(ref.group, ref.kind): self._kind(ref) for ref in changed}
        is_whole = not all(kind.is_policy for kind in kinds.values())
        concerned = None if is_whole else frozenset(key for key in kinds if kinds[key].security)
        variants = tuple(
            variant if variant.ref in changed else self._earlier.first_alike(variant)
            for variant in blueprint.variants
            if variant.ref in changed or self._is_concerned(variant, concerned)
        )
        reduced = replace(blueprint, outcomes=(), variants=variants, results=())
        return self._distinct.setdefault((blueprint.placed, variants), reduced)

    def _is_concerned(self, variant: Variant, concerned: frozenset[tuple[str, str]] | None) -> bool:
        kind = self._kind(variant.ref)
        if not kind.is_policy:
            return True
        return kind.security and (concerned is None or (kind.group, kind.kind) in concerned)

    def _kind(self, ref: Ref) -> Kind:
        return self._knowledge.catalogue.kind(ref.group, ref.kind)

    def _resolve(self, change: _BlueprintChange, bundle: Bundle) -> _BlueprintChange:
        """Return the same change with the values of one spoke."""
        resolve = cache(lambda variant: self._reader.resolved(variant, bundle))

        def resolve_all(objects: Differences) -> Differences:
            return {
                bundle.ref(ref): resolve(variant) if variant is not None else None
                for ref, variant in objects.items()
            }

        blueprint = replace(
            change.blueprint,
            placed=bundle.filled(change.blueprint.placed),
            variants=tuple(map(resolve, change.blueprint.variants)),
        )
        return _BlueprintChange(blueprint, resolve_all(change.old), resolve_all(change.new))


def _sort_names(lost: Iterable[LostObject]) -> tuple[LostObject, ...]:
    """Return those that go, then the others, and their places, by name: slots have no order."""
    named = (replace(item, unprotected=tuple(sorted(item.unprotected))) for item in lost)
    return tuple(sorted(named, key=lambda item: (item.stays, item.ref)))


def _may_weaken(change: _BlueprintChange, catalogue: Catalogue) -> bool:
    """Return whether something that stays may lose its protection."""
    if change.old.keys() & change.new.keys():
        return True
    variants = (*change.old.values(), *change.new.values())
    return not all(item is None or is_harmless(item, catalogue) for item in variants)


class GuardContext(Struct, frozen=True, eq=False):
    """Input of the guard besides the trees: the spokes, the engines and the publishing agents.

    `declared` returns where spokes were declared before the change, as far as that is known.
    """

    knowledge: Knowledge
    engines: Engines
    contribution: Contribution | None = None
    """None if the publishing agents of the fleet do not matter."""
    declared: Callable[[], Mapping[str, Origin]] = dict
    earlier: Topology | None = None
    """The hub before the change, if its GatewayClasses or Namespaces were others."""


def make_context(
    rendered: Rendered,
    engines: Engines,
    configured: Iterable[KindAmendment] | None = None,
    around: Sequence[DataByRef] = ({}, {}),
) -> GuardContext:
    """Return what is known of a fleet besides its trees, before the change as after it.

    `configured` are the kinds as configured before the change, if that is known: otherwise the
    change that removes a policy could declare that its kind protects nothing. `around` are objects
    of the hub that decide about Gateways and are no part of trees: as they were, where they differ,
    and as they are.
    """
    # Before the change spokes may have had any other object: nothing in the trees would show it.
    knowledge = replace(gather_knowledge(rendered), unseen=Anything())
    if configured is not None:
        knowledge = replace(knowledge, catalogue=Catalogue.of(knowledge.crds, configured))
    before, now = around
    earlier: Topology | None = None
    if before != now:
        nodes = [node for ref, node in rendered.topology.nodes.items() if ref not in now]
        nodes += (read_node(ref, before[ref], knowledge.catalogue) for ref in before)
        earlier = Topology(nodes, external=rendered.topology.external)
    return GuardContext(knowledge, engines, rendered.contribution, earlier=earlier)


def find_removals(
    before: Before, after: Tree, plans: Iterable[FolderPlan], context: GuardContext
) -> tuple[Removal, ...]:
    """Return what a change of the output takes from its spokes, in the order of the plans.

    `before` reads a folder before the change, in which what is not ours is ignored: the files that
    go or change, and all of them where the folder goes. `after` is not asked for a folder that
    goes.
    """
    reader = ObjectReader(context.knowledge.catalogue)
    guard = SpokeGuard(context.knowledge, reader, context.earlier)
    removals: list[Removal] = []
    new_spokes: list[str] = []
    is_of_hub = context.earlier is not None
    if is_of_hub:  # spokes whose folders stay as they are may lose something, too
        spokes = (name for name in sorted(after.folders) if not name.startswith("_"))
        empty = {name: FolderPlan(folder=name) for name in spokes}
        plans = (empty | {plan.folder: plan for plan in plans}).values()
    for plan in plans:
        if plan.folder.startswith("_"):
            delivery = DeliveryComparison(plan, before, after, reader, context.engines)
            removals += delivery.list_removals()
        elif plan.is_new:
            new_spokes.append(plan.folder)
        elif plan.is_removed:
            removals.append(_remove_spoke(plan.folder, before, reader, context))
        elif is_of_hub or {*plan.create, *plan.update, *plan.delete} - {KUSTOMIZATION}:
            objects = changed_objects(plan, before, after, reader)
            # Some losses need an acknowledgement though they protect nothing.
            lost = tuple(
                item
                if item.stays or item.replaced or item.ref not in objects.gone
                else replace(item, guarded=_guard_reason(item.ref, objects, reader, context))
                for item in guard.find_lost(after.bundle(plan.folder), objects)
            )
            is_emptied = objects.total and not after.count(plan.folder)
            loss = Loss.EMPTIED if is_emptied else Loss.PART
            origin = after.bundle(plan.folder).spoke.origin if is_emptied else None
            removals.append(
                Removal(spoke=plan.folder, loss=loss, lost=lost, total=objects.total, origin=origin)
            )
    if any(item.unserved for removal in removals for item in removal.lost):
        removals = [*without_served(removals, guard.list_hostnames(after))]
    removals = [item for item in removals if item.lost or item.loss is Loss.SPOKE]
    return _with_new_names(removals, new_spokes, after, reader)


def _remove_spoke(
    spoke: str, before: Before, reader: ObjectReader, context: GuardContext
) -> Removal:
    texts = documents(before(spoke, None))
    text_by_ref = {ref: text for text in texts if (ref := reader.ref(text)) is not None}
    lost = tuple(lose_with_spoke(ref, text_by_ref[ref], reader) for ref in sorted(text_by_ref))
    origin = context.declared().get(spoke)
    return Removal(spoke=spoke, loss=Loss.SPOKE, lost=lost, total=len(texts), origin=origin)


def _guard_reason(
    ref: Ref, objects: ChangedObjects, reader: ObjectReader, context: GuardContext
) -> str:
    if reader.catalogue.kind(ref.group, ref.kind).guarded:
        return "whoever has bound it in kcp loses the API with it"
    contribution, text = context.contribution, objects.gone[ref]
    markers = contribution.guard_markers if contribution is not None else ()
    if contribution is None or not any(marker.encode() in text for marker in markers):
        return ""
    manifest = reader.parse(text)
    labels = (manifest.object["metadata"].get("labels") or {}) if manifest is not None else {}
    return contribution.guard_reason(ref, labels)


def _with_new_names(
    removals: list[Removal], new_spokes: Iterable[str], after: SpokeTrees, reader: ObjectReader
) -> tuple[Removal, ...]:
    """Name the new folder that has all objects of a spoke that goes; each folder at most once."""
    if not any(removal.loss is Loss.SPOKE and removal.lost for removal in removals):
        return tuple(removals)
    free = {spoke: set(shipped_objects(spoke, after, reader)) for spoke in sorted(new_spokes)}
    named = []
    for removal in removals:
        refs = {item.ref for item in removal.lost} if removal.loss is Loss.SPOKE else set()
        name = next((spoke for spoke, objects in free.items() if refs and refs <= objects), "")
        free.pop(name, None)
        named.append(replace(removal, renamed_to=name))
    return tuple(named)
