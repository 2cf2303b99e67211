"""Jinja2's sandbox over plain data: nothing else is reachable, and work and size are limited.

Values and files share one environment with one table of filters and tests. Jinja2's own are used if
they are bounded, the same in every run, and don't ignore mistakes (to Jinja2, `"abc" | int` is 0);
otherwise the table has ours. Only files may have statements. Jinja2 limits a single range; nested
loops and recursive macros are counted here, and stopped in time.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial, wraps
from operator import add, mod, mul, sub
from typing import Any, cast

from jinja2 import StrictUndefined, Undefined, UndefinedError, filters, nodes, tests
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import BlockReference, Context, LoopContext, TemplateReference
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace, missing

from spokerender.findings.phrasing import describe, did_you_mean
from spokerender.formats.templating.values import (
    MAX_DATA,
    TemplateProblem,
    as_json,
    expect_length,
    write_as_text,
)
from spokerender.model.budget import Budget
from spokerender.model.shapes import Json

_TEMPLATE = "the template"
WORK_OF_VALUE = 4 * MAX_DATA
"""Characters that the filters and tests of one value may read and make."""
WORK_OF_FILE = 30_000_000
"""The limit for a file and the work for it, in characters; thousands of spokes need a tenth."""
_STEP, _ITEM = 300, 30
"""The cost, in characters, of a turn of a loop or a call, and of an item of a list."""
_LONGEST_NUMBER = 4096
"""The most binary digits of a number."""
_WIDEST = 100
"""The most spaces by which a text may be indented."""


class MissingNameError(UndefinedError):
    """An undefined name was used; `owner` is the value in which it was looked up."""

    def __init__(self, owner: object, name: object, message: str) -> None:
        """Make an error: `owner` (Jinja2's `missing` if `name` is a variable) has no `name`."""
        super().__init__(message)
        self.owner = owner
        self.name = name

    def explain(self, context: Mapping[str, Json]) -> str:
        """Return a message: what is missing, and what exists instead."""
        if self.owner is missing:
            if self.name is None:
                return str(self.message)
            hint = did_you_mean(str(self.name), context, "there are")
            return f'"{self.name}" is not defined; {hint or "nothing is"}'
        if not isinstance(self.owner, Mapping):
            return f'{describe(self.owner)} has no "{self.name}"'
        hint = did_you_mean(str(self.name), map(str, self.owner), "it has")
        place = next(_places(self.owner, context), "the mapping")
        return f'{place} has no "{self.name}"; {hint or "it is empty"}'


def _places(mapping: object, data: Mapping[str, Json], prefix: str = "") -> Iterator[str]:
    """Yield the dotted paths at which `data` contains this very `mapping`, not an equal one."""
    for key, value in data.items():
        if isinstance(value, Mapping):
            if value is mapping:
                yield f"{prefix}{key}"
            yield from _places(mapping, value, f"{prefix}{key}.")


class _Undefined(StrictUndefined):
    """A strict undefined value that raises `MissingNameError` instead of Jinja2's own error."""

    __slots__ = ()

    def __init__(
        self,
        hint: str | None = None,
        obj: object = missing,
        name: str | None = None,
        exc: type[TemplateRuntimeError] = UndefinedError,
    ) -> None:
        if exc is UndefinedError:
            exc = cast("type[TemplateRuntimeError]", partial(MissingNameError, obj, name))
        super().__init__(hint, obj, name, exc)


_JINJA_FILTERS = (
    "abs capitalize default first last length list lower max min sort title trim unique upper"
)
_JINJA_TESTS = (
    "boolean defined divisibleby even false in integer mapping none number odd sequence string"
    " true undefined"
)


def _join(items: Iterable[Json], separator: str = "") -> str:
    texts = [write_as_text(item) for item in items]
    # Before joining, so that no text is made that is too long.
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
    # JSON has neither infinity nor NaN.
    if not math.isfinite(number):
        raise _no(value, "a number in JSON")
    return number


def _no(value: Json, expected: str) -> TemplateProblem:
    return TemplateProblem(f"{describe(value)} is not {expected}")


FILTERS: dict[str, Callable[..., Any]] = {
    **{name: filters.FILTERS[name] for name in _JINJA_FILTERS.split()},
    "float": _float,
    "int": _int,
    # Ours refuses a text that would be too long, where Jinja2's makes it.
    "join": _join,
    "replace": _replace,
    "split": lambda value, separator: write_as_text(value).split(separator),
    "string": write_as_text,
    "tojson": as_json,
}

TESTS: dict[str, Any] = {name: tests.TESTS[name] for name in _JINJA_TESTS.split()}


def _indent(text: str, width: int = 4, first: bool = False) -> str:
    if not 0 <= width <= _WIDEST:
        raise TemplateProblem(f"a text can be indented by {_WIDEST} spaces, not by {width}")
    return filters.do_indent(text, width, first)


_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "**": pow,
    "%": mod,
}


def look(budget: Budget, value: object) -> None:
    """Charge the budget for reading all of a value; a shared part is charged each time."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, str | range):
            budget.spend(len(part), _TEMPLATE)
        elif isinstance(part, Mapping):
            # Numbers cost as much as texts: the budget is about work.
            budget.spend(_ITEM * len(part), _TEMPLATE)
            pending += (*part.keys(), *part.values())
        elif isinstance(part, list | tuple | set | frozenset):
            budget.spend(_ITEM * len(part), _TEMPLATE)
            pending += part


class Counting(CodeGenerator):
    """Generates code in which the environment joins operands of `~` and counts loops and calls.

    Every turn of a loop is counted, and every call of a macro or template. Nothing is calculated at
    compile time.
    """

    def _output_child_to_const(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> str:
        """Evaluate only plain text at compile time, where Jinja2 would ignore exceeded limits."""
        if isinstance(node, nodes.TemplateData):
            return super()._output_child_to_const(node, frame, finalize)
        # Jinja2's way to say that nothing can be folded.
        raise nodes.Impossible

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802  (Jinja2's name)
        """Generate a call of the environment's method `joined`."""
        self.write("environment.joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802  (Jinja2's name)
        """Generate a loop that counts its turns, even those that its condition skips."""
        # In front of the body, so that a turn is paid for before it does anything.
        node.body.insert(0, _step())
        if node.test is not None:
            node.test = nodes.And(_count(), node.test)
        super().visit_For(node, frame)

    def macro_body(self, node: nodes.Macro | nodes.CallBlock, frame: Frame) -> Any:  # noqa: ANN401
        """Generate a macro that counts each of its calls."""
        node.body.insert(0, _step())
        return super().macro_body(node, frame)

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        """Generate a template that counts each rendering of itself and of its blocks."""
        for block in node.find_all(nodes.Block):
            block.body.insert(0, _step())
        node.body.insert(0, _step())
        super().visit_Template(node, frame)


def _count() -> nodes.Call:
    return nodes.Call(nodes.EnvironmentAttribute("counted"), [], [], None, None, lineno=1)


def _step() -> nodes.ExprStmt:
    return nodes.ExprStmt(_count(), lineno=1)


class DataEnvironment(ImmutableSandboxedEnvironment):
    """The environment of values and files: a mapping's attributes are its keys, not its methods."""

    intercepted_binops = frozenset(_OPERATORS)
    code_generator_class = Counting

    def __init__(self, most_work: int, **options: Any) -> None:  # noqa: ANN401  (Jinja2's own options)
        # What Jinja2 calculates while it compiles passes by every limit.
        super().__init__(
            undefined=_Undefined,
            keep_trailing_newline=True,
            optimized=False,
            finalize=self._shown,
            **options,
        )
        self.budget = Budget(most_work)
        self.globals = {"range": self._range, "namespace": Namespace}
        filters_of_files = {**FILTERS, "indent": _indent}
        self.filters = {name: self._paid(function) for name, function in filters_of_files.items()}
        self.tests = {name: self._paid(function) for name, function in TESTS.items()}

    def _paid(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the filter or test, charging the budget for its arguments and its result."""

        @wraps(function)
        def pay(*given: Any, **named: Any) -> Any:  # noqa: ANN401  (as Jinja2 has it)
            # Jinja2 passes its own context first to some filters.
            passed = 1 if hasattr(function, "jinja_pass_arg") else 0
            for argument in (*given[passed:], *named.values()):
                look(self.budget, argument)
            result = function(*given, **named)
            look(self.budget, result)
            return result

        return pay

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401  (as Jinja2 has it)
        """Return the key of a mapping, or an attribute of Jinja2's own, such as `loop`."""
        if isinstance(obj, LoopContext | Namespace | BlockReference | TemplateReference):
            return super().getattr(obj, attribute)  # which refuses private names
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
        """Return the joined operands of `~`, a text that is not longer than a value may be."""
        texts = list(map(write_as_text, values))
        expect_length(sum(map(len, texts)))
        return "".join(texts)

    def call_binop(self, context: Context, operator: str, left: Json, right: Json) -> Json:
        """Return the result of an operator; `*` does not repeat texts, and `%` does not format."""
        del context
        for value in (left, right):
            if isinstance(value, Undefined):
                bool(value)  # as above
            if not isinstance(value, (int, float)) and operator != "+":
                raise TemplateProblem(f"{operator} takes two numbers, not {describe(value)}")
        if isinstance(left, int) and isinstance(right, int):
            sizes = left.bit_length(), right.bit_length()
            size = sizes[0] * abs(right) if operator == "**" else sum(sizes)
            # Before calculating, as the calculation itself is what takes the time.
            if size > _LONGEST_NUMBER:
                raise TemplateProblem("the number is too large")
        # list| Only + is left here: the other operators take numbers alone.
        elif isinstance(left, str | list | tuple) and isinstance(right, str | list | tuple):
            expect_length(len(left) + len(right))
        return _OPERATORS[operator](left, right)

    def counted(self) -> bool:
        """Charge the budget for a turn of a loop or a call, and return True."""
        self.budget.spend(_STEP, "repeating a part of the template")
        return True

    def concat(self, pieces: Iterable[str]) -> str:
        """Return the joined output of a template, a macro or a block."""
        texts: list[str] = []
        for piece in pieces:
            self.budget.spend(len(piece), _TEMPLATE)
            texts.append(piece)
        return "".join(texts)

    def _shown(self, value: Json) -> Json:
        look(self.budget, value)
        return value

    def _range(self, *bounds: int) -> range:
        numbers = range(*bounds)
        self.budget.spend(_STEP * len(numbers), "range()")
        return numbers


def render_page(text: str, context: Mapping[str, Json], clean: Callable[[str], str]) -> str:
    """Return a rendered template; texts in `context` are cleaned and, except HTML, escaped."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415  (it takes 45 ms to import)

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    return environment.from_string(text).render(context)


def trusted_html(text: str) -> str:
    """Return HTML of ours marked as safe; all text from elsewhere in it is escaped already."""
    from markupsafe import Markup  # noqa: PLC0415  (jinja2 brings it)

    return Markup(text)  # noqa: S704  (it says so)
