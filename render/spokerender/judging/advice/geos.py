"""A continent's code that a DNS provider takes for a country, or for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import INFO, Result
from spokerender.judging.advice.records import Hostnames


def check(hostnames: Hostnames) -> Iterator[Result]:
    """Yield a result for each such geo; an info where it may be meant as a country."""
    for wanted in hostnames.wanted:
        records, geo = wanted.records, wanted.geo
        if geo not in records.continents:
            continue
        is_country = geo in records.countries
        result = wanted.view.result(
            codes.CONTINENT,
            wanted.policy.ref,
            f"geo {geo} is read as the code of a country"
            + (", not as the continent" if is_country else ", and no country has it"),
            f"write {records.prefix}{geo} for the continent",
            field=records.geo,
            severity=INFO if is_country else None,
        )
        yield replace(result, spokes=wanted.spokes)
