"""The conditions in a policy's status, and the ancestors that have entries in it."""

from collections.abc import Collection, Iterable, Iterator

from msgspec.structs import replace

from spokerender.findings.phrasing import listed
from spokerender.findings.results import Fault
from spokerender.judging.attachment import named_objects, target_listeners
from spokerender.judging.attachment.case import Case, Target
from spokerender.judging.attachment.contentions import MAX_NAMES, explain_loss
from spokerender.judging.attachment.demands import explain_refused_values, explain_unseen
from spokerender.judging.attachment.statuses import (
    INVALID,
    NO_CERTIFICATE,
    NOT_KNOWN,
    ROOM,
    TARGET_CONFLICT,
    TARGET_NOT_FOUND,
    Condition,
    Contention,
    Rivalry,
    Summary,
    Truth,
)
from spokerender.kinds.columns import DISABLED, PARTIALLY_VALID, UNKNOWN
from spokerender.kinds.kind import Ancestors, Role
from spokerender.kinds.malformed import find_malformed_references
from spokerender.kinds.merging import Ties
from spokerender.kinds.table import find_row
from spokerender.model import GATEWAY_CLASS, Ref, shown

BrokenRule = tuple[str, Fault]
"""The reason of `Accepted` due to a broken rule (empty if it refuses nothing), and the fault."""


def find_refusal(case: Case, words: str, broken: Collection[BrokenRule]) -> Condition | None:
    """Return the condition `Accepted` if the policy itself is a reason to refuse it, else None.

    `words` is the API server's refusal, or empty. `broken` has the rules that the policy breaks.
    """
    if words:
        return _accepted(Truth.FALSE, INVALID, words)
    # The order of reasons is that of AWS' controller (Invalid, TargetNotFound, Conflicted), with
    # NoValidCACertificate after TargetNotFound for kinds that name CA certificates. With
    # `is_refused_last` it is TargetNotFound, Conflicted, Invalid.
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
    """Return whether the controller looks for conflicts before it validates the policy's fields."""
    # kuadrant-operator, tlspolicies_validator.go and dnspolicies_validator.go; CRDs come first.
    kind = case.subject.kind
    is_taken = all(target.ref.kind in kind.targets for target in case.targets)
    return is_taken and kind.merged.ties is Ties.UNBROKEN


def _explain_invalid(case: Case, broken: Iterable[BrokenRule]) -> str:
    """Return the message of the first malformed reference or broken rule; "" if there is none."""
    subject = case.subject
    for problem in find_malformed_references(subject.kind, subject.object, subject.ref.namespace):
        return f"{shown(problem.field)} {problem.message}"
    messages = (fault.message for reason, fault in broken if reason == INVALID)
    return next(messages, "")


def _accepted(status: Truth, reason: str, message: str) -> Condition:
    return Condition("Accepted", status, reason, message)


def find_acceptance(
    policy: Ref,
    case: Case,
    targets: tuple[Target, ...],
    contended: Iterable[Contention],
    refused: str = "",
) -> Condition:
    """Return the condition `Accepted` of a policy that `find_refusal` does not refuse.

    `targets` are the targets that the policy keeps; it may lose others in `contended`. `refused` is
    why the controller refuses the policy on further targets; empty if it does not.
    """
    left_out = explain_refused_values(case, PARTIALLY_VALID)
    lost = [contention for contention in contended if policy not in contention.holding]
    explained = (explain_loss(contention, policy) for contention in lost[:MAX_NAMES])
    losses = listed(explained, MAX_NAMES, "; ", of=len(lost))
    if refused and not targets and not (lost and is_refused_last(case)):
        return _accepted(Truth.FALSE, INVALID, refused)
    if lost and not targets:
        return _accepted(Truth.FALSE, case.subject.kind.merged.refusal, losses)
    if not case.targets:
        why = "it names no object: its controller finds targets"
        return _accepted(Truth.TRUE, _find_reason(case, left_out), why)
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
    # Its controller may look at none of its Gateways, if no file says whose their classes are.
    doubts = [case.around.explain_doubt(case.subject.kind, ref) for ref in sorted(case.gateways)]
    reasons = (
        "; ".join(dict.fromkeys(doubts)) if all(doubts) else "",
        named_objects.explain_unverified(case),
        named_objects.explain_unverified_authorities(case),
        explain_unseen(case),
    )
    required = "; ".join(filter(None, reasons))
    status = Truth.UNKNOWN if required else Truth.TRUE
    reason = "Unverified" if required else _find_reason(case, left_out)
    message = "; ".join(filter(None, [f"attached to {names}{but}", required, left_out]))
    return _accepted(status, reason, message)


def _find_reason(case: Case, left_out: str) -> str:
    """Return the reason of `Accepted` that the controller writes if it accepts the policy.

    `left_out` is why the controller accepts the policy without some values; empty if with all.
    """
    controller = case.subject.kind.controller
    is_partial = bool(left_out) or (
        controller.accepts_parts
        and any(item.state is Truth.FALSE for item in named_objects.find_named_objects(case))
    )
    return PARTIALLY_VALID if is_partial else controller.valid


def find_resolution(case: Case) -> Condition:
    """Return `ResolvedRefs`: whether all objects that the policy names exist and may be named."""
    problems: list[tuple[Truth, str, str]] = []
    # Gateway API, BackendTLSPolicyConditionResolvedRefs: it is about CA certificates alone, unless
    # no target of the policy is left.
    for target in () if named_objects.is_backend_tls(case) and case.attached else case.targets:
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
    """Return the status entry about targets that the policy is not attached to; None if none."""
    # Only agentgateway writes such an entry: it accepts a policy whatever the policy names. The
    # entry is about no object, for targets that are absent or on no Gateway (traffic_plugin.go).
    kind = case.subject.kind
    if not kind.controller.summary:
        return None
    missed = [_explain_missed(case, target) for target in case.targets if not target.is_foreign]
    problems = dict.fromkeys(item for item in missed if item is not None)
    if not problems:
        return None
    status = Truth.FALSE if any(state is Truth.FALSE for state, _ in problems) else Truth.UNKNOWN
    reason = _find_reason(case, explain_refused_values(case, PARTIALLY_VALID))
    return Summary(
        Ref(kind.group, "", "", kind.controller.summary),
        _accepted(Truth.TRUE, reason, "accepted, whatever it names"),
        Condition("Attached", status, "Pending", "; ".join(why for _, why in problems)),
        is_all=None not in missed,
    )


def _explain_missed(case: Case, target: Target) -> tuple[Truth, str] | None:
    """Return why a policy is not (FALSE) or may not be (UNKNOWN) attached to a target, or None."""
    if target.state is not Truth.TRUE:
        return target.state, target.why
    if case.around.reached(target.ref):
        return None
    above = ", ".join(map(str, sorted(case.around.topology.ships_with(target.ref.whole))))
    if above:
        return Truth.UNKNOWN, f"{target.ref} may be reached over {above}"
    return Truth.FALSE, f"{target.ref} is on no Gateway"


def find_ancestors(case: Case) -> tuple[Ref, ...]:
    """Return the sorted ancestors in the policy's status, or if the status has none, the targets.

    The controller of the policy's kind decides which objects are ancestors (`kinds.Ancestors`).
    """
    named = {target.ref.whole for target in case.targets if target.ref.name}
    controller = case.subject.kind.controller
    ancestors: set[Ref] = set()
    if not has_ancestors(case):
        return tuple(sorted(named))
    match controller.ancestors:
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
    """Yield the ancestors of a policy on backends that depend on UNKNOWN targets, with the reason.

    If all targets are UNKNOWN, so is `Accepted`, and nothing is yielded.
    """
    sure = tuple(item for item in case.attached if item.state is Truth.TRUE)
    if not sure or len(sure) == len(case.attached) or case.subject.kind.controller.id:
        return
    why = "; ".join(item.why for item in case.attached if item.state is Truth.UNKNOWN)
    certain = {*_find_by_gateway(replace(case, targets=sure))}
    for ancestor in sorted({*_find_by_gateway(case)} - certain):
        yield ancestor, why


def _find_parents(case: Case) -> Iterator[Ref]:
    """Yield each target's parents; for a target that stands for merged Gateways, their class."""
    targets = case.attached or [item for item in case.targets if not item.is_foreign]
    for item in case.targets:
        # Envoy Gateway takes the target's name for that of the class, whatever kind it names
        # (envoypatchpolicy.go).
        if target_listeners.is_for_class(case, item.ref):
            yield Ref(*GATEWAY_CLASS, "", item.ref.name)
        elif item in targets:
            yield from target_listeners.find_named_parents(case, item.ref)


def has_ancestors(case: Case) -> bool:
    """Return whether the policy's status has entries for ancestors, and not only conditions."""
    controller, definition = case.subject.kind.controller, case.definition
    if controller.id or definition is None:
        return controller.ancestors is not Ancestors.NONE
    return not definition.is_flat


def is_silent(case: Case) -> bool:
    """Return whether no status entry is written, as no controller configures the Gateways."""
    controller, writes = case.subject.kind.controller, case.subject.kind.merged.writes
    if writes is not None and not writes.is_vital:
        # An OIDCPolicy needs a Gateway of its target, which it looks for in all namespaces. A route
        # has those of which it names a listener that is there.
        named = {(target.ref.kind, target.ref.name) for target in case.targets}
        nodes = case.around.topology.nodes
        alike = (ref for ref in nodes if (ref.kind, ref.name) in named)
        parents = (it for ref in alike for it in target_listeners.find_named_parents(case, ref))
        return not any(
            not it.section_name or it.section_name in (nodes[it.whole].sections or ())
            for it in parents
        )
    if not has_ancestors(case):
        return False
    if controller.needs_target:
        return bool(case.targets) and not case.attached
    if controller.id:
        is_named = any(target_listeners.is_for_class(case, target.ref) for target in case.targets)
        return controller.ancestors is Ancestors.PARENT and not (case.gateways or is_named)
    # A project's own kind has one controller, which tells of each target (GEP-713,
    # TargetNotFound); other kinds have those of the Gateways that they reach.
    kind = case.subject.kind
    return find_row(kind.group, kind.kind) is not None and not any(_find_by_gateway(case))


def find_room(case: Case) -> int | None:
    """Return how many status entries the controller writes at most; None if it has no limit."""
    # Envoy Gateway cuts the entries off at 16 (`TruncatePolicyAncestors`).
    controller = case.subject.kind.controller
    controllers = [controller] if controller.id else map(case.around.controller, case.gateways)
    return ROOM if any(item.ancestors is Ancestors.PARENT for item in controllers) else None


def _find_holders(case: Case, target: Target) -> Iterator[Ref]:
    """Yield the parents of a target route, or of a target filter's routes; else the target."""
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
