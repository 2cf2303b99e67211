"""A diagram of a cluster: GatewayClass > Gateway > listener > route > rule, with policies."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.phrasing import joined
from spokerender.judging.attachment.statuses import (
    CONFLICTED,
    DECIDED_BY_AGE,
    TARGET_CONFLICT,
    Attachment,
    Condition,
    Truth,
)
from spokerender.judging.effective.outcomes import EffectivePolicy, Reason
from spokerender.judging.judgement import Judgement
from spokerender.judging.routing.values import UNVERIFIED
from spokerender.model import Ref, grouped
from spokerender.topology.graph import Topology
from spokerender.topology.matches import read_matches
from spokerender.topology.node import PARENTS, Node
from spokerender.topology.requests import find_listener_paths, find_rule_paths

_NAMED = 3
_UNDECIDED = "and only the cluster knows which is older"
_MOST_POLICIES = 8
_KEYS = {"ref": "resourceRef", "left_out": "leftOut"}


class PolicyMark(StrEnum):
    """The states of a policy at one of its targets, the best state first."""

    IN_FORCE = "in force"
    ACCEPTED = "accepted"
    """The policy is accepted, but has no effect itself: its controller writes other policies."""
    UNVERIFIED = "unverified"
    """The policy is effective if the cluster has an object that is in no file."""
    PARTLY = "partly overridden"
    OVERRIDDEN = "overridden"
    UNRESOLVED = "not resolved"
    UNKNOWN = "not known"
    CONFLICTED = "conflicted"
    REFUSED = "not accepted"


_MARKS = {
    CONFLICTED: PolicyMark.CONFLICTED,
    TARGET_CONFLICT: PolicyMark.CONFLICTED,
    DECIDED_BY_AGE: PolicyMark.CONFLICTED,
    UNVERIFIED: PolicyMark.UNVERIFIED,
    str(Reason.OVERRIDDEN): PolicyMark.OVERRIDDEN,
    str(Reason.PARTIALLY): PolicyMark.PARTLY,
}
"""Marks by the reason of a condition."""
_BY_STATUS = {Truth.FALSE: PolicyMark.REFUSED, Truth.UNKNOWN: PolicyMark.UNKNOWN}


def find_mark(condition: Condition) -> PolicyMark:
    """Return the state of a policy at a target according to one condition."""
    # Before the table, as a policy without its references is in force, but not as it is meant.
    if condition.type == "ResolvedRefs" and condition.status is Truth.FALSE:
        return PolicyMark.UNRESOLVED
    usual = _BY_STATUS.get(condition.status, PolicyMark.IN_FORCE)
    return _MARKS.get(condition.reason, usual)


class DrawnPolicy(Struct, frozen=True, rename=_KEYS):
    """A policy at a target; `note` names the overriding policy, or says why it does not attach."""

    ref: Ref
    mark: PolicyMark
    note: str = ""


class Box(Struct, frozen=True, rename=_KEYS):
    """An object or section with its policies; `column` counts from the left.

    `details` are hostnames, ports or matches. `left_out` has the numbers of removed boxes directly
    below it, by heading.
    """

    ref: Ref
    column: int
    details: tuple[str, ...] = ()
    policies: tuple[DrawnPolicy, ...] = ()
    left_out: tuple[tuple[str, int], ...] = ()

    @property
    def heading(self) -> str:
        """Return the kind, or for a section "listener" or "rule"."""
        if not self.ref.section_name:
            return self.ref.kind
        return "rule" if self.is_rule else "listener"

    @property
    def name(self) -> str:
        """Return the name of the object or section, which the box shows below the heading."""
        return self.ref.section_name or self.ref.full_name

    @property
    def is_rule(self) -> bool:
        """Return whether the box is a rule of a route."""
        return bool(self.ref.section_name) and (self.ref.group, self.ref.kind) not in PARENTS


class Diagram(Struct, frozen=True, rename=_KEYS):
    """Boxes in the order of paths, and edges between them as pairs of indexes in `boxes`.

    `left_out` has the numbers of removed boxes, by heading.
    """

    boxes: tuple[Box, ...]
    edges: tuple[tuple[int, int], ...]
    left_out: tuple[tuple[str, int], ...] = ()


class Picture(Struct, frozen=True, eq=False):
    """A diagram, its title, and the objects in it that changed."""

    title: str
    diagram: Diagram
    changed: Collection[Ref] = ()


def bound_diagram(diagram: Diagram, most: int) -> Diagram:
    """Return a diagram of at most `most` boxes, with the numbers of removed boxes.

    Rules without policies are removed first, then other boxes at the end of paths without policies,
    then the last boxes. If a box has many policies, those with the worst marks remain.
    """
    diagram = _with_few_policies(diagram)
    # Rules are the many; without them the diagram still shows the way of requests.
    for rules_only in (True, False):
        excess = len(diagram.boxes) - most
        diagram = _without(diagram, _spare(diagram, excess, rules_only=rules_only))
    return _without(diagram, range(most, len(diagram.boxes)))


def _with_few_policies(diagram: Diagram) -> Diagram:
    boxes = [box for box in diagram.boxes if len(box.policies) > _MOST_POLICIES]
    if not boxes:
        return diagram
    total = sum(len(box.policies) - _MOST_POLICIES for box in boxes)
    return replace(
        diagram,
        boxes=tuple(map(_with_worst_policies, diagram.boxes)),
        left_out=_tally(diagram.left_out, {"policy": total}),
    )


def _with_worst_policies(box: Box) -> Box:
    marks = [*PolicyMark]
    worst = sorted(box.policies, key=lambda item: -marks.index(item.mark))[:_MOST_POLICIES]
    more = len(box.policies) - len(worst)
    if not more:
        return box
    left_out = _tally(box.left_out, {"policy": more})
    # Sorted again by name, so that a diagram changes little if one mark does.
    return replace(box, policies=tuple(sorted(worst, key=lambda p: p.ref)), left_out=left_out)


def _spare(diagram: Diagram, excess: int, *, rules_only: bool) -> Collection[int]:
    """Return the indexes of up to `excess` boxes without policies, each at the end of a path."""
    leading = {start for start, _ in diagram.edges}
    spare = [
        place
        for place, box in enumerate(diagram.boxes)
        if place not in leading and not box.policies and (box.is_rule or not rules_only)
    ]
    # From the end, since the first boxes are those of the first Gateways.
    return spare[-excess:] if excess > 0 else ()


def _without(diagram: Diagram, places: Collection[int]) -> Diagram:
    gone = frozenset(places)
    if not gone:
        return diagram
    boxes = diagram.boxes
    stay = {place: new for new, place in enumerate(p for p in range(len(boxes)) if p not in gone)}
    below = grouped((start, boxes[end].heading) for start, end in diagram.edges if end in gone)
    return Diagram(
        tuple(
            replace(boxes[place], left_out=_tally(boxes[place].left_out, below.get(place, ())))
            for place in stay
        ),
        tuple((stay[a], stay[b]) for a, b in diagram.edges if a in stay and b in stay),
        _tally(diagram.left_out, (boxes[place].heading for place in sorted(gone))),
    )


def _tally(
    before: Iterable[tuple[str, int]], more: Iterable[str] | Mapping[str, int]
) -> tuple[tuple[str, int], ...]:
    numbers = Counter(dict(before))
    numbers.update(more)
    return tuple(numbers.items())


def draw_topology(judgement: Judgement) -> Diagram:
    """Return the diagram of a judged cluster; its texts may have slots."""
    topology = judgement.topology
    policies = _find_drawn(judgement)
    columns: dict[Ref, int] = {}
    links: dict[tuple[Ref, Ref], None] = {}
    hostnames: dict[Ref, dict[str, None]] = {}
    # Listener paths first, so that a listener without routes has a place, too.
    for path in (*find_listener_paths(topology), *find_rule_paths(topology)):
        # An absent GatewayClass has an empty name, and gets no box.
        levels = [(place, ref) for place, ref in enumerate(path.levels) if ref.name]
        for place, ref in levels:
            # A box that several paths reach goes as far right as the longest of them.
            columns[ref] = max(place, columns.get(ref, 0))
        links.update({(a, b): None for (_, a), (_, b) in pairwise(levels)})
        if path.route is not None:
            hostnames.setdefault(path.route, {}).update(dict.fromkeys(path.hostnames))
    details = {ref: _describe(topology, ref, hostnames.get(ref, {})) for ref in columns}
    for ref, words in _find_unreached(topology, policies, columns):
        columns[ref], details[ref] = 0, (words,)
    places = {ref: place for place, ref in enumerate(_in_order(columns, links))}
    return Diagram(
        tuple(Box(ref, columns[ref], details[ref], tuple(policies.get(ref, ()))) for ref in places),
        tuple((places[a], places[b]) for a, b in links),
    )


def _in_order(columns: dict[Ref, int], links: Iterable[tuple[Ref, Ref]]) -> Iterable[Ref]:
    """Return the boxes in `columns` so that each follows its first parent, depth first."""
    below = grouped((start, end) for start, end in links)
    ends = {ref for refs in below.values() for ref in refs}
    # Reversed, as the stack gives back the last one first.
    ahead = [ref for ref in reversed(columns) if ref not in ends]
    order: dict[Ref, None] = {}
    while ahead:
        ref = ahead.pop()
        if ref not in order:
            order[ref] = None
            ahead += reversed(below.get(ref, ()))
    # Boxes in a cycle of references have no root, and are appended.
    return order | dict.fromkeys(columns)


def _find_unreached(
    topology: Topology, policies: Iterable[Ref], reached: Collection[Ref]
) -> Iterator[tuple[Ref, str]]:
    """Yield routes and targets of policies that are on no path, with the reason."""
    nodes = topology.nodes
    routes = (ref for ref, node in nodes.items() if node.is_route)
    for ref in dict.fromkeys((*sorted(routes), *policies)):
        if ref not in reached:
            yield ref, "on no path from a Gateway" if ref.whole in nodes else "in no file"


def _describe(topology: Topology, ref: Ref, served: Iterable[str]) -> tuple[str, ...]:
    node = topology.nodes.get(ref.whole)
    if node is None:
        return ()
    if not ref.section_name:
        names = list(served) if node.is_route else []
        return (joined(names, _NAMED),) if names else ()
    if (ref.group, ref.kind) in PARENTS:
        listeners = (item for item in node.listeners if item.name == ref.section_name)
        return tuple(
            f"{item.protocol} {item.port} {item.hostname or 'all hostnames'}"
            # Two listeners of one name are an error of the Gateway; the first one stands for both.
            for item in [*listeners][:1]
        )
    matches = read_matches(node).get(ref.section_name, ())
    paths = dict.fromkeys(match.path for match in matches if match.path)
    return (joined(paths, _NAMED),) if paths else ()


def _find_drawn(judgement: Judgement) -> Mapping[Ref, list[DrawnPolicy]]:
    in_force = grouped(
        ((policy, target), item)
        for item in judgement.effective
        for policy, target in zip(item.stack, item.targets, strict=True)
    )
    carried_out = {policy for policy, _ in judgement.programmed}
    drawn: dict[Ref, list[DrawnPolicy]] = {}
    for policy, attachment in judgement.attachments.items():
        node = judgement.topology.nodes[policy]
        for target in dict.fromkeys((*attachment.may_hold, *_find_lost(node, attachment))):
            paths = in_force.get((policy, target), [])
            one = _draw_policy(attachment, target, paths)
            if one.mark is PolicyMark.IN_FORCE and policy not in carried_out:
                one = replace(one, mark=PolicyMark.ACCEPTED)
            idle = judgement.programmed.get((policy, target.whole))
            # Of a mesh: on no path, and nobody knows of others.
            if one.mark is PolicyMark.IN_FORCE and not paths and idle and idle.status is None:
                one = DrawnPolicy(policy, PolicyMark.UNKNOWN, idle.message)
            drawn.setdefault(target, []).append(one)
    return {target: sorted(items, key=lambda item: item.ref) for target, items in drawn.items()}


def _find_lost(node: Node, attachment: Attachment) -> Iterator[Ref]:
    """Yield the targets that a policy refers to but is not attached to."""
    whole = {target.whole for target in attachment.may_hold}
    for link in node.attachments:
        for section in link.sections or ("",):
            target = link.ref.section(section)
            is_lost = any(item.takes(attachment.policy, target) for item in attachment.contentions)
            if target.name and (is_lost or target.whole not in whole):
                yield target


def _draw_policy(
    attachment: Attachment, target: Ref, paths: Iterable[EffectivePolicy]
) -> DrawnPolicy:
    policy, accepted = attachment.policy, attachment.accepted
    lost = [item for item in attachment.contentions if item.takes(policy, target)]
    rivals = {
        ref
        for item in attachment.contentions
        if item.is_open and policy in item.firsts and (item in lost or item.target == target)
        for ref in item.rivals - {policy}
    }
    # Rivals come first: with an open contest, every other mark would depend on its end.
    if rivals:
        note = f"with {joined(sorted(rivals), _NAMED)}, {_UNDECIDED}"
        return DrawnPolicy(policy, PolicyMark.CONFLICTED, note)
    if accepted.status is Truth.FALSE or (target not in attachment.targets and not lost):
        mark = PolicyMark.CONFLICTED if accepted.reason == CONFLICTED else PolicyMark.REFUSED
        return DrawnPolicy(policy, mark, accepted.message)
    if lost:
        holding = joined(dict.fromkeys(ref for item in lost for ref in item.holding), _NAMED)
        note = f"{holding} holds" if holding else "none holds"
        # Open contests name no holder, since nobody knows which policy is older.
        note = "an older one holds" if any(item.is_open for item in lost) else note
        return DrawnPolicy(policy, PolicyMark.CONFLICTED, note)
    if accepted.status is Truth.UNKNOWN:
        return DrawnPolicy(policy, PolicyMark.UNKNOWN, accepted.message)
    return _draw_in_force(attachment, tuple(paths))


def _draw_in_force(attachment: Attachment, paths: tuple[EffectivePolicy, ...]) -> DrawnPolicy:
    policy = attachment.policy
    unknown = dict.fromkeys(item.likely.unknown for item in paths if item.likely.unknown)
    if unknown:
        return DrawnPolicy(policy, PolicyMark.UNKNOWN, next(iter(unknown)))
    rivals = sorted({ref for item in paths for ref in _find_rivals(policy, item)})
    # A rival matters only if the policy is in force in one outcome and not in another.
    if rivals and any(
        (policy in item.likely.policies) is not (policy in other.policies)
        for item in paths
        for other in item.others
    ):
        note = f"with {joined(rivals, _NAMED)}, {_UNDECIDED}"
        return DrawnPolicy(policy, PolicyMark.CONFLICTED, note)
    by = [
        # A policy that overrules rules of its own is not overridden by another one.
        {rule.by for rule in item.likely.overruled if rule.policy == policy} - {policy}
        for item in paths
    ]
    wholly = [
        bool(others) and policy not in item.likely.policies
        for others, item in zip(by, paths, strict=True)
    ]
    names = sorted(set().union(*by))
    if not names:
        resolved = attachment.resolved_refs
        note = "" if resolved.status is Truth.TRUE else resolved.message
        return DrawnPolicy(policy, find_mark(resolved), note)
    mark = PolicyMark.OVERRIDDEN if all(wholly) else PolicyMark.PARTLY
    return DrawnPolicy(policy, mark, f"by {joined(names, _NAMED)}")


def _find_rivals(policy: Ref, effective: EffectivePolicy) -> Iterator[Ref]:
    """Yield the other policies that have the same target as `policy`."""
    targets = dict(zip(effective.stack, effective.targets, strict=True))
    yield from (ref for ref in targets if ref != policy and targets[ref] == targets[policy])
