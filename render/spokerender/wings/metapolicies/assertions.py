"""Assertions of the fleet file, as values."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from spokerender.findings.results import Severity
from spokerender.wings.metapolicies.settings import MetapolicySettings


class Assertion(Struct, frozen=True, eq=False):
    """An expression in CEL that must hold on every spoke.

    `for_each` is a name and the list to go through. `message` may have expressions; it is told,
    with the cure, of everything for which `that` does not hold.
    """

    name: str
    that: str
    message: str
    for_each: Mapping[str, str]
    when: str
    cure: str
    severity: Severity


def read_assertions(settings: MetapolicySettings) -> tuple[Assertion, ...]:
    """Return the assertions of a fleet file."""
    return tuple(
        Assertion(
            item.name,
            item.that,
            item.message,
            item.for_each,
            item.when,
            item.cure,
            Severity(item.severity),
        )
        for item in settings.assertions
    )
