"""Lists that are read in pieces mean what they mean as a whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from spokerender.formats.yamlio import reading
from spokerender.formats.yamlio.lists import read_lists

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.text(max_size=12),
    st.sampled_from(
        [
            "a\n- b: c\n",
            "\n  kind: x\n",
            "items:\n- a",
            "- x",
            "# no",
            "{",
            "'",
            "yes",
            "1",
            "2026-01-01T00:00:00Z",
        ]
    ),
)
KEYS = st.sampled_from(["a", "kind", "items", "-x", "on", "a: b", "# c", "metadata"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


def whole(text: str) -> list[tuple[int, Any]]:
    """Return the lines and values of items, read in the common way."""
    documents, problems = reading.read(text.encode(), "x.yaml")
    assert not problems
    (document,) = documents
    lines = reading.item_lines(document.text, "items")
    return list(zip((1 + line for line in lines), document.value["items"], strict=True))


@given(items=st.lists(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), max_size=4))
def test_a_list_in_pieces_is_the_list(items: list[Any]) -> None:
    data = {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}
    text = yaml.safe_dump(data, allow_unicode=True)
    documents, problems = read_lists(text.encode(), "x.yaml")
    common, errors = reading.read(text.encode(), "x.yaml")
    assert problems == errors
    if documents == common:
        return  # it was read as a whole
    read = [(each.line, each.value) for each in documents]
    assert json.dumps(read) == json.dumps(whole(text))


def test_objects_of_a_common_list_are_documents() -> None:
    text = "apiVersion: v1\nitems:\n- kind: A\n  spec:\n    a: 1\n- kind: B\nkind: List\n"
    documents, problems = read_lists(text.encode(), "x.yaml")
    assert problems == ()
    assert [(each.line, each.value) for each in documents] == [
        (3, {"kind": "A", "spec": {"a": 1}}),
        (6, {"kind": "B"}),
    ]


HEAD = "apiVersion: v1\nitems:\n"
ODD = [
    "- {a: 1}\n  b: 2\n",
    "- a: 1\n  a: 2\n",
    '- a: "x\n  b: y"\n',
    '- a: "x\n- b: y"\n',
    "- a: {x: 1,\n  b: 2}\n",
    "- a: &x 1\n  b: *x\n",
    "- a: 1\n b: 2\n",
    "- a: 1\n   b: 2\n",
    "-   a: 1\n  b: 2\n",
    "- a:\n  bar\n",
    "- a: |\n    x\n  - y\n",
    "- a\n  b: 1\n",
    "- a: 1\n# no\n- b: 2\n",
    "- - a: 1\n",
    "- ? a\n  : b\n",
    "- a: 1\n...\n- b: 2\n",
    "- a: 1\n---\n- b: 2\n",
    "  a: 1\n",
    '- a: |\n    uid: "x"\n  b: "y"\n',
    '- a: "1"\n  b:\n  - c: ""\n  - c: \'2026-01-01T00:00:00Z\'\n',
    '- uid: 01234567-0123-0123-0123-0123456789ab\n  b: {x: \ue0000\ue001}\n  c: "z"\n',
    '- ? a: "x"\n  : b\n- ? {a: "x"}\n  : c\n',
    "- a: |\n    uid: ''\n    x: ':'\n  b: ':'\n",
    '- a: 1 # b: "x"\n  c: "y"\n',
    '- a:\n  # b: "x"\n    c: "y"\n',
    "- a: 'b: \"x\"\n    c'\n",
    "- <<: {a: 1}\n  a: 2\n",
]


@pytest.mark.parametrize("body", ODD)
@pytest.mark.parametrize("tail", ["kind: List\n", 'kind: List\nx: "y\n', "kind: List\nitems: []\n"])
def test_a_text_that_is_cut_wrongly_is_read_as_a_whole(body: str, tail: str) -> None:
    data = (HEAD + body + tail).encode()
    documents, problems = read_lists(data, "x.yaml")
    common, errors = reading.read(data, "x.yaml")
    assert problems == errors
    if documents != common:
        assert not problems
        assert [each.value for each in documents] == common[0].value["items"]
