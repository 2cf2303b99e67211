"""What holds for whatever hub there is."""

import random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from spokerender.judging.attachment.statuses import Attachment, Truth
from spokerender.kinds.catalogue import Catalogue
from spokerender.topology.graph import Topology
from spokerender.topology.reading import read_node
from tests.judging.attachment.policies import ref_of, subjects_of
from tests.property.hubs import hubs
from tests.property.laws import law
from tests.support.attaching import attach

pytestmark = pytest.mark.property
CATALOGUE = Catalogue.of([])


def attached(objects: list[Any], ages: list[int]) -> tuple[Attachment, ...]:
    unique = {ref_of(item): item for item in objects}
    named = sorted(unique)
    return attach(
        Topology(read_node(ref, item, CATALOGUE) for ref, item in unique.items()),
        subjects_of(list(unique.values()), CATALOGUE),
        ages=dict(zip(named, ages, strict=False)),
        objects=unique,
    )


AGES = st.lists(st.integers(0, 2), max_size=12)


@law
@given(hubs(), AGES, st.randoms(use_true_random=False))
def test_order_does_not_matter(objects: list[Any], ages: list[int], chance: random.Random) -> None:
    objects = list({ref_of(item): item for item in objects}.values())
    shuffled = chance.sample(objects, len(objects))
    assert attached(shuffled, ages) == attached(objects, ages)


@law
@given(hubs(), AGES)
def test_every_policy_has_one_verdict(objects: list[Any], ages: list[int]) -> None:
    found = attached(objects, ages)
    policies = {subject.ref for subject in subjects_of(objects, CATALOGUE)}
    assert [item.policy for item in found] == sorted(policies)
    for item in found:
        assert item.accepted.type == "Accepted"
        assert item.accepted.message
        assert item.is_accepted or not item.targets
        assert (item.accepted.status is Truth.FALSE) is not item.is_accepted
        for contention in item.contentions:
            assert item.policy in contention.orders.likely
            lost = item.policy not in contention.holding
            assert not (lost and contention.target in item.targets)


@law
@given(hubs(), AGES)
def test_a_contention_has_someone_who_holds(objects: list[Any], ages: list[int]) -> None:
    found = {item.policy: item for item in attached(objects, ages)}
    for item in found.values():
        for contention in item.contentions:
            assert contention.holding
            assert all(contention.target in found[ref].targets for ref in contention.holding)
