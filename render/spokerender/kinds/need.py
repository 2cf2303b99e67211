"""What objects of a kind need besides what they attach to: a column of the kind's row.

And constructors that keep such columns short.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace


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


def secret(path: str) -> Need:
    """A Secret of the object's own namespace, named at `path`.name."""
    return Need(path)


def local_object(path: str, kind: str = "", group: str = "") -> Need:
    """An object of the own namespace, named by group, kind and name."""
    return Need(path, kind, group, group_key="group", kind_key="kind")


def any_object(path: str, kind: str = "Secret", group: str = "") -> Need:
    """An object of any namespace, named by group, kind, namespace and name."""
    return Need(path, kind, group, group_key="group", kind_key="kind", namespace_key="namespace")


def with_key(need: Need, *keys: str, or_single: bool = False) -> Need:
    """The need, of something whose data has one of these keys, or perhaps just a single one."""
    return replace(need, keys=keys, or_single=or_single)
