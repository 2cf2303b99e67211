"""Mutations: upstream's cases, and what of its accidents is not copied."""

import json
from pathlib import Path
from typing import Any

import pytest

from spokerender.wings.publishing import jsonpaths
from spokerender.wings.publishing.contexts import MissingOutputError, TemplateEngine
from spokerender.wings.publishing.copies.mutations import mutate_object
from spokerender.wings.publishing.errors import PublishingError
from spokerender.wings.publishing.gotemplates.values import GoStruct
from tests.support import cases, each, rows_of
from tests.wings.publishing.upstream import documents, published

FIELD = ("spec", "mutation", "spec")


def mutated(data: Any, *steps: dict[str, Any], other: Any = None) -> Any:
    resource = {"apiGroup": "x", "kind": "Y", "version": "v1"}
    spec = {"resource": resource, "mutation": {"spec": list(steps)}}
    found = published(spec).mutation.spec or ()
    return mutate_object(data, found, FIELD, other)


def test_upstreams_own_cases(fixtures: Path) -> None:
    (table,) = documents(fixtures, "conformance/mutation.yaml")
    assert len(table["cases"]) == 17
    for case in table["cases"]:
        found = mutated(case["input"], case["mutation"], other=case.get("other"))
        assert found.object == case["expected"], case["name"]


# Of the 59: writing through `#` is refused, HTML is not escaped, a missing value is refused.
REFUSED = {"spec.a.#", "spec.a.#.n", 'spec.a.#(n=="x")#.n'}
UNESCAPED = {"{{ .Value }}": "a&b<c>'\"", "{{ .Value.String }}": "a&b"}
MISSING = {"{{ .Object.spec.missing }}", "{{ .Object.does.not.exist }}"}


def test_the_edges_of_upstreams_engines(fixtures: Path) -> None:
    (table,) = documents(fixtures, "golden/gjson-sjson-template-edge.yaml")
    sorts = [_judged(case) for case in table["cases"]]
    assert {sort: sorts.count(sort) for sort in sorted(set(sorts))} == {
        "missing": 2,
        "refused": 3,
        "same": 52,
        "unescaped": 2,
    }


def _judged(case: dict[str, Any]) -> str:
    if case["op"] == "get":
        return _read(case)
    if case["op"] == "text/template":
        return _printed(case)
    step = {key: case[key] for key in ("path", "pattern", "replacement", "template") if key in case}
    try:
        found = mutated(json.loads(case["input"]), {case["op"]: step}).object
    except PublishingError:
        assert ("error" in case) != (case["path"] in REFUSED)
        return "same" if "error" in case else "refused"
    if case.get("template") in UNESCAPED and "&amp;" in case["expected"]:
        assert found["spec"]["s"] == UNESCAPED[case["template"]]
        return "unescaped"
    assert found == json.loads(case["expected"])
    return "same"


def _read(case: dict[str, Any]) -> str:
    found = jsonpaths.get_path(json.loads(case["input"]), case["path"])
    is_list = found is not None and isinstance(found.value, list)
    assert (found is not None, is_list) == (case["exists"], case["isArray"])
    assert (jsonpaths.format_result(found.value) if found else "") == case["string"]
    return "same"


def _printed(case: dict[str, Any]) -> str:
    data = {"metadata": {"name": "n"}, "spec": {"n": 5, "f": 1.5, "e": ""}}
    record = GoStruct("the context", {"ClusterName": "c", "Object": data})
    try:
        made = TemplateEngine().render(case["template"], record, ()).text
    except MissingOutputError:
        assert case["template"] in MISSING
        return "missing"
    except PublishingError:
        assert "error" in case
        return "same"
    assert made == case["expected"]
    return "same"


def test_what_is_missing_is_empty() -> None:
    step = {"regex": {"path": "spec.a", "pattern": "(.*)", "replacement": "x$1"}}
    assert mutated({"spec": {}}, step).object == {"spec": {"a": "x"}}


def test_who_is_local_and_who_remote() -> None:
    first = {"regex": {"path": "spec.a", "replacement": "new"}}
    template = "{{ .LocalObject.spec.a }}-{{ .RemoteObject.spec.a }}"
    second = {"template": {"path": "spec.b", "template": template}}
    data, other = {"spec": {"a": "old", "b": "x"}}, {"spec": {"a": "there"}}
    assert mutated(data, first, second, other=other).object["spec"]["b"] == "new-there"


def test_numbers_stay_exact_between_steps() -> None:
    large = 9007199254740993
    step = {"regex": {"path": "spec.a", "replacement": "x"}}
    assert mutated({"spec": {"n": large}}, step).object["spec"]["n"] == large


def test_numbers_of_expressions_are_doubles_as_upstream_has_them() -> None:
    step = {"cel": {"path": "spec.n", "expression": "value + 1.0"}}
    assert mutated({"spec": {"n": 41}}, step).object == {"spec": {"n": 42}}
    with pytest.raises(PublishingError, match="overload"):
        mutated({"spec": {"n": 41}}, {"cel": {"path": "spec.n", "expression": "value + 1"}})


@cases(("12", "12"), ("1.9", "1"), ("inf", "0"), ("nan", "0"), ("x", "0"), (10**400, "0"))
def test_the_integer_of_a_value_is_a_number(text: Any, number: str) -> None:
    step = {"template": {"path": "spec.a", "template": "{{ .Value.Int }}"}}
    assert mutated({"spec": {"a": text}}, step).object == {"spec": {"a": number}}


def test_lists_and_maps_of_expressions_are_data() -> None:
    step = {"cel": {"path": "spec.l", "expression": '[{"a": self.spec.n}, null, "x"]'}}
    assert mutated({"spec": {"n": 1}}, step).object["spec"]["l"] == [{"a": 1}, None, "x"]


@each(*rows_of(__file__, "what_fails_names_its_field"))
def test_what_fails_names_its_field(step: dict[str, Any]) -> None:
    with pytest.raises(PublishingError) as caught:
        mutated({"spec": {"n": 1}}, step)
    (mechanism,) = step
    assert caught.value.fault.field[:5] == (*FIELD, 0, mechanism)


def test_what_upstream_would_have_escaped_is_told() -> None:
    step = {"template": {"path": "spec.a", "template": "{{ .Value }}"}}
    (note,) = mutated({"spec": {"a": "a&b"}}, step).notes
    assert "HTML" in note.message
    assert not mutated({"spec": {"a": "ab"}}, step).notes


def test_integers_stay_integers_until_a_step_has_run() -> None:
    text = {"cel": {"path": "spec.text", "expression": "string(self.spec.num)"}}
    more = {"cel": {"path": "spec.num", "expression": "self.spec.num + 1"}}
    data = {"spec": {"num": 1000000, "list": [{"n": 2}], "x": 1.5}}
    assert mutated(data, text).object["spec"]["text"] == "1000000"
    assert mutated(data, more).object["spec"]["num"] == 1000001
    nested = {"cel": {"path": "spec.n", "expression": "self.spec.list[0].n % 2 + other.spec.n"}}
    assert mutated(data, nested, other={"spec": {"n": 7}}).object["spec"]["n"] == 7
    # After a step the agent has read its own JSON, in which every number is a double.
    assert mutated(data, {"delete": {"path": "spec.no"}}, text).object["spec"]["text"] == "1e+06"
    with pytest.raises(PublishingError, match="overload"):
        mutated(data, text, more)


@each("sha3sum", "sha3short", "shortHash")
def test_functions_that_the_agent_has_only_for_names_are_refused(function: str) -> None:
    step = {"template": {"path": "spec.a", "template": f"{{{{ .Value.String | {function} }}}}"}}
    with pytest.raises(PublishingError, match=f"{function} .*naming") as caught:
        mutated({"spec": {"a": "x"}}, step)
    assert "use sha" in caught.value.fault.message
    data = GoStruct("the context", {"Object": {"a": "x"}})
    assert TemplateEngine().render(f"{{{{ .Object.a | {function} }}}}", data, ()).text


@each(
    "self.a.split(',')", "self.?a", "math.greatest(1, 2)", "cel.bind(x, 1, x)", "'a'.upperAscii()"
)
def test_functions_that_expressions_of_the_agent_lack_are_refused(expression: str) -> None:
    with pytest.raises(PublishingError):
        mutated({"a": "b"}, {"cel": {"path": "a", "expression": expression}})
