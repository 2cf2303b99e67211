"""Laws of validation, on any JSON."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.judging.validation.objects import completed_object, crd, faults, schemas, thing
from tests.support import text_of
from tests.support.profiles import examples

SCHEMA = text_of(__file__, "laws.yaml")
KNOWN = schemas(crd(SCHEMA))
KEYS = st.sampled_from(["name", "count", "namespace", "items", "others", "port", "a"]) | st.text(
    max_size=3
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)  # fmt: skip
pytestmark = pytest.mark.property


@settings(max_examples=examples(200, house=12))
@given(JSON, JSON)
def test_no_json_makes_it_raise(spec: Any, metadata: Any) -> None:
    faults({**thing(), "spec": spec, "metadata": metadata}, KNOWN)


@settings(max_examples=examples(200, house=12))
@given(JSON)
def test_completing_twice_is_completing_once(spec: Any) -> None:
    once = completed_object({**thing(), "spec": spec}, KNOWN)
    assert completed_object(once, KNOWN) == once


@settings(max_examples=examples(200, house=12))
@given(JSON)
def test_a_valid_object_stays_valid_when_it_is_complete(spec: Any) -> None:
    value = {**thing(), "spec": spec}
    if not faults(value, KNOWN):
        assert faults(completed_object(value, KNOWN), KNOWN) == ()


@settings(max_examples=examples(200, house=12))
@given(JSON)
def test_validating_again_says_the_same(spec: Any) -> None:
    """What is remembered of one object must not colour the next."""
    value = {**thing(), "spec": spec}
    assert faults(value, KNOWN) == faults(value, KNOWN)
