"""Documents and where they are: text in, documents out."""

from typing import Any

import pytest
import yaml
from hypothesis import given, strategies as st

from spokerender.formats.yamlio import Document, emit, locate, nodes, read, simple
from spokerender.formats.yamlio.construct import construct
from spokerender.formats.yamlio.simple import construct_simple
from tests.support import cases, each, rows_of, text_of

TWO = rows_of(__file__, "two")


def values(text: str, path: str = "hub/a.yaml") -> list[Any]:
    """What is read where nothing is wrong."""
    documents, problems = read(text.encode(), path)
    assert problems == ()
    return [document.value for document in documents]


def spliceable(text: str) -> bool:
    (document,), _ = read(text.encode(), "hub/a.yaml")
    return document.spliceable


def test_documents_know_their_place() -> None:
    documents, problems = read(TWO.encode(), "hub/a.yaml")
    assert problems == ()
    assert documents == (
        Document(0, 4, "# of the first\nkind: A\n\n# behind\n", 3, {"kind": "A"}, spliceable=True),
        Document(1, 8, "kind: B\n", 8, {"kind": "B"}, spliceable=True),
        Document(2, 14, "kind: C\n", 14, {"kind": "C"}, spliceable=True),
    )


@each("", "\n", "# only a remark", "---\n---\n", "\ufeff", "...\n")
def test_nothing_is_no_document(text: str) -> None:
    assert read(text.encode(), "hub/a.yaml") == ((), ())


def test_line_ends_become_lf() -> None:
    for end in ("\r\n", "\r", "\n"):
        documents, _ = read(end.join(["a: |", "  b", "  c", "---", "d: e"]).encode(), "hub/a.yaml")
        assert [document.text for document in documents] == ["a: |\n  b\n  c\n", "d: e\n"]
        assert [document.value for document in documents] == [{"a": "b\nc\n"}, {"d": "e"}]


def test_byte_order_marks_go() -> None:
    assert values("\ufeffa: 1\n---\n\ufeffb: 2\n") == [{"a": 1}, {"b": 2}]


def test_the_last_line_end_is_added_as_kubectl_does() -> None:
    assert values("a: |\n  b") == [{"a": "b\n"}]


def test_separators_inside_a_block_are_text() -> None:
    assert values("a: |\n  ---\n  b\nc: '\n  ---'\n") == [{"a": "---\nb\n", "c": " ---"}]


def test_a_document_may_be_no_object() -> None:
    assert values("~\n---\ntext\n---\n- 1\n") == [None, "text", [1]]


def test_keys_become_strings() -> None:
    text = "on: a\n1: b\n1.50: c\n'2': d\n2001-01-01: e\n? f\n: g\n"
    assert values(text) == [
        {"true": "a", "1": "b", "1.5": "c", "2": "d", "2001-01-01": "e", "f": "g"}
    ]


@cases(*rows_of(__file__, "aliases_and_tags_are_resolved"))
def test_aliases_and_tags_are_resolved(text: str, value: object) -> None:
    assert values(text) == [value]


@cases(*rows_of(__file__, "merge_keys_are_expanded_as_kubectl_does"))
def test_merge_keys_are_expanded_as_kubectl_does(text: str, value: object) -> None:
    assert values(text) == [value]


@cases(*rows_of(__file__, "json_is_read_as_json"))
def test_json_is_read_as_json(text: str, expected: object) -> None:
    assert values(text, "hub/a.json") == expected


def test_flow_style_is_no_json() -> None:
    assert values("{a: 1, b: yes}\n") == [{"a": 1, "b": True}]


def test_documents_in_a_json_stream_know_their_line() -> None:
    documents, _ = read(b'{"a": 1}\n\n{"b": 2}\n', "hub/a.json")
    assert [(document.index, document.line) for document in documents] == [(0, 1), (1, 3)]


def test_what_is_spliceable() -> None:
    assert spliceable("a: {b: [1]}\n# c\n")
    assert not spliceable('{"a": 1}')
    assert not spliceable("{a: 1}\n")
    assert not spliceable("a: &x 1\n")
    assert not spliceable("a: !!str 1\n")
    assert not spliceable("<<: {a: 1}\n")
    assert not spliceable("just text\n")


def test_a_bad_document_leaves_the_others() -> None:
    documents, problems = read(b"a: [\n---\nb: 1\n---\nc: 1\nc: 2\n---\nd: 1\n", "hub/a.yaml")
    assert [(document.index, document.value) for document in documents] == [
        (1, {"b": 1}),
        (3, {"d": 1}),
    ]
    assert [problem.line for problem in problems] == [2, 6]


LOCATED = text_of(__file__, "reading_located.yaml")


@cases(*rows_of(__file__, "places_are_found"))
def test_places_are_found(path: list[str | int], line: int) -> None:
    assert locate(LOCATED, tuple(path)) == line


@each("", "a: [", '{"a": "\\ud83d\\ude00"}')
def test_where_nothing_is_found_it_is_the_first_line(text: str) -> None:
    assert locate(text, ("a", "b")) == 0


def test_without_libyaml_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read(TWO.encode(), "hub/a.yaml")
    monkeypatch.setattr(simple, "_Loader", yaml.SafeLoader)
    assert read(TWO.encode(), "hub/a.yaml") == expected


@cases(*rows_of(__file__, "a_plain_scalar_may_end_with_colons_in_a_flow_collection"))
def test_a_plain_scalar_may_end_with_colons_in_a_flow_collection(text: str, expected: Any) -> None:
    """As kubectl 1.32 reads them; None where it refuses."""
    documents, problems = read(text.encode(), "hub/a.yaml")
    assert [document.value for document in documents] == (
        [{"a": expected}] if expected is not None else []
    )
    assert bool(problems) == (expected is None)
    assert not any(document.spliceable for document in documents)


@each("a: x\ufeffy\n", 'a: "x\ufeffy"\n', "a: |-\n  x\ufeffy\n")
def test_a_byte_order_mark_is_a_character_inside_a_string(text: str) -> None:
    """As kubectl 1.32 reads it; what is written has it escaped, as kustomize writes it."""
    assert values(text) == [{"a": "x\ufeffy"}]
    assert emit({"a": "x\ufeffy"}) == 'a: "x\\ufeffy"\n'


SIMPLE_OR_NOT = [
    "a: 1\nb: [x, {y: 0x10}]\n",
    'a: \'q\'\n"b": "\\u0041 / c"\n',
    "- a\n- [b]\n",
    "plain\n",
    "a: &x 1\n",
    "a: *x\n",
    "a: !!str 1\n",
    "<<: {a: 1}\n",
    "a: 1\na: 2\n",
    "1: a\n~: b\n",
    "? [a]\n: b\n",
    "? {a: 1}\n",
    "a: .inf\n",
    'a: "\\/"\n',
    'a: "\\u0085"\n',
    "a: \x7f\n",
    "a: 1\n--- b\n",
    "a: [\n",
    "",
    "[" * 100 + "]" * 100,
    "[" * 101 + "]" * 101,
]


@each(*SIMPLE_OR_NOT)
def test_a_simple_text_has_the_data_of_its_node_tree(text: str) -> None:
    document = construct_simple(text)
    if document is None:
        return
    tree = nodes.parse(text)
    assert tree is not None
    value, problems, merges = construct(text, tree.root)
    assert not problems
    assert not tree.entangled
    assert not merges
    assert repr(document.value) == repr(value)
    assert document.start == tree.root.start.index


def test_most_texts_are_simple() -> None:
    are_simple = [construct_simple(text) is not None for text in SIMPLE_OR_NOT]
    assert are_simple == [True] * 4 + [False] * 15 + [True, False]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(DATA)
def test_whatever_is_written_reads_alike_in_both_ways(value: object) -> None:
    text = emit(value)
    document, tree = construct_simple(text), nodes.parse(text)
    if document is not None and tree is not None:
        assert document.value == construct(text, tree.root)[0]
