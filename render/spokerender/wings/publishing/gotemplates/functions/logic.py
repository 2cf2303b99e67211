"""Truth and comparison. Source: Go's text/template (funcs.go), sprig's defaults.go."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spokerender.wings.publishing.gotemplates.problems import TemplateProblem
from spokerender.wings.publishing.gotemplates.rows import Function
from spokerender.wings.publishing.gotemplates.values import Record, Value, is_true, type_name

_KINDS: Mapping[str, str] = {
    "bool": "bool",
    "float64": "float64",
    "int": "int64",
    "list": "slice",
    "map": "map",
    "string": "string",
}
_ORDERED = (str, int, float)


def _eq(first: Value, *others: Value) -> bool:
    if not others:
        message = "it needs something to compare with"
        raise TemplateProblem(message)
    return any(_alike(first, other) for other in others)


def _alike(one: Value, other: Value) -> bool:
    if one is None or other is None:
        return one is other
    for value in (one, other):
        if isinstance(value, list | dict | Record):
            message = f"a {type_name(value)} can't be compared"
            raise TemplateProblem(message)
    if type(one) is not type(other):
        message = f"{type_name(one)} and {type_name(other)} can't be compared"
        raise TemplateProblem(message)
    return bool(one == other)


def _ordered(holds: Callable[[Value, Value], bool]) -> Callable[[Value, Value], bool]:
    def compare(one: Value, other: Value) -> bool:
        if type(one) is not type(other) or type(one) not in _ORDERED:
            message = f"{type_name(one)} and {type_name(other)} have no order"
            raise TemplateProblem(message)
        return holds(one, other)

    return compare


def _default(instead: Value, *given: Value) -> Value:
    return given[0] if given and is_true(given[0]) else instead


def _coalesce(*values: Value) -> Value:
    return next((value for value in values if is_true(value)), None)


def _ternary(yes: Value, no: Value, holds: Value) -> Value:
    if not isinstance(holds, bool):
        message = f"wrong type for value; expected bool; got {type_name(holds)}"
        raise TemplateProblem(message)
    return yes if holds else no


def _fail(message: str) -> Value:
    raise TemplateProblem(message)


FUNCTIONS = (
    Function("and", lambda *_: None, ("any",), more=True),  # the evaluation looks no further than
    Function("or", lambda *_: None, ("any",), more=True),  # it must, so it does these itself
    Function("not", lambda value: not is_true(value), ("any",)),
    Function("eq", _eq, ("any", "any"), more=True),
    Function("ne", lambda one, other: not _alike(one, other), ("any", "any")),
    Function("lt", _ordered(lambda one, other: bool(one < other)), ("any", "any")),
    Function("le", _ordered(lambda one, other: bool(one <= other)), ("any", "any")),
    Function("gt", _ordered(lambda one, other: bool(one > other)), ("any", "any")),
    Function("ge", _ordered(lambda one, other: bool(one >= other)), ("any", "any")),
    Function("default", _default, ("any", "any"), optional=1),
    Function("empty", lambda value: not is_true(value), ("any",)),
    Function("coalesce", _coalesce, ("any",), more=True),
    Function("all", lambda *values: all(map(is_true, values)), ("any",), more=True),
    Function("any", lambda *values: any(map(is_true, values)), ("any",), more=True),
    Function("ternary", _ternary, ("any", "any", "any")),
    Function("fail", _fail, ("string",)),
    Function("kindOf", lambda value: _KINDS.get(type_name(value), "invalid"), ("any",)),
    Function("kindIs", lambda kind, value: kind == _KINDS.get(type_name(value)), ("string", "any")),
)
