"""Hostnames with wildcards: which hostnames intersect, and which contain other hostnames.

A result for hostnames with slots (`model.slots`) holds for all values of the slots; if it depends
on the values, `answered` records it, so that it can be checked for each spoke.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from spokerender.model.shapes import grouped
from spokerender.model.slots import SLOT_START, answered, has_slot

EVERY_NAME = "*"
"""The hostname that matches every name."""


def intersects(listener: str, hostname: str) -> bool:
    """Return whether a listener's and a route's hostname have a name in common.

    Gateway API, HTTPRoute `hostnames`: a wildcard stands for one or more labels on either side, and
    a listener without hostname accepts every name.
    """
    # The answer for texts as they are, unless slots may change it.
    return _intersects(listener, hostname) or answered(False, _intersects, listener, hostname)


def _intersects(listener: str, hostname: str) -> bool:
    if not listener or listener == hostname:
        return True
    if listener.startswith("*.") and hostname.startswith("*."):
        # The dot is kept, so that *.example.com and *.ple.com do not meet.
        return hostname.endswith(listener[1:]) or listener.endswith(hostname[1:])
    if listener.startswith("*."):
        return hostname.endswith(listener[1:])
    return hostname.startswith("*.") and listener.endswith(hostname[1:])


def is_within(hostname: str, listener: str) -> bool:
    """Return whether the listener's hostname matches every name that `hostname` matches.

    Stricter than the Gateway API, which requires one name in common: kuadrant-operator ignores
    paths on which a route's hostname is not within its listener's (`Name.SubsetOf`).
    """
    return _is_within(hostname, listener) or answered(False, _is_within, hostname, listener)


def _is_within(hostname: str, listener: str) -> bool:
    if hostname == listener:
        return True
    return listener.startswith("*") and bool(hostname) and hostname.endswith(listener[1:])


def is_covered(hostname: str, others: Collection[str]) -> bool:
    """Return whether one of `others` matches every name that `hostname` matches."""
    # Plain hostnames are looked up; only slots need a comparison with each.
    return is_covered_plainly(hostname, others) or any(
        is_within(hostname, other)
        for other in others
        # Two known first labels that differ rule most pairs out cheaply.
        if has_slot(hostname + other) and _may_agree(_read_label(hostname), _read_label(other))
    )


def is_covered_plainly(hostname: str, others: Collection[str]) -> bool:
    """Return the result of `is_covered` for hostnames without slots; fast for large `others`."""
    return any(name in others for name in list_matching(hostname))


def _read_label(hostname: str) -> str:
    """Return the first label of a hostname; empty if it is a wildcard or unknown due to a slot."""
    label, dot, _ = hostname.partition(SLOT_START)[0].partition(".")
    return label if dot and not label.startswith("*") else ""


def _may_agree(one: str, other: str) -> bool:
    """Return whether hostnames with these first labels may have a name in common."""
    return not (one and other) or one == other


def _wildcards(hostname: str) -> Iterator[str]:
    return (f"*{suffix}" for suffix in split_suffixes(hostname))


def split_suffixes(hostname: str) -> Iterator[str]:
    """Yield the suffixes of a hostname that begin with a dot, the longest first."""
    at = hostname.find(".")
    while at >= 0:
        yield hostname[at:]
        at = hostname.find(".", at + 1)


def find_nearest(host: str, names: Collection[str]) -> str | None:
    """Return the most specific of some hostnames that matches a host; None if none does."""
    if "" in names:  # there is nothing to choose by
        return ""
    return next((it for it in list_matching(host) if it in names), None)


def list_matching(host: str) -> tuple[str, ...]:
    """Return the hostnames that match a host, the most specific first."""
    return host, *_wildcards(host), EVERY_NAME


def make_host(name: str, names: Iterable[str]) -> str:
    """Return a host that `name` matches, and that none of `names` matches more specifically."""
    if not name.startswith(EVERY_NAME):
        return name
    taken, label, suffix = frozenset(names), "any", name[1:] or ".example"
    # `*.example` may be taken itself, and would then be more specific.
    while name == EVERY_NAME and f"*{suffix}" in taken:
        suffix += "x"
    # Labels grow until no other hostname matches the host better.
    while f"{label}{suffix}" in taken or f"*.{label}{suffix}" in taken:
        label += "x"
    return f"{label}{suffix}"


class Listening:
    """An index of listeners' hostnames, to find those that a route's hostname intersects."""

    def __init__(self, hostnames: Iterable[str]) -> None:
        every = frozenset(hostnames)
        self._slotted = tuple(sorted(filter(has_slot, every)))
        self._plain = every.difference(self._slotted)
        self._below: dict[str, set[str]] = {}
        # Suffixes of all listeners: a wildcard of a route meets everything below it.
        for name in self._plain:
            for suffix in split_suffixes(name):
                self._below.setdefault(suffix, set()).add(name)
        self._met: dict[str, frozenset[str]] = {}

    def met_by(self, hostname: str) -> frozenset[str]:
        """Return the listeners' hostnames that intersect a route's hostname (`intersects`)."""
        is_slotted = has_slot(hostname)
        plain = frozenset[str]() if is_slotted else self._plainly(hostname)
        if not (is_slotted or self._slotted):
            return plain
        label = _read_label(hostname)
        # Only hostnames that may have the same first label are compared; all would be slow on large
        # hubs.
        labels = {"", label} if label else self._by_label.keys()
        asked = sorted(name for each in labels for name in self._by_label.get(each, ()))
        return plain.union(
            name for name in asked if (is_slotted or has_slot(name)) and intersects(name, hostname)
        )

    @cached_property
    def _by_label(self) -> Mapping[str, list[str]]:
        return grouped((_read_label(name), name) for name in self._plain.union(self._slotted))

    def _plainly(self, hostname: str) -> frozenset[str]:
        if hostname not in self._met:
            # The listener that takes all, the name itself, and every wildcard over it.
            above = {"", hostname, *_wildcards(hostname)}
            below = self._below.get(hostname[1:], ()) if hostname.startswith("*.") else ()
            self._met[hostname] = self._plain.intersection({*above, *below})
        return self._met[hostname]
