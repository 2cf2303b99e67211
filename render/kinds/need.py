"""What objects of a kind need besides what they attach to: a column of the kind's row."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Need:
    """One place where objects of a kind name something that the spoke must have besides.

    `path` is a pattern that leads to the mapping that names it under the key `name`, or, with
    `selects`, to a label selector. The other keys are empty where there is no such field.
    `labels` stand for a selector that a controller uses on its own account, at `path`, when
    nothing is set at any of `unless`. `elsewhere` says in which namespace it is looked for when
    that is not the object's own. `keys` are those of which its `data` has to have one, none where
    that is not known; with `or_single` a single key will do, whatever its name.
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
    or_single: bool = False
