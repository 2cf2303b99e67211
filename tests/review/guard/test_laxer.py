"""CRDs that take more than before, keyword by keyword."""

from collections.abc import Mapping
from typing import Any

import jsonschema_rs
from hypothesis import given, strategies as st

from spokerender.review.guard.controls import find_laxer
from tests.support import cyaml, each, text_of


def crd(schema: Mapping[str, Any], **versions: Mapping[str, Any]) -> dict[str, Any]:
    named = {"v1": schema, **versions}
    listed = [{"name": name, "schema": {"openAPIV3Schema": it}} for name, it in named.items()]
    return {"spec": {"versions": listed}}


def laxer(old: str, new: str) -> list[str]:
    """The fields that take more where `spec` had one schema and has another one."""
    sides = (
        crd({"type": "object", "properties": {"spec": cyaml.safe_load(it)}}) for it in (old, new)
    )
    return [*find_laxer(*sides)]


CASES = text_of(__file__, "laxer_cases.txt")
"""Each with a schema of `spec`, a laxer one, and the field and keyword; x- is x-kubernetes-."""


@each(*CASES.splitlines())
def test_a_keyword_that_gets_laxer_is_named_and_one_that_gets_stricter_is_not(case: str) -> None:
    strict, lax, place = case.replace("x-", "x-kubernetes-").split(" -> ")
    assert place in laxer(strict, lax)
    stricter = laxer(lax, strict)
    assert stricter == [] or "validations: [{rule: 'true'}]" in lax or "atomic" in lax


def test_what_only_describes_or_defaults_is_no_matter() -> None:
    assert laxer("{description: a, default: 1, title: x}", "{description: b}") == []
    assert laxer("{properties: {a: {type: string}}}", "{properties: {b: {}}}") == []
    rules = "{x-kubernetes-validations: [{rule: a, message: %s}]}"
    assert laxer(rules % "x", rules % "y") == []


def test_fields_are_named_in_one_order_whatever_the_hashes_of_their_names_are() -> None:
    strict, lax = ({name: {"type": kind} for name in "hgfedcba"} for kind in ("string", None))
    found = [*find_laxer(crd({"properties": strict}), crd({"properties": lax}))]
    assert found == [f"{name} (type)" for name in "abcdefgh"]


def test_a_version_that_is_new_is_held_against_the_first() -> None:
    strict, lax = {"required": ["spec"]}, {"x-kubernetes-preserve-unknown-fields": True}
    assert [*find_laxer(crd(strict), crd(strict, v2=strict))] == []
    assert [*find_laxer(crd(strict), crd(strict, v2=lax))] == [
        "the object (required)",
        "the object (preserve-unknown-fields)",
    ]
    assert [*find_laxer({}, crd(lax))] == [*find_laxer(crd(strict), {})] == []


SMALL = st.integers(0, 3)
LEAF = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["integer", "string", "array", "object"]),
        "minimum": SMALL,
        "maximum": SMALL,
        "minLength": SMALL,
        "maxLength": SMALL,
        "pattern": st.sampled_from(["a", "^b", "c$"]),
        "enum": st.lists(st.sampled_from([1, 2, "a", "b"]), min_size=1, unique=True),
        "minItems": SMALL,
        "maxItems": SMALL,
        "required": st.lists(st.sampled_from("ab"), unique=True),
        "minProperties": SMALL,
        "maxProperties": SMALL,
    },
)
VALUES = st.recursive(
    st.one_of(SMALL, st.text("abc", max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("ab"), inner)
    ),
    max_leaves=4,
)


@given(old=LEAF, new=LEAF, inner=st.tuples(LEAF, LEAF), value=VALUES)
def test_whatever_is_taken_and_was_not_is_in_a_field_that_got_laxer(
    old: dict[str, Any], new: dict[str, Any], inner: tuple[Any, Any], value: object
) -> None:
    """Law: a value that the later schema alone takes is behind some keyword that is named."""
    sides = [
        {**own, "properties": {"a": below}, "items": below}
        for own, below in zip((old, new), inner, strict=True)
    ]
    was, now = (jsonschema_rs.is_valid(schema, value) for schema in sides)
    if now and not was:
        assert [*find_laxer(crd(sides[0]), crd(sides[1]))]
    assert not [*find_laxer(crd(sides[0]), crd(sides[0]))]
