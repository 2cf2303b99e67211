"""Policies of one kind that meet: on one target (P12, P13), and on two layers (P11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from msgspec import Struct

from spokerender.findings.codes import attachment as codes
from spokerender.findings.faults import Fault
from spokerender.findings.words import listed
from spokerender.judging.attachment.case import Case, layer
from spokerender.judging.attachment.model import Contention, Rivalry
from spokerender.kinds import Process
from spokerender.kinds.merging import Order
from spokerender.model import FieldPath, Ref

NAMED = 20
"""Of more things a message names no more than so many."""
_LAYERS = ("its class", "the gateway", "a route", "a backend")


class Told(Struct, frozen=True):
    """A fault, and the policy that it is told of."""

    policy: Ref
    fault: Fault


def contention_faults(
    contentions: Iterable[Contention], cases: Mapping[Ref, Case]
) -> Iterator[Told]:
    """P12: each contention once, told of the policy that likely loses (of the second of equals)."""
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
    can_narrow = not target.section_name and any(link.row.section for link in links)
    return "keep one of them" + (", or let one be for a section only" if can_narrow else "")


def _unbroken(
    contention: Contention, others: tuple[Ref, ...], place: FieldPath, cure: str
) -> Fault:
    names = listed(others, NAMED)
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
    if contention.rivalry is not Rivalry.ONE:
        return _at_odds(contention, policy)
    firsts = contention.firsts
    if firsts.keys() == {winner}:
        return f"{target} already has {winner}, which is older"
    if policy not in firsts:
        return f"{target} already has an older {winner.kind}, likely {winner}"
    others = len(firsts) - 1
    names = listed((ref for ref in firsts if ref != policy), separator=" and ", of=others)
    if contention.order is Order.UNORDERED:
        return f"contends with {names} for {target}, and only one of them holds: nothing says which"
    whole, older = ("all", "oldest") if others > 1 else ("both", "older")
    return (
        f"contends with {names} for {target}, and only the {older} of "
        f"them holds. If {whole} are made in one apply, that is {winner}, the first by name; files "
        "can't tell"
    )


def _at_odds(contention: Contention, policy: Ref) -> str:
    """Why a policy is refused for a field of its own that another one has as well."""
    others = [ref for ref in contention.orders.likely if ref != policy]
    names, fields = listed(others, NAMED, " and "), ", ".join(contention.fields)
    if contention.rivalry is Rivalry.UNEQUAL:
        return f"{contention.target} has {names} with another {fields}: none of them holds there"
    when = "" if contention.orders.is_certain else " if all are made in one apply; files can't tell"
    return (
        f"sets {fields}, which {names} on {contention.target} sets as well: the older of them "
        f"holds, and the other is refused on all its targets. That is {contention.holding[0]}{when}"
    )


def layer_faults(cases: Iterable[Case]) -> Iterator[Told]:
    """P11: direct policies of one kind are on one layer of a gateway, and not above each other."""
    direct = sorted((case for case in cases if _is_direct(case)), key=_kind)
    for _, group in groupby(direct, key=_kind):
        alike = list(group)
        for case in alike:
            above = [other for other in alike if _top(other) < _top(case) and _meet(other, case)]
            if above:
                names = listed((other.subject.ref for other in above), NAMED, " and ")
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
    if kind.merging is not None:
        return kind.is_configured and kind.merged.process is Process.NONE
    return definition is not None and definition.label == "direct"


def _top(case: Case) -> int:
    return min(layer(case, target.ref) for target in case.attached)


def _meet(first: Case, second: Case) -> bool:
    return not first.gateways.isdisjoint(second.gateways)
