"""Expressions in values, and templates of files."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.formats import yamlio
from spokerender.formats.templating.template import compile_template, is_template, render_file
from spokerender.formats.templating.values import TemplateProblem
from tests.support import cases, each, rows_of
from tests.support.profiles import examples

CONTEXT: dict[str, Any] = rows_of(__file__, "context")


def value(text: str) -> Any:
    return compile_template(text).evaluate(CONTEXT)


def problem(text: str) -> str:
    with pytest.raises(TemplateProblem) as raised:
        value(text)
    return str(raised.value)


@each("{{ a }}", "x {{ a }} y", "{% if a %}", "{# a #}", "{{")
def test_a_text_with_a_mark_is_a_template(text: str) -> None:
    assert is_template(text)


@each("", "a", "{a}", "}}", "${a}", "{ {a} }")
def test_a_text_without_a_mark_is_none(text: str) -> None:
    assert not is_template(text)


@cases(*rows_of(__file__, "a_whole_expression_keeps_its_type"))
def test_a_whole_expression_keeps_its_type(text: str, expected: Any) -> None:
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


@cases(*rows_of(__file__, "anything_else_is_a_text"))
def test_anything_else_is_a_text(text: str, expected: str) -> None:
    assert value(text) == expected


@cases(*rows_of(__file__, "filters_and_tests"))
def test_filters_and_tests(text: str, expected: Any) -> None:
    assert value(text) == expected


def test_the_names_are_those_of_the_variables() -> None:
    template = compile_template("{{ spoke.name }} {{ policy.name | default(gateway['name']) }}")
    assert template.names == {"spoke", "policy", "gateway"}
    assert compile_template("{{ spoke.name }}").names == {"spoke"}
    assert compile_template("plain").names == frozenset()


@cases(*rows_of(__file__, "what_is_not_there_is_named_with_what_is"))
def test_what_is_not_there_is_named_with_what_is(text: str, message: str) -> None:
    assert problem(text) == message


@each(*rows_of(__file__, "private_names_are_refused_when_compiling"))
def test_private_names_are_refused_when_compiling(text: str) -> None:
    with pytest.raises(TemplateProblem, match="is not allowed: it is private"):
        compile_template(text)


@each(*rows_of(__file__, "nothing_but_data_can_be_reached"))
def test_nothing_but_data_can_be_reached(text: str) -> None:
    assert "no " in problem(text) or "not defined" in problem(text)


@cases(*rows_of(__file__, "what_a_value_cannot_have_is_refused_when_compiling"))
def test_what_a_value_cannot_have_is_refused_when_compiling(text: str, message: str) -> None:
    with pytest.raises(TemplateProblem, match=message):
        compile_template(text)


@cases(*rows_of(__file__, "what_gives_no_value_is_refused_when_evaluating"))
def test_what_gives_no_value_is_refused_when_evaluating(text: str, message: str) -> None:
    template = compile_template(text)
    with pytest.raises(TemplateProblem, match=message):
        template.evaluate(CONTEXT)


@each(
    "'a' * 1000000000",
    "[0] * 1000000000",
    "'%999999999d' % 1",
    "'a' | center(1000000000)",
    "'a'" + " | replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')" * 6,
    "'ab'" + " | list | join('" + "x" * 90_000 + "')",
    " * ".join(["9" * 4000] * 30),
    "9" * 5000,
    "spoke.name ~ '" + "x" * 65_536 + "'",
    ids=["text", "list", "format", "center", "replace", "join", "product", "number", "length"],
)
def test_nothing_grows_out_of_bounds(expression: str) -> None:
    assert problem(f"{{{{ {expression} }}}}")


@each("(" * 5000 + "1" + ")" * 5000, "-" * 5000 + "1", "1" + "+1" * 5000)
def test_deep_nesting_is_refused(nested: str) -> None:
    assert problem(f"{{{{ {nested} }}}}") == "the expression is nested too deeply"


def test_a_value_is_a_copy() -> None:
    value("{{ spoke.values.zones }}").append("c")
    value("{{ spoke['values'].zones }}").append("c")
    assert CONTEXT["spoke"]["values"]["zones"] == ["a", "b"]


def test_lookups_do_without_jinja2() -> None:
    script = """
import sys
from spokerender.formats.templating.template import compile_template
context = {"spoke": {"values": {"geo": "EU"}}}
assert compile_template("{{ spoke.values.geo }}").evaluate(context) == "EU"
assert compile_template("*.{{ spoke.values.geo }}.x").evaluate(context) == "*.EU.x"
assert "jinja2" not in sys.modules
assert compile_template("{{ spoke.values.geo | lower }}").evaluate(context) == "eu"
assert "jinja2" in sys.modules
"""
    folder = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", script], cwd=folder, check=True)


KEYS = st.sampled_from(["a", "values", "items"])
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=4)
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)
BRANCHES = st.fixed_dictionaries({"a": SCALARS, "values": DATA}, optional={"items": DATA})
MAPPINGS = st.fixed_dictionaries({"a": BRANCHES, "values": BRANCHES}, optional={"items": DATA})
LITERALS = st.just("-") | st.text(st.sampled_from("ab {}%-\n."), max_size=4)
LOOKUPS = st.lists(KEYS, min_size=2, max_size=3).map(lambda path: f"{{{{ {'.'.join(path)} }}}}")
TEXTS = LOOKUPS | st.lists(LITERALS | LOOKUPS, min_size=1, max_size=4).map("".join)


def outcome(text: str, context: dict[str, Any]) -> tuple[str, str]:
    """Type and content of the value, or the problem."""
    try:
        found = compile_template(text).evaluate(context)
    except TemplateProblem as refused:
        return "problem", str(refused)
    return type(found).__name__, repr(found)


@pytest.mark.property
@settings(max_examples=examples(300, house=60), deadline=None)
@given(text=TEXTS, context=MAPPINGS)
def test_a_lookup_is_what_jinja2_makes_of_it(text: str, context: dict[str, Any]) -> None:
    """Brackets around a name change nothing but the way: with them it is never a plain lookup."""
    bracketed = re.sub(r"\{\{ ((?:\w+\.)+\w+) \}\}", r"{{ (\1) }}", text)
    assert outcome(text, context) == outcome(bracketed, context)


def test_a_file_is_rendered_with_statements() -> None:
    template = (
        "# {{ title }}\n"
        "spokes:\n"
        "  {% for spoke in spokes %}\n"
        "  - name: {{ spoke.name | tojson }}\n"
        "    {% if spoke.values.geo is defined %}\n"
        "    geo: {{ spoke.values.geo | tojson }}\n"
        "    {% endif %}\n"
        "  {% endfor %}\n"
    )
    spokes = [{"name": "on", "values": {"geo": "5"}}, {"name": "b: c", "values": {}}]
    assert render_file({"a.j2": template}, "a.j2", {"title": "shop", "spokes": spokes}) == (
        '# shop\nspokes:\n  - name: "on"\n    geo: "5"\n  - name: "b: c"\n'
    )


def test_a_file_can_include_another() -> None:
    texts = {"a.j2": "a\n{% include 'b.j2' %}", "b.j2": "{{ x }}\n"}
    assert render_file(texts, "a.j2", {"x": 1}) == "a\n1\n"


def test_a_files_keys_win_over_methods() -> None:
    assert (
        render_file(
            {"a": "{{ x.items }} {{ x.y.keys }}"}, "a", {"x": {"items": 1, "y": {"keys": 2}}}
        )
        == "1 2"
    )


@cases(*rows_of(__file__, "a_bad_file_is_named_with_its_line"))
def test_a_bad_file_is_named_with_its_line(texts: dict[str, str], message: str) -> None:
    with pytest.raises(TemplateProblem) as raised:
        render_file(texts, "a", {"spoke": {"name": "eu"}, "spokes": []})
    assert str(raised.value).startswith(message)


AWKWARD = st.sampled_from("\t\n\u2028\u2029\ufeff\U00100000\U0001f600#:-'")


@pytest.mark.property
@settings(max_examples=examples(200, house=40), deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]) | AWKWARD))
def test_tojson_is_json_and_yaml(text: str) -> None:
    made = render_file({"a": "{{ x | tojson }}\n"}, "a", {"x": {"k": text}})
    assert json.loads(made) == {"k": text}
    documents, problems = yamlio.read(made.encode(), "a.yaml")
    if yamlio.unsupported(text) is None:
        assert problems == ()
        assert [document.value for document in documents] == [{"k": text}]
