"""Who comes first among policies on one target: the older one, then by the alphabet.

Files don't know who is older: the API server sets creation times anew, and one apply makes
many objects within its second. So each order that may come about is an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice, permutations, product
from math import prod
from typing import TypeVar

from render.model import Ref

Ages = Mapping[Ref, int]
"""When objects were created, the smaller the earlier; those that are not in it are of one age."""

_FEW = 5
"""Of more equals on one target not every order is tried: it is a mistake, whoever wins."""

_MOST_ORDERS = 120
"""All orders of five equals."""

_T = TypeVar("_T")


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
    every = arrangements([_orders_of_equals(group) for group in groups])
    first, *others = (tuple(chain.from_iterable(each)) for each in every)
    return Orders(first, tuple(others))


def arrangements(choices: Sequence[Sequence[_T]]) -> Iterator[tuple[_T, ...]]:
    """Ways to choose one of each, at first the first ones; there is one of each at least.

    All ways, unless they are too many: then the first ones with one of them changed.
    """
    if prod(map(len, choices)) <= _MOST_ORDERS:
        yield from product(*choices)
        return
    likely = tuple(choice[0] for choice in choices)
    yield likely
    for place, choice in enumerate(choices):
        for other in islice(choice, 1, _MOST_ORDERS):
            yield (*likely[:place], other, *likely[place + 1 :])


def _orders_of_equals(refs: tuple[Ref, ...]) -> tuple[tuple[Ref, ...], ...]:
    """All orders of a few; of many those in which each comes first once, and last once."""
    if len(refs) <= _FEW:
        return tuple(permutations(refs))
    return tuple((*refs[place:], *refs[:place]) for place in range(len(refs)))


def _age(ref: Ref, ages: Ages) -> tuple[bool, int]:
    """Objects whose age is known are taken to be older than those that are yet to be made."""
    age = ages.get(ref)
    return age is None, age or 0


def _name(ref: Ref) -> str:
    """What is compared: one text, in which `-` is before `/` (GEP-713, and gwctl)."""
    return f"{ref.namespace}/{ref.name}"
