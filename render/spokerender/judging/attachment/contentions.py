"""Policies of one kind that meet: on one target (P12, P13), and on two layers (P11).

How a kind's policies come together decides who contends (`spokerender.kinds.merging`). `find_flips`
compares the contentions of a spoke with those of the hub.
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
from spokerender.kinds.merging import Merging, Order, Process, Several, Ties
from spokerender.model import FieldPath, Ref, shown
from spokerender.topology.precedence import Ages, Orders, find_orders, read_rank

MAX_NAMES = 20
"""The number of policies or targets that a message names."""
_LAYERS = ("its class", "the gateway", "a route", "a backend")

Cases = Mapping[Ref, Case]


def find_contentions(cases: Iterable[Case], ages: Ages) -> tuple[Contention, ...]:
    """Return where not all of several policies can hold, sorted by target."""
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
    """Return the policies on each target.

    P13: a policy for a section and one for the whole are on two targets, so they don't meet; but
    where a section competes with the whole, the section has the policies of both.
    """
    cases_on: dict[Ref, dict[Ref, Case]] = {}
    for ref, case in cases.items():
        for target in _list_targets(case):
            cases_on.setdefault(target, {})[ref] = case
    for target in [target for target in cases_on if target.section_name]:
        whole = cases_on.get(target.whole, {})
        rivals = {**cases_on[target], **whole}
        if whole and _find_merging(rivals).process is Process.OLDEST:
            cases_on[target] = rivals
    return cases_on


def _list_targets(case: Case) -> tuple[Ref, ...]:
    return tuple(target.ref for target in case.attached if target.ref.name)


def _find_merging(rivals: Cases) -> Merging:
    """Return how these policies merge, by the controllers that they reach if these agree.

    What differs on paths through a kind of route does not decide who is accepted.
    """
    case = next(iter(rivals.values()))
    kind, around = case.subject.kind, case.around
    if kind.controller.id or kind.is_configured:
        return kind.merged
    gateways = sorted(frozenset().union(*(case.gateways for case in rivals.values())))
    mergings = [around.controller(ref).merging(kind.group, kind.kind) for ref in gateways]
    first = mergings[0] if mergings else None
    is_agreed = all(merging == first for merging in mergings)
    return first if first is not None and is_agreed else kind.merged


def order_cases(cases: Cases, merging: Merging, ages: Ages) -> Orders:
    """Return the orders of precedence in which policies of one kind may stand."""
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
    """Yield contentions of policies that differ in a field on one rule: none holds on its route."""
    cases_on: dict[Ref, dict[Ref, Case]] = {}
    for ref, case in cases.items():
        for target in _list_targets(case):
            cases_on.setdefault(target.whole, {})[ref] = case
    place = split_pattern(merging.equal)
    for whole, rivals in sorted(cases_on.items()):
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
    """Tell whether both are on one section of an object; the whole is on all of them."""
    sections, others = (
        {target.section_name for target in _list_targets(case) if target.whole == whole}
        for case in (one, other)
    )
    return "" in sections | others or bool(sections & others)


def _find_overlapping(cases: Cases, merging: Merging, ages: Ages) -> Iterator[Contention]:
    """Yield contentions of policies that set a field of an earlier one on a common target.

    The later one is refused on all its targets, so it does not stand in the way of those after it.
    """
    likely = order_cases(cases, merging, ages).likely
    rules = {ref: _list_rules(cases[ref], merging) for ref in likely}
    refused: set[Ref] = set()
    for place, ref in enumerate(likely):
        for rival in likely[:place]:
            shared = sorted(set(_list_targets(cases[ref])) & set(_list_targets(cases[rival])))
            fields = find_overlap(merging, rules[rival], rules[ref])
            if shared and fields and rival not in refused:
                refused.add(ref)
                pair = {name: cases[name] for name in (rival, ref)}
                ways = order_cases(pair, merging, ages)
                names = tuple(map(shown, fields))
                differs = strip_targets(cases[ref]) != strip_targets(cases[rival])
                yield Contention(shared[0], ways, (rival,), differs, Rivalry.OVERLAPPING, names)
                break


def _list_rules(case: Case, merging: Merging) -> list[FieldPath]:
    beside = find_other_fields(case.subject.kind, merging)
    proper = {key: value for key, value in case.spec.items() if key not in beside}
    return [path for path, _, _ in cut_rules(proper, merging.rules)]


class PolicyFault(Struct, frozen=True):
    """A fault, and the policy that it is reported for."""

    policy: Ref
    fault: Fault


def check_contentions(contentions: Iterable[Contention], cases: Cases) -> Iterator[PolicyFault]:
    """Report contentions at the policy that likely loses, or the second of equals (P12)."""
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
        cure = _suggest_cure(case, contention.target)
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


def _suggest_cure(case: Case, target: Ref) -> str:
    """Offer a section where the reference can name one and does not yet."""
    links = [item.link for item in case.attached if item.ref == target]
    can_narrow = not target.section_name and any(link.row.section for link in links)
    return "keep one of them" + (", or let one be for a section only" if can_narrow else "")


def explain_loss(contention: Contention, policy: Ref) -> str:
    """Say why a policy does not hold, or may not, where another one is first."""
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
    """Say why a policy is refused for a field of its own that another one has as well."""
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
    """Check that direct policies of one kind are on one layer of a gateway (P11)."""
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
    """Decide by its row, else by its CRD's label: the labels of known kinds are wrong."""
    kind, definition = case.subject.kind, case.definition
    if not case.attached:
        return False
    if kind.merging is not None:
        return kind.is_configured and kind.merged.process is Process.NONE
    return definition is not None and definition.label == "direct"


def _find_top_layer(case: Case) -> int:
    return min(find_layer(case, target.ref) for target in case.attached)


def find_flips(
    hub_attachments: Iterable[Attachment],
    spoke_attachments: Iterable[Attachment],
    hub_refs: Mapping[Ref, Ref],
) -> tuple[PolicyFault, ...]:
    """Return the contentions with another winner by name on the spoke, sorted by that winner.

    Precedence among equals goes by `namespace/name`, so a rename or a move may change it; and all
    policies are new on a spoke, while on the hub one may be known to be older. `hub_refs` has the
    hub's object of each policy of the spoke. Policies that are carried out all at once have no
    winner.
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
    """Return the distinct contentions that one policy wins."""
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
    """Compare with the first contention of the hub that has the same policies."""
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
