"""Carrying a template out, step by step, within bounds. Source: Go's text/template (exec.go)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from spokerender.wings.publishing.gotemplates.nodes import (
    Action,
    Body,
    Branch,
    Command,
    Dot,
    Leave,
    Literal,
    Named,
    Nested,
    Operand,
    Pipeline,
    Text,
    Variable,
)
from spokerender.wings.publishing.gotemplates.problems import MissingValueProblem, TemplateProblem
from spokerender.wings.publishing.gotemplates.rows import Function
from spokerender.wings.publishing.gotemplates.values import (
    CONVERTED,
    Record,
    Value,
    bounded,
    is_true,
    printed,
    type_name,
    weight,
)

MAX_STEPS = 100_000
"""Nodes, commands and items that one carrying out may go through."""

_ESCAPED = frozenset("&<>\"'+\0")
"""What html/template would have escaped in what an action prints."""


class _LeaveError(Exception):
    """`break` or `continue` on its way to the range that it is in."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


class Run:
    """One carrying out."""

    def __init__(
        self, functions: Mapping[str, Function], data: Record, missing: str | None
    ) -> None:
        """`data` is `.` and `$`; what is missing is printed as `missing`, or is an error."""
        self.made: list[str] = []
        self.escapable = False
        self._functions = functions
        self._missing = missing
        self._variables: list[tuple[str, Value]] = [("$", data)]
        self._steps = self._size = self._line = 0

    def body(self, body: Body, dot: Value) -> None:
        """Carry out nodes one after the other; what they declare ends with them."""
        for node in body:
            self._step()
            match node:
                case Text():
                    self._print(node.text)
                case Action():
                    value = self._pipeline(node.pipeline, dot)
                    if not node.pipeline.variables:
                        self._print_value(value)
                case Branch():
                    depth = len(self._variables)
                    self._branch(node, dot)
                    del self._variables[depth:]
                case Leave():
                    raise _LeaveError(node.word)

    def _branch(self, node: Branch, dot: Value) -> None:
        if node.word == "range":
            self._range(node, dot)
            return
        value = self._pipeline(node.pipeline, dot)
        if not is_true(value):
            self.body(node.otherwise, dot)
        else:
            self.body(node.body, value if node.word == "with" else dot)

    def _range(self, node: Branch, dot: Value) -> None:
        value = self._pipeline(node.pipeline, dot, assigns=False)
        items = self._items(value)
        if not items:
            self.body(node.otherwise, dot)
        for key, item in items:
            self._step()
            depth = len(self._variables)
            names = node.pipeline.variables
            for name, part in zip(names, (item,) if len(names) == 1 else (key, item), strict=False):
                self._assign(name, part, declares=node.pipeline.declares)
            try:
                self.body(node.body, item)
            except _LeaveError as leave:
                if leave.word == "break":
                    break
            finally:
                del self._variables[depth:]

    def _items(self, value: Value) -> list[tuple[Value, Value]]:
        if value is None:
            return []
        if isinstance(value, list):
            return list(enumerate(value))
        if isinstance(value, dict):
            return [(key, value[key]) for key in sorted(value)]
        return self._refuse(f"range can't go through {type_name(value)}")

    def _pipeline(self, pipeline: Pipeline, dot: Value, *, assigns: bool = True) -> Value:
        self._line = pipeline.line or self._line
        final: tuple[Value, ...] = ()
        for command in pipeline.commands:
            self._step()
            final = (self._command(command, dot, final),)
        if assigns:
            for name in pipeline.variables:
                self._assign(name, final[0], declares=pipeline.declares)
        return final[0]

    def _assign(self, name: str, value: Value, *, declares: bool) -> None:
        if not declares:
            place = max(i for i, (known, _) in enumerate(self._variables) if known == name)
            self._variables[place] = (name, value)
            return
        self._variables.append((name, value))

    def _command(self, command: Command, dot: Value, final: tuple[Value, ...]) -> Value:
        head, *others = command.operands
        if isinstance(head, Named):
            return self._call(self._functions[head.name], tuple(others), dot, final)
        if isinstance(head, Literal) or not (others or final):
            return self._operand(head, dot)
        arguments = (*(self._operand(operand, dot) for operand in others), *final)
        return self._operand(head, dot, arguments)

    def _operand(self, operand: Operand, dot: Value, arguments: tuple[Value, ...] = ()) -> Value:
        match operand:
            case Literal():
                return operand.value
            case Dot():
                return self._fields(dot, operand.fields, arguments)
            case Variable():
                value = next(v for name, v in reversed(self._variables) if name == operand.name)
                return self._fields(value, operand.fields, arguments)
            case Nested():
                return self._fields(
                    self._pipeline(operand.pipeline, dot), operand.fields, arguments
                )
        return self._call(self._functions[operand.name], (), dot, ())

    def _fields(self, value: Value, fields: tuple[str, ...], arguments: tuple[Value, ...]) -> Value:
        for index, name in enumerate(fields):
            value = self._field(value, name)
            if callable(value):
                given, arguments = (arguments, ()) if index == len(fields) - 1 else ((), arguments)
                value = self._carried_out(name, value, given)
        if arguments:
            self._refuse(f"{fields[-1] if fields else 'a value'} has arguments and is no method")
        return value

    def _field(self, value: Value, name: str) -> Value:
        if value is None:
            return None
        if isinstance(value, dict):
            return value.get(name)
        if isinstance(value, Record):
            if name in value.fields:
                return value.fields[name]
            self._refuse(f"{value.name} has no {name}; it has {', '.join(value.fields)}")
        return self._refuse(f"{type_name(value)} has no field {name}")

    def _call(
        self,
        function: Function,
        operands: tuple[Operand, ...],
        dot: Value,
        final: tuple[Value, ...],
    ) -> Value:
        if function.name in _LAZY:
            return self._lazily(function.name, operands, dot, final)
        arguments = (*(self._operand(operand, dot) for operand in operands), *final)
        most = len(function.parameters)
        least = most - function.optional - (1 if function.more else 0)
        if len(arguments) < least or (len(arguments) > most and not function.more):
            self._refuse(f"{function.name} takes {least} values, and is given {len(arguments)}")
        words = (*function.parameters, *function.parameters[-1:] * len(arguments))
        try:
            made = [CONVERTED[word](a) for word, a in zip(words, arguments, strict=False)]
        except TemplateProblem as problem:
            self._refuse(f"{function.name}: {problem}")
        value = self._carried_out(function.name, function.call, tuple(made))
        if function.nests:
            self._step(weight(value) // 10)
        return value

    def _carried_out(self, name: str, call: Any, arguments: tuple[Value, ...]) -> Value:  # noqa: ANN401
        try:
            value = call(*arguments)
        except TemplateProblem as problem:
            self._refuse(f"{name}: {problem}")
        except TypeError:
            self._refuse(f"{name} is given values that it can't take")
        bounded(len(value) if isinstance(value, str) else 0)
        self._step(len(value) // 100 if isinstance(value, str | list | dict) else 0)
        return value

    def _lazily(
        self, name: str, operands: tuple[Operand, ...], dot: Value, final: tuple[Value, ...]
    ) -> Value:
        """`and` and `or` look no further than they must."""
        value: Value = None
        for index, operand in enumerate((*operands, *final)):
            value = self._operand(operand, dot) if index < len(operands) else operand
            if is_true(value) == (name == "or"):
                return value
        if not (operands or final):
            self._refuse(f"{name} takes at least one value")
        return value

    def _print_value(self, value: Value) -> None:
        if value is None:
            if self._missing is None:
                message = f"line {self._line}: a value is missing, and would be printed"
                raise MissingValueProblem(message)
            value = self._missing
        text = printed(value)
        self.escapable = self.escapable or not _ESCAPED.isdisjoint(text)
        self._print(text)

    def _print(self, text: str) -> None:
        self._size += len(text)
        bounded(self._size)
        self.made.append(text)

    def _step(self, count: int = 1) -> None:
        self._steps += count
        if self._steps > MAX_STEPS:
            self._refuse(f"it takes more than {MAX_STEPS:,} steps")

    def _refuse(self, message: str) -> NoReturn:
        message = f"line {self._line}: {message}"
        raise TemplateProblem(message)


_LAZY = frozenset({"and", "or"})
