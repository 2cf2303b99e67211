"""A text that a YAML 1.2 reader reads otherwise is not edited."""

import pytest

from spokerender.formats.yamlio.editing import (
    UneditableError,
    edit_in_place,
    find_disagreement,
)
from spokerender.formats.yamlio.nodes import parse_once
from tests.support import each

AGREED = (
    "a: b\n",
    "a:\nb: # nothing\n",
    "a: &x [1, {b: c}]\nd: *x\n<<: {e: f}\n",
    "a: |\n  text\n\nb: >-\n  folded\n  text\nc: 'it''s'\n",
    '- - a\n  - b\n- c: d\n  e: "\\u00e9"\n',
    '{"a": [1, 2.5, null], "b": {}}\n',
)
OTHERWISE = ("a: b\nc: d\u2028e: f\n", "a: b\nc: d\u2029e: f\n")


@each(*AGREED)
def test_both_readers_see_the_same(text: str) -> None:
    tree = parse_once(text)
    assert tree is not None
    assert find_disagreement(text, tree.root) is None


@each(*OTHERWISE, ids=ascii)
def test_a_line_end_of_yaml_1_1_alone_is_named(text: str) -> None:
    tree = parse_once(text)
    assert tree is not None
    assert find_disagreement(text, tree.root) == 1
    with pytest.raises(UneditableError, match=r"YAML 1\.2 reads it otherwise") as raised:
        edit_in_place(text.encode(), 0, {"a": "new", "c": "d"})
    assert raised.value.line == 2
