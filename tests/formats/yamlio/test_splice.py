"""The hub's own text survives: text in, text out."""

from collections.abc import Callable
from copy import deepcopy
from textwrap import dedent
from typing import Any

from spokerender.formats.yamlio import compose, emit, read
from tests.support import cases, each, rows_of, text_of

ROUTE = text_of(__file__, "splice.yaml")


ANNOTATIONS = """\
  annotations:
    # why it is there
    shop/owner: 'team-a'
    # shop/old: gone

"""

INTERNAL = """\
  # the internal one
  - name: internal  # not for all
    port: 8080
    # deeper
"""

FILTERED = """\
    - name: last
      filters:
      - type: X
        "on":
        - 1
    - name: more
"""


def edit(before: str, change: Callable[[Any], object]) -> str:
    """What becomes of a text when its object is changed."""
    documents, problems = read(before.encode(), "hub/a.yaml")
    assert problems == ()
    old = documents[0].value
    new = deepcopy(old)
    change(new)
    text = compose(before, old, new).text
    assert [document.value for document in read(text.encode(), "")[0]] == [new]
    return text


def route(change: Callable[[Any], object], *replacements: tuple[str, str]) -> None:
    """Assert that a change to the route has just these effects on its text."""
    expected = ROUTE
    for old, new in replacements:
        assert expected.count(old) == 1
        expected = expected.replace(old, new)
    assert edit(ROUTE, change) == expected


def test_nothing_changes() -> None:
    route(lambda _: None)


def test_name_and_namespace() -> None:
    route(
        lambda it: it["metadata"].update(name="web-eu", namespace="on"),
        ('name: "web"  # quoted\n', 'name: web-eu  # quoted\n  namespace: "on"\n'),
    )


def test_an_annotation_is_added() -> None:
    route(
        lambda it: it["metadata"]["annotations"].update({"kuadrant.io/x": "true"}),
        ("'team-a'\n", "'team-a'\n    kuadrant.io/x: \"true\"\n"),
    )


def test_the_last_annotation_is_removed_with_its_mapping() -> None:
    route(lambda it: it["metadata"].pop("annotations"), (ANNOTATIONS, ""))


def test_annotations_where_there_were_none() -> None:
    text = "metadata:\n  name: a  # x\n\n# y\nspec: {}\n"
    expected = "metadata:\n  name: a  # x\n  annotations:\n    b: c\n\n# y\nspec: {}\n"
    assert edit(text, lambda it: it["metadata"].update(annotations={"b": "c"})) == expected


def test_a_mapping_becomes_empty_and_full_again() -> None:
    before = "a:\n  b: c  # d\n  # e\nf: {}  # g\n"
    assert edit(before, lambda it: it.update(a={}, f={"h": 1})) == "a: {}\nf:  # g\n  h: 1\n"


def test_the_first_key_of_an_item_goes_or_gets_a_neighbour() -> None:
    before = "a:\n- b: 1\n  # of c\n  c: 2\n- b: 3\n"
    assert edit(before, lambda it: it["a"][0].pop("b")) == "a:\n-\n  # of c\n  c: 2\n- b: 3\n"
    after = before.replace("- b: 3", "- new: 4\n  b: 3")
    assert edit(before, lambda it: it["a"].__setitem__(1, {"new": 4, "b": 3})) == after


def test_labels_in_flow_style() -> None:
    route(
        lambda it: it["metadata"]["labels"].update(app="web-eu", extra="a b"),
        ('{app: web, tier: "1"}', '{app: web-eu, tier: "1", extra: "a b"}'),
    )
    route(lambda it: it["metadata"]["labels"].pop("app"), ('{app: web, tier: "1"}', '{tier: "1"}'))
    route(lambda it: it["metadata"]["labels"].pop("tier"), ('{app: web, tier: "1"}', "{app: web}"))
    route(lambda it: it["metadata"]["labels"].clear(), ('{app: web, tier: "1"}', "{}"))


def test_what_a_cluster_owns_is_removed() -> None:
    def change(it: Any) -> None:
        del it["status"], it["metadata"]["uid"]

    route(change, ("  uid: 1f\n", ""), ("status:\n  parents: []\n  # of the status\n", ""))


def test_a_parent_in_block_style_is_removed() -> None:
    route(
        lambda it: it["spec"]["parentRefs"].pop(0),
        ("  # the public one\n  - name: public\n    namespace: gateways\n", ""),
    )
    route(lambda it: it["spec"]["parentRefs"].pop(1), (INTERNAL, ""))


def test_a_parent_in_flow_style_is_removed() -> None:
    route(
        lambda it: it["spec"]["parentRefs"].pop(), ("  - {name: third, sectionName: https}\n", "")
    )


def test_parents_are_renamed_and_one_is_removed() -> None:
    def change(it: Any) -> None:
        it["spec"]["parentRefs"] = [
            {"name": "public-eu", "namespace": "ingress"},
            {"name": "third", "namespace": "ingress", "sectionName": "https"},
        ]

    route(
        change,
        ("name: public\n    namespace: gateways\n", "name: public-eu\n    namespace: ingress\n"),
        (INTERNAL, ""),
        ("{name: third,", "{name: third, namespace: ingress,"),
    )


def test_a_parent_gets_a_namespace() -> None:
    route(
        lambda it: it["spec"]["parentRefs"][1].update(namespace="gateways"),
        ("# not for all\n", "# not for all\n    namespace: gateways\n"),
    )


def test_hostnames() -> None:
    route(
        lambda it: it["spec"].update(hostnames=["a.eu.example.com", "b.example.com", "*.c"]),
        ('[a.example.com, "b.example.com"]', '[a.eu.example.com, "b.example.com", "*.c"]'),
    )
    route(
        lambda it: it["spec"]["hostnames"].pop(0),
        ('[a.example.com, "b.example.com"]', '["b.example.com"]'),
    )


def test_deep_changes() -> None:
    def change(it: Any) -> None:
        rules = it["spec"]["rules"]
        rules[0]["matches"][0]["path"]["value"] = "/v2"
        rules[0]["script"] = "one line"
        rules[1]["filters"] = [{"type": "X", "on": [1]}]
        rules.append({"name": "more"})

    route(
        change,
        ("/api  # all", "/v2  # all"),
        ("script: |\n        if a:\n          b\n", 'script: "one line"\n'),
        ("    - name: last\n", FILTERED),
    )


def test_a_block_is_replaced_by_a_block() -> None:
    route(
        lambda it: it["spec"]["rules"][0].update(script="a\nb\n"),
        ("        if a:\n          b\n", "        a\n        b\n"),
    )


def test_a_value_of_another_shape() -> None:
    route(
        lambda it: it["spec"].update(hostnames={"a": [1]}),
        ('hostnames: [a.example.com, "b.example.com"]', "hostnames:\n    a:\n    - 1"),
    )


@cases(*rows_of(__file__, "only_what_readers_disagree_on_is_written_anew"))
def test_only_what_readers_disagree_on_is_written_anew(before: str, after: str) -> None:
    assert edit(before, lambda _: None) == after


def test_loose_comments_stay() -> None:
    before = dedent("""\
        a: 1

        # --- the second part ---

        # about b
        b: 2
        # about c
        c: 3
        """)
    after = "a: 1\n\n# --- the second part ---\n\n# about c\nc: 3\n"
    assert edit(before, lambda it: it.pop("b")) == after
    after = "# --- the second part ---\n\n# about b\nb: 2\n# about c\nc: 3\n"
    assert edit(before, lambda it: it.pop("a")) == after


def test_the_first_of_an_item_is_removed() -> None:
    before = "a:\n- b: 1\n  c: 2\n- - d\n  - e\n"
    after = "a:\n- c: 2\n- - e\n"

    def change(it: Any) -> None:
        del it["a"][0]["b"], it["a"][1][0]

    assert edit(before, change) == after


@each(
    "a: &x 1\nb: *x\n# c\n",
    "a: !!str 1\n# c\n",
    "? a\n: 1\n# c\n",
    "{a: 1}\n",
    '{"a": 1}\n',
    "a: 'b\u2028c'\n# d\n",
)
def test_other_texts_are_written_afresh(text: str) -> None:
    (document,), _ = read(text.encode(), "hub/a.yaml")
    new = {**document.value, "z": [1]}
    assert compose(text, document.value, new).text == emit(new)


def test_without_a_text_it_is_written_afresh() -> None:
    assert compose("", {"a": 1}, {"a": 2}).text == "a: 2\n"


def test_a_text_that_does_not_mean_the_old_is_not_trusted() -> None:
    assert compose("a: 1  # b\n", {"a": 2}, {"a": 2}).text == "a: 2\n"
    assert compose("a: 1  # b\n", {"a": 1}, {"a": True}).text == "a: true  # b\n"


UNSEEN = "\u202e\u2066\u200b\u200f\u00a0\u2800\u3164\U000e0041\ue000"


@each(*UNSEEN)
def test_what_nobody_sees_is_escaped_wherever_it_stands(unseen: str) -> None:
    before = dedent("""\
        # over X it
        a: "bXc"  # behind X it
        'dX': 'X'
        "eX": [ "X", fX, {gX: "h"}, {"i": X} ]  # X
        j: |
          kX
          l
        # X below
        m: >-
          Xn
          o
        p:
        - "X"
        # "X
        - q  # stays
        """).replace("X", unseen)
    escape = f"\\u{ord(unseen):04x}" if ord(unseen) < 0x10000 else f"\\U{ord(unseen):08x}"
    expected = dedent("""\
        # over X it
        a: "bXc"  # behind X it
        "dX": "X"
        "eX": [ "X", "fX", {"gX": "h"}, {"i": "X"} ]  # X
        j: "kX\\nl\\n"
        # X below
        m: "Xn o"
        p:
        - "X"
        # "X
        - q  # stays
        """).replace("X", escape)
    assert edit(before, lambda _: None) == expected


def test_an_emoji_is_seen_with_its_selector() -> None:
    before = "# \u26a0\ufe0f mind\na: \u26a0\ufe0f\nb: |\n  \u26a0\ufe0f\n  c\n"
    assert edit(before, lambda _: None) == before
    assert edit("# a\ufe0f\nb: '\u26a0\ufe0f\ufe0f'\n", lambda _: None) == (
        '# a\\ufe0f\nb: "\u26a0\ufe0f\\ufe0f"\n'
    )
