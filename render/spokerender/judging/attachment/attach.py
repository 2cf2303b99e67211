"""Where every policy of one topology attaches, and as what: the stage itself.

A policy that is refused on its own account contends with nobody. One that has several targets is
accepted if one of them is left to it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from spokerender.findings.faults import Fault
from spokerender.judging.attachment import contentions as meeting
from spokerender.judging.attachment import demands, rivals
from spokerender.judging.attachment.ancestors import ancestors, room
from spokerender.judging.attachment.case import Case, case
from spokerender.judging.attachment.conditions import Broken, refusal, resolved, verdict
from spokerender.judging.attachment.definitions import definitions
from spokerender.judging.attachment.model import (
    INVALID,
    TARGET_NOT_FOUND,
    Attachment,
    Condition,
    Contention,
    Rivalry,
    Subject,
    Truth,
)
from spokerender.judging.attachment.named import unresolved
from spokerender.judging.attachment.policy_crds import defines_policy
from spokerender.judging.attachment.reach import reach
from spokerender.judging.attachment.rules import DEFINITION_RULES, POLICY_RULES
from spokerender.judging.attachment.summary import summary
from spokerender.judging.attachment.surroundings import Elsewhere, Surroundings
from spokerender.kinds import Ancestors
from spokerender.model import Ref
from spokerender.topology import Topology
from spokerender.topology.precedence import Ages

_EVERYTHING = Elsewhere()
_NOTHING: Mapping[Any, Any] = MappingProxyType({})


def attach(  # noqa: PLR0913  (as many things as an attachment depends on; all but two are named)
    topology: Topology,
    subjects: Iterable[Subject],
    *,
    ages: Ages = _NOTHING,
    namespaces: Topology | None = None,
    refused: Mapping[Ref, str] = _NOTHING,
    unseen: Container[Ref] = _EVERYTHING,
    objects: Mapping[Ref, Mapping[str, Any]] = _NOTHING,
    crds: Iterable[Mapping[str, Any]] = (),
) -> tuple[Attachment, ...]:
    """Every policy's attachment, sorted by policy.

    `namespaces` has the Namespaces' labels: the hub's topology for a spoke's. `refused` are the
    policies that the API server would refuse, with its words. `unseen` has what may be there
    though it is not in the topology. `objects` are Services and ConfigMaps, for their content.
    `crds` are those that the policies were checked against.
    """
    around = Surroundings(
        topology, reach(topology, namespaces), objects, unseen, definitions(crds), namespaces
    )
    return Attacher(around).attach(subjects, ages, refused)


class Attacher:
    """Attaches policies in one set of surroundings, and looks at each of them once.

    Sets of policies that differ in a few are told apart by those few: what a policy is by itself
    is kept, and only what several on one target come to is found anew.
    """

    def __init__(self, around: Surroundings) -> None:
        """Nothing in `around` may change from then on."""
        self._around = around
        self._looked: dict[tuple[Ref, int], _Looked] = {}

    def attach(
        self,
        subjects: Iterable[Subject],
        ages: Ages = _NOTHING,
        refused: Mapping[Ref, str] = _NOTHING,
    ) -> tuple[Attachment, ...]:
        """Every policy's attachment, sorted by policy; arguments as for `attach`."""
        looked = {
            subject.ref: self._look(subject, refused.get(subject.ref, ""))
            for subject in sorted(subjects, key=lambda subject: subject.ref)
        }
        sound = {ref: each.found for ref, each in looked.items() if each.early is None}
        contended = rivals.contentions(sound.values(), ages)
        among: dict[Ref, list[Fault]] = {}
        for each in (
            *meeting.contention_faults(contended, sound),
            *meeting.layer_faults(sound.values()),
        ):
            among.setdefault(each.policy, []).append(each.fault)
        met: dict[Ref, list[Contention]] = {}
        for contention in contended:
            for ref in contention.orders.likely:
                met.setdefault(ref, []).append(contention)
        return tuple(
            each.alone
            if each.alone is not None and ref not in met and ref not in among
            else _attachment(each, among.get(ref, []), tuple(met.get(ref, ())))
            for ref, each in looked.items()
        )

    def _look(self, subject: Subject, words: str) -> _Looked:
        """Look at a policy by itself; one that the API server refuses is looked at each time."""
        key = (subject.ref, id(subject.object))
        known = None if words else self._looked.get(key)
        if known is None:
            found = case(subject, self._around)
            broken = tuple(_broken(found))
            faults = tuple(fault for _, fault in broken)
            known = _Looked(found, faults, refusal(found, words, broken))
            known.alone = _attachment(known, [], ())
            if not words:
                self._looked[key] = known
        return known


class _Looked(Struct, eq=False):
    """A policy by itself: what is wrong with it, and its attachment if no other is in its way."""

    found: Case
    faults: tuple[Fault, ...]
    early: Condition | None
    alone: Attachment | None = None


def definition_faults(crd: Mapping[str, Any]) -> tuple[Fault, ...]:
    """What is wrong with a policy's CRD, for its author to mend; nothing is said of other CRDs."""
    if not defines_policy(crd):
        return ()
    checks = (row.check for row in DEFINITION_RULES if row.check is not None)
    return tuple(dict.fromkeys(fault for check in checks for fault in check(crd)))


def _broken(case: Case) -> Iterable[Broken]:
    for row in POLICY_RULES:
        if row.check is not None:
            yield from ((row.reason, fault) for fault in row.check(case))


def _attachment(
    looked: _Looked, among: list[Fault], contended: tuple[Contention, ...]
) -> Attachment:
    found, early = looked.found, looked.early
    policy = found.subject.ref
    lost = _lost(found, contended)
    held = tuple(target for target in found.attached if target.ref not in lost)
    accepted = early or verdict(policy, found, held, contended)
    failing = _failing(found) if early is None and held else ""
    if failing:
        accepted = Condition("Accepted", Truth.FALSE, INVALID, failing)
    return Attachment(
        policy,
        ancestors=ancestors(found),
        targets=() if early else tuple(sorted({each.ref for each in held if each.ref.name})),
        accepted=accepted,
        resolved_refs=resolved(found),
        faults=(*looked.faults, *among),
        contentions=contended,
        room=room(found),
        has_ancestors=found.subject.kind.controller.ancestors is not Ancestors.NONE,
        failing=failing,
        summary=summary(found) if early is None or early.reason == TARGET_NOT_FOUND else None,
        undecided=tuple(ref for ref, each in lost.items() if not each.orders.is_certain),
    )


def _lost(case: Case, contended: Iterable[Contention]) -> dict[Ref, Contention]:
    """The targets that a policy loses, each with the contention that it loses it by."""
    parts: dict[Ref, list[Ref]] = {}
    for target in case.attached:
        parts.setdefault(target.ref.whole, []).append(target.ref)
    policy, every = case.subject.ref, [ref for on in parts.values() for ref in on]
    return {
        ref: each
        for each in contended
        if each.refuses(policy)
        for ref in (
            every if each.rivalry is Rivalry.OVERLAPPING else parts.get(each.target.whole, ())
        )
        if each.takes(policy, ref)
    }


def _failing(case: Case) -> str:
    return "; ".join(filter(None, (unresolved(case), demands.failing(case))))
