"""The status of a policy: its conditions, and what its controller writes entries for."""

from collections.abc import Collection, Iterable, Iterator

from msgspec.structs import replace

from spokerender.findings.phrasing import listed
from spokerender.findings.results import Fault
from spokerender.judging.attachment import named_objects, target_listeners
from spokerender.judging.attachment.case import Case, Target
from spokerender.judging.attachment.contentions import MAX_NAMES, explain_loss
from spokerender.judging.attachment.demands import explain_unseen
from spokerender.judging.attachment.statuses import (
    INVALID,
    NO_CERTIFICATE,
    NOT_KNOWN,
    PARTIALLY_VALID,
    ROOM,
    TARGET_CONFLICT,
    TARGET_NOT_FOUND,
    Condition,
    Contention,
    Rivalry,
    Summary,
    Truth,
)
from spokerender.kinds.columns import DISABLED, UNKNOWN
from spokerender.kinds.kind import Ancestors, Role
from spokerender.kinds.malformed import find_malformed_references
from spokerender.kinds.merging import Ties
from spokerender.model import Ref, shown
from spokerender.topology.node import GATEWAY_CLASS

BrokenRule = tuple[str, Fault]
"""The reason of `Accepted` for a broken rule, empty if that refuses nothing, and the fault."""


def find_refusal(case: Case, words: str, broken: Collection[BrokenRule]) -> Condition | None:
    """Return the condition of a policy that is refused whatever other policies there are.

    `words` are the API server's, if it is the one that refuses it. The order of reasons is that of
    AWS' controller: Invalid, TargetNotFound (then NoValidCACertificate, for kinds that name CA
    certificates), Conflicted; or with `is_refused_last` TargetNotFound, Conflicted, Invalid.
    """
    if words:
        return _accepted(Truth.FALSE, INVALID, words)
    is_missing = bool(case.targets) and not case.attached
    if not (is_missing and is_refused_last(case)):
        invalid = _explain_invalid(case, broken)
        if invalid:
            return _accepted(Truth.FALSE, INVALID, invalid)
        for reason, fault in broken:
            if reason in {DISABLED, UNKNOWN}:
                return _accepted(Truth.FALSE, reason, fault.message)
    if is_missing:
        why = "; ".join(dict.fromkeys(target.why for target in case.targets))
        return _accepted(Truth.FALSE, TARGET_NOT_FOUND, why)
    untrusted = named_objects.explain_no_authority(case)
    if untrusted and not named_objects.explain_failing_trust(case):
        return _accepted(Truth.FALSE, NO_CERTIFICATE, untrusted)
    shared = next((fault.message for reason, fault in broken if reason == TARGET_CONFLICT), "")
    return _accepted(Truth.FALSE, TARGET_CONFLICT, shared) if shared else None


def is_refused_last(case: Case) -> bool:
    """Tell whether its controller looks for conflicts before it looks at the policy's fields."""
    # kuadrant-operator, tlspolicies_validator.go and dnspolicies_validator.go; CRDs come first.
    kind = case.subject.kind
    is_taken = all(target.ref.kind in kind.targets for target in case.targets)
    return is_taken and kind.merged.ties is Ties.UNBROKEN


def _explain_invalid(case: Case, broken: Iterable[BrokenRule]) -> str:
    """Say what is wrong with the policy itself, in the words of the broken rule; else empty."""
    subject = case.subject
    for problem in find_malformed_references(subject.kind, subject.object, subject.ref.namespace):
        return f"{shown(problem.field)} {problem.message}"
    messages = (fault.message for reason, fault in broken if reason == INVALID)
    return _explain_repeated_target(case) or next(messages, "")


def _explain_repeated_target(case: Case) -> str:
    """Find a target that is named twice, or whole and by a section, if the CRD refuses it (P7)."""
    sections_by_target: dict[Ref, set[str]] = {}
    entries = {(target.link.path, target.ref) for target in case.targets if target.link.row.unique}
    for path, ref in sorted(entries, key=str):
        sections = sections_by_target.setdefault(ref.whole, set())
        if sections and (ref.section_name in sections or "" in {ref.section_name, *sections}):
            return f"{shown(path)} names {ref.whole}, which another entry names too"
        sections.add(ref.section_name)
    return ""


def _accepted(status: Truth, reason: str, message: str) -> Condition:
    return Condition("Accepted", status, reason, message)


def find_acceptance(
    policy: Ref,
    case: Case,
    targets: tuple[Target, ...],
    contended: Iterable[Contention],
    refused: str = "",
) -> Condition:
    """Return `Accepted` of a policy that is not refused as a whole.

    `targets` are those that are left to it; `refused` says why others are not, besides the other
    policies that have them.
    """
    lost = [contention for contention in contended if policy not in contention.holding]
    explained = (explain_loss(contention, policy) for contention in lost[:MAX_NAMES])
    losses = listed(explained, MAX_NAMES, "; ", of=len(lost))
    if refused and not targets and not (lost and is_refused_last(case)):
        return _accepted(Truth.FALSE, INVALID, refused)
    if lost and not targets:
        return _accepted(Truth.FALSE, case.subject.kind.merged.refusal, losses)
    if not case.targets:
        why = "it names no object: its controller finds targets"
        return _accepted(Truth.TRUE, _find_reason(case), why)
    absent = [target.why for target in case.targets if target.state is Truth.FALSE]
    names = listed(dict.fromkeys(item.ref for item in targets if item.ref.name), MAX_NAMES)
    but = "; ".join(("", *dict.fromkeys(absent), *filter(None, [losses, refused])))
    if all(target.state is Truth.UNKNOWN for target in targets):
        why = "; ".join(dict.fromkeys(target.why for target in targets))
        return _accepted(Truth.UNKNOWN, "Unverified", why + but)
    unknown = [item.target for item in contended if item.rivalry is Rivalry.UNKNOWN]
    if unknown:
        return _accepted(
            Truth.UNKNOWN,
            NOT_KNOWN,
            f"attached to {names}; what becomes of several policies of its kind on "
            f"{listed(unknown, MAX_NAMES)} is not known",
        )
    reasons = (
        _explain_unknown_classes(case),
        named_objects.explain_unverified(case),
        named_objects.explain_unverified_authorities(case),
        explain_unseen(case),
    )
    required = "; ".join(filter(None, reasons))
    status = Truth.UNKNOWN if required else Truth.TRUE
    reason = "Unverified" if required else _find_reason(case)
    message = "; ".join(filter(None, [f"attached to {names}{but}", required]))
    return _accepted(status, reason, message)


def _find_reason(case: Case) -> str:
    """Return the reason with which its controller accepts a policy."""
    controller = case.subject.kind.controller
    is_partial = controller.accepts_parts and any(
        item.state is Truth.FALSE for item in named_objects.find_named_objects(case)
    )
    return PARTIALLY_VALID if is_partial else controller.valid


def _explain_unknown_classes(case: Case) -> str:
    """Say why its controller may look at none of its Gateways; empty where it looks at one."""
    gateways = sorted(case.gateways)
    reasons = [case.around.explain_doubt(case.subject.kind, gateway) for gateway in gateways]
    return "; ".join(dict.fromkeys(reasons)) if all(reasons) else ""


def find_resolution(case: Case) -> Condition:
    """Return `ResolvedRefs`: whether all that the policy names is there, and may be named.

    Of a policy for TLS to backends it is about CA certificates alone, if it has another target
    (Gateway API, `BackendTLSPolicyConditionResolvedRefs`).
    """
    problems: list[tuple[Truth, str, str]] = []
    is_for_tls = case.subject.kind.authorities is not None
    for target in () if is_for_tls and case.attached else case.targets:
        if not target.is_granted:
            why = f"no ReferenceGrant allows {target.ref}"
            problems.append((Truth.FALSE, "RefNotPermitted", why))
        elif target.state is Truth.FALSE:
            problems.append((Truth.FALSE, TARGET_NOT_FOUND, target.why))
        elif target.state is Truth.UNKNOWN:
            problems.append((Truth.UNKNOWN, "Unverified", target.why))
    problems += [
        (item.state, item.reason or "Unverified", item.why)
        for item in (*named_objects.find_authorities(case), *named_objects.find_named_objects(case))
        if item.state is not Truth.TRUE and not item.is_in_files
    ]
    for status in (Truth.FALSE, Truth.UNKNOWN):
        reasons = [(reason, why) for state, reason, why in problems if state is status]
        if reasons:
            why = "; ".join(dict.fromkeys(why for _, why in reasons))
            return Condition("ResolvedRefs", status, reasons[0][0], why)
    return Condition("ResolvedRefs", Truth.TRUE, "ResolvedRefs", "all that it names is there")


def summarise(case: Case) -> Summary | None:
    """Return the entry about what attaches to nothing; None where all attaches.

    agentgateway, traffic_plugin.go: a policy is accepted whatever it names; an additional entry of
    its status, which is about no object, reports targets that are absent or on no Gateway. Other
    controllers have no such entry.
    """
    kind = case.subject.kind
    if not kind.controller.summary:
        return None
    missed = [_explain_missed(case, target) for target in case.targets if not target.is_foreign]
    problems = dict.fromkeys(item for item in missed if item is not None)
    if not problems:
        return None
    status = Truth.FALSE if any(state is Truth.FALSE for state, _ in problems) else Truth.UNKNOWN
    return Summary(
        Ref(kind.group, "", "", kind.controller.summary),
        _accepted(Truth.TRUE, _find_reason(case), "accepted, whatever it names"),
        Condition("Attached", status, "Pending", "; ".join(why for _, why in problems)),
        is_all=None not in missed,
    )


def _explain_missed(case: Case, target: Target) -> tuple[Truth, str] | None:
    """Say why the policy is not attached to a target, or may not be; None where it is."""
    if target.state is not Truth.TRUE:
        return target.state, target.why
    if case.around.reached(target.ref):
        return None
    above = ", ".join(map(str, sorted(case.around.topology.ships_with(target.ref.whole))))
    if above:
        return Truth.UNKNOWN, f"{target.ref} may be reached over {above}"
    return Truth.FALSE, f"{target.ref} is on no Gateway"


def find_ancestors(case: Case) -> tuple[Ref, ...]:
    """Return what the policy's controller writes status entries for, sorted (`kinds.Ancestors`).

    What the policy names, where there is nothing else.
    """
    named = {target.ref.whole for target in case.targets if target.ref.name}
    controller = case.subject.kind.controller
    ancestors: set[Ref] = set()
    match controller.ancestors:
        case Ancestors.NONE:
            return tuple(sorted(named))
        case Ancestors.PARENT:
            ancestors.update(_find_parents(case))
        case Ancestors.HOLDER:
            ancestors.update(ref for item in case.attached for ref in _find_holders(case, item))
        case Ancestors.TARGET:
            ancestors.update(ref for ref in named if target_listeners.is_route(case, ref))
        case _ if not controller.id:
            return tuple(sorted(set(_find_by_gateway(case)) or named))
    return tuple(sorted(ancestors or case.gateways or named))


def find_doubtful(case: Case) -> Iterator[tuple[Ref, str]]:
    """Yield the ancestors of a policy on backends that are none if a target is not there, and why.

    Of one whose targets are all in doubt `Accepted` says so.
    """
    sure = tuple(item for item in case.attached if item.state is Truth.TRUE)
    if not sure or len(sure) == len(case.attached) or case.subject.kind.controller.id:
        return
    why = "; ".join(item.why for item in case.attached if item.state is Truth.UNKNOWN)
    certain = {*_find_by_gateway(replace(case, targets=sure))}
    for ancestor in sorted({*_find_by_gateway(case)} - certain):
        yield ancestor, why


def _find_parents(case: Case) -> Iterator[Ref]:
    """Yield the parents of targets; where Gateways are merged, a class by the name of the target.

    Envoy Gateway, envoypatchpolicy.go: whatever kind is named.
    """
    targets = case.attached or [item for item in case.targets if not item.is_foreign]
    for item in case.targets:
        if target_listeners.is_for_class(case, item.ref):
            yield Ref(*GATEWAY_CLASS, "", item.ref.name)
        elif item in targets:
            yield from target_listeners.find_named_parents(case, item.ref)


def is_silent(case: Case) -> bool:
    """Tell whether no controller writes an entry for the policy: it reaches none's Gateways."""
    controller = case.subject.kind.controller
    if controller.id:
        is_named = any(target_listeners.is_for_class(case, target.ref) for target in case.targets)
        return controller.ancestors is Ancestors.PARENT and not (case.gateways or is_named)
    return not any(_find_by_gateway(case))


def find_room(case: Case) -> int | None:
    """Return how many entries its controller keeps, if it cuts off the others.

    Envoy Gateway, `TruncatePolicyAncestors`.
    """
    controller = case.subject.kind.controller
    controllers = [controller] if controller.id else map(case.around.controller, case.gateways)
    return ROOM if any(item.ancestors is Ancestors.PARENT for item in controllers) else None


def _find_holders(case: Case, target: Target) -> Iterator[Ref]:
    """Yield the parents of a route, or of routes with the policy as a filter; else the target."""
    is_filter = target.link.row.role is Role.FILTER
    for ref in case.around.topology.carriers(target.ref) if is_filter else (target.ref,):
        if target_listeners.is_route(case, ref.whole):
            yield from target_listeners.find_named_parents(case, ref)
        elif ref.name:
            yield ref.whole


def _find_by_gateway(case: Case) -> Iterator[Ref]:
    from spokerender.judging.attachment.backend_ancestors import (  # noqa: PLC0415  (few need it)
        find_by_gateway,
    )

    return find_by_gateway(case)
