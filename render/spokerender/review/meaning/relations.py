"""Changed relations between objects: shared counters or certificates, and creation times.

If two listeners have certificates for the same names, a client may send requests for one through a
connection to the other (GEP-3567, connection coalescing). Some controllers then accept only
HTTP/1.1. The names in a certificate are in a Secret, which is in no file.

If files can't tell which of two conflicting objects is older, each may be effective today (GEP-713,
for ListenerSets GEP-1713). A renamed object is a new object, so a rival that is not renamed is then
older for certain.
"""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import listed
from spokerender.findings.results import INFO
from spokerender.judging.effective.outcomes import EffectiveRule
from spokerender.judging.judgement import Judgement
from spokerender.kinds.merging import Order
from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised
from spokerender.model.refs import GroupKind
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.review.meaning.drafts import Draft
from spokerender.review.meaning.objects import ObjectChanges
from spokerender.review.values import Topic
from spokerender.topology.conflicts import find_conflicts
from spokerender.topology.graph import Topology, find_class_controller


def find_relations(successors: Successors, objects: ObjectChanges) -> Iterator[Draft]:
    """Yield changes of shared counters and certificates, and of the order of creation."""
    yield from _find_younger(successors, objects)
    yield from _find_coalescing(successors, objects)
    yield from _find_split_limits(successors, objects)


_Counter = tuple[Ref, str, Ref]
"""A counter: the policy, the key of its limit, and the route (`kinds.columns.Counters`)."""


def _find_split_limits(successors: Successors, objects: ObjectChanges) -> Iterator[Draft]:
    """Yield each rate limit whose requests one counter counted before, and several do now."""
    for policy_kind in sorted(successors.old.in_force):
        if successors.old.kind(policy_kind).traits.counters is None:
            continue
        together: dict[_Counter, dict[Way, set[_Counter]]] = {}
        for old, new in successors.pairs:
            # Requests that another rule serves are reported as such.
            if successors.find_taken(old, new) is not None:
                continue
            after = dict(_counters(successors.new, policy_kind, new))
            for counter, rule in _counters(successors.old, policy_kind, old):
                # The same limit afterwards has the same key or the same value.
                names = {
                    k for k, it in after.items() if it.key == rule.key or it.value == rule.value
                }
                together.setdefault(counter, {}).setdefault(new, set()).update(names)
        for counter, ways in together.items():
            yield from _draft_split(counter, ways, successors, objects)


def _counters(
    view: SpokeView, policy_kind: GroupKind, way: Way
) -> Iterator[tuple[_Counter, EffectiveRule]]:
    counters = view.kind(policy_kind).traits.counters
    assert counters is not None  # noqa: S101  (the caller looked)
    for _, item in view.below(policy_kind, way):
        for rule in view.fill(item.likely).rules:
            if rule.field[-2:-1] == (counters.limits,):
                yield (rule.policy, rule.key, way.levels[-2]), rule


def _draft_split(
    counter: _Counter,
    ways: dict[Way, set[_Counter]],
    successors: Successors,
    objects: ObjectChanges,
) -> Iterator[Draft]:
    # A path that is not counted any more is reported as a removed limit.
    counted = [counters for counters in ways.values() if counters]
    distinct = {name for counters in counted for name in counters}
    # One counter that all paths still share counts them together.
    if len(counted) < 2 or any(all(name in each for each in counted) for name in distinct):  # noqa: PLR2004
        return
    policies = tuple(sorted({policy for policy, _, _ in distinct}))
    policy, key, _ = counter
    for way in ways:
        yield Draft.on(
            way,
            codes.LIMIT_SPLIT,
            Topic.LIMITS,
            f"{policy.kind} {key}: requests that one counter counted are counted apart, each up to "
            "the full limit",
            objects.cause((*policies, successors.name(policy), *reversed(way.levels))),
            cure="keep one policy for all of them, or lower the limits of the parts",
            policies=policies,
            was=str(policy),
            now=listed(map(str, policies)),
        )


def _find_coalescing(successors: Successors, objects: ObjectChanges) -> Iterator[Draft]:
    """Yield HTTPS listeners that may not accept HTTP/2 any more, or may do so again."""
    before, after = (_list_neighbours(view) for view in (successors.old, successors.new))
    for old, new in successors.listeners if before or after else ():
        if new is None or old.address[2] != new.address[2] or new.is_closed:
            continue
        was, now = before.get(old.levels[-1], []), after.get(new.levels[-1], [])
        # Only the first neighbour and the last one make a difference.
        if bool(was) is bool(now):
            continue
        others = listed(sorted(map(str, now or was)))
        does = "may take no HTTP/2 any more" if now else "may take HTTP/2 again"
        why = "there" if now else "there no more"
        message = (
            f"{new.levels[-1]} {does}: {others}, which may have a certificate for the same names, "
            f"is {why} on its port"
        )
        cause = objects.cause((*(ref.whole for ref in now), new.levels[-1]), was)
        cure = "give the listeners certificates for different names, or set alpnProtocols"
        about = codes.EFFECT_NOT_KNOWN, Topic.ENCRYPTION, message
        yield Draft.on(new, *about, cause, cure=cure, severity=INFO)


def _list_neighbours(view: SpokeView) -> Mapping[Ref, list[Ref]]:
    """Return, for HTTPS listeners that avoid coalescing, their neighbours on port and proxy."""
    ways = [way for way in view.listeners.values() if way.address[2] == "HTTPS"]
    if len(ways) < 2:  # noqa: PLR2004  (one alone has no neighbours)
        return {}
    nodes = (view.topology.nodes[ref] for ref in view.topology.gateways)
    routing = {n.ref: find_class_controller(view.topology, n.gateway_class).routing for n in nodes}
    # Only controllers whose row says so take HTTP/1.1 alone then.
    careful = {view.fill(ref) for ref, it in routing.items() if it and it.avoids_coalescing}
    doors = grouped(
        (way.entrance, way) for way in ways if way.levels[0] in careful and not way.is_closed
    )
    return {
        way.levels[-1]: [other.levels[-1] for other in alike if other is not way]
        for alike in doors.values()
        for way in alike
        if len(alike) > 1
    }


_Rivals = tuple[Ref, Ref, Ref]
"""Two conflicting objects, either of which may come first, and their common target."""
_WHY = "the older one does, and a new name makes a new object"


def _find_younger(successors: Successors, objects: ObjectChanges) -> Iterator[Draft]:
    """Yield renamed policies and listeners that now surely lose to a rival that is not renamed."""
    # Only a renamed object becomes younger.
    if not successors.renamed:
        return
    views = successors.old, successors.new
    policies = (view.fill(_list_rival_policies(view.judgement)) for view in views)
    listeners = (view.fill(_list_rival_listeners(view.topology)) for view in views)
    for finding, sides in ((codes.NEWLY_OVERRIDDEN, policies), (codes.LISTENER_GONE, listeners)):
        for own, rival, target in _find_passed(successors, *sides):
            draft = Draft(
                kind=finding,
                topic=Topic.POLICY if finding is codes.NEWLY_OVERRIDDEN else Topic.TRAFFIC,
                message=f"{rival} is in force in any case, and {own} is not: {_WHY}",
                cause=objects.cause((own,)),
                others=(own, rival),
            )
            through = (
                [way for way in ways.values() if way.leads_through(target)]
                for ways in (views[1].rules, views[1].listeners)
            )
            # Paths to rules, or to listeners where no rule is behind the target.
            for way in next(filter(None, through), ()):
                yield replace(draft, levels=way.levels, hostnames=way.hostnames)


def _find_passed(
    successors: Successors, before: Iterable[_Rivals], after: Iterable[_Rivals]
) -> Iterator[_Rivals]:
    """Yield the rivals in both states, by new names, if the first is renamed, the second is not."""
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
        # In other orders, creation times decide nothing.
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
        # Either may be the older one.
        for pair in ((own, rival), (rival, own))
    )
