"""The conditions of a policy's status, each with the one reason that comes first.

The order is that of AWS' controller: Invalid, TargetNotFound (then NoValidCACertificate, for kinds
that name any), Conflicted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from spokerender.findings.faults import Fault
from spokerender.findings.words import listed
from spokerender.judging.attachment.authorities import authorities, has_none_left, untold
from spokerender.judging.attachment.case import Case, Target
from spokerender.judging.attachment.contentions import NAMED, loss
from spokerender.judging.attachment.demands import unseen
from spokerender.judging.attachment.model import (
    INVALID,
    NOT_KNOWN,
    TARGET_CONFLICT,
    TARGET_NOT_FOUND,
    Condition,
    Contention,
    Rivalry,
    Truth,
)
from spokerender.judging.attachment.named import named, unverified
from spokerender.kinds import malformed
from spokerender.model import Ref, shown

Broken = tuple[str, Fault]
"""A fault, with the reason that `Accepted` has for it; empty where the policy is accepted."""


def refusal(case: Case, words: str, broken: Collection[Broken]) -> Condition | None:
    """The condition of a policy that is refused whatever other policies there are.

    `words` are the API server's, if it is the one that refuses it.
    """
    invalid = words or _invalid(case, broken)
    if invalid:
        return _accepted(Truth.FALSE, INVALID, invalid)
    if case.targets and not case.attached:
        why = "; ".join(dict.fromkeys(target.why for target in case.targets))
        return _accepted(Truth.FALSE, TARGET_NOT_FOUND, why)
    untrusted = has_none_left(case)
    if untrusted:
        return _accepted(Truth.FALSE, "NoValidCACertificate", untrusted)
    shared = next((fault.message for reason, fault in broken if reason == TARGET_CONFLICT), "")
    return _accepted(Truth.FALSE, TARGET_CONFLICT, shared) if shared else None


def _invalid(case: Case, broken: Iterable[Broken]) -> str:
    """Why the policy itself is wrong, in the words of the rule that says so; else empty."""
    subject = case.subject
    for problem in malformed(subject.kind, subject.object, subject.ref.namespace):
        return f"{shown(problem.field)} {problem.message}"
    messages = (fault.message for reason, fault in broken if reason == INVALID)
    return _twice(case) or next(messages, "")


def _twice(case: Case) -> str:
    """P7: one target twice, or whole and by a section, of kinds whose CRD refuses it."""
    seen: dict[Ref, set[str]] = {}
    entries = {(target.link.path, target.ref) for target in case.targets if target.link.row.unique}
    for path, ref in sorted(entries, key=str):
        sections = seen.setdefault(ref.whole, set())
        if sections and (ref.section_name in sections or "" in {ref.section_name, *sections}):
            return f"{shown(path)} names {ref.whole}, which another entry names too"
        sections.add(ref.section_name)
    return ""


def _accepted(status: Truth, reason: str, message: str) -> Condition:
    return Condition("Accepted", status, reason, message)


def verdict(
    policy: Ref, case: Case, held: tuple[Target, ...], contended: Iterable[Contention]
) -> Condition:
    """The condition of a policy that nothing but other policies can keep from its targets."""
    lost = [each for each in contended if policy not in each.holding]
    losses = listed((loss(each, policy) for each in lost[:NAMED]), NAMED, "; ", of=len(lost))
    if lost and not held:
        return _accepted(Truth.FALSE, case.subject.kind.merged.refusal, losses)
    if not case.targets:
        return _accepted(Truth.TRUE, "Accepted", "it names no object: its controller finds targets")
    absent = [target.why for target in case.targets if target.state is Truth.FALSE]
    names = listed(dict.fromkeys(target.ref for target in held if target.ref.name), NAMED)
    but = "; ".join(("", *dict.fromkeys(absent), *filter(None, [losses])))
    if all(target.state is Truth.UNKNOWN for target in held):
        why = "; ".join(dict.fromkeys(target.why for target in held))
        return _accepted(Truth.UNKNOWN, "Unverified", why + but)
    unknown = [each for each in contended if each.rivalry is Rivalry.UNKNOWN]
    if unknown:
        return _accepted(Truth.UNKNOWN, NOT_KNOWN, f"attached to {names}; {_not_known(unknown)}")
    needed = "; ".join(filter(None, (unverified(case), untold(case), unseen(case))))
    status, reason = (Truth.UNKNOWN, "Unverified") if needed else (Truth.TRUE, "Accepted")
    return _accepted(status, reason, "; ".join(filter(None, [f"attached to {names}{but}", needed])))


def _not_known(contended: Iterable[Contention]) -> str:
    targets = listed((each.target for each in contended), NAMED)
    return f"what becomes of several policies of its kind on {targets} is not known"


def resolved(case: Case) -> Condition:
    """Whether all that it names is there, and may be named."""
    problems: list[tuple[Truth, str, str]] = []
    for target in case.targets:
        if not target.is_granted:
            why = f"no ReferenceGrant allows {target.ref}"
            problems.append((Truth.FALSE, "RefNotPermitted", why))
        elif target.state is Truth.FALSE:
            problems.append((Truth.FALSE, TARGET_NOT_FOUND, target.why))
        elif target.state is Truth.UNKNOWN:
            problems.append((Truth.UNKNOWN, "Unverified", target.why))
    problems += [
        (authority.state, authority.reason or "Unverified", authority.why)
        for authority in authorities(case)
        if authority.state is not Truth.TRUE
    ]
    problems += [(each.state, each.reason or "Unverified", each.why) for each in named(case)]
    for wanted in (Truth.FALSE, Truth.UNKNOWN):
        reasons = [(reason, why) for state, reason, why in problems if state is wanted]
        if reasons:
            why = "; ".join(dict.fromkeys(why for _, why in reasons))
            return Condition("ResolvedRefs", wanted, reasons[0][0], why)
    return Condition("ResolvedRefs", Truth.TRUE, "ResolvedRefs", "all that it names is there")
