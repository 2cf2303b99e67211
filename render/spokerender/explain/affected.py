"""The conditions that tell routes, Gateways and listeners which policies affect them.

GEP-2648 asks for `PolicyAffected`, GEP-713 for one of each kind; a controller's row has its own
(`Controller.affects`).
"""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from spokerender.findings.phrasing import joined
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.judging.judgement import Judgement
from spokerender.judging.routing.values import HolderStatus, ParentStatus
from spokerender.model import Ref, grouped


class AffectedTargets:
    """The targets of a cluster's policies, which are asked what affects them."""

    def __init__(self, judgement: Judgement) -> None:
        """Index the policies by their targets, with their sections."""
        self._attachments = judgement.attachments
        self._topology = judgement.topology
        self._policies: Mapping[Ref, list[AttachedPolicy]] = grouped(
            (target, policy)
            for each in judgement.in_force
            for policy in each.policies
            for target in policy.targets
            # A controller without such a condition in its row writes none.
            if policy.kind.controller.affects[0]
        )

    def of_holder(self, ref: Ref, holder: HolderStatus) -> HolderStatus:
        """Return the status of a Gateway with these conditions, and those of its listeners."""
        listeners = tuple(
            replace(
                listener,
                conditions=(*listener.conditions, *self._find(ref.section(listener.name), [ref])),
            )
            for listener in holder.listeners
        )
        conditions = (*holder.conditions, *self._find(ref, ()))
        return replace(holder, conditions=conditions, listeners=listeners)

    def of_route(self, ref: Ref, parents: Iterable[ParentStatus]) -> tuple[ParentStatus, ...]:
        """Return the statuses of a route by parent, with the conditions of all parents in each."""
        parents = tuple(parents)
        attached = [item.parent for item in parents if item.refusal is None]
        above = [ref for parent in attached for ref in self._list_sections(parent)]
        # Conditions are about the route, so they are the same below each parent.
        conditions = self._find(ref, dict.fromkeys(above)) if attached else ()
        return tuple(
            replace(item, conditions=(*item.conditions, *conditions))
            # A parent that refuses the route has no policy that could affect it.
            if item.parent in attached
            else item
            for item in parents
        )

    def _list_sections(self, parent: Ref) -> Iterable[Ref]:
        node = self._topology.nodes.get(parent.whole)
        names = [listener.name for listener in node.listeners] if node is not None else []
        yield parent.whole
        yield from map(parent.section, [parent.section_name] if parent.section_name else names)

    def _find(self, target: Ref, above: Iterable[Ref]) -> tuple[Condition, ...]:
        """Return the conditions of a target; `above` are what it hangs on."""
        policies = list(self._policies.get(target, ()))
        for ref in above:
            inherited = self._policies.get(ref, ())
            # By GEP-713 a policy of a Gateway affects routes only if its kind is inherited.
            policies += [it for it in inherited if it.kind.controller.affects_below]
        by_type = grouped(
            (it.kind.controller.affects[0].format(it.kind.kind), it) for it in policies
        )
        return tuple(self._write(type_, by_type[type_]) for type_ in sorted(by_type))

    def _write(self, type_: str, policies: list[AttachedPolicy]) -> Condition:
        refs = dict.fromkeys(policy.ref for policy in policies)
        accepted = {self._attachments[ref].accepted.status for ref in refs}
        # One accepted policy is enough; the others may still come to nothing.
        truth = Truth.TRUE if Truth.TRUE in accepted else Truth.UNKNOWN
        reason = policies[0].kind.controller.affects[1]
        return Condition(type_, truth, reason, f"affected by {joined(refs)}")
