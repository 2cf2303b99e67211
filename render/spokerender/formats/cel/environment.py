"""Compiling and evaluating: the one place where the library is called and its errors are caught."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache, lru_cache

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_math, ext_optional
from msgspec import Struct

from spokerender.formats.cel import addresses, lists, quantities, strings
from spokerender.formats.cel.costs import (
    BUDGET,
    MAX_LISTED,
    MAX_MADE,
    MAX_READ,
    MAX_SOURCE,
    bare,
    growth,
    iterations,
    listed,
    scopes,
)
from spokerender.formats.cel.functions import Function, Value
from spokerender.model.budget import BudgetSpentError

_TABLES = (strings, quantities, addresses, lists)
_OURS = re.compile(
    r"\b(?:" + "|".join(sorted({f.name for t in _TABLES for f in t.FUNCTIONS})) + r")\s*\("
)
_TOO_COSTLY = "it costs too much"
_NOT_A_NO = (
    _TOO_COSTLY,
    "Iteration budget",
    "Non-CEL value",
    "out of range for 'self",
)
"""What the errors say that are about this environment and not about the value."""
_NO_OVERLOAD = "No matching overload"


class UnevaluableError(Exception):
    """An expression can't be judged here, though an API server might; the text says why."""


class NoOverloadError(UnevaluableError):
    """A function is not for values of these types, as far as they are here what they are there.

    A text may be one where the API server has a time.
    """


class Failure(Struct, frozen=True):
    """The evaluation of an expression that compiles failed; the API server takes that for a no."""

    message: str


class Binding(Struct, frozen=True, eq=False):
    """A value under the name `self`, converted once for all the rules about it.

    `text` is the value as Python writes it, of which the size counts.
    """

    text: str
    activation: cel.Activation


class Program(Struct, frozen=True, eq=False):
    """An expression, checked and ready."""

    source: str
    expression: cel.Expression
    growth: int
    loops: int
    is_calling: bool

    def evaluate(self, binding: Binding) -> bool | str | Failure | None:
        """What it comes to; None for anything but a truth value or a text.

        Raises `UnevaluableError` where it would cost too much or needs what is not here.
        """
        if self.growth > 1 or self.loops:
            self.check(binding.text)
        BUDGET.refill()
        try:
            value = self.expression.eval(binding.activation)
        except RuntimeError as error:
            raise UnevaluableError(first_line(str(error))) from error
        kind = value.type()
        if kind == cel.Type.ERROR:
            return self._failure(str(value.plain_value()))
        if kind in (cel.Type.BOOL, cel.Type.STRING):
            plain: bool | str = value.plain_value()
            return plain
        return None

    def check(self, text: str) -> None:
        """Refuse what could take too long or too much, by the size of the value."""
        size = len(self.source) + len(text)
        if self.growth * size > MAX_MADE:
            message = "it could make more data than is allowed here"
            raise UnevaluableError(message)
        items = size if self.is_calling else text.count(",") + self.source.count(",") + 1
        if listed(self.source, self.loops, items) > MAX_LISTED:
            message = "it could make more lists than are allowed here"
            raise UnevaluableError(message)
        read = iterations(self.loops, items) * size
        # What our functions are given is copied, and kept until the evaluation ends.
        if read > (MAX_MADE if self.is_calling else MAX_READ):
            message = "it could read more data than is allowed here"
            raise UnevaluableError(message)

    def _failure(self, text: str) -> Failure:
        if any(words in text for words in _NOT_A_NO) or BUDGET.is_spent:
            raise UnevaluableError(first_line(text))
        if _NO_OVERLOAD in text:
            raise NoOverloadError(first_line(text))
        return Failure(first_line(text))


def bind(value: Value, text: str = "") -> Binding:
    """Make a value known as `self`; `text` is its `repr`, where that is at hand."""
    return Binding(text or repr(value), _environment().Activation({"self": value}))


def bind_change(old: Value, new: Value) -> Binding:
    """Make two values known as `oldSelf` and `self`."""
    activation = _environment().Activation({"self": new, "oldSelf": old})
    return Binding(repr((old, new)), activation)


@lru_cache(maxsize=4096)
def compiled(source: str) -> Program:
    """Check an expression of `self` (and `oldSelf`); raises `UnevaluableError`, with the reason."""
    if len(source) > MAX_SOURCE:
        message = f"it is longer than {MAX_SOURCE:,} characters"
        raise UnevaluableError(message)
    try:
        expression = _environment().compile(source)
    except RuntimeError as error:
        raise UnevaluableError(first_line(str(error))) from error
    is_calling = _OURS.search(bare(source)) is not None
    return Program(source, expression, growth(source), scopes(source), is_calling)


def matches(pattern: str, text: str) -> bool:
    """Whether an RE2 pattern is found in a text; raises `UnevaluableError` for a bad pattern."""
    found = _matcher().eval(data={"text": text, "pattern": pattern})
    if found.type() == cel.Type.ERROR:
        raise UnevaluableError(first_line(str(found.plain_value())))
    return bool(found.plain_value())


@cache
def _matcher() -> cel.Expression:
    variables = {"text": cel.Type.STRING, "pattern": cel.Type.STRING}
    return cel.NewEnv(variables=variables).compile("text.matches(pattern)")


@cache
def _environment() -> cel.Env:
    """Kubernetes' environment for CRDs: base library 1.36, without what can't be had safely."""
    return cel.NewEnv(
        variables={"self": cel.Type.DYN, "oldSelf": cel.Type.DYN},
        extensions=[ext_optional.ExtOptional(), ext_math.ExtMath(), ext_bindings.ExtBindings()],
        functions=_declarations(),
    )


def _declarations() -> list[cel.FunctionDecl]:
    by_name: dict[str, list[cel.Overload]] = defaultdict(list)
    for function in (row for table in _TABLES for row in table.FUNCTIONS):
        by_name[function.name].append(_overload(function))
    return [cel.FunctionDecl(name, overloads) for name, overloads in by_name.items()]


def _overload(function: Function) -> cel.Overload:
    words = "_".join((function.name, "member" if function.is_member else "", *function.parameters))
    return cel.Overload(
        "".join(c if c.isalnum() else "_" for c in words),
        _type(function.returns),
        [_type(parameter) for parameter in function.parameters],
        function.is_member,
        _named_errors(function),
    )


def _type(name: str) -> cel.Type:
    """A type by the name that our tables give it: `string`, `list(string)`, `map(string)`."""
    outer, _, inner = name.removesuffix(")").partition("(")
    if outer == "list":
        return cel.Type.List(_type(inner))
    if outer == "map":
        return cel.Type.Map(cel.Type.STRING, _type(inner))
    known: cel.Type = getattr(cel.Type, outer.upper())
    return known


def _named_errors(function: Function) -> Callable[..., Value]:
    def call(*arguments: Value) -> Value:
        try:
            return function.call(*arguments)
        except BudgetSpentError as error:
            message = f"{_TOO_COSTLY}: {error}"
            raise ValueError(message) from error

    return call


def first_line(text: str) -> str:
    """The first line of what the library says, without its codes and positions."""
    line = text.partition("\n")[0]
    for prefix in ("INVALID_ARGUMENT: ", "UNKNOWN: ", "NOT_FOUND: ", "ERROR: "):
        line = line.removeprefix(prefix)
    place, colon, rest = line.partition(": ")
    return (rest if colon and place.startswith("<input>") else line)[:300]
