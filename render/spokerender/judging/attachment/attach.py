"""Attaches the policies of one topology, and checks the rules of policy attachment.

C rules are about CustomResourceDefinitions, P rules about policies. The findings' codes
(`spokerender.findings.codes.attachment`) say which rule a finding reports, how binding the rule is
(RFC 2119), and its source. Other stages check P2 and P8 (malformed references,
`rendering.fleet_checks.hub`), P7 (duplicate targets, `rendering.checks.references`) and P18 (status
marks are not copied, `rendering.marks`). P11 and P12 compare several policies (`contentions`). P13
(a policy for a section comes before a policy for the whole object) can't be broken by a file.

A policy that is refused for its own faults usually does not contend with other policies. A policy
with several targets is accepted if other policies leave at least one target to it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.results import Fault
from spokerender.judging.attachment import (
    conditions,
    crd_rules,
    demands,
    named_objects,
    policy_rules,
    refused_parts,
)
from spokerender.judging.attachment.case import Case, Surroundings, make_case
from spokerender.judging.attachment.contentions import (
    check_contentions,
    check_layers,
    find_contentions,
    order_cases,
)
from spokerender.judging.attachment.entries import find_entries
from spokerender.judging.attachment.statuses import (
    INVALID,
    NO_CERTIFICATE,
    TARGET_CONFLICT,
    TARGET_NOT_FOUND,
    Attachment,
    Condition,
    Contention,
    FailingField,
    RefusedPart,
    Rivalry,
    StatusEntry,
    Subject,
    Truth,
    join_failures,
)
from spokerender.judging.attachment.target_listeners import list_target_listeners
from spokerender.kinds.columns import DISABLED, PARTIALLY_VALID, UNKNOWN
from spokerender.kinds.kind import BACKEND_TLS, Ancestors
from spokerender.kinds.merging import Exemption
from spokerender.kinds.references import ROOT_NAMESPACE
from spokerender.model import NAMESPACE, Ref, grouped
from spokerender.topology import requests
from spokerender.topology.graph import Topology
from spokerender.topology.precedence import NO_AGES, Ages

DEFINITION_CHECKS: tuple[Callable[[Mapping[str, Any]], Iterable[Fault]], ...] = (
    crd_rules.check_label,
    crd_rules.check_status,
    crd_rules.check_names,
    crd_rules.check_target_fields,
    crd_rules.check_target_limits,
    crd_rules.check_target_exclusion,
    crd_rules.check_target_namespaces,
    crd_rules.check_direct_label,
    crd_rules.check_strategy_fields,
    crd_rules.check_ancestors,
)

POLICY_CHECKS: tuple[tuple[Callable[[Case], Iterable[Fault]], str], ...] = (
    (policy_rules.check_has_target, INVALID),
    (policy_rules.check_selection, TARGET_NOT_FOUND),
    (policy_rules.check_controller, TARGET_NOT_FOUND),
    (policy_rules.check_port, TARGET_NOT_FOUND),
    (policy_rules.check_section_is_rule, ""),
    (policy_rules.check_alternatives, INVALID),
    (policy_rules.check_target_grants, ""),
    (named_objects.check_named_objects, ""),
    (partial(demands.check_values, fails=True), ""),
    (partial(demands.check_values, fails=False), ""),
    (partial(demands.check_values, fails=False, reason=DISABLED), DISABLED),
    (partial(demands.check_values, fails=False, reason=UNKNOWN), UNKNOWN),
    (partial(demands.check_values, fails=False, reason=PARTIALLY_VALID), ""),
    (policy_rules.check_demanded_objects, INVALID),
    (policy_rules.check_target_kinds, INVALID),
    (policy_rules.check_unmerged_gateway, INVALID),
    (policy_rules.check_asking, INVALID),
    (refused_parts.check_refused_parts, ""),
    (policy_rules.check_entrances, TARGET_CONFLICT),
    (policy_rules.check_strategy, INVALID),
    (policy_rules.check_scope, ""),
    (policy_rules.check_room, ""),
    (named_objects.check_well_known, INVALID),
    (named_objects.check_authorities, ""),
    (named_objects.check_single_target, ""),
)
"""Checks of a policy, with the reason of `Accepted` if the check fails (empty: still accepted)."""


def find_reach(topology: Topology) -> dict[Ref, frozenset[Ref]]:
    """Return, for each possible target of a policy, the Gateways through which requests reach it.

    A route or listener counts only if `allowedRoutes`, `allowedListeners` and the hostnames admit
    it. The result maps each Gateway at least to itself, even if it has no listeners.
    """
    gateways: dict[Ref, set[Ref]] = {ref: {ref} for ref in topology.gateways}
    # Istio: a policy without a target is for the Gateways of its namespace, or, in the root
    # namespace, for all Gateways.
    for ref in topology.gateways:
        for name in (ref.namespace, ROOT_NAMESPACE):
            gateways.setdefault(Ref(*NAMESPACE, "", name), set()).add(ref)
    for gateway, levels in _list_levels(topology):
        for level in levels:
            gateways.setdefault(level, set()).add(gateway)
    return {ref: frozenset(refs) for ref, refs in gateways.items()}


def _list_levels(topology: Topology) -> Iterator[tuple[Ref, Collection[Ref]]]:
    # Paths share the refs of their levels, so most are recognised by identity, without hashing.
    levels_by_gateway: dict[int, tuple[Ref, dict[int, Ref]]] = {}
    filters: dict[tuple[int, str], tuple[Ref, ...]] = {}
    for path in (
        *requests.find_listener_paths(topology),
        *requests.find_rule_paths(topology),
        *requests.find_backend_paths(topology),
    ):
        rule = id(path.route), path.rule
        if rule not in filters:
            filters[rule] = requests.find_filters(topology, path)
        levels = (*path.levels, *filters[rule])
        _, levels_by_id = levels_by_gateway.setdefault(id(path.gateway), (path.gateway, {}))
        levels_by_id.update(zip(map(id, levels), levels, strict=True))
    return ((gateway, levels.values()) for gateway, levels in levels_by_gateway.values())


class _PolicyByItself(Struct, eq=False):
    """A policy considered without other policies: its faults, and how it attaches alone.

    No cluster has a policy that `is_rejected` by its API server.
    """

    case: Case
    faults: tuple[Fault, ...]
    refusal: Condition | None
    is_rejected: bool
    alone: Attachment | None = None


class Attacher:
    """Attaches the policies of one cluster, also repeatedly if only some of its policies differ.

    The result of checking a policy alone is computed once for each policy object; only the
    contentions between policies are computed at each call.
    """

    def __init__(self, around: Surroundings) -> None:
        """Prepare to attach policies to objects of `around`, which must not change any more."""
        self.around = around
        self._by_themselves: dict[tuple[Ref, int], _PolicyByItself] = {}

    def attach(
        self, subjects: Iterable[Subject], ages: Ages = NO_AGES, refused: Mapping[Ref, str] = {}
    ) -> tuple[Attachment, ...]:
        """Return the attachment of every policy, sorted by the policies' refs.

        `refused` maps each policy that the API server refuses to the server's message.
        """
        policies = {
            subject.ref: self._look(subject, refused.get(subject.ref, ""))
            for subject in sorted(subjects, key=lambda subject: subject.ref)
        }
        sound = {
            ref: item.case
            for ref, item in policies.items()
            if item.refusal is None
            # Such a controller compares policies before it reads their fields, so a policy that it
            # refuses for a field still takes the target from others.
            or (
                ref not in refused
                and conditions.is_refused_last(item.case)
                and item.refusal.reason != TARGET_NOT_FOUND
            )
        }
        contentions = find_contentions(sound.values(), ages)
        faults_by_policy = grouped(
            (item.policy, item.fault)
            for item in (*check_contentions(contentions, sound), *check_layers(sound.values()))
        )
        contentions_by_policy = grouped(
            (ref, contention) for contention in contentions for ref in contention.orders.likely
        )
        return tuple(
            item.alone
            if item.alone is not None
            and ref not in contentions_by_policy
            and ref not in faults_by_policy
            else _make_attachment(
                item, faults_by_policy.get(ref, []), tuple(contentions_by_policy.get(ref, ()))
            )
            for ref, item in policies.items()
        )

    def find_entries(
        self, subjects: Iterable[Subject], ages: Ages = NO_AGES, refused: Collection[Ref] = ()
    ) -> Mapping[Ref, tuple[StatusEntry, ...]]:
        """Return the status entries by policy; empty for kinds with equal entries for all targets.

        All `subjects` are of one kind. `refused` are the policies that the API server refuses, for
        which no entries are returned.
        """
        looks = [self._look(subject, "") for subject in subjects if subject.ref not in refused]
        cases = {
            item.case.subject.ref: item.case
            for item in looks
            if item.refusal is None or item.refusal.reason == TARGET_NOT_FOUND
        }
        if not cases:
            return {}
        kind = next(iter(cases.values())).subject.kind
        is_of_backends = (kind.group, kind.kind) == BACKEND_TLS
        if kind.controller.ancestors is not Ancestors.PARENT and not is_of_backends:
            return {}
        likely = order_cases(cases, kind.merged, ages).likely
        if is_of_backends:
            from spokerender.judging.attachment.backend_ancestors import (  # noqa: PLC0415  (few need it)
                find_contended_entries,
            )

            return find_contended_entries(
                [cases[ref] for ref in likely],
                lambda case, targets: conditions.find_acceptance(
                    case.subject.ref, case, targets, ()
                ),
            )
        parts = {ref: refused_parts.find_refused_parts(cases[ref]) for ref in likely}
        return find_entries([cases[ref] for ref in likely], parts)

    def _look(self, subject: Subject, words: str) -> _PolicyByItself:
        """Return a policy judged alone, cached unless `words` (the API server's refusal) is set."""
        key = (subject.ref, id(subject.object))
        policy = None if words else self._by_themselves.get(key)
        if policy is None:
            case = make_case(subject, self.around)
            broken = [(reason, fault) for check, reason in POLICY_CHECKS for fault in check(case)]
            faults = tuple(fault for _, fault in broken)
            refusal = conditions.find_refusal(case, words, broken)
            policy = _PolicyByItself(case, faults, refusal, bool(words))
            policy.alone = _make_attachment(policy, [], ())
            if not words:
                self._by_themselves[key] = policy
        return policy


def check_definition(crd: Mapping[str, Any]) -> tuple[Fault, ...]:
    """Return the faults of a policy's CRD; empty for other CRDs."""
    if not crd_rules.defines_policy(crd):
        return ()
    return tuple(dict.fromkeys(fault for check in DEFINITION_CHECKS for fault in check(crd)))


def _make_attachment(
    policy: _PolicyByItself, faults: list[Fault], contentions: tuple[Contention, ...]
) -> Attachment:
    """Return the attachment of a policy; `faults` result from comparing it with other policies."""
    case, refusal = policy.case, policy.refusal
    lost = _find_lost_targets(case, contentions)
    parts = refused_parts.find_refused_parts(case)
    refused = _find_refused_targets(case, parts)
    targets = tuple(
        target for target in case.attached if target.ref not in lost and target.ref not in refused
    )
    accepted = refusal or conditions.find_acceptance(
        case.subject.ref, case, targets, contentions, "; ".join(refused.values())
    )
    # Its controller compared it with others before it refused its fields (`is_refused_last`).
    if refusal is not None and lost and not targets:
        accepted = conditions.find_acceptance(case.subject.ref, case, targets, contentions)
    # The spoke's own labels decide whether the policy selects these targets; no file has them.
    open_refs = {
        item.ref
        for item in targets
        if item.state is Truth.UNKNOWN and item.ref.whole in case.around.topology.nodes
    }
    failures = tuple(_find_failures(case)) if refusal is None and targets else ()
    if refusal is None and targets:
        accepted = _refuse_in_part(case, accepted, failures, parts)
    has_summary = refusal is None or refusal.reason == TARGET_NOT_FOUND
    return Attachment(
        case.subject.ref,
        ancestors=conditions.find_ancestors(case),
        targets=()
        if refusal
        else tuple(sorted({item.ref for item in targets if item.ref.name} - open_refs)),
        accepted=accepted,
        resolved_refs=conditions.find_resolution(case),
        faults=(*policy.faults, *faults),
        contentions=contentions,
        room=conditions.find_room(case),
        has_ancestors=conditions.has_ancestors(case),
        is_silent=conditions.is_silent(case),
        failures=failures,
        summary=conditions.summarise(case) if has_summary else None,
        doubtful=() if refusal else tuple(conditions.find_doubtful(case)),
        parts=(
            *(_list_taken(policy) if refusal or (refused and not targets) else ()),
            *(() if refusal else _list_parts(case, parts, lost, is_failing=bool(failures))),
        ),
        undecided=(
            *(ref for ref, item in lost.items() if not item.orders.is_certain),
            *(() if refusal else sorted(open_refs)),
        ),
    )


def _refuse_in_part(
    case: Case,
    accepted: Condition,
    failures: tuple[FailingField, ...],
    parts: Iterable[RefusedPart],
) -> Condition:
    """Return `accepted`, or `Accepted` with status False if part of an attached policy fails.

    Requests to its targets then get 500, or the policy has no effect on some listeners.
    """
    left_out = dict.fromkeys(part.why for part in parts if not part.takes)
    if not failures and (accepted.status is Truth.UNKNOWN or not left_out):
        return accepted
    reason = NO_CERTIFICATE if named_objects.explain_failing_trust(case) else INVALID
    why = join_failures(failures) or "; ".join(left_out)
    return Condition("Accepted", Truth.FALSE, reason, why)


def _find_refused_targets(case: Case, parts: Iterable[RefusedPart]) -> dict[Ref, str]:
    """Return, by target, why the policy is refused on the target or on all of its listeners."""
    parts_by_target: dict[Ref, dict[Ref, str]] = {}
    for part in parts:
        parts_by_target.setdefault(part.target, {})[part.part] = part.why
    refused = {}
    for target, reasons in parts_by_target.items():
        listeners = list_target_listeners(case.around.topology, target.whole)
        left = {section for section, _ in listeners} - reasons.keys()
        if target in reasons or not left:
            refused[target] = "; ".join(dict.fromkeys(reasons.values()))
    return refused


def _find_failures(case: Case) -> Iterator[FailingField]:
    """Yield the fields because of which requests to a policy's targets are refused."""
    yield from named_objects.find_failures(case)
    yield from demands.find_failing_values(case)


def _list_parts(
    case: Case, parts: Iterable[RefusedPart], lost: Collection[Ref], *, is_failing: bool
) -> Iterator[tuple[Ref, Ref, Exemption]]:
    for part in parts:
        if part.target not in lost and (part.takes or part.part != part.target):
            yield part.part, part.target, Exemption.HOLLOW if part.takes else Exemption.LEFT_OUT
    if is_failing:
        yield from _find_spared(case)


def _list_taken(policy: _PolicyByItself) -> Iterator[tuple[Ref, Ref, Exemption]]:
    """Yield (listener, target, HOLLOW) if a refused policy keeps other policies from a listener."""
    # kuadrant-operator v1.5.2: getTLSPoliciesForListener and listenersForPolicy see each policy.
    for target in policy.case.attached if conditions.is_refused_last(policy.case) else ():
        if target.ref.section_name and not policy.is_rejected:
            yield target.ref, target.ref, Exemption.HOLLOW


def _find_spared(case: Case) -> Iterator[tuple[Ref, Ref, Exemption]]:
    """Yield (listener, target, SPARED) for listeners that failures of the policy do not affect."""
    for target in case.attached:
        for section, _ in list_target_listeners(case.around.topology, target.ref):
            one = replace(case, targets=(replace(target, ref=section),))
            if not any(_find_failures(one)):
                yield section, target.ref, Exemption.SPARED


def _find_lost_targets(case: Case, contentions: Iterable[Contention]) -> dict[Ref, Contention]:
    policy = case.subject.ref
    sections = grouped((target.ref.whole, target.ref) for target in case.attached)
    lost: dict[Ref, Contention] = {}
    for contention in contentions:
        if not contention.refuses(policy):
            continue
        candidates = sections.get(contention.target.whole, [])
        if contention.rivalry is Rivalry.OVERLAPPING:  # it is refused on all its targets
            candidates = [ref for refs in sections.values() for ref in refs]
        lost.update((ref, contention) for ref in candidates if contention.takes(policy, ref))
    return lost
