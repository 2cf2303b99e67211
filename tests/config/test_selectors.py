"""Label selectors match as Kubernetes' do."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import ValidationError

from spokerender.config.selectors import LabelSelector, SpokeSelection
from tests.support import cases, each, rows_of
from tests.support.profiles import examples

EU_PROD = {"region": "eu", "tier": "prod"}


def selector(**fields: Any) -> LabelSelector:
    return LabelSelector.model_validate(fields)


def expression(key: str, operator: str, *values: str) -> LabelSelector:
    entry: dict[str, Any] = {"key": key, "operator": operator, "values": list(values)}
    return selector(matchExpressions=[entry])


@cases(
    (selector(matchLabels={"region": "eu"}), True),
    (selector(matchLabels={"region": "eu", "tier": "dev"}), False),
    (selector(matchLabels={"zone": "a"}), False),
    (selector(matchLabels={"zone": ""}), False),
    (expression("region", "In", "us", "eu"), True),
    (expression("region", "In", "us"), False),
    (expression("zone", "In", "a"), False),
    (expression("region", "NotIn", "us"), True),
    (expression("region", "NotIn", "us", "eu"), False),
    (expression("zone", "NotIn", "a"), True),
    (expression("region", "Exists"), True),
    (expression("zone", "Exists"), False),
    (expression("region", "DoesNotExist"), False),
    (expression("zone", "DoesNotExist"), True),
    ids=str,
)
def test_a_selector_matches_as_apimachinery_does(chosen: LabelSelector, matches: bool) -> None:
    assert chosen.value.matches(EU_PROD) is matches


def test_labels_and_expressions_must_all_hold() -> None:
    both = selector(
        matchLabels={"region": "eu"},
        matchExpressions=[
            {"key": "tier", "operator": "NotIn", "values": ["dev"]},
            {"key": "zone", "operator": "DoesNotExist"},
        ],
    )
    assert both.value.matches(EU_PROD)
    assert not both.value.matches({**EU_PROD, "zone": "a"})
    assert not both.value.matches({**EU_PROD, "tier": "dev"})


LABELS = st.dictionaries(st.sampled_from("abc"), st.sampled_from("xyz"))


@pytest.mark.property
@settings(max_examples=examples(100, house=20), deadline=None)
@given(
    labels=LABELS,
    key=st.sampled_from("abc"),
    values=st.lists(st.sampled_from("xyz"), min_size=1, max_size=2),
)
def test_the_operators_are_each_others_complement(
    labels: dict[str, str], key: str, values: list[str]
) -> None:
    among, outside = expression(key, "In", *values), expression(key, "NotIn", *values)
    assert among.value.matches(labels) is not outside.value.matches(labels)
    there, absent = expression(key, "Exists"), expression(key, "DoesNotExist")
    assert there.value.matches(labels) is not absent.value.matches(labels)


@each(*rows_of(__file__, "what_kubernetes_refuses_is_refused"), ids=str)
def test_what_kubernetes_refuses_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        selector(**fields)


@each("a", "A.b_c-d", "example.com/a", "a" * 63, "x.y-z/" + "a" * 63)
def test_what_kubernetes_takes_as_a_key_is_taken(label: str) -> None:
    assert selector(matchLabels={label: ""}).value.matches({label: ""})


@each(
    {},
    {"names": []},
    {"selector": {}},
    {"selector": {"matchLabels": {}, "matchExpressions": []}},
    {"all": False},
    {"all": 1},
    {"names": ["a"], "all": True},
    {"names": ["A"]},
    ids=str,
)
def test_a_selection_of_spokes_says_exactly_one_thing(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SpokeSelection.model_validate(fields)
