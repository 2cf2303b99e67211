"""Who comes first among policies on one target: the older one, then by the alphabet.

Files don't know who is older: the API server sets creation times anew, and one apply makes
many objects within its second. So each order that may come about is an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby, islice, permutations, product

from render.model import Ref

Ages = Mapping[Ref, int]
"""When objects were created, the smaller the earlier; those that are not in it are of one age."""

_MOST_ORDERS = 120
"""All orders of five equals: more of them on one target is a mistake, whoever wins."""


@dataclass(frozen=True, slots=True)
class Orders:
    """In which orders objects may come to stand, the established one first.

    `likely` breaks ties by `namespace/name` (GEP-713, conflict resolution); `others` are what
    else may come about where ages are equal. Of many equals not every order is among them.
    """

    likely: tuple[Ref, ...]
    others: tuple[tuple[Ref, ...], ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether there is no other order."""
        return not self.others


def orders(refs: Iterable[Ref], ages: Ages) -> Orders:
    """The orders in which the objects may come to stand."""
    likely = sorted(set(refs), key=lambda ref: (_age(ref, ages), _name(ref), ref))
    groups = [tuple(group) for _, group in groupby(likely, key=lambda ref: _age(ref, ages))]
    every = product(*(permutations(group) for group in groups))
    found = (tuple(ref for group in each for ref in group) for each in every)
    first, *others = islice(found, _MOST_ORDERS)
    return Orders(first, tuple(others))


def _age(ref: Ref, ages: Ages) -> tuple[bool, int]:
    """Objects whose age is known are taken to be older than those that are yet to be made."""
    age = ages.get(ref)
    return age is None, age or 0


def _name(ref: Ref) -> str:
    """What is compared: one text, in which `-` is before `/` (GEP-713, and gwctl)."""
    return f"{ref.namespace}/{ref.name}"
