"""Go's text/template with functions of sprig; there is no library for it in Python.

Rendering is a pure function of the template and the values. Text is not HTML-escaped, numbers stay
exact, and a missing value is an error instead of `<no value>`. Without loops, the work is bounded
by the length of the template and of the texts. Source: Go's text/template (exec.go).
"""

from functools import lru_cache
from typing import Any, NoReturn

from msgspec import Struct

from spokerender.formats.regexes import PatternError
from spokerender.wings.publishing.gotemplates import parser, values
from spokerender.wings.publishing.gotemplates.functions import FUNCTIONS

_HTML_SPECIAL = frozenset("&<>\"'+\0")
"""Characters that html/template, which upstream uses, escapes in the values of actions."""


class RenderedText(Struct, frozen=True):
    """The output of a template; `is_escapable` is True if html/template would have changed it."""

    text: str
    is_escapable: bool


class GoTemplate(Struct, frozen=True, eq=False):
    """A parsed template."""

    body: parser.Body

    def render(self, data: values.GoStruct, *, missing: str | None = None) -> RenderedText:
        """Render the template with `data`; print missing values as `missing`.

        Raises `GoTemplateError` if a function fails or the text grows too long. If `missing` is
        None, raises `MissingValueError` for a missing value.
        """
        rendering = _Rendering(data, missing)
        try:
            rendering.render_body(self.body, data)
        except RecursionError as error:
            raise values.GoTemplateError("a value is nested too deep") from error
        return RenderedText("".join(rendering.texts), rendering.is_escapable)


@lru_cache(maxsize=1024)
def compile_go_template(source: str, refused: tuple[tuple[str, str], ...] = ()) -> GoTemplate:
    """Parse a template; `refused` has names of functions to refuse, each with the reason.

    Raises `GoTemplateError` for a syntax error or an unknown function.
    """
    return GoTemplate(parser.parse_template(source, dict(refused)))


class _Rendering:
    """One run of a template; `dot` is the value of `.` in its methods."""

    def __init__(self, data: values.GoStruct, missing: str | None) -> None:
        self.texts: list[str] = []
        self.is_escapable = False
        self._data = data
        self._missing = missing
        self._size = self._line = 0

    def render_body(self, body: parser.Body, dot: values.GoValue) -> None:
        """Add the output of the nodes in `body` to `texts`, in order."""
        for node in body:
            match node:
                case str():
                    self._print_text(node)
                case parser.Pipeline():
                    self._print_value(self._evaluate_pipeline(node, dot))
                case parser.BranchNode():
                    value = self._evaluate_pipeline(node.pipeline, dot)
                    if not values.is_truthy(value):
                        self.render_body(node.otherwise, dot)
                    else:
                        # `with` changes the dot, `if` does not.
                        self.render_body(node.body, value if node.keyword == "with" else dot)

    def _evaluate_pipeline(self, pipeline: parser.Pipeline, dot: values.GoValue) -> values.GoValue:
        self._line = pipeline.line
        result: tuple[values.GoValue, ...] = ()
        for head, *others in pipeline.commands:
            if isinstance(head, str):
                # The piped value becomes the last argument.
                result = (self._call_function(head, others, result, dot),)
            elif others or result:
                self._reject("a value has arguments but is not a function")
            else:
                result = (self._evaluate_operand(head, dot),)
        return result[0]

    def _evaluate_operand(self, operand: parser.Operand, dot: values.GoValue) -> values.GoValue:
        match operand:
            case parser.Constant():
                return operand.value
            case str():
                return self._call_function(operand, [], (), dot)
            case parser.DataField():
                value = self._data if operand.is_root else dot
            case parser.Parenthesized():
                value = self._evaluate_pipeline(operand.pipeline, dot)
        for name in operand.fields:
            value = self._read_field(value, name)
            # A method without arguments is called when it is named, as in Go.
            if callable(value):
                value = self._apply(name, value, ())
        return value

    def _read_field(self, value: values.GoValue, name: str) -> values.GoValue:
        if value is None:
            return None
        if isinstance(value, dict):
            # A missing key of a map is no error in Go; printing its value is one here.
            return value.get(name)
        if isinstance(value, values.GoStruct):
            if name in value.fields:
                return value.fields[name]
            self._reject(f"{value.name} has no field {name}; it has {', '.join(value.fields)}")
        return self._reject(f"{values.name_go_type(value)} has no field {name}")

    def _call_function(
        self,
        name: str,
        operands: list[parser.Operand],
        piped: tuple[values.GoValue, ...],
        dot: values.GoValue,
    ) -> values.GoValue:
        # Lazy since Go 1.18: arguments behind the deciding one may fail.
        if name in {"and", "or"}:
            return self._evaluate_lazily(name, operands, piped, dot)
        function = FUNCTIONS[name]
        arguments = (*(self._evaluate_operand(operand, dot) for operand in operands), *piped)
        parameters, is_variadic = function.parameters, function.is_variadic
        most = len(arguments) if is_variadic else len(parameters)
        least = len(parameters) - is_variadic - function.optional
        if not least <= len(arguments) <= most:
            self._reject(f"{name} takes {least} arguments, but gets {len(arguments)}")
        # The last type is that of all further arguments.
        types = (*parameters, *parameters[-1:] * len(arguments))
        try:
            converted = [values.CONVERSIONS[t](a) for t, a in zip(types, arguments, strict=False)]
        except values.GoTemplateError as error:
            self._reject(f"{name}: {error}")
        return self._apply(name, function.call, tuple(converted))

    def _apply(self, name: str, call: Any, arguments: tuple[values.GoValue, ...]) -> values.GoValue:  # noqa: ANN401
        try:
            value = call(*arguments)
        except (values.GoTemplateError, PatternError) as error:
            self._reject(f"{name}: {error}")
        except TypeError:
            self._reject(f"{name} can't take these arguments")
        # After each call, so that no chain of functions can grow a text beyond bounds.
        values.check_size(len(value) if isinstance(value, str) else 0)
        return value

    def _evaluate_lazily(
        self,
        name: str,
        operands: list[parser.Operand],
        piped: tuple[values.GoValue, ...],
        dot: values.GoValue,
    ) -> values.GoValue:
        """Evaluate `and` or `or` up to the first argument that decides."""
        value: values.GoValue = None
        if not (operands or piped):
            self._reject(f"{name} takes at least one argument")
        for operand in operands:
            value = self._evaluate_operand(operand, dot)
            if values.is_truthy(value) == (name == "or"):
                return value
        return piped[0] if piped else value

    def _print_value(self, value: values.GoValue) -> None:
        if value is None:
            if self._missing is None:
                raise values.MissingValueError(f"line {self._line}: a value to print is missing")
            value = self._missing
        text = values.format_value(value)
        # Upstream renders with html/template, so such a text would come out otherwise there.
        self.is_escapable = self.is_escapable or not _HTML_SPECIAL.isdisjoint(text)
        self._print_text(text)

    def _print_text(self, text: str) -> None:
        self._size += len(text)
        values.check_size(self._size)
        self.texts.append(text)

    def _reject(self, message: str) -> NoReturn:
        values.reject_template(f"line {self._line}: {message}")
