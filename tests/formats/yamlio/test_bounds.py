"""Hostile texts: work grows with the text, not with its square.

None of these asserts a time: each took minutes, so a relapse stops the run.
"""

import json
from typing import Any

from spokerender.formats import yamlio

LONG = 400_000


def read(text: str, path: str = "a.yaml") -> Any:
    documents, problems = yamlio.read(text.encode(), path)
    assert not problems
    return documents[0]


def test_spaces_in_a_comment() -> None:
    document = read(f"a: 1\n# x{' ' * LONG}x\nb: 2\n")
    made = yamlio.compose(document.text, document.value, {**document.value, "b": 3})
    assert made.text == f"a: 1\n# x{' ' * LONG}x\nb: 3\n"


def test_quotes_in_what_looks_like_json() -> None:
    documents, problems = yamlio.read(b'{"a": "' + b'\\"' * LONG, "a.json")
    assert not documents
    assert [problem.line for problem in problems] == [1]


def test_a_list_of_many_items_is_located_in_one_pass() -> None:
    text = "kind: List\nitems:\n" + "- a: 1\n  b: 2\n\n" * 60_000
    assert yamlio.item_lines(text, 60_000) == [2 + 3 * index for index in range(60_000)]


def test_items_are_where_locate_finds_them() -> None:
    text = "kind: List\nitems:\n\n  - a: 1\n  # of the second\n  - b: [1,\n      2]\n  - *x\n"
    text = text.replace("a: 1", "&x {a: 1}")
    lines = yamlio.item_lines(text, 3)
    assert lines == [yamlio.locate(text, ("items", index)) for index in range(3)] == [3, 5, 7]


def test_items_in_json_are_where_kubectl_writes_them() -> None:
    items = [{"spec": {"a": [{"b": 1}, {"c": 2}]}}, {"kind": "B"}]
    text = json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4)
    lines = yamlio.item_lines(text, 2)
    assert lines == [yamlio.locate(text, ("items", index)) for index in range(2)]


def test_a_dash_in_another_list_is_no_item() -> None:
    text = "kind: List\nother:\n- 1\nitems:\n  - a: 1\n  - b: 2\n"
    assert yamlio.item_lines(text, 2) == [4, 5]


def test_what_has_no_such_list_has_no_items() -> None:
    assert yamlio.item_lines("items: {a: 1}\n", 1) == []
    assert yamlio.item_lines("other: [1]\n", 1) == []
    assert yamlio.item_lines("items: [\n", 1) == []


def test_an_item_that_begins_with_a_comment_is_on_the_line_of_its_first_key() -> None:
    text = "kind: List\nitems:\n- # ours\n  a: 1\n- b: 2\n"
    assert yamlio.item_lines(text, 2) == [3, 4]
