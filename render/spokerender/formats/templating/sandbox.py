"""Jinja2 as a calculator: expressions over plain data, without statements, calls or growth.

The filters and tests are Jinja2's where they are bounded and the same in every run. They are our
own where Jinja2's are not, or where those would ignore a mistake (`"abc" | int` is 0 there).
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import add, mod, mul
from typing import Any, TypeAlias

import jinja2
from jinja2 import Undefined, filters, nodes, tests
from jinja2.runtime import Context

from spokerender.findings.phrasing import describe, did_you_mean
from spokerender.formats.templating.costs import Joining, expect_number, pay_for_all
from spokerender.formats.templating.environment import MissingNameError, PlainEnvironment
from spokerender.formats.templating.values import (
    MAX_DATA,
    TemplateProblem,
    as_json,
    copy_as_json,
    expect_length,
    write_as_text,
)
from spokerender.model.budget import Budget, BudgetSpentError
from spokerender.model.shapes import Json

_JINJA_FILTERS = (
    "abs capitalize default first last length list lower max min sort title trim unique upper"
)
_JINJA_TESTS = (
    "boolean defined divisibleby even false in integer mapping none number odd sequence string"
    " true undefined"
)


_MOST_WORK = 4 * MAX_DATA
"""Characters that the filters and tests of one value may read and make."""


def _join(items: Iterable[Json], separator: str = "") -> str:
    texts = [write_as_text(item) for item in items]
    expect_length(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _replace(value: Json, old: str, new: str) -> str:
    text = write_as_text(value)
    expect_length(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def _int(value: Json) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise _no(value, "a whole number") from None


def _float(value: Json) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise _no(value, "a number") from None
    if not math.isfinite(number):
        raise _no(value, "a number in JSON")
    return number


def _no(value: Json, expected: str) -> TemplateProblem:
    return TemplateProblem(f"{describe(value)} is not {expected}")


FILTERS: dict[str, Callable[..., Any]] = {
    **{name: filters.FILTERS[name] for name in _JINJA_FILTERS.split()},
    "float": _float,
    "int": _int,
    "join": _join,
    "replace": _replace,
    "split": lambda value, separator: write_as_text(value).split(separator),
    "string": write_as_text,
    "tojson": as_json,
}

TESTS: dict[str, Any] = {name: tests.TESTS[name] for name in _JINJA_TESTS.split()}


class ValueEnvironment(PlainEnvironment):
    """For values: nothing but plain data is reachable, and nothing can grow out of bounds."""

    intercepted_binops = frozenset({"+", "*", "%"})
    code_generator_class = Joining

    def __init__(self) -> None:
        super().__init__()
        self.globals.clear()
        self.filters = dict(FILTERS)
        self.tests = dict(TESTS)
        self.budget = Budget(_MOST_WORK)
        pay_for_all(self.filters, self.budget)
        pay_for_all(self.tests, self.budget)

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401  (as Jinja2 has it)
        """Return the key of a mapping."""
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:  # noqa: ANN401  (as Jinja2 has it)
        """Return an item of a mapping, list or text."""
        if isinstance(obj, Undefined):
            bool(obj)  # raises, and says what was not there
        keyed = isinstance(obj, Mapping) and isinstance(argument, str)
        indexed = isinstance(obj, (list, tuple, str)) and type(argument) is int
        if keyed or indexed:
            try:
                return obj[argument]
            except LookupError:
                pass
        return self.undefined(obj=obj, name=argument)

    def joined(self, values: Sequence[Json]) -> str:
        """Join values to a text that is not longer than a value may be."""
        texts = list(map(write_as_text, values))
        expect_length(sum(map(len, texts)))
        return "".join(texts)

    def call_binop(self, context: Context, operator: str, left: Json, right: Json) -> Json:
        """Calculate; `*` does not repeat texts and lists here, and `%` does not format."""
        del context
        for value in (left, right):
            if isinstance(value, Undefined):
                bool(value)  # as above
            if not isinstance(value, (int, float)) and operator != "+":
                raise TemplateProblem(f"{operator} takes two numbers, not {describe(value)}")
        if isinstance(left, int | float) and isinstance(right, int | float):
            expect_number(operator, left, right)
        elif isinstance(left, str | list | tuple) and isinstance(right, str | list | tuple):
            expect_length(len(left) + len(right))
        return {"+": add, "*": mul, "%": mod}[operator](left, right)


Evaluate: TypeAlias = Callable[[Mapping[str, Json]], Json]

_ENVIRONMENT = ValueEnvironment()
_RESULT = "result"
_MAX_DEPTH = 40
_TOO_DEEP = "the expression is nested too deeply"
_NOT_VARIABLES = frozenset({"self", "super"})


@lru_cache(maxsize=1024)
def compile_text(text: str) -> tuple[frozenset[str], Evaluate]:
    """Return the variables of a text and its evaluation; raises `TemplateProblem`."""
    if "\r" in text:
        message = "a text with expressions can't hold a carriage return; Jinja2 would change it"
        raise TemplateProblem(message)
    try:
        tree = _ENVIRONMENT.parse(text)
        names = frozenset(_check(tree))
        pieces = [piece for output in tree.find_all(nodes.Output) for piece in output.nodes]
        # The template collects the value of every piece, with its type, in one list.
        items = [
            nodes.Const(piece.data) if isinstance(piece, nodes.TemplateData) else piece
            for piece in pieces
        ]
        assign = nodes.Assign(nodes.Name(_RESULT, "store"), nodes.List(items), lineno=1)
        template = nodes.Template([assign], lineno=1)
        template.set_environment(_ENVIRONMENT)
        compiled = _ENVIRONMENT.from_string(template)
    except jinja2.TemplateSyntaxError as error:
        raise TemplateProblem(f"not a valid expression: {error.message}") from error
    except RecursionError as error:
        raise TemplateProblem(_TOO_DEEP) from error
    except ValueError as error:
        message = f"not a valid expression: {error}"  # a number with thousands of digits
        raise TemplateProblem(message) from error
    whole = len(pieces) == 1 and not isinstance(pieces[0], nodes.TemplateData)
    return names, _evaluation(compiled, whole=whole)


def _check(node: nodes.Node, depth: int = 0) -> Iterator[str]:
    """Yield the names of the variables; raises for the first construct that is not allowed."""
    fault = _TOO_DEEP if depth > _MAX_DEPTH else _fault(node)
    if fault:
        raise TemplateProblem(fault)
    if isinstance(node, nodes.Name):
        yield node.name
    for child in node.iter_child_nodes():
        yield from _check(child, depth + 1)


def _fault(node: nodes.Node) -> str:
    match node:
        case nodes.Stmt() if not isinstance(node, nodes.Output):
            return "a statement is not allowed, only {{ expressions }} are"
        case nodes.Call():
            return "a call is not allowed; filters are: {{ spoke.name | upper }}"
        case nodes.Pow():
            return "** is not allowed"
        case nodes.CondExpr(expr2=None):
            return "an inline if needs its else"
        case nodes.Const(value=float() as value) if not math.isfinite(value):
            return "the number is too large"
    return _name_fault(node)


def _name_fault(node: nodes.Node) -> str:
    match node:
        case nodes.Name(name=name) if name in _NOT_VARIABLES:
            return f'"{name}" is not defined'
        case nodes.Name(name=name) | nodes.Getattr(attr=name) if name.startswith("_"):
            return f'"{name}" is not allowed: it is private'
        case nodes.Filter(name=name) if name not in FILTERS:
            return f'there is no filter "{name}"; {did_you_mean(name, FILTERS, "filters are")}'
        case nodes.Test(name=name) if name not in TESTS:
            return f'there is no test "{name}"; {did_you_mean(name, TESTS, "tests are")}'
    return ""


def _evaluation(compiled: jinja2.Template, *, whole: bool) -> Evaluate:
    def evaluate(context: Mapping[str, Json]) -> Json:
        frame = compiled.new_context(dict(context))
        _ENVIRONMENT.budget.refill()
        try:
            deque(compiled.root_render_func(frame), maxlen=0)
            values = [_defined(value) for value in frame.vars[_RESULT]]
            return values[0] if whole else copy_as_json(_ENVIRONMENT.joined(values))
        except MissingNameError as failure:
            raise TemplateProblem(failure.explain(context)) from None
        except (ArithmeticError, BudgetSpentError, TypeError, ValueError, RecursionError) as error:
            raise TemplateProblem(f"can't be evaluated: {error}") from error

    return evaluate


def _defined(value: Json) -> Json:
    if isinstance(value, Undefined):
        bool(value)  # raises, and says what was not there
    return copy_as_json(value)
