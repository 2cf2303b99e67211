"""Compile short values with expressions: no statements, no calls, and limited size."""

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

import jinja2
from jinja2 import Undefined, nodes

from spokerender.findings.phrasing import did_you_mean
from spokerender.formats.templating.environment import (
    FILTERS,
    TESTS,
    WORK_OF_VALUE,
    DataEnvironment,
    MissingNameError,
)
from spokerender.formats.templating.values import TemplateProblem, copy_as_json
from spokerender.model.budget import BudgetSpentError
from spokerender.model.shapes import Json

Evaluate: TypeAlias = Callable[[Mapping[str, Json]], Json]

_ENVIRONMENT = DataEnvironment(WORK_OF_VALUE)
_ENVIRONMENT.globals.clear()  # `range` and `namespace` are calls, which values do not have
_RESULT = "result"
# Far below Python's own limit, which the compiler of Jinja2 would meet first.
_MAX_DEPTH = 40
_TOO_DEEP = "the expression is nested too deeply"
_NOT_VARIABLES = frozenset({"self", "super"})


@lru_cache(maxsize=1024)
def compile_text(text: str) -> tuple[frozenset[str], Evaluate]:
    """Return the variables of a text, and its evaluating function. Raises `TemplateProblem`."""
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
    """Yield the names of variables. Raises `TemplateProblem` for the first forbidden construct."""
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
        # Jinja2 would give an undefined value silently.
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
        # Each evaluation gets the whole budget: spokes do not share it.
        _ENVIRONMENT.budget.refill()
        try:
            # Runs the template; its output is in the list of results.
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
