"""Advice about the DNS records of a fleet: a table of its own, for what is read only once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from spokerender.findings.results import Result
from spokerender.judging.advice import default_geos, delegation, geos, load_balancing
from spokerender.judging.advice.fleet import FleetView
from spokerender.judging.advice.records import Hostnames, hostnames

ADVICE: tuple[Callable[[Hostnames], Iterable[Result]], ...] = (
    load_balancing.check,
    default_geos.check,
    delegation.check,
    geos.check,
)


def check(fleet: FleetView) -> Iterator[Result]:
    """Yield what there is to say of each hostname."""
    wanted = hostnames(fleet)
    for advice in ADVICE:
        for each in wanted:
            yield from advice(each)
