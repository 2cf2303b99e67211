"""Functions of truth, comparison and integers.

Source: Go's text/template (funcs.go); sprig's defaults.go, and numeric.go, which converts every
number to an int64.
"""

import operator
from collections.abc import Callable
from math import prod

from spokerender.wings.publishing.gotemplates.values import (
    GoStruct,
    GoValue,
    TemplateFunction,
    is_truthy,
    name_go_type,
    reject_template,
)

_BITS = 64


def _is_equal(one: GoValue, other: GoValue) -> bool:
    if one is None or other is None:
        return one is other
    for value in (one, other):
        if isinstance(value, list | dict | GoStruct):
            reject_template(f"{name_go_type(value)} can't be compared")
    if type(one) is not type(other):
        reject_template(f"{name_go_type(one)} and {name_go_type(other)} can't be compared")
    return bool(one == other)


def _ordered(holds: Callable[[GoValue, GoValue], GoValue]) -> Callable[[GoValue, GoValue], bool]:
    def compare(one: GoValue, other: GoValue) -> bool:
        if type(one) is not type(other) or type(one) not in {str, int, float}:
            reject_template(f"{name_go_type(one)} and {name_go_type(other)} have no order")
        return bool(holds(one, other))

    return compare


def _default(default: GoValue, *values: GoValue) -> GoValue:
    return values[0] if values and is_truthy(values[0]) else default


def _ternary(yes: GoValue, no: GoValue, condition: GoValue) -> GoValue:
    if not isinstance(condition, bool):
        reject_template(f"wrong type for value; expected bool; got {name_go_type(condition)}")
    return yes if condition else no


def _kind_of(value: GoValue) -> str:
    names = {"int": "int64", "list": "slice"}
    go_type = name_go_type(value)
    if value is None or isinstance(value, GoStruct):
        return "invalid"
    return names.get(go_type, go_type)


def _wrap_int64(value: int) -> int:
    """Let an integer overflow as an int64 does."""
    half = 1 << (_BITS - 1)
    return (value + half) % (1 << _BITS) - half


def _div(one: int, other: int) -> int:
    if not other:
        reject_template("division by zero")
    return abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)


def _float64(value: GoValue) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


FUNCTIONS = (
    # `and` and `or` are evaluated by the rendering, up to the argument that decides.
    TemplateFunction("and", lambda *_: None, "any …"),
    TemplateFunction("or", lambda *_: None, "any …"),
    TemplateFunction("not", lambda value: not is_truthy(value), "any"),
    TemplateFunction(
        "eq", lambda first, *rest: any(_is_equal(first, each) for each in rest), "any any any …"
    ),
    TemplateFunction("ne", lambda one, other: not _is_equal(one, other), "any any"),
    TemplateFunction("lt", _ordered(operator.lt), "any any"),
    TemplateFunction("le", _ordered(operator.le), "any any"),
    TemplateFunction("gt", _ordered(operator.gt), "any any"),
    TemplateFunction("ge", _ordered(operator.ge), "any any"),
    TemplateFunction("default", _default, "any [any]"),
    TemplateFunction("empty", lambda value: not is_truthy(value), "any"),
    TemplateFunction("coalesce", lambda *some: next(filter(is_truthy, some), None), "any …"),
    TemplateFunction("all", lambda *values: all(map(is_truthy, values)), "any …"),
    TemplateFunction("any", lambda *values: any(map(is_truthy, values)), "any …"),
    TemplateFunction("ternary", _ternary, "any any any"),
    TemplateFunction("fail", reject_template, "string"),
    TemplateFunction("kindOf", _kind_of, "any"),
    TemplateFunction("kindIs", lambda kind, value: kind == _kind_of(value), "string any"),
    TemplateFunction("int", int, "integer"),
    TemplateFunction("int64", int, "integer"),
    TemplateFunction("float64", _float64, "any"),
    TemplateFunction("add", lambda *values: _wrap_int64(sum(values)), "integer …"),
    TemplateFunction("add1", lambda value: _wrap_int64(value + 1), "integer"),
    TemplateFunction("sub", lambda one, other: _wrap_int64(one - other), "integer integer"),
    TemplateFunction("mul", lambda *values: _wrap_int64(prod(values)), "integer integer …"),
    TemplateFunction("div", _div, "integer integer"),
    TemplateFunction("mod", lambda one, other: one - _div(one, other) * other, "integer integer"),
    TemplateFunction("max", max, "integer integer …"),
    TemplateFunction("min", min, "integer integer …"),
)
