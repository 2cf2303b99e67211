"""Objects that a new name makes the younger ones: of rivals the older one holds.

Where files can't tell who is older, each may be in force today (GEP-713, of ListenerSets GEP-1713).
With another name, an object is a new one, so that rivals which stay are in force in any case.
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.judging.judgement import Judgement
from spokerender.kinds.merging import Order
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.review.comparison.successors import Successors
from spokerender.review.meaning.drafts import Draft
from spokerender.review.meaning.objects import ObjectChanges
from spokerender.review.values import Topic
from spokerender.topology.conflicts import find_conflicts
from spokerender.topology.graph import Topology

_Rivals = tuple[Ref, Ref, Ref]
"""Two objects of which either may come first, and what they contend for."""
_WHY = "the older one does, and a new name makes a new object"


def find_younger(successors: Successors, objects: ObjectChanges) -> Iterator[Draft]:
    """Yield renamed policies and listeners that certainly give way to rivals that stay."""
    if not successors.renamed:
        return
    old, new = successors.old, successors.new
    every = new.rules, new.listeners  # a path to a rule comes before those to listeners
    sides = (view.fill(_list_rival_policies(view.judgement)) for view in (old, new))
    for own, rival, target in _find_passed(successors, *sides):
        draft = Draft(
            kind=codes.NEWLY_OVERRIDDEN,
            topic=Topic.POLICY,
            message=f"{rival} holds on {target} in any case, and {own} does not: {_WHY}",
            cause=objects.cause((own,)),
            policies=(own, rival),
        )
        through = [[way for way in ways.values() if way.leads_through(target)] for ways in every]
        ways = through[0] or through[1]
        for levels, hostnames in [(way.levels, way.hostnames) for way in ways] or [((), ())]:
            yield replace(draft, levels=levels, hostnames=hostnames)
    sides = (view.fill(_list_rival_listeners(view.topology)) for view in (old, new))
    for own, rival, _ in _find_passed(successors, *sides):
        for way in new.listeners.values():
            if way.levels[-1] == own:
                message = f"{rival} takes requests in any case, and {own} does not: {_WHY}"
                about = codes.LISTENER_GONE, Topic.TRAFFIC, message
                yield Draft.on(way, *about, objects.cause((own,)))


def _find_passed(
    successors: Successors, before: Iterable[_Rivals], after: Iterable[_Rivals]
) -> Iterator[_Rivals]:
    """Yield rivals by their new names, of which the first has another name than before."""
    pairs = frozenset(after)
    for own, rival, target in before:
        names = successors.name(own), successors.name(rival), successors.name(target)
        is_new = names[0].whole != own.whole
        if is_new and names[1].whole == rival.whole and names in pairs:
            yield names


@memoised
def _list_rival_policies(judgement: Judgement) -> tuple[_Rivals, ...]:
    contentions = {
        contention
        for attachment in judgement.attachments.values()
        for contention in attachment.contentions
        if contention.differs and contention.order is Order.OLDEST
    }
    return tuple(
        (own, rival, contention.target)
        for contention in sorted(contentions, key=lambda item: (item.target, item.orders.likely))
        for own in contention.orders.firsts
        for rival in contention.orders.firsts
        if own != rival
    )


@memoised
def _list_rival_listeners(topology: Topology) -> tuple[_Rivals, ...]:
    return tuple(
        (*pair, pair[0])
        for conflict in find_conflicts(topology)
        if not conflict.is_certain
        for rival in conflict.by
        for own in [conflict.parent.section(conflict.listener)]
        for pair in ((own, rival), (rival, own))
    )
