"""What advice there is about a kind: what its controller does that files don't show."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Records(Struct, frozen=True):
    """A kind that has DNS records made for the hostnames of the listeners that it covers.

    All are patterns (`spokerender.kinds.paths`) from the root of the object. At `balancing` is what
    turns a plain record into a load-balanced one; `geo`, `weight` and `default` (of the geos) are
    parts of it. At `delegate` is a boolean: whether another cluster publishes the record. A
    provider takes the `continents` with `prefix` only, and `countries` are those of their codes
    that without it are the code of a country.
    """

    balancing: str
    geo: str
    weight: str
    default: str
    delegate: str
    continents: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    prefix: str = ""


class Counters(Struct, frozen=True):
    """A kind whose rules at `limits.*` count in a store that clusters may share.

    A counter's identifier is `prefix`, the limit's name and a hash of `namespace/name/limit`.
    """

    prefix: str
    limits: str


Condition = tuple[str, tuple[Any, ...]]
"""A place in the spec proper (a pattern), and values of which one is there.

None among them stands for a field that is not set, NOTHING for a mapping with nothing in it; no
values: the field is there at all.
"""
NOTHING = ("an empty mapping",)


class Guarding(Struct, frozen=True):
    """A field of the spec proper (a pattern) that keeps somebody out.

    Not where all the conditions of one of `unless` are true: then it lets everybody in.
    """

    field: str
    unless: tuple[tuple[Condition, ...], ...] = ()


class Traits(Struct, frozen=True):
    """What is worth a word where policies of a kind are used so.

    `unheard` are fields of `spec` that are accepted beside `defaults` or `overrides` and have no
    effect there. `needs_routes` is set where a policy does nothing on a gateway without routes.
    `guards` is set where it decides who may call: a route without any such policy is open to all.
    `guarding` are what of a security kind guards, none where any rule does: a policy may be about
    other things as well.
    `narrowing` are rules (patterns) of which each one has to be met: beside others they shut people
    out. `certificates` is set where it has a certificate made for each listener that it covers.
    """

    unheard: tuple[str, ...] = ()
    needs_routes: bool = False
    guards: bool = False
    guarding: tuple[Guarding, ...] = ()
    narrowing: tuple[str, ...] = ()
    certificates: bool = False
    records: Records | None = None
    counters: Counters | None = None


NO_TRAITS = Traits()
"""A kind that no advice is given about."""
