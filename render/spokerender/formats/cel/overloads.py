"""Declaring functions of ours to the CEL library."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from cel_expr_python import cel
from msgspec.structs import replace

from spokerender.formats.cel.costs import DOUBTS
from spokerender.formats.cel.functions import NOT_HERE, OPAQUE, CelValue, Function
from spokerender.model.budget import BudgetSpentError

TOO_COSTLY = "it costs too much"


def declare_functions(functions: Iterable[Function]) -> list[cel.FunctionDecl]:
    """Declare functions to the library, the overloads of a name together."""
    by_name: dict[str, list[cel.Overload]] = defaultdict(list)
    for function in functions:
        by_name[function.name].append(declare_overload(function, function.call))
    return [cel.FunctionDecl(name, overloads) for name, overloads in by_name.items()]


def declare_overload(function: Function, call: Callable[..., CelValue] | None) -> cel.Overload:
    """Declare a function with its implementation; with None, another overload is called."""
    name = overload_id(function.name, function.parameters, is_member=function.is_member)
    return overload(name, function.returns, function.parameters, call, function.is_member)


def overload_id(name: str, parameters: Sequence[str], *, is_member: bool = False) -> str:
    """Return the identity of an overload by its name and the types of its parameters."""
    words = "_".join((name, "member" if is_member else "", *parameters))
    return "".join(c if c.isalnum() else "_" for c in words)


def as_texts(functions: Iterable[Function]) -> Iterator[Function]:
    """Yield functions with texts in place of the opaque types; equal ones once."""
    seen = set()
    for function in functions:
        types = ("string" if kind in OPAQUE else kind for kind in function.parameters)
        returns = "string" if function.returns in OPAQUE else function.returns
        changed = replace(function, parameters=tuple(types), returns=returns)
        key = changed.name, changed.is_member, changed.parameters
        if key not in seen:
            seen.add(key)
            yield changed


def overload(
    name: str,
    returns: str,
    parameters: Sequence[str],
    call: Callable[..., Any] | None,
    is_member: bool,
) -> cel.Overload:
    """Declare an overload by the names of its types; with None, another overload is called."""
    kinds = [find_type(parameter) for parameter in parameters]
    calls = () if call is None else (explain_costs(call),)
    return cel.Overload(name, find_type(returns), kinds, is_member, *calls)


def find_type(name: str) -> cel.Type:
    """Return a type by its name: `list(string)`, `map(string, dyn)`, or that of a message."""
    outer, bracket, inner = name.removesuffix(")").partition("(")
    if not bracket:
        scalar: cel.Type | None = getattr(cel.Type, outer.upper(), None)
        return scalar or cel.Type(outer)
    if outer == "list":
        return cel.Type.List(find_type(inner))
    key, _, value = inner.partition(", ")
    return cel.Type.Map(find_type(key), find_type(value))


def explain_costs(function: Callable[..., CelValue]) -> Callable[..., CelValue]:
    """Wrap a function so that a spent budget becomes an error that CEL can report."""

    def call(*arguments: CelValue) -> CelValue:
        try:
            return function(*arguments)
        except BudgetSpentError as error:
            raise ValueError(f"{TOO_COSTLY}: {error}") from error
        except ValueError as error:
            if NOT_HERE in str(error):
                DOUBTS.append(str(error))
            raise

    return call
