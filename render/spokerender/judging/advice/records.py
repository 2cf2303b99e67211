"""The DNS records of a fleet by hostname: what each cluster wants to be in them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from msgspec import Struct

from spokerender.judging.advice.context import Shipped, SpokeView
from spokerender.judging.advice.fleet import FleetView, Spokes
from spokerender.kinds import found
from spokerender.kinds.traits import Records
from spokerender.model.shapes import as_text


class Wanted(Struct, frozen=True, eq=False):
    """What one policy wants for a hostname on spokes where it says the same.

    `is_balanced` is whether it has load balancing at all, `is_default` whether its geo is the
    default one, `is_delegated` whether another cluster publishes the record.
    """

    spokes: Spokes
    view: SpokeView
    policy: Shipped
    records: Records
    namespace: str
    hostname: str
    is_balanced: bool
    geo: str
    weight: Any
    is_default: bool
    is_delegated: bool


class Hostnames(Struct, frozen=True, eq=False):
    """Hostnames for which the same policies on the same spokes want a record, and what they want.

    There is one hostname at least, and one that wants something.
    """

    names: tuple[str, ...]
    wanted: tuple[Wanted, ...]


def hostnames(fleet: FleetView) -> tuple[Hostnames, ...]:
    """All that is wanted, hostnames of the same policies at once."""
    wanted = sorted(
        (each for view, spokes in fleet.cases for each in _wanted(fleet, view, spokes)),
        key=lambda each: (each.hostname, each.spokes, each.policy.ref),
    )
    alike: dict[tuple[Any, ...], list[tuple[str, tuple[Wanted, ...]]]] = {}
    for name, group in groupby(wanted, lambda each: each.hostname):
        found_here = tuple(group)
        key = tuple((each.spokes, each.policy.ref) for each in found_here)
        alike.setdefault(key, []).append((name, found_here))
    return tuple(
        Hostnames(tuple(name for name, _ in group), group[0][1]) for group in alike.values()
    )


def spokes_of(wanted: tuple[Wanted, ...]) -> Spokes:
    """The spokes that want something, sorted, each once."""
    return tuple(sorted({spoke for each in wanted for spoke in each.spokes}))


def _wanted(fleet: FleetView, view: SpokeView, spokes: Spokes) -> Iterator[Wanted]:
    for policy, attachment in view.policies:
        records = policy.kind.traits.records
        if records is None:
            continue
        names = {listener.hostname for _, listener, _ in view.listeners(policy, attachment)}
        for hostname in sorted(names - {""}):
            said = (policy.ref.namespace, hostname, *_said(policy, records))
            for (namespace, name, geo, weight, default, delegate), where in fleet.filled(
                spokes, said
            ):
                yield Wanted(
                    spokes=where,
                    view=view,
                    policy=policy,
                    records=records,
                    namespace=str(namespace),
                    hostname=str(name),
                    is_balanced=bool(found(policy.object, records.balancing)),
                    geo=as_text(geo),
                    weight=weight,
                    is_default=default is True,
                    is_delegated=delegate is True,
                )


def _said(policy: Shipped, records: Records) -> Iterator[Any]:
    """The policy's geo, weight, default and delegate; None for what is absent or no scalar."""
    for pattern in (records.geo, records.weight, records.default, records.delegate):
        values = [value for _, value in found(policy.object, pattern)]
        is_scalar = values and isinstance(values[0], str | int | float)
        yield values[0] if is_scalar else None
