"""The rules of policy attachment, each a row: how binding it is, who says so, who checks it.

C rules are about CustomResourceDefinitions, P rules about policies. Another stage checks a row that
has no check here; the row has that stage's codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct

from spokerender.findings.codes import attachment as codes
from spokerender.findings.codes.attachment import DANGLING, DUPLICATE_TARGET, MISSING_SECTION
from spokerender.findings.codes.hub import MALFORMED_REFERENCE, MISSING_TARGET
from spokerender.findings.codes.shipping import TARGET_ON_SPOKE
from spokerender.findings.results import Fault, FindingKind
from spokerender.judging.attachment import (
    contentions,
    crd_rules,
    demands,
    named_objects,
    policy_rules,
)
from spokerender.judging.attachment.case import Case
from spokerender.judging.attachment.statuses import (
    CONFLICTED,
    INVALID,
    TARGET_CONFLICT,
    TARGET_NOT_FOUND,
)

Check_co = TypeVar("Check_co", covariant=True)
_Check = TypeVar("_Check")

DefinitionCheck = Callable[[Mapping[str, Any]], Iterable[Fault]]
"""Checks one CRD."""
PolicyCheck = Callable[[Case], Iterable[Fault]]
"""Checks one policy."""


class AttachmentRule(Struct, Generic[Check_co], frozen=True):
    """A rule of policy attachment.

    `level` is how binding the source makes it (RFC 2119). `codes` are the findings that report
    it; empty where breaking it is no fault of a file's. `reason` is that of `Accepted` for a policy
    that is refused for breaking it.
    """

    id: str
    level: str
    source: str
    meaning: str
    codes: tuple[str, ...]
    check: Check_co | None = None
    reason: str = ""


def _row(
    meaning: str,
    check: _Check,
    *rules: FindingKind,
    reason: str = "",
    also: tuple[FindingKind, ...] = (),
) -> AttachmentRule[_Check]:
    """Return a row that this stage checks; the findings' tags have its id, level and source."""
    tags = dict(rules[0].tags)
    numbers = tuple(rule.code for rule in (*rules, *also))
    return AttachmentRule(
        tags["rule"], tags["level"], tags["source"], meaning, numbers, check, reason
    )


def _row_elsewhere(
    identity: str, level: str, source: str, meaning: str, *rules: FindingKind, reason: str = ""
) -> AttachmentRule[None]:
    """Return a row that other stages check, or that needs no finding."""
    numbers = tuple(rule.code for rule in rules)
    return AttachmentRule(identity, level, source, meaning, numbers, reason=reason)


DEFINITION_RULES: tuple[AttachmentRule[DefinitionCheck], ...] = (
    _row("a policy's CRD has the policy label", crd_rules.check_label, codes.NO_LABEL),
    _row("it has spec and status, with conditions", crd_rules.check_status, codes.NO_STATUS),
    _row("its kind says that it is a policy", crd_rules.check_names, codes.NOT_NAMED_POLICY),
    _row("it has its targets in targetRefs", crd_rules.check_target_fields, codes.ODD_TARGETS),
    _row("targetRefs has 1 to 16 entries", crd_rules.check_target_limits, codes.UNLIMITED_TARGETS),
    _row(
        "targetRef and targetRefs exclude each other",
        crd_rules.check_target_exclusion,
        codes.BOTH_TARGET_FIELDS,
    ),
    _row(
        "targets are local, or there is a handshake",
        crd_rules.check_target_namespaces,
        codes.OPEN_NAMESPACE,
    ),
    _row(
        "a direct policy has one kind of target and no strategy",
        crd_rules.check_direct_label,
        codes.SUSPECT_LABEL,
    ),
    _row(
        "one object declares one merge strategy",
        crd_rules.check_strategy_fields,
        codes.UNSELECTABLE,
    ),
    _row("its status has ancestors, at most 16", crd_rules.check_ancestors, codes.OTHER_STATUS),
)

POLICY_RULES: tuple[AttachmentRule[PolicyCheck], ...] = (
    _row("a policy has a target", policy_rules.check_has_target, codes.NO_TARGET, reason=INVALID),
    _row(
        "its targets are there",
        policy_rules.check_selection,
        codes.NOTHING_SELECTED,
        reason=TARGET_NOT_FOUND,
        also=(MISSING_TARGET, TARGET_ON_SPOKE, DANGLING),
    ),
    _row(
        "its targets are on gateways of its own controller",
        policy_rules.check_controller,
        codes.FOREIGN_GATEWAY,
        reason=TARGET_NOT_FOUND,
    ),
    _row(
        "a target has the section that is named",
        policy_rules.check_port,
        codes.MISSING_PORT,
        reason=TARGET_NOT_FOUND,
        also=(MISSING_SECTION, MISSING_TARGET),
    ),
    _row("a section is no backend's name", policy_rules.check_section_is_rule, codes.NAMES_BACKEND),
    _row(
        "of fields that exclude each other there is one",
        policy_rules.check_alternatives,
        codes.SEVERAL_FIELDS,
        reason=INVALID,
    ),
    _row(
        "a target in another namespace is granted",
        policy_rules.check_target_grants,
        codes.NOT_GRANTED,
        also=(MALFORMED_REFERENCE,),
    ),
    _row(
        "what it names may be named, and is there",
        named_objects.check_named_objects,
        codes.UNRESOLVED,
    ),
    _row(
        "its controller can work with its values", demands.check_failing_values, codes.FAILING_VALUE
    ),
    _row(
        "its controller takes it with its values",
        demands.check_refused_values,
        codes.REFUSED_VALUE,
        reason=INVALID,
    ),
    _row(
        "targets are of a kind that the policy is for",
        policy_rules.check_target_kinds,
        codes.WRONG_TARGET,
        reason=INVALID,
    ),
    _row(
        "no merged Gateway is targeted",
        policy_rules.check_unmerged_gateway,
        codes.WRONG_TARGET,
        reason=INVALID,
    ),
    _row(
        "what asks to be merged can be",
        policy_rules.check_asking,
        codes.WRONG_TARGET,
        reason=INVALID,
    ),
    _row(
        "a listener that is targeted has its port to itself, where its controller asks for that",
        policy_rules.check_port_is_unshared,
        codes.SHARED_PORT,
        reason=INVALID,
    ),
    _row(
        "no other route is in the way of a route that is targeted",
        policy_rules.check_entrances,
        codes.SHARED_DOOR,
        reason=TARGET_CONFLICT,
    ),
    _row(
        "a policy declares one merge strategy",
        policy_rules.check_strategy,
        codes.TWO_STRATEGIES,
        reason=INVALID,
    ),
    _row(
        "a policy for a GatewayClass is cluster-scoped",
        policy_rules.check_scope,
        codes.CLASS_TARGET,
    ),
    _row(
        "the status has an entry for every gateway that is reached",
        policy_rules.check_room,
        codes.MANY_ANCESTORS,
    ),
    _row(
        "CA certificates or a well-known set of them are named",
        named_objects.check_authority_fields,
        codes.BAD_AUTHORITIES,
        reason=INVALID,
    ),
    _row(
        "CA certificates that are named can be read",
        named_objects.check_authorities,
        codes.BAD_AUTHORITY,
    ),
    _row("there is a single target", named_objects.check_single_target, codes.SEVERAL_TARGETS),
)

LAYERS = _row(
    "direct policies of one kind are on one layer", contentions.check_layers, codes.TWO_LAYERS
)
CONTENTION = _row(
    "on one target one policy of a kind holds, where nothing is merged",
    contentions.check_contentions,
    codes.CONTENDED,
    codes.CONTENDED_SECURITY,
    codes.UNBROKEN,
    codes.FLIPPED,
    reason=CONFLICTED,
)

_ELSEWHERE: tuple[AttachmentRule[None], ...] = (
    _row_elsewhere(
        "P2",
        "MUST",
        "LocalPolicyTargetReference; NamespacedPolicyTargetReference",
        "a target has group (without a version), kind and name",
        MALFORMED_REFERENCE,
        reason=INVALID,
    ),
    _row_elsewhere(
        "P7",
        "MUST",
        "BackendTLSPolicy, CEL of targetRefs; NGINX Gateway Fabric, the same",
        "no target is named twice, or as a whole and by a section",
        DUPLICATE_TARGET,
        reason=INVALID,
    ),
    _row_elsewhere(
        "P8",
        "MUST",
        "GEP-2648, multiple targets",
        "there are at most 16 targets",
        MALFORMED_REFERENCE,
        reason=INVALID,
    ),
    _row_elsewhere(
        "P13",
        "MUST",
        "GEP-2648, section names",
        "a policy for a section has it to itself; one for the whole has the rest",
    ),
    _row_elsewhere(
        "P18",
        "MUST",
        "GEP-713, status of targets; GEP-2648, on targeted resources",
        "marks of a cluster (`PolicyAffected`) stay there: copies are made without them",
    ),
)

RULES: tuple[AttachmentRule[object], ...] = tuple(
    sorted(
        (*DEFINITION_RULES, *POLICY_RULES, LAYERS, CONTENTION, *_ELSEWHERE),
        key=lambda row: (row.id[0], int(row.id[1:])),
    )
)
"""All rules by their numbers; a rule that is checked in parts has several rows."""
