"""How objects are read off bytes: cut apart, glanced at, parsed."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.formats import yamlio
from spokerender.kinds.table import all_rows
from spokerender.model import Ref
from spokerender.model.plan import HEADER
from spokerender.review.comparison.documents import ObjectReader, documents, glance
from tests.review.guard.trees import (
    AUTH_REF,
    CATALOGUE,
    GATEWAY,
    GATEWAY_REF,
    POLICY,
    ROUTE,
    one_file_tree,
    tree,
)
from tests.support import each, rows_of
from tests.support.profiles import examples

TABLE = tuple(all_rows().values())


def test_the_texts_are_the_same_in_both_layouts_and_with_other_line_ends() -> None:
    objects = (GATEWAY, POLICY, ROUTE)
    texts = sorted(documents(tree(*objects)))
    assert texts == sorted(text.lstrip().encode() for text in objects)
    assert sorted(documents(one_file_tree(*objects))) == texts
    crlf = {path: data.replace(b"\n", b"\r\n") for path, data in tree(*objects).items()}
    assert sorted(documents(crlf)) == texts


def test_only_objects_of_ours_are_taken() -> None:
    assert documents({"kustomization.yaml": HEADER, "a.yaml": b"kind: X\n", "b.yaml": HEADER}) == []
    assert documents({"a.yaml": HEADER + b"---\nkind: X\n--- # next\n\n---\nkind: Y"}) == [
        b"kind: X\n",
        b"kind: Y",
    ]


BLOCK = rows_of(__file__, "block")


@each(*rows_of(__file__, "what_is_plain_is_known_at_a_glance"))
def test_what_is_plain_is_known_at_a_glance(text: str) -> None:
    assert glance(text.encode()) == AUTH_REF


@each(*rows_of(__file__, "what_is_not_is_parsed"))
def test_what_is_not_is_parsed(text: str) -> None:
    assert glance(text.encode()) is None
    assert ObjectReader(CATALOGUE).ref(text.encode()) == AUTH_REF


@each(*rows_of(__file__, "what_is_no_object_has_no_name"))
def test_what_is_no_object_has_no_name(text: str) -> None:
    assert ObjectReader(CATALOGUE).ref(text.encode()) is None


def test_equal_names_are_one_object() -> None:
    reader = ObjectReader(CATALOGUE)
    assert reader.ref(BLOCK.encode()) is reader.ref(POLICY.encode())


def test_what_is_parsed() -> None:
    reader = ObjectReader(CATALOGUE)
    policy = reader.parse(POLICY.encode())
    assert policy is not None
    assert [link.ref for link in policy.node.attachments] == [GATEWAY_REF]
    assert reader.parse(POLICY.encode()) is policy
    gateway = reader.parse(GATEWAY.encode())
    assert gateway is not None
    assert gateway.node.sections == ("http", "https")


words = st.from_regex(r"[a-z0-9]([a-z0-9.-]{0,5}[a-z0-9])?", fullmatch=True)
strings = words | st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cn", "Co", "Cs"]), max_size=9
)
mappings = st.dictionaries(st.sampled_from(["name", "namespace", "kind", "x"]), strings)
objects = st.fixed_dictionaries(
    {
        "apiVersion": st.sampled_from(["v1", "kuadrant.io/v1"]),
        "kind": st.sampled_from(["AuthPolicy", "Gateway", "Y"]),
        "metadata": st.fixed_dictionaries(
            {"name": words},
            optional={"namespace": words, "labels": mappings, "annotations": mappings},
        ),
    },
    optional={"spec": mappings, "metadata2": mappings},
)


@pytest.mark.property
@settings(max_examples=examples(500, house=20))
@given(data=objects, order=st.randoms(use_true_random=False))
def test_a_glance_is_never_wrong(data: dict[str, Any], order: Any) -> None:
    keys = list(data)
    order.shuffle(keys)
    text = yamlio.emit({key: data[key] for key in keys}).encode()
    parsed = ObjectReader(CATALOGUE).parse(text)
    assert parsed is not None
    assert glance(text) in (None, parsed.ref)


def test_a_glance_tells_what_is_emitted() -> None:
    text = yamlio.emit({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a-1"}})
    assert glance(text.encode()) == Ref("", "Service", "", "a-1")


def test_nothing_that_a_security_policy_names_is_outside_its_spec() -> None:
    rules = [rule for kind in TABLE if kind.security for rule in kind.references]
    assert [rule.path for rule in rules if not rule.path.startswith("spec.")] == []
