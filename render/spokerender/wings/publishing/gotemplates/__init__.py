"""Go's text/template with the repeatable functions of sprig, written here as no library has it.

A pure function of its text and its values: functions that read the clock, random numbers, the
environment or the network are refused, and so are `define`, `block` and `template`. Text is not
HTML-escaped, numbers stay exact, and a missing value is an error and never `<no value>`. The work
of one rendering has a limit. Source: Go's text/template (exec.go).
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NoReturn

from msgspec import Struct

from spokerender.formats.regexes import PatternError
from spokerender.wings.publishing.gotemplates import (
    collection_functions,
    logic_functions,
    parser,
    text_functions,
    values,
)
from spokerender.wings.publishing.gotemplates.lexer import split_tokens

MAX_STEPS = 100_000
"""Nodes, commands and items that the rendering of one template may visit."""

_HTML_SPECIAL = frozenset("&<>\"'+\0")
"""Characters that html/template, which upstream uses, escapes in the values of actions."""


class RenderedText(Struct, frozen=True):
    """The text that a template made; `is_escapable` where html/template would have changed it."""

    text: str
    is_escapable: bool


class GoTemplate(Struct, frozen=True, eq=False):
    """A parsed template."""

    body: parser.Body

    def render(self, data: values.GoStruct, *, missing: str | None = None) -> RenderedText:
        """Render the template with `data`; print missing values as `missing`.

        Raises `GoTemplateError` if a function fails, or the template does too much work:
        `MissingValueError` if a value is missing, and `missing` is None.
        """
        rendering = _Rendering(data, missing)
        try:
            rendering.render_body(self.body)
        except RecursionError as error:
            raise values.GoTemplateError("a value is nested too deep") from error
        return RenderedText("".join(rendering.texts), rendering.is_escapable)


@lru_cache(maxsize=1024)
def compile_go_template(source: str, refused: tuple[tuple[str, str], ...] = ()) -> GoTemplate:
    """Parse a template; `refused` are more functions that are refused, each with the reason.

    Raises `GoTemplateError` for a syntax error or an unknown function.
    """
    return GoTemplate(parser.parse_template(split_tokens(source), _FUNCTIONS, dict(refused)))


_FUNCTIONS: Mapping[str, values.TemplateFunction] = {
    function.name: function
    for module in (logic_functions, text_functions, collection_functions)
    for function in module.FUNCTIONS
}


class _LoopExitError(Exception):
    """`break` or `continue` on its way to the innermost range."""


class _Rendering:
    def __init__(
        self,
        data: values.GoStruct,
        missing: str | None,
    ) -> None:
        self.texts: list[str] = []
        self.is_escapable = False
        self._missing = missing
        self._variables: list[tuple[str, values.GoValue]] = [("$", data), (".", data)]
        self._steps = self._size = self._line = 0

    def render_body(self, body: parser.Body) -> None:
        """Render nodes in order. Variables that a branch declares end with it."""
        for node in body:
            self._count_steps()
            match node:
                case str():
                    self._print_text(node)
                case parser.Pipeline():
                    value = self._evaluate_pipeline(node)
                    if not node.variables:
                        self._print_value(value)
                case parser.BranchNode():
                    outer_variables = len(self._variables)
                    self._render_branch(node)
                    del self._variables[outer_variables:]
                case parser.LoopExit():
                    raise _LoopExitError(node.keyword)

    def _render_branch(self, node: parser.BranchNode) -> None:
        if node.keyword == "range":
            self._render_range(node)
            return
        value = self._evaluate_pipeline(node.pipeline)
        if not values.is_truthy(value):
            self.render_body(node.otherwise)
            return
        if node.keyword == "with":
            self._variables.append((".", value))
        self.render_body(node.body)

    def _render_range(self, node: parser.BranchNode) -> None:
        items = self._list_items(self._evaluate_pipeline(node.pipeline, assigns=False))
        names = node.pipeline.variables
        if not items:
            self.render_body(node.otherwise)
        for key, item in items:
            self._count_steps()
            outer_variables = len(self._variables)
            # One variable gets the item, two get the key and the item.
            for name, value in zip(
                names, (item,) if len(names) == 1 else (key, item), strict=False
            ):
                self._assign(name, value, declares=node.pipeline.declares)
            self._variables.append((".", item))
            try:
                self.render_body(node.body)
            except _LoopExitError as loop_exit:
                if loop_exit.args == ("break",):
                    break
            finally:
                del self._variables[outer_variables:]

    def _list_items(self, value: values.GoValue) -> list[tuple[values.GoValue, values.GoValue]]:
        if value is None:
            return []
        if isinstance(value, list):
            return list(enumerate(value))
        if isinstance(value, dict):
            return [(key, value[key]) for key in sorted(value)]
        return self._reject(f"range can't iterate over {values.name_go_type(value)}")

    def _evaluate_pipeline(
        self, pipeline: parser.Pipeline, *, assigns: bool = True
    ) -> values.GoValue:
        self._line = pipeline.line or self._line
        result: tuple[values.GoValue, ...] = ()
        for command in pipeline.commands:
            self._count_steps()
            result = (self._evaluate_command(command, result),)
        if assigns:
            for name in pipeline.variables:
                self._assign(name, result[0], declares=pipeline.declares)
        return result[0]

    def _assign(self, name: str, value: values.GoValue, *, declares: bool) -> None:
        if declares:
            self._variables.append((name, value))
            return
        places = (i for i, (variable, _) in enumerate(self._variables) if variable == name)
        self._variables[max(places)] = (name, value)

    def _evaluate_command(
        self, command: parser.Command, piped: tuple[values.GoValue, ...]
    ) -> values.GoValue:
        head, *others = command
        if isinstance(head, str):
            return self._call_function(head, tuple(others), piped)
        if others or piped:
            self._reject("a value has arguments but is not a function")
        return self._evaluate_operand(head)

    def _evaluate_operand(self, operand: parser.Operand) -> values.GoValue:
        match operand:
            case parser.Constant():
                return operand.value
            case str():
                return self._call_function(operand, (), ())
            case parser.VariableField():
                value = next(v for name, v in reversed(self._variables) if name == operand.name)
            case parser.Parenthesized():
                value = self._evaluate_pipeline(operand.pipeline)
        for name in operand.fields:
            value = self._read_field(value, name)
            if callable(value):
                value = self._apply(name, value, ())
        return value

    def _read_field(self, value: values.GoValue, name: str) -> values.GoValue:
        if value is None:
            return None
        if isinstance(value, dict):
            return value.get(name)
        if isinstance(value, values.GoStruct):
            if name in value.fields:
                return value.fields[name]
            self._reject(f"{value.name} has no field {name}; it has {', '.join(value.fields)}")
        return self._reject(f"{values.name_go_type(value)} has no field {name}")

    def _call_function(
        self, name: str, operands: tuple[parser.Operand, ...], piped: tuple[values.GoValue, ...]
    ) -> values.GoValue:
        if name in {"and", "or"}:
            return self._evaluate_lazily(name, operands, piped)
        function = _FUNCTIONS[name]
        arguments = (*map(self._evaluate_operand, operands), *piped)
        parameters, is_variadic = function.parameters, function.is_variadic
        most = len(arguments) if is_variadic else len(parameters)
        least = len(parameters) - is_variadic - function.optional
        if not least <= len(arguments) <= most:
            self._reject(f"{name} takes {least} arguments, but gets {len(arguments)}")
        types = (*parameters, *parameters[-1:] * len(arguments))
        try:
            converted = [values.CONVERSIONS[t](a) for t, a in zip(types, arguments, strict=False)]
        except values.GoTemplateError as error:
            self._reject(f"{name}: {error}")
        value = self._apply(name, function.call, tuple(converted))
        if function.nests:
            self._count_steps(values.count_nested(value) // 10)
        return value

    def _apply(self, name: str, call: Any, arguments: tuple[values.GoValue, ...]) -> values.GoValue:  # noqa: ANN401
        try:
            value = call(*arguments)
        except (values.GoTemplateError, PatternError) as error:
            self._reject(f"{name}: {error}")
        except TypeError:
            self._reject(f"{name} can't take these arguments")
        values.check_size(len(value) if isinstance(value, str) else 0)
        self._count_steps(len(value) // 100 if isinstance(value, str | list | dict) else 0)
        return value

    def _evaluate_lazily(
        self, name: str, operands: tuple[parser.Operand, ...], piped: tuple[values.GoValue, ...]
    ) -> values.GoValue:
        """Evaluate `and` or `or` up to the first argument that decides."""
        value: values.GoValue = None
        if not (operands or piped):
            self._reject(f"{name} takes at least one argument")
        for operand in operands:
            value = self._evaluate_operand(operand)
            if values.is_truthy(value) == (name == "or"):
                return value
        return piped[0] if piped else value

    def _print_value(self, value: values.GoValue) -> None:
        if value is None:
            if self._missing is None:
                raise values.MissingValueError(f"line {self._line}: a value to print is missing")
            value = self._missing
        text = values.format_value(value)
        self.is_escapable = self.is_escapable or not _HTML_SPECIAL.isdisjoint(text)
        self._print_text(text)

    def _print_text(self, text: str) -> None:
        self._size += len(text)
        values.check_size(self._size)
        self.texts.append(text)

    def _count_steps(self, count: int = 1) -> None:
        self._steps += count
        if self._steps > MAX_STEPS:
            self._reject(f"the template takes more than {MAX_STEPS:,} steps")

    def _reject(self, message: str) -> NoReturn:
        values.reject_template(f"line {self._line}: {message}")
