"""What a change of the whole output would lose, spoke by spoke."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.cluster import Anything, Knowledge
from spokerender.judging.fleet import blueprints
from spokerender.kinds import Catalogue, ConfiguredKind
from spokerender.model import Ref
from spokerender.model.ownership import KUSTOMIZATION
from spokerender.rendering.values.publishing import Published
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.trees import SpokeTrees, Tree
from spokerender.review.guard.delivered import Engines, undelivered
from spokerender.review.guard.differing import Before, Change, called, differing
from spokerender.review.guard.documents import Reader, documents
from spokerender.review.guard.losses import Loss, Lost, Removal
from spokerender.review.guard.published import guarded
from spokerender.review.guard.spokes import Spokes
from spokerender.review.guard.targets import targets


class Surroundings(Struct, frozen=True, eq=False):
    """What the guard knows besides the trees: of the spokes, the engines and who publishes."""

    knowledge: Knowledge
    engines: Engines
    published: Published | None = None
    """None if the publishing agents of the fleet do not matter."""


def surroundings_of(
    rendered: Rendered, engines: Engines, configured: Iterable[ConfiguredKind] | None = None
) -> Surroundings:
    """Return what is known of a fleet besides its trees, before the change as after it.

    Args:
        rendered: the fleet after the change.
        engines: what each engine that there is does with its objects.
        configured: the kinds as configured before the change, if that is known. Otherwise the
            change that removes a policy could declare that its kind protects nothing.

    """
    # Before the change spokes may have had any other object: nothing in the trees would show it.
    knowledge = replace(blueprints.known_of(rendered), unseen=Anything())
    if configured is not None:
        knowledge = replace(knowledge, catalogue=Catalogue.of(knowledge.crds, configured))
    return Surroundings(knowledge, engines, rendered.published)


def removals(
    before: Before,
    after: Tree,
    changes: Iterable[Change],
    known: Surroundings,
) -> tuple[Removal, ...]:
    """What a change of the output takes from its spokes, in the order of the changes.

    Args:
        before: what was in a folder; what is not ours is passed over. Asked only for files that
            go or change, and for all of them where the folder goes.
        after: what shall be in a folder; not asked for where the folder goes.
        changes: the folders that change.
        known: what there is besides the trees.

    """
    reader = Reader(known.knowledge.catalogue)
    spokes = Spokes(known.knowledge, reader)
    gone: list[Removal] = []
    arrived: list[str] = []
    for change in changes:
        if change.folder.startswith("_"):
            gone += undelivered(change, before, after, reader, known.engines)
            continue
        if change.is_new:
            arrived.append(change.folder)
        elif change.is_removed:
            gone.append(_of_spoke_that_goes(change.folder, before, reader))
        elif {*change.create, *change.update, *change.delete} - {KUSTOMIZATION}:
            there = differing(change, before, after, reader)
            lost = spokes.lost(after.bundle(change.folder), there)
            lost = guarded(lost, there.gone, reader=reader, published=known.published)
            is_empty = there.total and not after.count(change.folder)
            loss = Loss.EMPTIED if is_empty else Loss.PART
            gone.append(Removal(spoke=change.folder, loss=loss, lost=lost, total=there.total))
    gone = [removal for removal in gone if removal.lost or removal.loss is Loss.SPOKE]
    return _with_new_names(gone, arrived, after, reader)


def _of_spoke_that_goes(spoke: str, before: Before, reader: Reader) -> Removal:
    texts = documents(before(spoke, None))
    refs = {ref: text for text in texts if (ref := reader.ref(text)) is not None}
    lost = tuple(_lost_with_its_spoke(ref, refs[ref], reader) for ref in sorted(refs))
    return Removal(spoke=spoke, loss=Loss.SPOKE, lost=lost, total=len(texts))


def _lost_with_its_spoke(ref: Ref, text: bytes, reader: Reader) -> Lost:
    kind = reader.catalogue.kind(ref.group, ref.kind)
    if not kind.security:
        return Lost(ref)
    item = reader.parse(text)
    named = targets(kind, item.object, ref.namespace) if item is not None else ()
    return Lost(ref, security=True, unprotected=tuple(map(str, named)))


def _with_new_names(
    removed: list[Removal], arrived: Iterable[str], after: SpokeTrees, reader: Reader
) -> tuple[Removal, ...]:
    """Name the new folder, each at most once, in which all objects of a spoke that goes appear."""
    if not any(removal.loss is Loss.SPOKE and removal.lost for removal in removed):
        return tuple(removed)
    free = {spoke: set(called(spoke, after, reader)) for spoke in sorted(arrived)}
    named = []
    for removal in removed:
        refs = {item.ref for item in removal.lost} if removal.loss is Loss.SPOKE else set()
        name = next((spoke for spoke, there in free.items() if refs and refs <= there), "")
        free.pop(name, None)
        named.append(replace(removal, renamed_to=name))
    return tuple(named)
