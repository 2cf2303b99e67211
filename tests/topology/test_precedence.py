"""Who comes first among policies on one target."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.findings.errors import InputError
from spokerender.model import Ref
from spokerender.topology.precedence import arrange, find_orders
from tests.support import cases, each
from tests.support.profiles import examples


def refs(*names: str) -> list[Ref]:
    """Policies by `namespace/name`."""
    return [Ref("example.com", "ColorPolicy", *name.split("/")) for name in names]


def shown(found: tuple[Ref, ...]) -> list[str]:
    return [f"{ref.namespace}/{ref.name}" for ref in found]


@cases(
    (["a/p-2", "a/p-10"], ["a/p-10", "a/p-2"]),
    (["a/z", "b/a"], ["a/z", "b/a"]),
    # As one text: "-" is before "/". NGINX Gateway Fabric compares namespaces first.
    (["foo/a", "foo-bar/a"], ["foo-bar/a", "foo/a"]),
    (["a/B", "a/a"], ["a/B", "a/a"]),
    ids=["no numbers", "namespace first", "one text", "bytes"],
)
def test_equals_by_the_alphabet(names: list[str], expected: list[str]) -> None:
    found = find_orders(refs(*names), {})
    assert shown(found.likely) == expected
    assert [shown(other) for other in found.others] == [expected[::-1]]
    assert not found.is_certain


def test_the_older_one_is_first_whatever_the_alphabet_says() -> None:
    young, old = refs("a/a", "a/b")
    found = find_orders([young, old], {young: 2, old: 1})
    assert found.likely == (old, young)
    assert found.is_certain


def test_age_zero_is_an_age() -> None:
    unknown, old = refs("a/a", "a/b")
    assert find_orders([unknown, old], {old: 0}).likely == (old, unknown)


def test_only_equals_may_change_places() -> None:
    first, left, right, last = refs("a/d", "a/b", "a/c", "a/a")
    found = find_orders([last, right, left, first], {first: 1, left: 2, right: 2})
    assert found.likely == (first, left, right, last)
    assert found.others == ((first, right, left, last),)


def test_one_and_none() -> None:
    (one,) = refs("a/a")
    assert find_orders([one, one], {}).likely == (one,)
    assert find_orders([], {}).likely == ()
    assert find_orders([], {}).is_certain


def test_of_a_few_equals_every_order_is_told() -> None:
    few = refs("a/a", "a/b", "a/c", "a/d", "a/e")
    found = find_orders(few, {})
    assert {found.likely, *found.others} == set(permutations(few))


@each(6, 7, 40)
def test_of_many_equals_each_is_first_once_and_last_once(count: int) -> None:
    many = refs(*(f"a/p{number:02}" for number in range(count)))
    found = find_orders(many, {})
    every = (found.likely, *found.others)
    assert found.likely == tuple(many)
    assert [order[0] for order in every] == many
    assert {order[-1] for order in every} == set(many)


def test_many_equals_of_two_ages_change_places_in_both() -> None:
    old, young = refs(*(f"a/p{n}" for n in range(5))), refs(*(f"a/q{n}" for n in range(5)))
    found = find_orders([*old, *young], dict.fromkeys(old, 1) | dict.fromkeys(young, 2))
    every = (found.likely, *found.others)
    assert {order[0] for order in every} == set(old)
    assert {order[-1] for order in every} == set(young)
    assert len(every) <= 1 + 2 * 120


def test_choices_vary_one_at_a_time_where_all_ways_are_too_many() -> None:
    assert list(arrange(["ab", "c", "de"])) == [
        ("a", "c", "d"),
        ("a", "c", "e"),
        ("b", "c", "d"),
        ("b", "c", "e"),
    ]
    wide = [range(11), range(11)]
    assert list(arrange(wide)) == [
        (0, 0),
        *((number, 0) for number in range(1, 11)),
        *((0, number) for number in range(1, 11)),
    ]
    assert list(arrange([])) == [()]


@settings(max_examples=examples(200, house=15))
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=6, unique=True),
    st.dictionaries(st.integers(0, 5), st.integers(0, 2)),
    st.randoms(),
)
def test_the_order_given_does_not_matter(
    names: list[tuple[str, str]], known: dict[int, int], chance: Random
) -> None:
    given_refs = [Ref("example.com", "ColorPolicy", *name) for name in names]
    ages = {ref: known[index] for index, ref in enumerate(given_refs) if index in known}
    shuffled = list(given_refs)
    chance.shuffle(shuffled)
    found = find_orders(given_refs, ages)
    assert found == find_orders(shuffled, ages)
    assert all(sorted(order) == sorted(given_refs) for order in (found.likely, *found.others))
    assert len({found.likely, *found.others}) == 1 + len(found.others)


def test_of_too_many_equals_the_first_is_known_and_their_orders_are_refused() -> None:
    many = refs(*(f"a/p{number:03}" for number in range(121)))
    found = find_orders(many, {})
    assert found.likely == found.firsts == tuple(many)
    assert not found.is_certain
    with pytest.raises(InputError) as error:
        assert found.others
    assert [result.code for result in error.value.results] == ["SR1018"]
    assert find_orders(many, {ref: age for age, ref in enumerate(many)}).others == ()
