"""Hostnames per spoke: a rule's map, applied to listeners and, by suffix, to the routes below."""

from __future__ import annotations

from collections.abc import Iterable

HostnameMap = tuple[tuple[str, str], ...]


def mapped(hostname: str, rules: HostnameMap) -> str | None:
    """The hostname on the spoke, or None where no key matches.

    An exact key beats a wildcard, a longer suffix beats a shorter one. A wildcard key
    matches itself and, as in the Gateway API, any number of labels in the star's place.
    """
    by_length = sorted(rules, key=lambda rule: len(rule[0]), reverse=True)
    for key, value in by_length:
        if hostname == key:
            return value
    for key, value in by_length:
        if key.startswith("*.") and hostname.endswith(key[1:]):
            return hostname[: -len(key) + 1] + value[1:]
    return None


def candidates(hostname: str, maps: Iterable[HostnameMap]) -> tuple[str, ...]:
    """What the gateways that a route hangs on make of its hostname; more than one is a conflict."""
    return tuple(dict.fromkeys(mapped(hostname, rules) or hostname for rules in maps))


def suffixes(rules: HostnameMap) -> tuple[str, ...]:
    """The hostnames that change, without a wildcard's star: what a free text may still have."""
    return tuple(key.removeprefix("*.") for key, value in rules if key != value)


def rewritten(rules: HostnameMap) -> tuple[str, ...]:
    """What they become, without the star; one that ends in the old name still has it in it."""
    return tuple(value.removeprefix("*.") for key, value in rules if key != value)
