"""Limits on the cost of template files, in steps and characters of text.

Jinja2 bounds one range. Loops in loops, macros that call themselves, texts that are multiplied,
padded or doubled are not bounded there: each passes by here, and is refused before it is made.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame

from spokerender.formats.templating.values import TemplateProblem
from spokerender.model.budget import Budget
from spokerender.model.shapes import Json

_TEMPLATE = "the template"

STEP, ITEM = 300, 30
"""What a turn of a loop or a call costs in characters, and what an item of a list does."""

_LARGEST_ARGUMENT = 100_000
_LONGEST_NUMBER = 4096
"""Binary digits."""

_WIDE = re.compile(r"[0-9]{4}|\*")
"""A width that pads a text to any length."""

METHODS = frozenset(
    "capitalize casefold count endswith find index isalnum isalpha isdigit islower isnumeric"  # noqa: SIM905  (words)
    " isspace isupper lower lstrip partition removeprefix removesuffix rfind rpartition rsplit"
    " rstrip split splitlines startswith strip swapcase title upper".split()
)
"""Methods of texts that make nothing larger than what they are given."""


def look(budget: Budget, value: object) -> None:
    """Pay for reading all of a value; what is shared in it is read each time."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, str | range):
            budget.spend(len(part), _TEMPLATE)
        elif isinstance(part, Mapping):
            budget.spend(ITEM * len(part), _TEMPLATE)
            pending += (*part.keys(), *part.values())
        elif isinstance(part, list | tuple | set | frozenset):
            budget.spend(ITEM * len(part), _TEMPLATE)
            pending += part


def join(budget: Budget, pieces: Iterable[str]) -> str:
    """Join texts, and pay for them before they are made."""
    texts: list[str] = []
    for piece in pieces:
        budget.spend(len(piece), _TEMPLATE)
        texts.append(piece)
    return "".join(texts)


def pay_for_operator(budget: Budget, operator: str, left: Json, right: Json) -> None:
    """Pay for what an operator is going to make."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        expect_number(operator, left, right)
        return
    if operator == "%":
        expect_narrow(left)
        look(budget, right)
    elif operator == "*":
        for text, times in ((left, right), (right, left)):
            if isinstance(times, int) and isinstance(text, str | list | tuple):
                budget.spend(len(text) * max(times, 0), _TEMPLATE)
    look(budget, left)
    look(budget, right)


def expect_number(operator: str, left: float, right: float) -> None:
    """Refuse a number of thousands of digits, before it is calculated."""
    if not (isinstance(left, int) and isinstance(right, int)):
        return
    sizes = left.bit_length(), right.bit_length()
    size = sizes[0] * abs(right) if operator == "**" else sum(sizes)
    if size > _LONGEST_NUMBER:
        raise TemplateProblem("the number is too large")


def expect_narrow(pattern: object) -> None:
    """Refuse a pattern that pads what it formats to a great width."""
    if isinstance(pattern, str) and _WIDE.search(pattern):
        raise TemplateProblem("a width of four digits, or one that is an argument, is not allowed")


def pay_for_all(table: dict[str, Any], budget: Budget) -> None:
    """Let each filter or test of a table pay for what it reads and makes."""
    table.update({name: _paid(function, name, budget) for name, function in table.items()})


def _paid(function: Callable[..., Any], name: str, budget: Budget) -> Callable[..., Any]:

    @wraps(function)
    def pay(*given: Any, **named: Any) -> Any:  # noqa: ANN401  (as Jinja2 has it)
        passed = 1 if hasattr(function, "jinja_pass_arg") else 0
        arguments = [*given[passed:], *named.values()]
        for argument in arguments:
            look(budget, argument)
            if (
                type(argument) is int
                and argument > _LARGEST_ARGUMENT
                and argument is not given[passed]
            ):
                raise TemplateProblem(f"{name} takes no number above {_LARGEST_ARGUMENT:,} here")
        if name in _GROWING:
            _GROWING[name](budget, arguments)
        result = function(*given, **named)
        look(budget, result)
        return result

    return pay


def _join(budget: Budget, arguments: list[Any]) -> None:
    items, separator = arguments[0], arguments[1] if len(arguments) > 1 else ""
    if isinstance(items, str | list | tuple | range | Mapping):
        budget.spend(len(items) * len(str(separator)), "join()")


def _replace(budget: Budget, arguments: list[Any]) -> None:
    if len(arguments) > 2 and all(isinstance(each, str) for each in arguments[:3]):  # noqa: PLR2004
        text, old, new = arguments[:3]
        budget.spend(text.count(old) * len(new), "replace()")


def _indent(budget: Budget, arguments: list[Any]) -> None:
    text, width = arguments[0], arguments[1] if len(arguments) > 1 else 4
    if isinstance(text, str):
        spaces = width if isinstance(width, int) else len(str(width))
        budget.spend((text.count("\n") + 1) * spaces, "indent()")


def _wordwrap(budget: Budget, arguments: list[Any]) -> None:
    longest = max((len(each) for each in arguments[1:] if isinstance(each, str)), default=1)
    budget.spend(len(str(arguments[0])) * longest, "wordwrap()")


_GROWING: Mapping[str, Callable[[Budget, list[Any]], None]] = {
    "format": lambda _, arguments: expect_narrow(arguments[0]),
    "indent": _indent,
    "join": _join,
    "replace": _replace,
    "wordwrap": _wordwrap,
}


class Joining(CodeGenerator):
    """Lets the environment join what `~` joins, and leaves nothing to be calculated beforehand."""

    def _output_child_to_const(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> str:
        """Fold plain text alone: Jinja2 goes on after any error while it folds, limits included."""
        if isinstance(node, nodes.TemplateData):
            return super()._output_child_to_const(node, frame, finalize)
        raise nodes.Impossible

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802  (Jinja2's name)
        """Write a call of the environment's own method."""
        self.write("environment.joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")


class Counting(Joining):
    """Lets the environment count every turn of a loop, and every call of a macro or template."""

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802  (Jinja2's name)
        """Count before the body, and before the condition: what it skips are turns as well."""
        node.body.insert(0, _step())
        if node.test is not None:
            node.test = nodes.And(_count(), node.test)
        super().visit_For(node, frame)

    def macro_body(self, node: nodes.Macro | nodes.CallBlock, frame: Frame) -> Any:  # noqa: ANN401
        """Count each call."""
        node.body.insert(0, _step())
        return super().macro_body(node, frame)

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        """Count each time that it, or a block of it, is put somewhere."""
        for block in node.find_all(nodes.Block):
            block.body.insert(0, _step())
        node.body.insert(0, _step())
        super().visit_Template(node, frame)


def _count() -> nodes.Call:
    return nodes.Call(nodes.EnvironmentAttribute("counted"), [], [], None, None, lineno=1)


def _step() -> nodes.ExprStmt:
    return nodes.ExprStmt(_count(), lineno=1)
