"""Columns of a row: what a kind needs, what its controller demands, what advice is about."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Need(Struct, frozen=True):
    """One place where objects of a kind name something that the spoke must have besides.

    `path` is a pattern that leads to the mapping that names it under the key `name`, or, with
    `selects`, to a label selector. The other keys are empty where there is no such field.
    `labels` stand for a selector that a controller uses on its own account, at `path`, when
    nothing is set at any of `unless`. `elsewhere` says in which namespace it is looked for when
    that is not the object's own. `keys` are those of which its `data` has to have one, none where
    that is not known; with `or_single` a single key will do, whatever its name. `is_granted`
    is not set where no ReferenceGrant is asked for in another namespace.
    """

    path: str
    kind: str = "Secret"
    group: str = ""
    name: str = "name"
    group_key: str = ""
    kind_key: str = ""
    namespace_key: str = ""
    selects: bool = False
    labels: tuple[tuple[str, str], ...] = ()
    unless: tuple[str, ...] = ()
    elsewhere: str = ""
    stays: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    is_granted: bool = True
    or_single: bool = False


class Demand(Struct, frozen=True):
    """A demand of a controller on a field, besides those of the CRD; else it refuses the policy.

    `path` is a pattern (`kinds.fields`) from the root of the object, `rule` CEL about what
    is there (`self`), and `says` completes the sentence that begins with the field's name: what it
    has to be. `protocols` are those of the listeners on which it is asked, and `targets` the kinds
    of target that it is asked of; none: all. `fails` is set where requests are refused until it
    is mended, not set where nothing of the policy is carried out.
    """

    path: str
    rule: str
    says: str
    protocols: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    fails: bool = True


class Unseen(Struct, frozen=True):
    """A field of which only the controller can tell whether it takes it.

    `why` says on what it depends. It is told already where one of `unless` is set. With `rule`
    (CEL about what is there, `self`) it is so only where that is true, and with `targets` only of
    targets of these kinds.
    """

    path: str
    why: str
    unless: tuple[str, ...] = ()
    rule: str = ""
    targets: tuple[str, ...] = ()


class Records(Struct, frozen=True):
    """A kind that has DNS records made for the hostnames of the listeners that it covers.

    All are patterns (`kinds.fields`) from the root of the object. At `balancing` is what
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
    """The traits of a kind of policy that advice is given about.

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
