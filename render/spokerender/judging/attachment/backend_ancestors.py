"""The ancestors in the status of a policy on backends, as the controllers of Gateways write them.

Envoy Gateway writes an entry for each parent of a route that references the backend, and for each
policy that references the backend, such as a SecurityPolicy (backendtlspolicy.go,
processBackendTLSPolicy).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from spokerender.judging.attachment.case import Case, Target
from spokerender.judging.attachment.statuses import CONFLICTED, Condition, StatusEntry, Truth
from spokerender.judging.attachment.target_listeners import find_named_parents, is_route
from spokerender.kinds.kind import Ancestors, Role
from spokerender.kinds.merging import Names, Precedence
from spokerender.kinds.reference import Reference
from spokerender.kinds.table import find_row
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.topology.admission import find_named_listeners, find_parents, is_namespace_admitted
from spokerender.topology.conflicts import find_admitting_gateways
from spokerender.topology.graph import Topology
from spokerender.topology.node import Dropped, Node, is_kind_allowed
from spokerender.topology.precedence import find_orders


def find_by_gateway(case: Case) -> Iterator[Ref]:
    """Yield the ancestors of a policy on backends, as each Gateway's controller writes them."""
    topology = case.around.topology
    for gateway in case.gateways:
        if case.around.controller(gateway).ancestors is not Ancestors.PARENT:
            yield gateway
    for target in case.attached:
        for carrier in topology.carriers(target.ref.whole):
            if _leads_to(case, carrier, target.ref):
                yield from _find_above(case, carrier)


def find_contended_entries(
    cases: Sequence[Case], accept: Callable[[Case, tuple[Target, ...]], Condition]
) -> Mapping[Ref, tuple[StatusEntry, ...]]:
    """Return the status entries of the policies on backends that lose a target to another policy.

    `cases` are in order of precedence. `accept` returns the condition `Accepted` for a policy and
    the targets that it does not lose.
    """
    holders: dict[Ref, Case] = {}
    rows: dict[Ref, dict[Ref, Condition]] = {}
    contended = {}
    for case in cases:
        policy = case.subject.ref
        others = [holders[target.ref] for target in case.targets if target.ref in holders]
        own = tuple(target for target in case.attached if target.ref not in holders)
        holders |= {target.ref: case for target in case.targets if target.ref not in holders}
        accepted = accept(case, own) if own else None
        ancestors = find_by_gateway(replace(case, targets=own))
        rows[policy] = {ref: accepted for ref in ancestors if accepted is not None}
        # ProcessBackendTLSPolicyStatus: such a policy is refused on each ancestor of the policy
        # that has its target, and may hold for its other targets.
        if others and (not case.gateways or _are_with_parents(case, case.gateways)):
            why = f"another one has a target of it: {others[0].subject.ref}"
            refused = Condition("Accepted", Truth.FALSE, CONFLICTED, why)
            rows[policy] |= dict.fromkeys(rows[others[0].subject.ref], refused)
            contended[policy] = tuple(
                StatusEntry(ref, (condition,)) for ref, condition in sorted(rows[policy].items())
            )
    return contended


def _leads_to(case: Case, carrier: Ref, target: Ref) -> bool:
    """Return whether `carrier` (route or policy) uses a port that policies on `target` are for."""
    topology = case.around.topology
    if not topology.permits(carrier, target.whole):
        return False
    # A policy of the whole backend is not for the ports that have policies of their own.
    others = _list_other_sections(case, target) if not target.section_name else frozenset()
    node, backend = topology.nodes[carrier], topology.find(target.whole)
    if backend is not None and backend.is_off:
        return False
    names = {str(port): name for name, port in backend.ports} if backend is not None else {}
    links = [
        link
        for link in (*node.references, *node.needs)
        if not (link.is_idle or _is_unread(topology, node, link))
    ]
    ports = {str(link.port) for link in links if link.ref.whole == target.whole}
    if names:
        ports &= names.keys()
    if not (target.section_name or others):
        return bool(ports)
    sections = [{port, names.get(port, port)} for port in ports]
    if others:
        return any(others.isdisjoint(section) for section in sections)
    return any(target.section_name in section for section in sections)


def _is_unread(topology: Topology, route: Node, link: Reference) -> bool:
    """Return whether a controller ignores the backend that a route's reference `link` names."""
    if not topology.dropped or link.row.role is not Role.BACKEND or not route.sections:
        return False
    name = route.sections[int(link.path[2])] if "backendRefs" in link.path else ""
    return any(
        ref == route.ref and Dropped.UNREAD in (rules.get(name), rules.get(link.path))
        for (ref, _), rules in topology.dropped.items()
    )


def _list_other_sections(case: Case, backend: Ref) -> frozenset[str]:
    """Return the sections of a backend that policies of the same kind target."""
    kind = case.subject.kind
    return frozenset(
        section
        for policy in case.around.topology.of_kind(kind.group, kind.kind, backend.namespace)
        for link in policy.attachments
        if link.ref.whole == backend
        for section in link.sections
    )


def _find_above(case: Case, carrier: Ref) -> Iterator[Ref]:
    """Yield the parents of `carrier` if it is a route, or `carrier` itself if it is a policy.

    Nothing is yielded if controllers write no status entries for parents (`Ancestors.PARENT`).
    """
    topology = case.around.topology
    if is_route(case, carrier):
        # Whether a parent admits the route does not matter: the controller writes the entry anyway.
        for parent in find_named_parents(case, carrier):
            above = find_admitting_gateways(topology, topology.nodes[parent.whole])
            gateways = [gateway.ref for gateway in above]
            takes_rules = all(
                case.around.controller(ref).takes_rules(
                    carrier.kind, len(topology.nodes[carrier].rules)
                )
                for ref in gateways
            )
            if takes_rules and _are_with_parents(case, gateways):
                yield parent
    elif any(_are_with_parents(case, [ref]) for ref in _find_asking(case, carrier)):
        yield carrier


def _find_asking(case: Case, policy: Ref) -> Iterator[Ref]:
    """Yield the Gateways whose controllers look up the backends that a policy references."""
    topology = case.around.topology
    node = topology.nodes[policy]
    row = find_row(policy.group, policy.kind)
    fields = {str(link.path[1]) for link in node.needs if len(link.path) > 1}
    targets = (
        topology.nodes[ref]
        for link in node.attachments
        for ref in topology.targets(link)
        if set(link.sections) <= {"", *(topology.nodes[ref].sections or ())}
        and any(
            policy in _index_firsts(topology).get((policy.kind, part), ())
            for part in link.parts(ref)
        )
    )
    for target in targets:
        # On such a route only some fields count, and without these nothing is looked up.
        counts = row.merged.on(target.ref.kind).counts if row is not None else ()
        if counts and fields.isdisjoint(counts):
            continue
        if not target.is_route:
            yield from topology.ships_with(target.ref)
        else:
            group, kind = target.ref.group, target.ref.kind
            # The listeners that admit the route count; its hostnames do not.
            for parent, reference in find_parents(topology, target):
                for gateway in find_admitting_gateways(topology, parent):
                    controller = case.around.controller(gateway.ref)
                    if any(
                        is_kind_allowed(listener, group, kind, controller)
                        and is_namespace_admitted(topology, parent, listener, target)
                        for listener in find_named_listeners(parent, reference)
                    ):
                        yield gateway.ref


@memoised
def _index_firsts(topology: Topology) -> Mapping[tuple[str, Ref], tuple[Ref, ...]]:
    """Return, for each kind of policy and target (or section), the policies that may be oldest."""
    policies: dict[tuple[str, Ref], dict[Ref, None]] = {}
    for node in topology.nodes.values():
        for link in node.attachments:
            for ref in topology.targets(link):
                for part in link.parts(ref) if topology.permits(node.ref, ref) else ():
                    policies.setdefault((node.ref.kind, part), {})[node.ref] = None
    by = Precedence(names=Names.PAIR)
    return {key: find_orders(refs, topology.ages, by).firsts for key, refs in policies.items()}


def _are_with_parents(case: Case, gateways: Collection[Ref]) -> bool:
    controllers = [case.around.controller(gateway) for gateway in gateways]
    with_parents = (item.ancestors is Ancestors.PARENT for item in controllers)
    return bool(controllers) and all(with_parents)
