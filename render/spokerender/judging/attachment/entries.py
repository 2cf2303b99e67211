"""The status entries of a policy whose controller judges each target separately.

Envoy Gateway writes one entry, with its own conditions, for each listener, Gateway or ListenerSet
that a target stands for (internal/gatewayapi: `Process…Policies`, `policyScopeGraph`). The first
policy on a target excludes other policies, even if it has no effect. A policy is overridden if a
more specific target has a policy, even if no request gets there. Absent targets have no entry.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats import patching
from spokerender.judging.attachment import demands, named_objects
from spokerender.judging.attachment.case import Case, Target
from spokerender.judging.attachment.statuses import (
    CONFLICTED,
    INVALID,
    NOT_KNOWN,
    TARGET_NOT_FOUND,
    Condition,
    RefusedPart,
    StatusEntry,
    Truth,
)
from spokerender.judging.attachment.target_listeners import list_opened_listeners
from spokerender.kinds.fields import is_written, read_value
from spokerender.kinds.kind import ROUTE, Role
from spokerender.kinds.needs import read_requirements
from spokerender.kinds.reference import Reference
from spokerender.model import GATEWAY, GATEWAY_CLASS, FieldPath, Ref
from spokerender.topology.admission import find_named_listeners, is_namespace_admitted
from spokerender.topology.conflicts import find_admitting_gateways
from spokerender.topology.node import PARENTS, Listener, Node, is_kind_allowed
from spokerender.topology.precedence import NO_AGES, read_age


def find_entries(
    cases: Sequence[Case], refused: Mapping[Ref, tuple[RefusedPart, ...]]
) -> Mapping[Ref, tuple[StatusEntry, ...]]:
    """Return the status entries of policies of one kind, by policy.

    `cases` are in order of precedence. `refused` maps each policy to the parts of its targets on
    which it is refused.
    """
    kind = _Kind(cases, refused)
    kind.judge()
    return {
        case.subject.ref: tuple(
            StatusEntry(ancestor, tuple(_settle(case, ancestor, conditions)))
            for ancestor, conditions in sorted(kind.entries[case.subject.ref].items())
        )
        for case in cases
        if case.subject.ref in kind.entries
    }


def _settle(case: Case, ancestor: Ref, conditions: Mapping[str, Condition]) -> Iterable[Condition]:
    """Return `conditions`, or one UNKNOWN condition if the ancestor's controller is unknown."""
    node = case.around.topology.nodes.get(ancestor.whole)
    doubt = _explain_doubt(case, node) if node is not None else ""
    if doubt:
        return (Condition("Accepted", Truth.UNKNOWN, NOT_KNOWN, doubt),)
    return conditions.values()


def _explain_doubt(case: Case, node: Node) -> str:
    """Return why it is uncertain whether the controller configures `node`; else empty."""
    gateways = [node.ref] if node.is_gateway else _find_gateways(case, node)
    doubts = [case.around.explain_doubt(case.subject.kind, gateway) for gateway in gateways]
    return doubts[0] if doubts and all(doubts) else ""


class _Parent(Struct, frozen=True):
    """A parent of a route: its ref in status entries, and the listeners that admit the route."""

    ref: Ref
    node: Node
    listeners: tuple[Listener, ...]


class _Kind:
    """Computes the status entries of one kind's policies, in its controller's order of targets."""

    def __init__(
        self, cases: Sequence[Case], refused: Mapping[Ref, tuple[RefusedPart, ...]]
    ) -> None:
        self.cases = cases
        self.entries: dict[Ref, dict[Ref, dict[str, Condition]]] = {}
        self._refused = refused
        self._holders: dict[Ref, Case] = {}
        """The first policy on each target, with which more specific policies are merged."""
        for case in cases:
            for target in case.attached:
                self._holders.setdefault(target.ref, case)
        self._claimed: set[Ref] = set()
        self._overriding: dict[Ref, set[Ref]] = {}
        """The more specific targets whose policies override the policies on each object."""
        self._merged: dict[Ref, set[Ref]] = {}

    def judge(self) -> None:
        """Fill `entries`, from the most specific targets to the least specific."""
        # The passes of Envoy Gateway: rules, routes, listeners of ListenerSets, ListenerSets,
        # listeners of Gateways, Gateways.
        targets = []
        for number, case in enumerate(self.cases):
            for target in _order_targets(case):
                kind = target.ref.group, target.ref.kind
                level = 0 if target.ref.kind.endswith(ROUTE) else 4 if kind == GATEWAY else 2
                pass_number = level + (not target.ref.section_name)
                targets.append((pass_number, number, case, target))
        for _, _, case, target in sorted(targets, key=lambda item: item[:2]):
            self.entries.setdefault(case.subject.ref, {})
            if (target.ref.group, target.ref.kind) == GATEWAY_CLASS and target in case.attached:
                self._accept(case, [target.ref], target)
            node = case.around.topology.nodes.get(target.ref.whole)
            if node is None or not target.is_granted or target.is_foreign:
                continue
            if node.is_route:
                self._judge_route(case, target, node)
            elif (target.ref.group, target.ref.kind) in PARENTS:
                self._judge_listeners(case, target, node)

    def _judge_route(self, case: Case, target: Target, route: Node) -> None:
        parents = tuple(_find_parents(case, route))
        ancestors = [parent.ref for parent in parents]
        for ancestor in ancestors:
            self._overriding.setdefault(ancestor, set()).add(route.ref)
        refusal = self._resolve(case, target) or self._explain_refused(case, target)
        if refusal:
            self._write(case, ancestors, refusal)
            return
        asking = case.subject.kind.merged.asking
        if asking is not None and case.spec.get(asking.field):
            for parent in parents:
                for listener in parent.listeners:
                    self._merge(case, target, parent.node, listener.name)
        else:
            is_on_gateway = any(
                parent.listeners and not _explain_doubt(case, parent.node) for parent in parents
            )
            failing = _explain_failing(case, target, is_on_gateway=is_on_gateway)
            if failing:
                self._write(case, ancestors, _refuse(INVALID, failing))
        self._accept(case, ancestors, target)
        sections = {ref for ref in self._claimed if ref.whole == route.ref and ref.section_name}
        if not target.ref.section_name and sections:
            self._write(case, ancestors, _set("Overridden", "by policies of", sections))

    def _merge(self, case: Case, target: Target, parent: Node, listener: str) -> None:
        """Write that a route's policy is merged with the first less specific policy, or refused."""
        ancestor = parent.ref.section(listener)
        levels = [ancestor, parent.ref]
        if not parent.is_gateway:
            gateways = find_admitting_gateways(case.around.topology, parent)
            levels += [gateway.ref for gateway in gateways]
        level = next((level for level in levels if level in self._holders), None)
        above = self._holders[level] if level is not None else None
        failing = _explain_failing(case, target, above)
        accepted = _find_acceptance(case, target, above)
        if failing:
            self._write(case, [ancestor], _refuse(INVALID, failing))
        elif accepted.status is Truth.UNKNOWN:
            self._write(case, [ancestor], accepted)
        elif level is not None and above is not None:
            self._merged.setdefault(level, set()).add(target.ref.whole)
            self._write(case, [ancestor], _set("Merged", "with", {above.subject.ref}))

    def _judge_listeners(self, case: Case, target: Target, node: Node) -> None:
        above = [] if node.is_gateway else _find_gateways(case, node)
        if not (node.is_gateway or above):
            return
        refusal = self._resolve(case, target)
        if refusal:
            self._write(case, [target.ref], refusal)
            return
        parts = [part for part in self._refused[case.subject.ref] if part.target == target.ref]
        is_carried_out = bool(target.ref.section_name) or self._is_carried_out(case, node, parts)
        for level in [node.ref] if target.ref.section_name else above if is_carried_out else ():
            self._overriding.setdefault(level, set()).add(target.ref)
        left = [target]
        # A ClientTrafficPolicy of a whole Gateway goes to the listeners without one of their own.
        if case.subject.kind.reach.whole_ports:
            left = [*self._list_left(case, target)]
            sections = {one.ref for one in left}
            parts = [part for part in parts if part.part in sections]
        failing = "; ".join(dict.fromkeys(part.why for part in parts))
        for one in left:
            failing = failing or _explain_failing(case, one)
        if failing:
            self._write(case, [target.ref], _refuse(INVALID, failing))
        self._accept(case, [target.ref], target)
        merged = self._merged.get(target.ref, set())
        overriding = self._find_overriding(case, target.ref) - merged
        if merged:
            self._write(case, [target.ref], _set("Merged", "with policies of", merged))
        if overriding:
            self._write(case, [target.ref], _set("Overridden", "by policies of", overriding))

    def _list_left(self, case: Case, target: Target) -> Iterator[Target]:
        """Yield, as targets, those listeners of `target` that have no earlier policy in effect."""
        node = case.around.topology.nodes[target.ref.whole]
        if not any(find_admitting_gateways(case.around.topology, node)):
            return
        for section, _ in list_opened_listeners(case.around.topology, target.ref):
            taken = {section, section.whole} - {target.ref}
            if not self._claimed & taken or self._is_refused(section):
                yield replace(target, ref=section)

    def _is_refused(self, section: Ref) -> bool:
        """Return whether a listener's only policy is its ListenerSet's and is refused there."""
        holder = self._holders.get(section.whole)
        parts = self._refused[holder.subject.ref] if holder is not None else ()
        return section not in self._claimed and any(
            part.part == section and not part.takes for part in parts
        )

    def _is_carried_out(self, case: Case, node: Node, parts: list[RefusedPart]) -> bool:
        """Return whether a policy on a whole ListenerSet has an effect on any of the listeners."""
        if not case.subject.kind.reach.whole_ports:
            return True
        is_admitted = any(find_admitting_gateways(case.around.topology, node))
        return is_admitted and len({part.part for part in parts}) < len(node.listeners)

    def _find_overriding(self, case: Case, ref: Ref) -> set[Ref]:
        """Return the more specific targets whose policies override a policy on `ref`."""
        if ref.section_name:
            on_whole = self._overriding.get(ref.whole, set())
            routes = {other for other in on_whole if other.kind.endswith(ROUTE)}
            return self._overriding.get(ref, set()) | routes
        within = {ref}
        for level in self._overriding:
            node = case.around.topology.nodes.get(level.whole)
            if node is not None and not node.is_gateway and ref in _find_gateways(case, node):
                within.add(level.whole)
        return {
            other
            for level, others in self._overriding.items()
            if level.whole in within
            for other in others
        }

    def _resolve(self, case: Case, target: Target) -> Condition | None:
        """Reserve a target for a policy; return the refusal if it is absent or taken, else None."""
        if target.state is Truth.FALSE:
            return _refuse(TARGET_NOT_FOUND, target.why)
        if case.subject.kind.merged.refuses:
            if target.ref in self._claimed:
                return _refuse(CONFLICTED, f"{target.ref} has another policy already")
            self._claimed.add(target.ref)
        return None

    def _explain_refused(self, case: Case, target: Target) -> Condition | None:
        parts = (part for part in self._refused[case.subject.ref] if part.part == target.ref)
        return next((_refuse(INVALID, part.why) for part in parts), None)

    def _write(self, case: Case, ancestors: Iterable[Ref], condition: Condition) -> None:
        for ancestor in ancestors:
            conditions = self.entries[case.subject.ref].setdefault(ancestor, {})
            conditions[condition.type] = condition

    def _accept(self, case: Case, ancestors: Iterable[Ref], target: Target) -> None:
        """Write `Accepted` for ancestors without it; to refusals, add a doubt about `target`."""
        condition = _find_acceptance(case, target)
        for ancestor in ancestors:
            conditions = self.entries[case.subject.ref].setdefault(ancestor, {})
            before = conditions.setdefault(condition.type, condition)
            is_open = before.reason in (CONFLICTED, TARGET_NOT_FOUND)
            if is_open and condition.status is Truth.UNKNOWN:
                why = f"{before.message}; {condition.message}"
                conditions[condition.type] = _refuse("Unverified", why)


def _order_targets(case: Case) -> Iterable[Target]:
    """Return each target once: first selected targets, from the oldest, then named targets."""
    ages, by_ref = case.around.topology.ages, dict[Ref, Target]()

    def place(target: Target) -> tuple[bool, tuple[bool, int]]:
        is_named = target.link.selector is None
        return is_named, read_age(target.ref, NO_AGES if is_named else ages)

    for target in sorted(case.targets, key=place):
        by_ref.setdefault(target.ref, target)
    return by_ref.values()


def _find_gateways(case: Case, listener_set: Node) -> list[Ref]:
    """Return the Gateways that a ListenerSet names, including any that admits no ListenerSet."""
    nodes = case.around.topology.nodes
    return [
        link.ref.whole
        for link in listener_set.references
        if link.row.role is Role.PARENT
        and link.ref.whole in nodes
        and not case.around.foreign(case.subject.kind, link.ref.whole)
    ]


def _find_parents(case: Case, route: Node) -> Iterator[_Parent]:
    topology = case.around.topology
    for link in route.references:
        for ref in topology.parents(link) if link.row.role is Role.PARENT else ():
            node = topology.nodes[ref]
            gateways = [item.ref for item in find_admitting_gateways(topology, node)]
            if not gateways or all(case.around.foreign(case.subject.kind, one) for one in gateways):
                continue
            listeners = tuple(_find_listeners(case, node, link, route))
            for part in link.parts(ref):
                yield _Parent(part, node, listeners)


def _find_listeners(case: Case, parent: Node, link: Reference, route: Node) -> Iterator[Listener]:
    """Yield the listeners that admit a route's kind and namespace; hostnames do not matter."""
    topology, controller = case.around.topology, case.subject.kind.controller
    for listener in find_named_listeners(parent, link):
        is_allowed = is_kind_allowed(listener, route.ref.group, route.ref.kind, controller)
        if is_allowed and is_namespace_admitted(topology, parent, listener, route):
            yield listener


def _explain_failing(
    case: Case, target: Target, above: Case | None = None, *, is_on_gateway: bool = True
) -> str:
    """Return why requests to a target fail with the policy (merged into `above`); else empty."""
    one = replace(case, targets=(target,))
    problems = named_objects.find_unresolved(one)
    mixed = {} if above is None else dict(find_mixed_references(one, above.spec))
    if above is not None:
        problems = tuple(item for item in problems if item.path not in mixed)
        merged = {"spec": patching.merge(above.spec, case.spec)}
        one = replace(one, subject=replace(case.subject, object=merged))
        others = named_objects.find_unresolved(above)
        problems += tuple(item for item in others if not is_written(case.subject.object, item.path))
    reasons = (
        *mixed.values(),
        *(item.why for item in problems if is_on_gateway or not item.row.by_gateway),
        *([] if above is None else [demands.explain_refused_values(one)]),
        *(why for _, why in demands.find_failing_values(one)),
    )
    return "; ".join(dict.fromkeys(filter(None, reasons)))


def find_mixed_references(case: Case, above: Mapping[str, Any]) -> Iterator[tuple[FieldPath, str]]:
    """Yield the path of each reference with fields of both policies, and its problem or "".

    `above` is the spec of the other policy, into which the policy is merged.
    """
    own, merged = case.subject.object, {"spec": patching.merge(above, case.spec)}
    one = replace(case, subject=replace(case.subject, object=merged))
    faults = {item.path: item.why for item in named_objects.find_unresolved(one)}
    # Envoy Gateway, mergeSecurityPolicy: a policy that overrides the name of a reference keeps the
    # namespace that the policy above it wrote.
    for need in read_requirements(case.subject.kind, merged, case.subject.ref.namespace):
        is_changed = read_value(merged, need.path) != read_value(own, need.path)
        if is_changed and is_written(own, need.path):
            yield need.path, faults.get(need.path, "")


def _find_acceptance(case: Case, target: Target, above: Case | None = None) -> Condition:
    one = replace(case, targets=(target,))
    if target.state is Truth.UNKNOWN:
        return Condition("Accepted", Truth.UNKNOWN, "Unverified", target.why)
    merged = named_objects.find_unverified(above) if above is not None else ()
    reasons = (
        named_objects.explain_unverified(one),
        demands.explain_unseen(one),
        *(item.why for item in merged if not is_written(case.subject.object, item.path)),
    )
    required = "; ".join(filter(None, reasons))
    status, reason = (Truth.UNKNOWN, "Unverified") if required else (Truth.TRUE, "Accepted")
    return Condition("Accepted", status, reason, required or f"attached to {target.ref}")


def _refuse(reason: str, why: str) -> Condition:
    return Condition("Accepted", Truth.FALSE, reason, why)


def _set(name: str, how: str, refs: Iterable[Ref]) -> Condition:
    verb = name.lower()
    return Condition(name, Truth.TRUE, name, f"{verb} {how} {', '.join(map(str, sorted(refs)))}")
