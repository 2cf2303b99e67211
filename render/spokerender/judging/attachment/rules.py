"""The rules of policy attachment, each a row: how binding it is, who says so, who checks it.

C rules are about CustomResourceDefinitions, P rules about policies. A row without a check is told
by another stage; it has that stage's codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct

from spokerender.findings.codes import attachment as own
from spokerender.findings.codes.hub import MALFORMED_REFERENCE, MISSING_TARGET
from spokerender.findings.codes.shipping import TARGET_ON_SPOKE
from spokerender.findings.codes.spoke import DANGLING, DUPLICATE_TARGET, MISSING_SECTION
from spokerender.findings.faults import Fault
from spokerender.findings.results import FindingKind
from spokerender.judging.attachment import (
    authorities,
    contentions,
    demands,
    instances,
    named,
    policy_crds,
    shared,
)
from spokerender.judging.attachment.case import Case
from spokerender.judging.attachment.model import (
    CONFLICTED,
    INVALID,
    TARGET_CONFLICT,
    TARGET_NOT_FOUND,
)

Check_co = TypeVar("Check_co", covariant=True)
_Check = TypeVar("_Check")

DefinitionCheck = Callable[[Mapping[str, Any]], Iterable[Fault]]
"""Looks at one CRD."""
PolicyCheck = Callable[[Case], Iterable[Fault]]
"""Looks at one policy."""


class AttachmentRule(Struct, Generic[Check_co], frozen=True):
    """A rule of policy attachment.

    `level` is how binding the source makes it (RFC 2119). `codes` are the findings that tell of
    it; empty where breaking it is no fault of a file's. `reason` is that of `Accepted` where
    breaking it makes a policy be refused.
    """

    id: str
    level: str
    source: str
    meaning: str
    codes: tuple[str, ...]
    check: Check_co | None = None
    reason: str = ""


def _own(
    meaning: str,
    check: _Check,
    *rules: FindingKind,
    reason: str = "",
    also: tuple[FindingKind, ...] = (),
) -> AttachmentRule[_Check]:
    """A row that this stage checks: its rules' tags have the identity, the level and the source."""
    tags = dict(rules[0].tags)
    codes = tuple(rule.code for rule in (*rules, *also))
    return AttachmentRule(
        tags["rule"], tags["level"], tags["source"], meaning, codes, check, reason
    )


def _told(
    identity: str, level: str, source: str, meaning: str, *rules: FindingKind, reason: str = ""
) -> AttachmentRule[None]:
    """A row that others check, or that nothing needs to be told of."""
    codes = tuple(rule.code for rule in rules)
    return AttachmentRule(identity, level, source, meaning, codes, reason=reason)


DEFINITION_RULES: tuple[AttachmentRule[DefinitionCheck], ...] = (
    _own("a policy's CRD has the policy label", policy_crds.is_labelled, own.NO_LABEL),
    _own("it has spec and status, with conditions", policy_crds.has_status, own.NO_STATUS),
    _own("its kind says that it is a policy", policy_crds.is_named_policy, own.NOT_NAMED_POLICY),
    _own("it has its targets in targetRefs", policy_crds.has_targets, own.ODD_TARGETS),
    _own("targetRefs has 1 to 16 entries", policy_crds.limits_targets, own.UNLIMITED_TARGETS),
    _own(
        "targetRef and targetRefs exclude each other",
        policy_crds.separates_target_fields,
        own.BOTH_TARGET_FIELDS,
    ),
    _own(
        "targets are local, or there is a handshake",
        policy_crds.keeps_to_namespace,
        own.OPEN_NAMESPACE,
    ),
    _own(
        "a direct policy has one kind of target and no strategy",
        policy_crds.is_really_direct,
        own.SUSPECT_LABEL,
    ),
    _own("one object declares one merge strategy", policy_crds.has_one_strategy, own.UNSELECTABLE),
    _own("its status has ancestors, at most 16", policy_crds.has_ancestors, own.OTHER_STATUS),
)

POLICY_RULES: tuple[AttachmentRule[PolicyCheck], ...] = (
    _own("a policy has a target", instances.declares_target, own.NO_TARGET, reason=INVALID),
    _own(
        "its targets are there",
        instances.selects_something,
        own.NOTHING_SELECTED,
        reason=TARGET_NOT_FOUND,
        also=(MISSING_TARGET, TARGET_ON_SPOKE, DANGLING),
    ),
    _own(
        "its targets are on gateways of its own controller",
        instances.is_carried_out,
        own.FOREIGN_GATEWAY,
        reason=TARGET_NOT_FOUND,
    ),
    _own(
        "a target has the section that is named",
        instances.names_port,
        own.MISSING_PORT,
        reason=TARGET_NOT_FOUND,
        also=(MISSING_SECTION, MISSING_TARGET),
    ),
    _own("a section is no backend's name", instances.names_rule, own.NAMES_BACKEND),
    _own(
        "of fields that exclude each other there is one",
        instances.sets_one_of,
        own.SEVERAL_FIELDS,
        reason=INVALID,
    ),
    _own(
        "a target in another namespace is granted",
        instances.is_granted,
        own.NOT_GRANTED,
        also=(MALFORMED_REFERENCE,),
    ),
    _own("what it names may be named, and is there", named.can_be_named, own.UNRESOLVED),
    _own("its controller can work with its values", demands.fails_no_demand, own.FAILING_VALUE),
    _own(
        "its controller takes it with its values",
        demands.breaks_no_demand,
        own.REFUSED_VALUE,
        reason=INVALID,
    ),
    _own(
        "targets are of a kind that the policy is for",
        instances.fits_kind,
        own.WRONG_TARGET,
        reason=INVALID,
    ),
    _own("no merged Gateway is targeted", shared.is_not_merged, own.WRONG_TARGET, reason=INVALID),
    _own(
        "what asks to be merged can be",
        instances.may_ask,
        own.WRONG_TARGET,
        reason=INVALID,
    ),
    _own(
        "a listener that is targeted has its port to itself, where its controller asks for that",
        shared.has_port_alone,
        own.SHARED_PORT,
        reason=INVALID,
    ),
    _own(
        "no other route is in the way of a route that is targeted",
        shared.is_alone,
        own.SHARED_DOOR,
        reason=TARGET_CONFLICT,
    ),
    _own(
        "a policy declares one merge strategy",
        instances.has_one_strategy,
        own.TWO_STRATEGIES,
        reason=INVALID,
    ),
    _own("a policy for a GatewayClass is cluster-scoped", instances.fits_scope, own.CLASS_TARGET),
    _own(
        "the status has an entry for every gateway that is reached",
        instances.has_room,
        own.MANY_ANCESTORS,
    ),
    _own(
        "CA certificates or a well-known set of them are named",
        authorities.names_authorities,
        own.BAD_AUTHORITIES,
        reason=INVALID,
    ),
    _own(
        "CA certificates that are named can be read",
        authorities.has_good_authorities,
        own.BAD_AUTHORITY,
    ),
    _own("there is a single target", authorities.has_one_target, own.SEVERAL_TARGETS),
)

LAYERS = _own(
    "direct policies of one kind are on one layer", contentions.layer_faults, own.TWO_LAYERS
)
CONTENTION = _own(
    "on one target one policy of a kind holds, where nothing is merged",
    contentions.contention_faults,
    own.CONTENDED,
    own.CONTENDED_SECURITY,
    own.UNBROKEN,
    own.FLIPPED,
    reason=CONFLICTED,
)

_ELSEWHERE: tuple[AttachmentRule[None], ...] = (
    _told(
        "P2",
        "MUST",
        "LocalPolicyTargetReference; NamespacedPolicyTargetReference",
        "a target has group (without a version), kind and name",
        MALFORMED_REFERENCE,
        reason=INVALID,
    ),
    _told(
        "P7",
        "MUST",
        "BackendTLSPolicy, CEL of targetRefs; NGINX Gateway Fabric, the same",
        "no target is named twice, or as a whole and by a section",
        DUPLICATE_TARGET,
        reason=INVALID,
    ),
    _told(
        "P8",
        "MUST",
        "GEP-2648, multiple targets",
        "there are at most 16 targets",
        MALFORMED_REFERENCE,
        reason=INVALID,
    ),
    _told(
        "P13",
        "MUST",
        "GEP-2648, section names",
        "a policy for a section has it to itself; one for the whole has the rest",
    ),
    _told(
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
"""All of them, by their numbers; a rule that is checked in parts has several rows."""
