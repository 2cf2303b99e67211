"""Of one hostname's records over all clusters, all are load-balanced or none is.

A load-balanced record is a CNAME and a plain one an A record: one name can't have both, and
kuadrant-operator then says "record type conflict".
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.records import Hostnames, Wanted, spokes_of
from spokerender.judging.advice.words import name, some


def check(hostnames: Hostnames) -> Iterator[Result]:
    """Yield a result if the hostnames are load-balanced by some policies and not by others."""
    balanced = tuple(each for each in hostnames.wanted if each.is_balanced)
    plain = tuple(each for each in hostnames.wanted if not each.is_balanced)
    if not balanced or not plain:
        return
    field = plain[0].records.balancing
    result = plain[0].view.result(
        codes.MIXED_BALANCING,
        plain[0].policy.ref,
        f"{some(hostnames.names)}: load balancing is set {_where(balanced, plain)}; one name can't "
        "be a load-balanced and a plain record, so whoever comes second gets a record type "
        "conflict",
        f"set {field} in every policy for the hostname, or in none; going from plain to "
        "load-balanced needs the policy deleted and made anew",
        field=field,
    )
    concerned = {each.policy.hub for each in hostnames.wanted}
    yield replace(result, spokes=spokes_of(hostnames.wanted), also=tuple(sorted(concerned)))


def _where(balanced: tuple[Wanted, ...], plain: tuple[Wanted, ...]) -> str:
    """On which spokes it is set and on which not; by which policies, where one spoke has both."""
    here, there = spokes_of(balanced), spokes_of(plain)
    if not set(here) & set(there):
        return f"on {some(here)} and not on {some(there)}"
    setting, others = ({name(each.policy.ref) for each in group} for group in (balanced, plain))
    return f"by {some(sorted(setting))} and not by {some(sorted(others))}"
