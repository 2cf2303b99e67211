"""Kuadrant's library of functions, as the operator's own tests and answers have it."""

from pathlib import Path
from typing import Any

import pytest

from spokerender.formats.cel.checked import Call
from spokerender.formats.cel.declaring import GATEWAY, POLICY
from spokerender.formats.cel.environment import UnevaluableError
from spokerender.formats.cel.library import LibraryProgram, compile_expression
from spokerender.formats.cel.messages import convert_message, message
from tests.support import cases, cyaml, each, rows_of

NAMES = {"self": POLICY, "spec": "dyn", "labels": "map(string, string)"}
OURS = ("first", "flatten")
"""What the issue adds: their users reach for it, and Kuadrant's library has it not."""


class Double:
    """The operator's own test double (`TestDAG`)."""

    def find(self, what: str, start: Any, named: str) -> list[Any]:  # noqa: ARG002
        """One gateway, or one policy on it."""
        place = {"namespace": "some-ns"}
        if what == "findGateways":
            listeners = [{"hostname": "kuadrant.io"}]
            data = {"metadata": {"name": "kuadrant-gw", **place}, "spec": {"listeners": listeners}}
            return [message(GATEWAY, data)]
        target = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "kuadrant-gw"}
        data = {"metadata": {"name": "kuadrant-auth", **place}, "targetRefs": [{**target, **place}]}
        return [message(POLICY, data)]

    def rules(self, path: object, named: str) -> dict[str, Any]:  # noqa: ARG002
        """Nothing."""
        return {}

    def whole(self, start: Any) -> dict[str, Any]:  # noqa: ARG002
        """Nothing."""
        return {}


def value(expression: str) -> Any:
    program = compile_expression(expression, NAMES)
    assert isinstance(program, LibraryProgram), program
    me = message(POLICY, {"targetRefs": [{"name": "foo", "group": "bar", "kind": "baz"}]})
    spec = {"plans": [{"tier": "gold"}], "map": {"b": 1, "a": 2}}
    values = {"self": me, "spec": spec, "labels": {"a": "b"}, "__KUADRANT_VERSION": "1_dev"}
    return program.evaluate(values, Double())


def faults(expression: str) -> list[str]:
    found = compile_expression(expression, NAMES)
    assert isinstance(found, tuple), expression
    return [fault.message for fault in found]


@pytest.fixture(scope="module")
def expressions(fixtures: Path) -> dict[str, Any]:
    path = fixtures / "extensions" / "cel" / "kuadrant-library-expressions.yaml"
    found: dict[str, Any] = cyaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def test_all_that_is_true_upstream_is_true(expressions: dict[str, Any]) -> None:
    assert len(expressions["upstream_true"]) == 13
    for expression in expressions["upstream_true"]:
        assert value(expression) is True, expression


def test_what_was_tried_comes_out_as_recorded(expressions: dict[str, Any]) -> None:
    tried = [
        entry for entry in expressions["tried"] if not any(f".{w}()" in entry["expr"] for w in OURS)
    ]
    assert len(tried) == 13
    for entry in tried:
        if "compile_error" in entry:
            text = " ".join(faults(entry["expr"])).casefold()
            assert entry["compile_error"].casefold() in text, entry
        elif "eval_error" in entry:
            with pytest.raises(UnevaluableError) as caught:
                value(entry["expr"])
            assert str(caught.value) == entry["eval_error"]
        else:
            assert value(entry["expr"]) == entry["result"], entry


@cases(*rows_of(__file__, "what_its_users_lack_is_there"))
def test_what_its_users_lack_is_there(expression: str, result: object) -> None:
    assert value(expression) == result


@each("labels.map(k, k)", "{'a': 1}.filter(k, true)", "[1].map(x, labels.map(k, k))")
def test_a_walk_of_a_map_is_refused_where_types_tell(expression: str) -> None:
    assert faults(expression) == [
        "the order of a map is chance: walk keys() of it, which are sorted"
    ]


@each("spec.map.map(k, k)", "dyn(spec.map).filter(k, true)", "[1].map(x, spec.map.map(k, k))")
def test_and_where_they_do_not_when_it_happens(expression: str) -> None:
    with pytest.raises(UnevaluableError, match="whose order is chance"):
        value(expression)


def test_faults_have_their_line_and_column() -> None:
    found = compile_expression("[1].map(x,\n  x + nobody)", NAMES)
    assert isinstance(found, tuple)
    assert [(fault.line, fault.column) for fault in found] == [(2, 7)]


def test_what_it_calls_and_reads_is_known() -> None:
    program = compile_expression(
        "self.findPolicies('AuthPolicy').size() + size(spec.plans[0].tier)", NAMES
    )
    assert isinstance(program, LibraryProgram)
    assert Call("findPolicies", ("AuthPolicy",)) in program.calls
    assert ("spec", "plans") in program.paths


def test_messages_become_data() -> None:
    found = value("self.findGateways()[0]")
    assert convert_message(found) == {
        "metadata": {"name": "kuadrant-gw", "namespace": "some-ns"},
        "spec": {"listeners": [{"hostname": "kuadrant.io"}]},
    }
