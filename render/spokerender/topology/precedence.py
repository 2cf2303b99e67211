"""Precedence among policies on one target: first the older one, then by name.

Files don't show which object is older: the API server sets creation times anew, and one apply
creates many objects within a second. So all possible orders are computed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, permutations, product
from math import prod
from types import MappingProxyType
from typing import Any, TypeVar

from msgspec import Struct

from spokerender.findings.codes.hub import TOO_MANY_EQUALS
from spokerender.findings.errors import InputError
from spokerender.kinds.fields import read_value
from spokerender.kinds.merging import Names, Order, Precedence, Rank
from spokerender.model.refs import Ref
from spokerender.model.slots import consult

Ages = Mapping[Ref, int]
"""Creation times of objects, smaller is earlier; objects that are absent here have equal ages."""
NO_AGES: Ages = MappingProxyType({})

_FEW = 5
"""Of more equal objects, not every order is tried: they are a mistake, whichever wins."""

_MOST_ORDERS = 120
"""The number of orders of five objects."""

_T = TypeVar("_T")


class Orders(Struct, frozen=True):
    """The possible orders of objects, the likely one first.

    `likely` breaks ties by `namespace/name` (GEP-713, conflict resolution). `others` are the orders
    that are possible if ages are equal; for many objects of one age, some of these orders.
    """

    likely: tuple[Ref, ...]
    groups: tuple[tuple[Ref, ...], ...] = ()
    """The objects in order, grouped by equal rank and age: within a group any order is possible."""

    @property
    def others(self) -> tuple[tuple[Ref, ...], ...]:
        """Return all possible orders except `likely`.

        Raises `InputError` if there are too many objects of one age to try them all.
        """
        others = arrange([list_orders(group) for group in self.groups])
        return tuple(tuple(chain.from_iterable(groups)) for groups in others)[1:]

    @property
    def firsts(self) -> tuple[Ref, ...]:
        """Return the objects that may be first, the likely one first."""
        return self.groups[0] if self.groups else self.likely[:1]

    @property
    def is_certain(self) -> bool:
        """Return whether `likely` is the only possible order."""
        return all(len(group) == 1 for group in self.groups)


Ranks = Mapping[Ref, float]
"""Numbers that take precedence over age, smaller is first; 0 if an object has none."""

_NO_RANKS: Ranks = MappingProxyType({})
_GEP_713 = Precedence()


def read_rank(data: Mapping[str, Any], rank: Rank | None) -> float:
    """Return an object's rank for sorting in ascending order; 0 if its kind has none (`rank`)."""
    if rank is None:
        return 0
    value = read_value(data, rank.path)
    # Annotations may have slots; the number is then checked for each spoke.
    number = consult(_number, value) if isinstance(value, str) else value
    if not isinstance(number, int | float):
        number = rank.absent
    # Sorting is always ascending.
    return -number if rank.highest_first else number


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def find_orders(
    refs: Iterable[Ref], ages: Ages, by: Precedence = _GEP_713, ranks: Ranks = _NO_RANKS
) -> Orders:
    """Return the possible orders of the objects by rank and age, under the rule `by`."""
    is_ordered = by.order is not Order.UNORDERED

    def place(ref: Ref) -> tuple[float, tuple[bool, int]]:
        # If age gives no order, all objects are equal, and names decide only the likely order.
        return ranks.get(ref, 0), read_age(ref, ages) if is_ordered else (False, 0)

    likely = sorted(set(refs), key=lambda ref: (place(ref), _name(ref, by.names), ref))
    # If names have slots, this order must be the same on each spoke that shares the result.
    consult(_ranking, *(_name(ref, by.names) for ref in likely))
    # Reversed as a whole, so that names break ties the other way round, too.
    if by.order is Order.YOUNGEST:
        likely.reverse()
    return Orders(tuple(likely), tuple([tuple(group) for _, group in groupby(likely, key=place)]))


def arrange(choices: Sequence[Sequence[_T]]) -> Iterator[tuple[_T, ...]]:
    """Yield the ways to choose one item from each of `choices`, beginning with the first items.

    If there are too many ways, only those that differ from the first in one item are yielded.
    """
    # Every combination, as far as there are few; the product grows exponentially.
    if prod(map(len, choices)) <= _MOST_ORDERS:
        yield from product(*choices)
        return
    likely = tuple(choice[0] for choice in choices)
    yield likely
    for place, choice in enumerate(choices):
        for other in islice(choice, 1, _MOST_ORDERS):
            yield (*likely[:place], other, *likely[place + 1 :])


def list_orders(refs: tuple[Ref, ...]) -> tuple[tuple[Ref, ...], ...]:
    """Return every order of a few items.

    Of many items, return orders in which each item is first once, and last once. Raises
    `InputError` if there are too many items to try.
    """
    if len(refs) <= _FEW:
        return tuple(permutations(refs))
    if len(refs) > _MOST_ORDERS:
        message = f"{len(refs):,} objects that may be of one age are for one thing"
        cure = "make fewer of them: what holds in which of their orders can't be told"
        raise InputError((TOO_MANY_EQUALS.result(message, cure=cure, resource=refs[0]),))
    # Rotations are few, and yet each item is the first once, and the last once.
    return tuple((*refs[place:], *refs[:place]) for place in range(len(refs)))


def read_age(ref: Ref, ages: Ages) -> tuple[bool, int]:
    """Return the age as a sort key: known ages first, then objects that are not created yet."""
    age = ages.get(ref)
    return age is None, age or 0


def _ranking(*names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the indices of `names`, sorted by name; `consult` records this order."""
    return tuple(sorted(range(len(names)), key=names.__getitem__))


def _name(ref: Ref, names: Names) -> tuple[str, ...]:
    """Return the texts that order objects of equal age; JOINED: `namespace/name` as one text."""
    if names is Names.JOINED:
        return (f"{ref.namespace}/{ref.name}",)
    return (ref.name,) if names is Names.NAME else (ref.namespace, ref.name)
