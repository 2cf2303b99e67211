"""Of one hostname's geos over all clusters, one is the default; and they differ at all."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import FindingKind, Result
from spokerender.judging.advice.records import Hostnames, Wanted, spokes_of
from spokerender.judging.advice.words import some


def check(hostnames: Hostnames) -> Iterator[Result]:
    """Yield a result if the hostnames have two default geos, none, or one geo everywhere."""
    balanced = tuple(each for each in hostnames.wanted if each.geo)
    for result in _told(f"{some(hostnames.names)}: ", balanced):
        yield replace(result, spokes=spokes_of(balanced))


def _told(names: str, wanted: tuple[Wanted, ...]) -> Iterator[Result]:
    geos = sorted({each.geo for each in wanted})
    defaults = sorted({each.geo for each in wanted if each.is_default})
    if _are_alike(wanted):
        yield _result(
            codes.SAME_GEO,
            wanted[0],
            f"{names}every spoke has geo {geos[0]} and weight {wanted[0].weight}: location "
            "decides nothing, and traffic is split evenly",
            "nothing is wrong if that is meant; else give each spoke its own value by an override",
        )
    if len(defaults) > 1:
        shown = some(f"{geo} on {some(_with_default(wanted, geo))}" for geo in defaults)
        yield _result(
            codes.DEFAULT_GEO,
            next(each for each in wanted if each.is_default),
            f"{names}{len(defaults)} geos are the default ({shown}); the clusters' controllers "
            "will undo each other's record without end",
            "set the default for the policies of one geo only",
        )
    elif len(geos) > 1 and not defaults:
        yield _result(
            codes.DEFAULT_GEO,
            wanted[0],
            f"{names}no geo is the default ({some(geos)}): clients elsewhere get no answer",
            "set the default for the policies of one geo",
        )


def _are_alike(wanted: tuple[Wanted, ...]) -> bool:
    """Whether several spokes want the same geo and weight."""
    values = {(each.geo, each.weight) for each in wanted}
    return len(values) == 1 and len(spokes_of(wanted)) > 1


def _with_default(wanted: tuple[Wanted, ...], geo: str) -> tuple[str, ...]:
    return spokes_of(tuple(each for each in wanted if each.geo == geo and each.is_default))


def _result(rule: FindingKind, wanted: Wanted, message: str, cure: str) -> Result:
    ref, field = wanted.policy.ref, wanted.records.balancing
    return wanted.view.result(rule, ref, message, cure, field=field)
