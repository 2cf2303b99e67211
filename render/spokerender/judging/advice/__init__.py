"""Advice: findings about what is valid, attaches and merges, and still misses its purpose.

A piece of advice is a function that takes a spoke's view, or the fleet's, and yields results. To
add one, write it in the module of its subject and add its row to the table.
"""

from collections.abc import Callable, Iterable

from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Result
from spokerender.judging.advice.absent import check_absent_objects
from spokerender.judging.advice.certificates import check_certificates
from spokerender.judging.advice.combinations import (
    check_bare_policies,
    check_gating_conditions,
    check_overruled_policies,
    check_undetermined_orders,
    check_unknown_kinds,
)
from spokerender.judging.advice.counters import check_counters
from spokerender.judging.advice.dns_records import check_dns_records, check_nameless_listeners
from spokerender.judging.advice.failing import (
    check_doubled_hostnames,
    check_failing_rules,
    check_idle_policies,
    check_redirects,
    check_vain_rules,
)
from spokerender.judging.advice.listeners import (
    check_contested_hostnames,
    check_detached_routes,
    check_refused_listeners,
    check_routeless_policies,
    check_unknown_labels,
    check_unknown_namespaces,
    check_unserved_hostnames,
)
from spokerender.judging.advice.policy_fields import check_positional_rules, check_unread_fields
from spokerender.judging.advice.protection import (
    check_hostnames_beyond,
    check_optional_credentials,
    check_uneven_protection,
    check_unguarded_routes,
    check_unseen_listeners,
)
from spokerender.judging.advice.shadowed import check_shadowed_routes
from spokerender.judging.advice.view import FleetView, JudgedSpokeView

ADVICE: tuple[Callable[[JudgedSpokeView], Iterable[Result]], ...] = (
    check_undetermined_orders,
    check_gating_conditions,
    check_unread_fields,
    check_bare_policies,
    check_routeless_policies,
    check_unknown_namespaces,
    check_unknown_labels,
    check_nameless_listeners,
    check_positional_rules,
    check_hostnames_beyond,
    check_unseen_listeners,
    check_optional_credentials,
    check_refused_listeners,
    check_contested_hostnames,
    check_detached_routes,
    check_shadowed_routes,
    check_unserved_hostnames,
    check_certificates,
    check_overruled_policies,
    check_absent_objects,
    check_failing_rules,
    check_doubled_hostnames,
    check_redirects,
    check_idle_policies,
    check_vain_rules,
)

FLEET_ADVICE: tuple[Callable[[FleetView], Iterable[Result]], ...] = (
    check_unknown_kinds,
    check_unguarded_routes,
    check_uneven_protection,
    check_dns_records,
    check_counters,
)


def advise(view: JudgedSpokeView) -> tuple[Result, ...]:
    """Return the advice on one spoke, or on all that share the view; results name no spoke."""
    return tuple(dict.fromkeys(result for check in ADVICE for result in check(view)))


def advise_fleet(fleet: FleetView) -> tuple[Result, ...]:
    """Return the advice that takes several spokes to see; each result names those it concerns.

    Spokes that share a view are checked once.
    """
    return merge_occurrences(
        Occurrence(result, result.spokes) for check in FLEET_ADVICE for result in check(fleet)
    )
