"""Policies of one kind that meet: on one target (P12, P13), and on two layers (P11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from render.findings.codes import attachment as codes
from render.findings.faults import Fault
from render.judging.attachment.case import Case
from render.judging.attachment.instances import layer, said
from render.judging.attachment.model import Contention
from render.kinds import Process, Ties
from render.model import FieldPath, Ref
from render.topology.precedence import Ages, orders

_LAYERS = ("its class", "the gateway", "a route", "a backend")


@dataclass(frozen=True, slots=True)
class Told:
    """A fault, and the policy that it is told of."""

    policy: Ref
    fault: Fault


def contentions(cases: Iterable[Case], ages: Ages) -> tuple[Contention, ...]:
    """Where only one of several policies can hold, sorted by target.

    P13: a policy for a section and one for the whole are on two targets, so they never meet here.
    """
    rivals: dict[tuple[str, str, Ref], dict[Ref, Case]] = {}
    for case in cases:
        kind = case.subject.kind
        if kind.merged.process is Process.NONE or kind.merged.one_each:
            for target in (each for each in case.attached if each.ref.name):
                key = (kind.group, kind.kind, target.ref)
                rivals.setdefault(key, {})[case.subject.ref] = case
    return tuple(
        _contention(key[-1], found, ages) for key, found in sorted(rivals.items()) if len(found) > 1
    )


def _contention(target: Ref, rivals: Mapping[Ref, Case], ages: Ages) -> Contention:
    found = orders(rivals, ages)
    first = found.likely[0]
    equals = tuple(ref for ref in found.likely if ages.get(ref) == ages.get(first))
    is_unbroken = rivals[first].subject.kind.merged.ties is Ties.UNBROKEN
    sayings = [said(case) for case in rivals.values()]
    return Contention(
        target,
        found,
        holding=equals if is_unbroken else (first,),
        differs=any(saying != sayings[0] for saying in sayings),
    )


def contention_faults(
    contentions: Iterable[Contention], cases: Mapping[Ref, Case]
) -> Iterator[Told]:
    """P12: each contention once, told of the policy that likely loses (of the second of equals)."""
    for contention in contentions:
        policy = contention.orders.likely[1]
        case = cases[policy]
        others = tuple(ref for ref in contention.orders.likely if ref != policy)
        place = next(
            target.link.path for target in case.attached if target.ref == contention.target
        )
        if contention.is_unbroken:
            yield Told(policy, _unbroken(contention, others, place, _cure(case, contention.target)))
        elif contention.differs:
            is_security = case.subject.kind.security
            yield Told(
                policy,
                Fault(
                    codes.CONTENDED_SECURITY if is_security else codes.CONTENDED,
                    loss(contention, policy),
                    _cure(case, contention.target),
                    place,
                    others,
                ),
            )


def _cure(case: Case, target: Ref) -> str:
    """What to do; a section is offered where the reference can name one and does not yet."""
    links = [each.link for each in case.attached if each.ref == target]
    can_narrow = not target.section_name and any(link.rule.section for link in links)
    return "keep one of them" + (", or let one be for a section only" if can_narrow else "")


def _unbroken(
    contention: Contention, others: tuple[Ref, ...], place: FieldPath, cure: str
) -> Fault:
    names = ", ".join(map(str, others))
    return Fault(
        codes.UNBROKEN,
        f"has the same target as {names}: {contention.target}. Their controller breaks no tie, so "
        "applied within one second they are all carried out, against each other",
        cure,
        place,
        others,
    )


def loss(contention: Contention, policy: Ref) -> str:
    """What a policy that is not the first is told of its place."""
    winner, target = contention.orders.likely[0], contention.target
    firsts = {winner, *(order[0] for order in contention.orders.others)}
    if firsts == {winner}:
        return f"{target} already has {winner}, which is older"
    if policy not in firsts:
        return f"{target} already has an older {winner.kind}, likely {winner}"
    rivals = [ref for ref in contention.orders.likely if ref in firsts and ref != policy]
    whole, older = ("all", "oldest") if len(rivals) > 1 else ("both", "older")
    return (
        f"contends with {' and '.join(map(str, rivals))} for {target}, and only the {older} of "
        f"them holds. If {whole} are made in one apply, that is {winner}, the first by name; files "
        "can't tell"
    )


def layer_faults(cases: Iterable[Case]) -> Iterator[Told]:
    """P11: direct policies of one kind are on one layer of a gateway, and not above each other."""
    direct = sorted((case for case in cases if _is_direct(case)), key=_kind)
    for _, group in groupby(direct, key=_kind):
        alike = list(group)
        for case in alike:
            above = [other for other in alike if _top(other) < _top(case) and _meet(other, case)]
            if above:
                names = " and ".join(str(other.subject.ref) for other in above)
                verb = "are" if len(above) > 1 else "is"
                where = _LAYERS[_top(above[0])]
                yield Told(
                    case.subject.ref,
                    Fault(
                        codes.TWO_LAYERS,
                        f"is on {_LAYERS[_top(case)]}, and {names} {verb} on {where} above it, "
                        f"though {case.subject.kind.kind} is direct",
                        "attach all of them to one layer",
                        case.attached[0].link.path,
                        tuple(other.subject.ref for other in above),
                    ),
                )


def _kind(case: Case) -> tuple[str, str]:
    return case.subject.kind.group, case.subject.kind.kind


def _is_direct(case: Case) -> bool:
    """By its row; by its CRD's label where there is none, for labels of known kinds are wrong."""
    kind, definition = case.subject.kind, case.definition
    if not case.attached:
        return False
    if kind.merging is not None or kind.targets:
        return kind.merged.process is Process.NONE
    return definition is not None and definition.label == "direct"


def _top(case: Case) -> int:
    return min(layer(case, target.ref) for target in case.attached)


def _meet(first: Case, second: Case) -> bool:
    return not first.gateways.isdisjoint(second.gateways)
