"""What a change of the whole output would lose, spoke by spoke."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.cluster import Anything, Knowledge
from spokerender.judging.fleet import blueprints
from spokerender.kinds.catalogue import Catalogue, ConfiguredKind
from spokerender.model import Ref
from spokerender.model.plan import KUSTOMIZATION, FolderPlan
from spokerender.rendering.values.rendered import Contribution, Rendered
from spokerender.rendering.values.trees import SpokeTrees, Tree
from spokerender.review.guard.delivered import Engines, find_undelivered
from spokerender.review.guard.documents import (
    Before,
    ObjectReader,
    changed_objects,
    documents,
    shipped_objects,
)
from spokerender.review.guard.losses import Loss, LostObject, Removal
from spokerender.review.guard.protection import targets_of_policy
from spokerender.review.guard.spokes import SpokeGuard


class GuardContext(Struct, frozen=True, eq=False):
    """What the guard knows besides the trees: of the spokes, the engines and who publishes."""

    knowledge: Knowledge
    engines: Engines
    contribution: Contribution | None = None
    """None if the publishing agents of the fleet do not matter."""


def make_context(
    rendered: Rendered, engines: Engines, configured: Iterable[ConfiguredKind] | None = None
) -> GuardContext:
    """Return what is known of a fleet besides its trees, before the change as after it.

    Args:
        rendered: the fleet after the change.
        engines: what each engine that there is does with its objects.
        configured: the kinds as configured before the change, if that is known. Otherwise the
            change that removes a policy could declare that its kind protects nothing.

    """
    # Before the change spokes may have had any other object: nothing in the trees would show it.
    knowledge = replace(blueprints.gather_knowledge(rendered), unseen=Anything())
    if configured is not None:
        knowledge = replace(knowledge, catalogue=Catalogue.of(knowledge.crds, configured))
    return GuardContext(knowledge, engines, rendered.contribution)


def find_removals(
    before: Before, after: Tree, plans: Iterable[FolderPlan], context: GuardContext
) -> tuple[Removal, ...]:
    """Return what a change of the output takes from its spokes, in the order of the plans.

    Args:
        before: reads a folder before the change; what is not ours is ignored. Asked only for
            files that go or change, and for all of them where the folder goes.
        after: the output after the change; not asked for a folder that goes.
        plans: the folders that change.
        context: what is known besides the trees.

    """
    reader = ObjectReader(context.knowledge.catalogue)
    guard = SpokeGuard(context.knowledge, reader)
    removals: list[Removal] = []
    new_spokes: list[str] = []
    for plan in plans:
        if plan.folder.startswith("_"):
            removals += find_undelivered(plan, before, after, reader, context.engines)
        elif plan.is_new:
            new_spokes.append(plan.folder)
        elif plan.is_removed:
            removals.append(_remove_spoke(plan.folder, before, reader))
        elif {*plan.create, *plan.update, *plan.delete} - {KUSTOMIZATION}:
            objects = changed_objects(plan, before, after, reader)
            lost = guard.find_lost(after.bundle(plan.folder), objects)
            lost = _mark_guarded(lost, objects.gone, reader, context.contribution)
            is_emptied = objects.total and not after.count(plan.folder)
            loss = Loss.EMPTIED if is_emptied else Loss.PART
            removals.append(Removal(spoke=plan.folder, loss=loss, lost=lost, total=objects.total))
    removals = [item for item in removals if item.lost or item.loss is Loss.SPOKE]
    return _with_new_names(removals, new_spokes, after, reader)


def _remove_spoke(spoke: str, before: Before, reader: ObjectReader) -> Removal:
    texts = documents(before(spoke, None))
    text_by_ref = {ref: text for text in texts if (ref := reader.ref(text)) is not None}
    lost = tuple(_lose_with_spoke(ref, text_by_ref[ref], reader) for ref in sorted(text_by_ref))
    return Removal(spoke=spoke, loss=Loss.SPOKE, lost=lost, total=len(texts))


def _lose_with_spoke(ref: Ref, text: bytes, reader: ObjectReader) -> LostObject:
    kind = reader.catalogue.kind(ref.group, ref.kind)
    if not kind.security:
        return LostObject(ref)
    policy = reader.parse(text)
    targets = targets_of_policy(kind, policy.object, ref.namespace) if policy is not None else ()
    return LostObject(ref, security=True, unprotected=tuple(map(str, targets)))


def _mark_guarded(
    lost: Iterable[LostObject],
    gone: Mapping[Ref, bytes],
    reader: ObjectReader,
    contribution: Contribution | None,
) -> tuple[LostObject, ...]:
    """Mark the losses that need an acknowledgement though they protect nothing."""
    return tuple(
        item
        if item.stays or item.replaced or item.ref not in gone
        else replace(item, guarded=_guard_reason(item.ref, gone[item.ref], reader, contribution))
        for item in lost
    )


def _guard_reason(
    ref: Ref, text: bytes, reader: ObjectReader, contribution: Contribution | None
) -> str:
    if reader.catalogue.kind(ref.group, ref.kind).guarded:
        return "whoever has bound it in kcp loses the API with it"
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
