"""The rules of policy attachment that are checked here, in the order of their findings.

C rules are about CustomResourceDefinitions, P rules about policies. The kinds of findings say which
rule a finding reports, how binding its source makes it (RFC 2119), and the source
(`spokerender.findings.codes.attachment`).

Other stages check P2 and P8 (`hub_checks`: references that can't be understood), P7 (duplicate
targets, `rendering.checks.references`), P13 (a policy for a section has it to itself: no fault of a
file's) and P18 (marks of a cluster are not copied, `rendering.marks`). P11 and P12 compare several
policies: `contentions`.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from spokerender.findings.results import Fault
from spokerender.judging.attachment import crd_rules, demands, named_objects, policy_rules
from spokerender.judging.attachment.case import Case
from spokerender.judging.attachment.statuses import INVALID, TARGET_CONFLICT, TARGET_NOT_FOUND

DefinitionCheck = Callable[[Mapping[str, Any]], Iterable[Fault]]
"""Checks one CRD."""
PolicyCheck = Callable[[Case], Iterable[Fault]]
"""Checks one policy."""

DEFINITION_CHECKS: tuple[DefinitionCheck, ...] = (
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

POLICY_CHECKS: tuple[tuple[PolicyCheck, str], ...] = (
    (policy_rules.check_has_target, INVALID),
    (policy_rules.check_selection, TARGET_NOT_FOUND),
    (policy_rules.check_controller, TARGET_NOT_FOUND),
    (policy_rules.check_port, TARGET_NOT_FOUND),
    (policy_rules.check_section_is_rule, ""),
    (policy_rules.check_alternatives, INVALID),
    (policy_rules.check_target_grants, ""),
    (named_objects.check_named_objects, ""),
    (partial(demands.check_values, fails=True), ""),
    (partial(demands.check_values, fails=False), INVALID),
    (policy_rules.check_target_kinds, INVALID),
    (policy_rules.check_unmerged_gateway, INVALID),
    (policy_rules.check_asking, INVALID),
    (policy_rules.check_port_is_unshared, INVALID),
    (policy_rules.check_entrances, TARGET_CONFLICT),
    (policy_rules.check_strategy, INVALID),
    (policy_rules.check_scope, ""),
    (policy_rules.check_room, ""),
    (named_objects.check_authority_fields, INVALID),
    (named_objects.check_authorities, ""),
    (named_objects.check_single_target, ""),
)
"""Checks of a policy, each with the reason of `Accepted` for a policy that it refuses, if any."""
