"""Lists that are read in pieces mean what they mean as a whole."""

import json
from typing import Any

from hypothesis import given, strategies as st

from spokerender.formats.yamlio import reading
from spokerender.formats.yamlio.lists import ListReader
from spokerender.model.slots import holds_slots, text_slot
from tests.support import cyaml, each

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
            "01234567-0123-0123-0123-0123456789ab",
            "08",
            "1:30",
            "\ue000",
            "\uf8ff",
            "a.example-1.com",
            "x-a.example-1.com: 5",
            "a: 5\n",
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
    lines = reading.item_lines(document.text)
    return list(zip((1 + line for line in lines), document.value["items"], strict=True))


def write(items: list[Any], form: str) -> str:
    """Write a List as kubectl does."""
    data = {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}
    if form == "json":
        return json.dumps(data, indent=4, ensure_ascii=False) + "\n"
    return cyaml.safe_dump(data, allow_unicode=True)


ITEMS = st.lists(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), max_size=4)
FORMS = st.sampled_from(["yaml", "json"])


@given(items=ITEMS, form=FORMS)
def test_a_list_in_pieces_is_the_list(items: list[Any], form: str) -> None:
    text = write(items, form)
    documents, problems = ListReader().read_documents(text.encode(), "x.yaml")
    common, errors = reading.read(text.encode(), "x.yaml")
    assert problems == errors
    if documents == common:
        return  # it was read as a whole
    read = [(each.line, each.value) for each in documents]
    assert json.dumps(read) == json.dumps(whole(text))


def test_objects_of_a_common_list_are_documents() -> None:
    text = "apiVersion: v1\nitems:\n- kind: A\n  spec:\n    a: 1\n- kind: B\nkind: List\n"
    documents, problems = ListReader().read_documents(text.encode(), "x.yaml")
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


@each(*ODD)
@each("kind: List\n", 'kind: List\nx: "y\n', "kind: List\nitems: []\n")
def test_a_text_that_is_cut_wrongly_is_read_as_a_whole(tail: str, body: str) -> None:
    data = (HEAD + body + tail).encode()
    documents, problems = ListReader().read_documents(data, "x.yaml")
    common, errors = reading.read(data, "x.yaml")
    assert problems == errors
    if documents != common:
        assert not problems
        assert [each.value for each in documents] == common[0].value["items"]


@given(items=ITEMS, form=FORMS, own=st.sampled_from(["example-1", "example-1.com", "x-a", "ex.co"]))
def test_own_texts_are_slots_that_fill_to_the_list(items: list[Any], form: str, own: str) -> None:
    text = write(items, form)
    lists = ListReader()
    slots = lists.select_own({text_slot(0): own, text_slot(1): "true", text_slot(2): 5})
    assert slots == {text_slot(0): own}
    read = lists.read(text.encode(), slots)
    if read is not None:
        filled = [template.fill(texts, slots) for template, texts in read]
        assert json.dumps(filled) == json.dumps([value for _, value in whole(text)])


def spoke(number: int) -> dict[str, Any]:
    return {
        "kind": "A",
        "metadata": {
            "creationTimestamp": f"2026-01-{number:02}T00:00:00Z",
            "generation": number,
            "uid": f"{number:08}-0123-0123-0123-0123456789ab",
        },
        "spec": {"host": f"a.eu-west-{number}.example.com", "labels": [f"eu-west-{number}", "1"]},
        "text": "port: 8080\nweight: 5\n",
    }


@each("yaml", "json")
def test_items_that_are_alike_have_one_template(form: str) -> None:
    lists = ListReader()
    templates = set()
    for number in range(10, 20):
        own = lists.select_own({text_slot(0): f"eu-west-{number}"})
        read = lists.read(write([spoke(number)], form).encode(), own)
        assert read is not None
        ((template, texts),) = read
        templates.add(template)
        assert template.paths
        assert holds_slots(template.fill(texts))
        assert template.fill(texts, own) == spoke(number)
    assert len(templates) == 1
    names = [path[-1] for path in template.paths]
    assert set(names) == {"creationTimestamp", "generation", "uid"}


@each("1-2", "true", "on", "abc-def", "0x1f", "a b-g", "g", "é-g", "g-")
def test_a_text_that_may_be_something_else_is_no_slot(text: str) -> None:
    assert ListReader().select_own({text_slot(0): text}) == {}


@each("yaml", "json")
@each("\ue000", "\x01", "\uf8ff", "\\ue000", "\ud800\ud802\ud801")
def test_no_text_is_taken_for_a_slot(forged: str, form: str) -> None:
    lists = ListReader()
    own = lists.select_own({text_slot(0): "eu-west-1"})
    for ascii_only in (False, True):
        place = "PLACE" if form == "yaml" else '"PLACE"'
        quoted = json.dumps(forged, ensure_ascii=ascii_only)
        text = write([{"b": "PLACE"}], form).replace(place, quoted)
        for template, texts in lists.read(text.encode(errors="surrogatepass"), own) or ():
            assert template.fill(texts) == {"b": forged}
            assert not holds_slots(forged)
