"""Advice: findings about objects that are valid and attached, but do not serve their purpose.

Each check is a function that gets the view of a spoke or of the fleet, and yields findings. To add
a check, write the function in the module of its subject and add it to a table below.
"""

from collections.abc import Callable, Iterable

from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Result
from spokerender.judging.advice import (
    certificates,
    combinations,
    counters,
    dns_records,
    failing,
    listeners,
    policy_fields,
    protection,
    shadowed,
)
from spokerender.judging.advice.view import FleetView, JudgedSpokeView

ADVICE: tuple[Callable[[JudgedSpokeView], Iterable[Result]], ...] = (
    combinations.check_undetermined_orders,
    combinations.check_gating_conditions,
    policy_fields.check_unread_fields,
    policy_fields.check_matches,
    policy_fields.check_predicates,
    combinations.check_bare_policies,
    listeners.check_routeless_policies,
    listeners.check_unknown_namespaces,
    listeners.check_unknown_labels,
    dns_records.check_nameless_listeners,
    policy_fields.check_positional_rules,
    protection.check_hostnames_beyond,
    protection.check_unseen_listeners,
    protection.check_optional_credentials,
    listeners.check_unprocessed_gateways,
    listeners.check_refused_listeners,
    listeners.check_detached_routes,
    shadowed.check_shadowed_routes,
    listeners.check_unserved_hostnames,
    certificates.check_certificates,
    combinations.check_overruled_policies,
    policy_fields.check_absent_objects,
    failing.check_failing_rules,
    failing.check_doubled_hostnames,
    failing.check_redirects,
    failing.check_idle_policies,
    failing.check_vain_rules,
    shadowed.check_lookups,
)

FLEET_ADVICE: tuple[Callable[[FleetView], Iterable[Result]], ...] = (
    combinations.check_unknown_kinds,
    protection.check_unguarded_routes,
    protection.check_uneven_protection,
    dns_records.check_dns_records,
    counters.check_counters,
)


def advise(view: JudgedSpokeView) -> tuple[Result, ...]:
    """Return the findings about the spokes that share a view; they do not name the spokes."""
    return tuple(dict.fromkeys(result for check in ADVICE for result in check(view)))


def advise_fleet(fleet: FleetView) -> tuple[Result, ...]:
    """Return the findings that need a comparison of spokes; each finding names its spokes."""
    return merge_occurrences(
        Occurrence(result, result.spokes) for check in FLEET_ADVICE for result in check(fleet)
    )
