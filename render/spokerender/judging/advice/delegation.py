"""Of one hostname's records over all clusters, all are delegated or none, from one namespace.

kuadrant-operator: a primary cluster finds the others' records in the namespace of the same name.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.records import Hostnames, Wanted, spokes_of
from spokerender.judging.advice.words import some


def check(hostnames: Hostnames) -> Iterator[Result]:
    """Yield a result if some policies delegate the hostnames and others don't, or elsewhere."""
    hostnames_text = _told(hostnames.wanted)
    if hostnames_text is None:
        return
    first, message, cure = hostnames_text
    result = first.view.result(
        codes.DELEGATION,
        first.policy.ref,
        f"{some(hostnames.names)}: {message}",
        cure,
        field=first.records.delegate,
    )
    yield replace(result, spokes=spokes_of(hostnames.wanted))


def _told(wanted: tuple[Wanted, ...]) -> tuple[Wanted, str, str] | None:
    delegated = tuple(each for each in wanted if each.is_delegated)
    others = tuple(each for each in wanted if not each.is_delegated)
    if delegated and others:
        message = (
            f"the record is delegated on {some(spokes_of(delegated))} and not on "
            f"{some(spokes_of(others))}; what is not delegated is published beside the primary's"
        )
        return others[0], message, "delegate in every policy for the hostname, or in none"
    namespaces = sorted({each.namespace for each in delegated})
    if len(namespaces) > 1:
        message = (
            f"the record is delegated from different namespaces ({some(namespaces)}); a primary "
            "cluster looks for the others' records in one of the same name"
        )
        return delegated[0], message, "place the gateway in the same namespace on every spoke"
    return None
