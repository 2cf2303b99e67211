"""The losses of a change: deleted objects, folders and destinations, and consequences."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.cluster import Anything, Knowledge
from spokerender.judging.fleet.blueprints import gather_knowledge
from spokerender.kinds.catalogue import Catalogue, KindAmendment
from spokerender.model import Origin, Ref
from spokerender.model.plan import KUSTOMIZATION, FolderPlan
from spokerender.model.refs import DataByRef
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.trees import Tree
from spokerender.review.comparison.documents import (
    Before,
    ObjectReader,
    documents,
    shipped_objects,
)
from spokerender.review.guard.claims import Loss, Losses, Removal
from spokerender.review.guard.delivered import DeliveryComparison, Engines
from spokerender.review.guard.earlier import SpokesInTwoStates
from spokerender.review.guard.filtering import filter_consequences
from spokerender.review.meaning.consequences import ComparedSpokes, compare_states
from spokerender.review.values import LostObject
from spokerender.topology.graph import Topology
from spokerender.topology.reading import read_node


class GuardContext(Struct, frozen=True, eq=False):
    """The input of the guard besides the trees: the fleet and its delivery engines.

    `declared` returns where spokes were declared before the change, as far as that is known.
    """

    rendered: Rendered
    knowledge: Knowledge
    engines: Engines
    declared: Callable[[], Mapping[str, Origin]] = dict
    earlier: Topology | None = None
    """The hub before the change, if its GatewayClasses or Namespaces differ."""


def make_context(
    rendered: Rendered,
    engines: Engines,
    configured: Iterable[KindAmendment] | None = None,
    around: Sequence[DataByRef] = ({}, {}),
) -> GuardContext:
    """Return the facts about a fleet besides its trees, before and after the change.

    `configured` are the kinds configured before the change, if known: otherwise, the change that
    removes a policy could declare that its kind protects nothing. `around` are the differing hub
    objects before the change and after it that decide about Gateways and are in no tree.
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
    return GuardContext(rendered, knowledge, engines, earlier=earlier)


def find_losses(
    before: Before,
    after: Tree,
    plans: Iterable[FolderPlan],
    context: GuardContext,
    compared: ComparedSpokes | None = None,
) -> Losses:
    """Return the losses of spokes by a change of the output, in the order of the plans.

    `before` returns the rendered files of a folder before the change: only deleted and changed
    files, or for a deleted folder all files. `after` need not have deleted folders. `compared` is
    the comparison of the spokes, if there is one already.
    """
    reader = ObjectReader(context.knowledge.catalogue)
    plans = [*_with_other_spokes(plans, after, context)]
    changed = [
        plan
        for plan in plans
        if not (plan.folder.startswith("_") or plan.is_new or plan.is_removed)
        and (
            context.earlier is not None
            or {*plan.create, *plan.update, *plan.delete} - {KUSTOMIZATION}
        )
    ]
    if compared is None:
        compared = _compare_files(before, after, changed, context, reader)
    removals: list[Removal] = []
    for plan in plans:
        if plan.folder.startswith("_"):
            delivery = DeliveryComparison(plan, before, after, reader, context.engines)
            removals += delivery.list_removals()
        elif plan.is_removed:
            removals.append(_remove_spoke(plan.folder, before, reader, context))
        elif plan.folder in compared.old:
            deleted = compared.deleted.get(plan.folder, ())
            removals += _remove_objects(plan.folder, deleted, compared.old[plan.folder], context)
    consequences = filter_consequences(compared.consequences)
    new = [plan.folder for plan in plans if plan.is_new and not plan.folder.startswith("_")]
    return Losses(_with_new_names(removals, new, after, reader), consequences)


def _with_other_spokes(
    plans: Iterable[FolderPlan], after: Tree, context: GuardContext
) -> Iterable[FolderPlan]:
    """Return the plans; if `context.earlier` is set, with empty plans for all other spokes."""
    if context.earlier is None:
        return plans
    spokes = (name for name in sorted(after.folders) if not name.startswith("_"))
    empty = {name: FolderPlan(folder=name) for name in spokes}
    return (empty | {plan.folder: plan for plan in plans}).values()


def _compare_files(
    before: Before,
    after: Tree,
    plans: Sequence[FolderPlan],
    context: GuardContext,
    reader: ObjectReader,
) -> ComparedSpokes:
    """Return the comparison of spokes by their files."""
    spokes = SpokesInTwoStates(before, after, plans, reader)
    knowledge = context.knowledge
    earlier = replace(knowledge, namespaces=context.earlier) if context.earlier else knowledge
    return compare_states(*spokes.judge(context.rendered, (earlier, knowledge)))


def _remove_objects(
    spoke: str, deleted: Sequence[LostObject], old: Bundle, context: GuardContext
) -> Iterator[Removal]:
    """Yield one removal with the deleted objects of a spoke that remains, if there are any."""
    lost = tuple(
        item if item.replaced else replace(item, guarded=_guard_reason(item.ref, old, context))
        for item in sorted(deleted, key=lambda item: item.ref)
    )
    if lost:
        yield Removal(spoke=spoke, loss=Loss.PART, lost=lost, total=len(old.blueprint.variants))


def _remove_spoke(
    spoke: str, before: Before, reader: ObjectReader, context: GuardContext
) -> Removal:
    texts = documents(before(spoke, None))
    refs = {ref for text in texts if (ref := reader.ref(text)) is not None}
    lost = tuple(map(LostObject, sorted(refs)))
    origin = context.declared().get(spoke)
    return Removal(spoke=spoke, loss=Loss.SPOKE, lost=lost, origin=origin)


def _guard_reason(ref: Ref, old: Bundle, context: GuardContext) -> str:
    """Return why a deletion must be acknowledged although it weakens no protection, or empty."""
    if context.knowledge.catalogue.kind(ref.group, ref.kind).guarded:
        return "whoever has bound it in kcp loses the API with it"
    if not context.rendered.contribution.guard_markers:
        return ""
    variant = old.find(ref)
    labels = variant.object["metadata"].get("labels") if variant is not None else None
    return context.rendered.contribution.guard_reason(ref, old.filled(labels or {}))


def _with_new_names(
    removals: list[Removal], new_spokes: Iterable[str], after: Tree, reader: ObjectReader
) -> tuple[Removal, ...]:
    """Return the removals; a removed spoke gets the new folder with all its objects, if any."""
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
