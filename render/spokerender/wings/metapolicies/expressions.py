"""The expressions of a definition: compiled with their fields, and evaluated for a metapolicy."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.codes.metapolicies import BAD_EXPRESSION, FAILED
from spokerender.findings.results import Fault
from spokerender.formats.cel.costs import BUDGET, MAX_WORK, WEIGHTS
from spokerender.formats.cel.declaring import ANY, BOOL, GATEWAY, POLICY, QUESTIONS, ROUTE
from spokerender.formats.cel.environment import UnevaluableError
from spokerender.formats.cel.library import LibraryProgram, compile_expression
from spokerender.formats.cel.messages import convert_message, is_message, type_of
from spokerender.model import GATEWAY_API, Ref
from spokerender.model.budget import Budget
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json, map_children
from spokerender.wings.metapolicies.functions import FailedError, MetapolicyView, RefusedError

_SPOKE = "spoke"
TARGET = "target"
"""The name that an expression has for the object that is changed or removed."""
WORK_PER_OBJECT = 30_000
"""The work that expressions may do for each object of a spoke, in characters: about 0.5 ms."""
_EVALUATION_COST = 1_000
"""The work of an evaluation that does nothing, in characters."""
_SPOKE_FIELDS = ("name", "labels", "values", "claims")
NAMES_WITHOUT_SPOKE: Mapping[str, str] = {"self": POLICY, "spec": ANY}
NAMES_WITHOUT_SELF: Mapping[str, str] = {_SPOKE: ANY}
ALL_NAMES: Mapping[str, str] = {**NAMES_WITHOUT_SPOKE, **NAMES_WITHOUT_SELF}
"""The names of every expression about a metapolicy, and their types."""


class FieldExpression(Struct, frozen=True, eq=False):
    """The compiled expression of a field; `at` is the field in its document.

    `varies` tells whether spokes may get different values for equal metapolicies.
    """

    program: LibraryProgram
    at: FieldPath
    varies: bool


class Compiler(Struct, eq=False):
    """Compiles the expressions of a definition, and collects their problems."""

    faults: list[Fault] = field(default_factory=list)
    programs: list[LibraryProgram] = field(default_factory=list)
    _varying_names: set[str] = field(default_factory=lambda: {_SPOKE, TARGET})

    def follow(self, name: str, expression: FieldExpression | None) -> None:
        """Record that `name` has the value of `expression`, and so may vary between spokes."""
        if expression is not None and expression.varies:
            self._varying_names.add(name)

    def refuse(self, message: str, at: FieldPath, cure: str = "") -> None:
        """Add a problem with a field of the definition."""
        self.faults.append(Fault(BAD_EXPRESSION, message, cure, at))

    def condition(
        self, source: Json, at: FieldPath, names: Mapping[str, str]
    ) -> FieldExpression | None:
        """Compile a condition; None if it is wrong, or is just `true`."""
        if isinstance(source, str) and source.strip() == "true":
            return None
        return self.expression(source, at, names, BOOL, "a truth value")

    def expression(
        self,
        source: Json,
        at: FieldPath,
        names: Mapping[str, str],
        expected: str = "",
        noun: str = "",
    ) -> FieldExpression | None:
        """Compile the expression of a field; None if it is wrong.

        `names` has the type of each name. `expected` is a prefix of the required type, and `noun`
        is the required type in words.
        """
        if not isinstance(source, str):
            self.refuse("an expression is required here, as a text", at, "put it in quotes")
            return None
        program = compile_expression(source, names)
        if isinstance(program, tuple):
            for fault in program:
                line = f"line {fault.line}, " if "\n" in source.strip() else ""
                message = f"{fault.message} ({line}column {fault.column})"
                cure = "correct the expression"
                if "undefined field 'spec'" in message:
                    cure = "write `spec` instead of `self.spec`: as in Kuadrant, `self` has no spec"
                self.refuse(message, at, cure)
            return None
        for path in program.paths:
            if path[0] == _SPOKE and len(path) > 1 and path[1] not in _SPOKE_FIELDS:
                fields = ", ".join(f"spoke.{name}" for name in _SPOKE_FIELDS)
                self.refuse(f'a spoke has no field "{path[1]}"', at, f"use one of {fields}")
        if expected and program.returns != "dyn" and not program.returns.startswith(expected):
            message = f"its value is {describe_type(program.returns)}, where {noun} is needed"
            self.refuse(message, at, "correct the expression")
        self.programs.append(program)
        is_asking = any(call.function in QUESTIONS for call in program.calls)
        varies = is_asking or not self._varying_names.isdisjoint(program.names)
        return FieldExpression(program, at, varies)


_FAILURES = (
    (
        re.compile(r"index out of bounds: (\d+)"),
        r"a list has too few items (index out of bounds: \1)",
        "test its size() first, or report in `checks` what is missing",
    ),
    (
        re.compile(r'Key not found in map : "(.*)"'),
        r'there is no field "\1" (Key not found in map)',
        "test with has() whether it is there",
    ),
    (
        re.compile(r".*Iteration budget exceeded.*"),
        "the expression goes through more than 10,000 items (Iteration budget exceeded)",
        "loop over fewer items, or write the function in Python",
    ),
)
"""Failures of CEL, each with a message and a suggested fix for people."""


def _explain_failure(text: str) -> tuple[str, str]:
    for pattern, message, cure in _FAILURES:
        if match := pattern.fullmatch(text):
            return match.expand(message), cure
    return text, "correct the expression; test with has() for a field that may be missing"


def describe_type(name: str) -> str:
    """Return a CEL type in words, such as "a list"."""
    outer = name.partition("(")[0]
    words = {"string": "a text", "int": "a number", "bool": "a truth value", "list": "a list"}
    return words.get(outer, "a mapping" if outer == "map" else f"a {outer.rpartition('.')[2]}")


def expressions_budget(objects: int = 0) -> Budget:
    """Return the budget of all assertions, or of the metapolicies of one kind, in characters.

    The basic budget is about 0.5 s. Each of the `objects` of all spokes together adds about 0.5 ms.
    """
    return Budget(3 * MAX_WORK + WORK_PER_OBJECT * objects)


class Scope(Struct, frozen=True, eq=False):
    """The values of names for expressions, and the view of the spoke that their functions query."""

    values: Mapping[str, Any]
    view: MetapolicyView

    def with_value(self, name: str, value: Json) -> "Scope":
        """Return a scope in which, in addition, `name` has the value `value`."""
        return replace(self, values={**self.values, name: value})

    def value(self, expression: FieldExpression) -> Json:
        """Evaluate an expression. Raises `FailedError`, `BudgetSpentError`."""
        budget, program = self.view.budget, expression.program
        values = (self.values[name] for name in program.names if name in self.values)
        cost = _EVALUATION_COST + len(program.source) + sum(map(WEIGHTS.of, values))
        budget.spend(cost, "evaluating expressions")
        try:
            return program.evaluate(self.values, self.view)
        except UnevaluableError as error:
            message, cure = _explain_failure(str(error))
            raise FailedError(FAILED, message, cure, expression.at) from error
        finally:
            # An evaluation that fails has cost as much as one that succeeds.
            budget.spent += min(BUDGET.spent, BUDGET.limit)

    def truth(self, expression: FieldExpression | None) -> bool:
        """Evaluate a condition; None stands for `true`."""
        if expression is None:
            return True
        value = self.value(expression)
        if not isinstance(value, bool):
            raise _unfit(expression, "a truth value")
        return value

    def items(self, expression: FieldExpression) -> Sequence[Any]:
        """Evaluate an expression for a list."""
        value = self.value(expression)
        if not isinstance(value, list):
            raise _unfit(expression, "a list")
        return value

    def text(self, expression: FieldExpression) -> str:
        """Evaluate an expression for a text; numbers and truth values are converted."""
        value = self.value(expression)
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, str | int | float):
            raise _unfit(expression, "a text")
        return str(value)

    def data(self, expression: FieldExpression) -> Json:
        """Evaluate an expression for JSON data."""
        value = self.value(expression)
        if not _is_data(value):
            raise _unfit(expression, "data")
        return value


def _unfit(expression: FieldExpression, noun: str) -> FailedError:
    message = f"its value is not {noun}, which is needed here"
    return FailedError(FAILED, message, "correct the expression", expression.at)


def open_scope(view: MetapolicyView, names: Mapping[str, str] = ALL_NAMES) -> Scope:
    """Return the scope in which those of `ALL_NAMES` that are in `names` have their values."""
    # Kuadrant's extension SDK has the constant, too; its value is always the same.
    values: dict[str, Any] = {"__KUADRANT_VERSION": "1_dev"}
    if _SPOKE in names:
        values[_SPOKE] = dict(view.spoke)
    if "self" in names:
        values["self"] = view.metapolicy_message()
        values["spec"] = view.metapolicy.get("spec") or {}
    return Scope(values, view)


def evaluate_source(
    source: str, view: MetapolicyView, names: Mapping[str, str] = ALL_NAMES
) -> Json:
    """Evaluate an expression, which may use `names`, to JSON data. Raises `RefusedError`."""
    compiler = Compiler()
    expression = compiler.expression(source, (), names)
    if expression is None:
        raise RefusedError(tuple(compiler.faults))
    return _as_data(open_scope(view, names).value(expression))


def ref_of(start: Any) -> Ref | None:  # noqa: ANN401  (a message)
    """Return the reference of the object that a message stands for, or None."""
    kind = type_of(start)
    if kind == GATEWAY:
        return Ref(GATEWAY_API, "Gateway", start.metadata.namespace, start.metadata.name)
    if kind in (POLICY, ROUTE):
        metadata = start.metadata
        return Ref(metadata.group, metadata.kind, metadata.namespace, metadata.name)
    return None


def _is_data(value: Json) -> bool:
    if isinstance(value, dict):
        return all(map(_is_data, value.values()))
    if isinstance(value, list):
        return all(map(_is_data, value))
    return not is_message(value)


def _as_data(value: Json) -> Json:
    return convert_message(value) if is_message(value) else map_children(value, _as_data)
