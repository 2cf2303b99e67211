"""Contentions: policies of one kind that can't all hold on a target (P12, P13) or gateway (P11).

The merging of a kind decides which of its policies contend (`spokerender.kinds.merging`).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, groupby

from msgspec import Struct

from spokerender.findings.codes import attachment as codes
from spokerender.findings.phrasing import listed
from spokerender.findings.results import Fault
from spokerender.judging.attachment.case import Case, find_layer, strip_targets
from spokerender.judging.attachment.statuses import Attachment, Contention, Rivalry
from spokerender.kinds.cutting import cut_rules, find_other_fields, find_overlap
from spokerender.kinds.fields import read_value, split_pattern
from spokerender.kinds.merging import DIRECT, Merging, Order, Process, Several, Ties
from spokerender.model import Ref, shown
from spokerender.topology.precedence import Ages, Orders, find_orders, read_rank

MAX_NAMES = 20
"""How many policies or targets a message names at most."""
_LAYERS = ("its class", "the gateway", "a route", "a backend")

Cases = Mapping[Ref, Case]


def find_contentions(cases: Iterable[Case], ages: Ages) -> tuple[Contention, ...]:
    """Return the contentions of policies on the targets that they share, sorted by target."""
    cases_by_kind: dict[tuple[str, str], dict[Ref, Case]] = {}
    for case in cases:
        kind = case.subject.kind
        cases_by_kind.setdefault((kind.group, kind.kind), {})[case.subject.ref] = case
    contentions = (item for same in cases_by_kind.values() for item in _contend(same, ages))
    return tuple(sorted(contentions, key=lambda item: (item.target, item.orders.likely)))


def _contend(cases: Cases, ages: Ages) -> Iterator[Contention]:
    merging = next(iter(cases.values())).subject.kind.merged
    if merging.several is Several.EQUAL:
        yield from _find_unequal(cases, merging, ages)
        return
    if merging.several is Several.DISJOINT:
        yield from _find_overlapping(cases, merging, ages)
        return
    for target, rivals in _group_by_target(cases).items():
        merging = _find_merging(rivals)
        if len(rivals) == 1:
            continue
        if merging.several is Several.ALONE or not merging.is_known:
            ways = find_orders(rivals, ages)
            yield Contention(target, ways, ways.likely, rivalry=Rivalry.UNKNOWN)
        elif merging.refuses:
            yield _find_single_holder(target, rivals, merging, ages)


def _group_by_target(cases: Cases) -> dict[Ref, dict[Ref, Case]]:
    """Return the policies on each target; a section is another target than its object (P13)."""
    cases_on: dict[Ref, dict[Ref, Case]] = {}
    for ref, case in cases.items():
        for target in _list_targets(case):
            cases_on.setdefault(target, {})[ref] = case
    # NGINX Gateway Fabric and Traefik compare a policy of a section with those of the whole object
    # by age (Process.OLDEST): the section has the policies of both.
    for target in [target for target in cases_on if target.section_name]:
        whole = cases_on.get(target.whole, {})
        rivals = {**cases_on[target], **whole}
        if whole and _find_merging(rivals).process is Process.OLDEST:
            cases_on[target] = rivals
    return cases_on


def _list_targets(case: Case) -> tuple[Ref, ...]:
    return tuple(target.ref for target in case.attached if target.ref.name)


def _find_merging(rivals: Cases) -> Merging:
    """Return how policies merge: as all Gateways' controllers say, or if these differ, by kind."""
    case = next(iter(rivals.values()))
    kind, around = case.subject.kind, case.around
    if kind.controller.id or kind.is_configured:
        return kind.merged
    gateways = sorted(frozenset().union(*(case.gateways for case in rivals.values())))
    # How policies merge on one kind of route does not matter here: it decides nothing about
    # `Accepted`.
    mergings = [around.controller(ref).merging(kind.group, kind.kind) for ref in gateways]
    first = mergings[0] if mergings else None
    is_agreed = all(merging == first for merging in mergings)
    return first if first is not None and is_agreed else kind.merged


def order_cases(cases: Cases, merging: Merging, ages: Ages) -> Orders:
    """Return the possible orders of precedence of policies of one kind."""
    rank = merging.first.rank
    ranks = (
        {ref: read_rank(case.subject.object, rank) for ref, case in cases.items()} if rank else {}
    )
    return find_orders(cases, ages, merging.first, ranks)


def _find_single_holder(target: Ref, rivals: Cases, merging: Merging, ages: Ages) -> Contention:
    ways = order_cases(rivals, merging, ages)
    first = ways.likely[0]
    # A controller that breaks no tie carries out all policies of the age of the first.
    same_age = tuple(ref for ref in ways.likely if ages.get(ref) == ages.get(first))
    settings = [strip_targets(case) for case in rivals.values()]
    return Contention(
        target,
        ways,
        holding=same_age if merging.ties is Ties.UNBROKEN else (first,),
        differs=any(item != settings[0] for item in settings),
        order=merging.first.order,
    )


def _find_unequal(cases: Cases, merging: Merging, ages: Ages) -> Iterator[Contention]:
    """Yield contentions of policies that share a section but differ in field `merging.equal`."""
    cases_on: dict[Ref, dict[Ref, Case]] = {}
    for ref, case in cases.items():
        for target in _list_targets(case):
            cases_on.setdefault(target.whole, {})[ref] = case
    place = split_pattern(merging.equal)
    for whole, rivals in sorted(cases_on.items()):
        # APISIX refuses all HTTPRoutePolicies of a rule that differ in `priority`, on the whole
        # route (apisix-ingress-controller).
        differing = {
            ref
            for one, other in combinations(rivals, 2)
            if read_value(rivals[one].spec, place) != read_value(rivals[other].spec, place)
            and _share_a_section(rivals[one], rivals[other], whole)
            for ref in (one, other)
        }
        if differing:
            likely = Orders(find_orders(differing, ages).likely)
            yield Contention(whole, likely, (), True, Rivalry.UNEQUAL, (merging.equal,))


def _share_a_section(one: Case, other: Case, whole: Ref) -> bool:
    """Return whether two policies target a common section; the whole object has all sections."""
    sections, others = (
        {target.section_name for target in _list_targets(case) if target.whole == whole}
        for case in (one, other)
    )
    return "" in sections | others or bool(sections & others)


def _find_overlapping(cases: Cases, merging: Merging, ages: Ages) -> Iterator[Contention]:
    """Yield contentions of policies that set the same field on a common target."""
    # NGINX Gateway Fabric refuses a policy whole if it sets a field that a valid, older policy sets
    # (internal/controller/state/graph/policies.go).
    likely = order_cases(cases, merging, ages).likely
    rules = {}
    for ref in likely:
        spec, beside = cases[ref].spec, find_other_fields(cases[ref].subject.kind, merging)
        proper = {key: value for key, value in spec.items() if key not in beside}
        rules[ref] = [path for path, _, _ in cut_rules(proper, merging.rules)]
    refused: set[Ref] = set()
    for place, ref in enumerate(likely):
        for rival in likely[:place]:
            shared = sorted(set(_list_targets(cases[ref])) & set(_list_targets(cases[rival])))
            fields = find_overlap(merging, rules[rival], rules[ref])
            if shared and fields and rival not in refused:
                # It is refused on all its targets, so policies after it do not contend with it.
                refused.add(ref)
                pair = {name: cases[name] for name in (rival, ref)}
                ways = order_cases(pair, merging, ages)
                names = tuple(map(shown, fields))
                differs = strip_targets(cases[ref]) != strip_targets(cases[rival])
                yield Contention(shared[0], ways, (rival,), differs, Rivalry.OVERLAPPING, names)
                break


class PolicyFault(Struct, frozen=True):
    """A fault, with the policy whose file and line the finding gets."""

    policy: Ref
    fault: Fault


def check_contentions(contentions: Iterable[Contention], cases: Cases) -> Iterator[PolicyFault]:
    """Yield a fault for each contention, at the second policy in the likely order (P12)."""
    for contention in contentions:
        if contention.rivalry is Rivalry.UNKNOWN:
            continue
        policy = contention.orders.likely[1]
        case = cases[policy]
        others = tuple(ref for ref in contention.orders.likely if ref != policy)
        place = next(
            target.link.path
            for target in case.attached
            if contention.takes(policy, target.ref) or target.ref.whole == contention.target.whole
        )
        links = [item.link for item in case.attached if item.ref == contention.target]
        cure = "keep one of them"
        if not contention.target.section_name and any(link.row.section for link in links):
            cure += ", or let one be for a section only"
        if contention.is_unbroken:
            message = (
                f"has the same target as {listed(others, MAX_NAMES)}: {contention.target}. Their "
                "controller breaks no tie, so applied within one second they are all carried out, "
                "against each other"
            )
            yield PolicyFault(policy, Fault(codes.UNBROKEN, message, cure, place, others))
        elif contention.differs:
            code = codes.CONTENDED_SECURITY if case.subject.kind.security else codes.CONTENDED
            message = explain_loss(contention, policy)
            yield PolicyFault(policy, Fault(code, message, cure, place, others))


def explain_loss(contention: Contention, policy: Ref) -> str:
    """Return why `policy` does not hold, or may not hold, on the target of a contention."""
    winner, target = contention.orders.likely[0], contention.target
    if contention.rivalry is not Rivalry.ONE:
        return _explain_conflict(contention, policy)
    firsts = contention.firsts
    if firsts.keys() == {winner}:
        return f"{target} already has {winner}, which is older"
    if policy not in firsts:
        names = listed(firsts, separator=" or ", of=len(firsts))
        return f"{target} already has an older {winner.kind}: {names}"
    others = len(firsts) - 1
    names = listed((ref for ref in firsts if ref != policy), separator=" and ", of=others)
    if contention.order is Order.UNORDERED:
        return f"contends with {names} for {target}, and only one of them holds: nothing says which"
    older = "oldest" if others > 1 else "older"
    return (
        f"contends with {names} for {target}, and only the {older} of them holds: files can't tell "
        "which one that is"
    )


def _explain_conflict(contention: Contention, policy: Ref) -> str:
    """Return why `policy` is or may be refused for a field that another policy sets as well."""
    others = [ref for ref in contention.orders.likely if ref != policy]
    names, fields = listed(others, MAX_NAMES, " and "), ", ".join(contention.fields)
    if contention.rivalry is Rivalry.UNEQUAL:
        return f"{contention.target} has {names} with another {fields}: none of them holds there"
    older = (
        f"that is {contention.holding[0]}"
        if contention.orders.is_certain
        else "files can't tell which one that is"
    )
    return (
        f"sets {fields}, which {names} on {contention.target} sets as well: the older of them "
        f"holds, and the other is refused on all its targets; {older}"
    )


def check_layers(cases: Iterable[Case]) -> Iterator[PolicyFault]:
    """Check that all direct policies of one kind on a gateway are on one layer (P11)."""
    direct = sorted((case for case in cases if _is_direct(case)), key=_group_kind)
    for _, group in groupby(direct, key=_group_kind):
        same_kind = list(group)
        for case in same_kind:
            layer = _find_top_layer(case)
            above = [
                other
                for other in same_kind
                if _find_top_layer(other) < layer and not other.gateways.isdisjoint(case.gateways)
            ]
            if above:
                others = tuple(other.subject.ref for other in above)
                verb = "are" if len(above) > 1 else "is"
                fault = Fault(
                    codes.TWO_LAYERS,
                    f"is on {_LAYERS[layer]}, and {listed(others, MAX_NAMES, ' and ')} {verb} on "
                    f"{_LAYERS[_find_top_layer(above[0])]} above it, though "
                    f"{case.subject.kind.kind} is direct",
                    "attach all of them to one layer",
                    case.attached[0].link.path,
                    others,
                )
                yield PolicyFault(case.subject.ref, fault)


def _group_kind(case: Case) -> tuple[str, str]:
    return case.subject.kind.group, case.subject.kind.kind


def _is_direct(case: Case) -> bool:
    """Return whether a policy is direct, as its kind's row says, or else the label of the CRD."""
    kind, definition = case.subject.kind, case.definition
    if not case.attached:
        return False
    # The CRDs of known kinds have wrong labels: kgateway's TrafficPolicy is labelled Direct.
    if kind.is_configured or kind.merging not in (None, DIRECT):
        return kind.is_configured and kind.merged.process is Process.NONE
    return definition is not None and definition.label == "direct"


def _find_top_layer(case: Case) -> int:
    return min(find_layer(case, target.ref) for target in case.attached)


def find_flips(
    hub_attachments: Iterable[Attachment],
    spoke_attachments: Iterable[Attachment],
    hub_refs: Mapping[Ref, Ref],
) -> tuple[PolicyFault, ...]:
    """Return a fault for each contention whose winner on the spoke is not the winner on the hub.

    Precedence among policies of one age depends on `namespace/name`, so a rename or a move may
    change the winner; and a spoke's policies are all new, while the hub's files may have ages.
    `hub_refs` maps the spoke's policies to the hub's. The result is sorted by the spoke's winner.
    """
    on_hub: dict[Ref, dict[tuple[Ref, ...], Contention]] = {}
    for contention in _list_decided(hub_attachments):
        likely = contention.orders.likely
        for ref in likely:
            on_hub.setdefault(ref, {}).setdefault(likely, contention)
    flips = (
        _find_flip(contention, on_hub, hub_refs)
        for contention in _list_decided(spoke_attachments)
        if contention.differs
    )
    existing = (flip for flip in flips if flip is not None)
    return tuple(sorted(existing, key=lambda flip: (flip.policy, flip.fault.message)))


def _list_decided(attachments: Iterable[Attachment]) -> tuple[Contention, ...]:
    """Return the distinct contentions in which exactly one policy holds on the target."""
    # The attachments of rivals share a contention: compare by identity before comparing values.
    distinct = {id(item): item for attachment in attachments for item in attachment.contentions}
    return tuple(
        item
        for item in dict.fromkeys(distinct.values())
        if not item.is_unbroken and item.rivalry is Rivalry.ONE
    )


def _find_flip(
    contention: Contention,
    on_hub: Mapping[Ref, Mapping[tuple[Ref, ...], Contention]],
    hub_refs: Mapping[Ref, Ref],
) -> PolicyFault | None:
    """Return the fault if another of these policies wins the contention on the hub, else None."""
    likely = contention.orders.likely
    if likely[0] not in hub_refs:
        return None
    winner = hub_refs[likely[0]]
    origins = frozenset(hub_refs[ref] for ref in likely if ref in hub_refs)
    for before in on_hub.get(winner, {}).values():
        first = next(ref for ref in before.orders.likely if ref in origins)
        if first != winner and origins <= before.rivals:
            return PolicyFault(likely[0], _report_flip(contention, before, first, hub_refs))
    return None


def _report_flip(
    contention: Contention, before: Contention, winner: Ref, hub_refs: Mapping[Ref, Ref]
) -> Fault:
    policies = contention.orders.likely
    moved = [
        f"{hub_refs[ref]} is {ref}" for ref in policies if hub_refs.get(ref) not in (None, ref)
    ]
    because = f" ({', '.join(moved)})" if moved else ""
    return Fault(
        codes.FLIPPED,
        f"on the hub {_name_holder(before, winner)} on {before.target}; on the spoke "
        f"{_name_holder(contention, policies[0])} on {contention.target}{because}",
        "keep one of them, or keep their names and namespaces",
        of=policies[1:],
    )


def _name_holder(contention: Contention, policy: Ref) -> str:
    return f"{policy} holds" + ("" if contention.orders.is_certain else ", if ages are equal,")
