"""The functions of strings and lists that Kubernetes adds to CEL, and how functions are declared.

Sources: cel-go `ext.Strings`, version 2; k8s.io/apiserver, `library`. The CEL library at hand has
the functions of strings, too, but its `replace` and `join` make strings of any size.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from cel_expr_python import cel
from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats.cel.costs import BUDGET, DOUBTS, charge_made_text
from spokerender.model.budget import BudgetSpentError
from spokerender.model.quantities import LARGEST

QUANTITY, SEMVER, FORMAT = "kubernetes.Quantity", "kubernetes.Semver", "kubernetes.NamedFormat"
URL, IP, CIDR = "kubernetes.URL", "net.IP", "net.CIDR"
NOTHING = "kubernetes.Nothing"
"""A type without values."""
OPAQUE = (QUANTITY, SEMVER, FORMAT, URL, IP, CIDR, NOTHING)
"""Types of Kubernetes' library whose values are texts in our functions."""
NOT_HERE = "it cannot be evaluated here"
CelValue: TypeAlias = Any
"""A value from the library: None, bool, int, float, str, bytes, a list, a dict, a time."""


class Function(Struct, frozen=True):
    """One overload of a function.

    `parameters` and `returns` are names of types, such as `list(string)` and `map(string, dyn)`
    (`find_type`). The first parameter of a member is the value before the dot.
    """

    name: str
    parameters: tuple[str, ...]
    returns: str
    call: Callable[..., CelValue]
    is_member: bool = True


def member(name: str, parameters: str, returns: str, call: Callable[..., CelValue]) -> Function:
    """Return a function called on its first parameter; spaces separate the `parameters`."""
    return Function(name, tuple(parameters.split()), returns, call)


def global_function(
    name: str, parameters: str, returns: str, call: Callable[..., CelValue]
) -> Function:
    """Return a function that is called by its name; spaces separate the `parameters`."""
    return Function(name, tuple(parameters.split()), returns, call, is_member=False)


_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_VERB = re.compile(r"%(?:\.([0-9]{1,3}))?([sdfexXob%])")
_ODD = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_ESCAPES = str.maketrans({
    "\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v",
    "\\": r"\\", '"': r"\"",
})  # fmt: skip


def _within(text: str, index: int) -> int:
    if not 0 <= index <= len(text):
        raise ValueError(f"index out of range: {index}")
    return index


def index_of_text(text: str, part: str, start: int = 0) -> int:
    """Return the index of `part` from `start` on, or -1. Raises ValueError for a bad `start`."""
    BUDGET.spend(len(text), "indexOf()")
    if not part:
        return start
    return text.find(part, _within(text, min(start, len(text))))


def last_index_of_text(text: str, part: str, last: int | None = None) -> int:
    """Return the last index of `part` up to `last`, or -1. Raises ValueError for a bad `last`."""
    BUDGET.spend(len(text), "lastIndexOf()")
    if last is None:
        return text.rfind(part)
    if not part:
        return last
    if last >= len(text):
        return -1
    return text.rfind(part, 0, _within(text, last) + len(part))


def join_texts(parts: list[str], separator: str = "") -> str:
    """Return the joined texts, after charging the budget for each character."""
    charge_made_text(sum(map(len, parts)) + len(separator) * len(parts), "join()")
    return separator.join(parts)


def replace_text(text: str, old: str, new: str, count: int = -1) -> str:
    """Return a text with `old` replaced, after charging the budget for reading and making it."""
    occurrences = len(text) + 1 if not old else text.count(old)
    occurrences = occurrences if count < 0 else min(occurrences, count)
    BUDGET.spend(len(text), "replace()")
    charge_made_text(len(text) + occurrences * max(len(new) - len(old), 0), "replace()")
    return text.replace(old, new, count)


def split_text(text: str, separator: str, count: int = -1) -> list[str]:
    """Return the parts of a text, split as in Go, after charging the budget for each character."""
    BUDGET.spend(2 * len(text), "split()")
    if count == 0:
        return []
    if separator:
        return text.split(separator, count - 1 if count > 0 else -1)
    head = len(text) if count < 0 else min(count - 1, len(text))
    return [*text[:head], *([text[head:]] if text[head:] else [])]


def _substring(text: str, start: int, end: int | None = None) -> str:
    end = len(text) if end is None else end
    if _within(text, start) > _within(text, end):
        raise ValueError(f"invalid substring range: {start}, {end}")
    return text[start:end]


def charge_text(text: str) -> str:
    """Return the text unchanged, after charging the budget for each character."""
    BUDGET.spend(len(text), "reading a text")
    return text


def _quote(text: str) -> str:
    return '"' + charge_text(text).translate(_ESCAPES) + '"'


def _shown(value: object) -> str:
    """Return a value as the verb `%s` formats it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{_shown(k)}: {_shown(v)}" for k, v in value.items())) + "}"
    return str(value)


def format_text(pattern: str, values: list[object]) -> str:
    """Return a text with its verbs (`%s`) replaced. Raises ValueError if values are missing."""
    rest = iter(values)

    def written(match: re.Match[str]) -> str:
        precision, verb = match.groups()
        if verb == "%":
            return "%"
        value = next(rest, rest)
        if value is rest:
            raise ValueError("format: more verbs than values")
        if verb in "fe":
            text = format(value, f".{precision or 6}{verb}")
            text = _ODD.get(text, text)
        elif verb == "s" or (verb == "d" and not isinstance(value, bool)):
            text = _shown(value)
        else:
            text = format(value, verb)
        BUDGET.spend(len(text), "format()")
        return text

    return _VERB.sub(written, charge_text(pattern))


STRING_FUNCTIONS: tuple[Function, ...] = (
    member("charAt", "string int", "string", lambda text, i: text[_within(text, i) : i + 1]),
    member("indexOf", "string string", "int", index_of_text),
    member("indexOf", "string string int", "int", index_of_text),
    member("lastIndexOf", "string string", "int", last_index_of_text),
    member("lastIndexOf", "string string int", "int", last_index_of_text),
    member("join", "list(string)", "string", join_texts),
    member("join", "list(string) string", "string", join_texts),
    member("lowerAscii", "string", "string", lambda text: charge_text(text).translate(_LOWER)),
    member("upperAscii", "string", "string", lambda text: charge_text(text).translate(_UPPER)),
    member("replace", "string string string", "string", replace_text),
    member("replace", "string string string int", "string", replace_text),
    member("split", "string string", "list(string)", split_text),
    member("split", "string string int", "list(string)", split_text),
    member("substring", "string int", "string", _substring),
    member("substring", "string int int", "string", _substring),
    member("trim", "string", "string", lambda text: charge_text(text).strip()),
    member("reverse", "string", "string", lambda text: charge_text(text)[::-1]),
    member("format", "string list(dyn)", "string", format_text),
    global_function("strings.quote", "string", "string", _quote),
)


_ITEMS = ("string", "int", "double", "bool")  # a parameter of type dyn finds no call at run time


def _charge_items(
    name: str, returns: str, function: Callable[[list[CelValue]], CelValue]
) -> Function:
    """Return a function of a list that first spends a step of the budget for each item."""

    def call(items: list[CelValue]) -> CelValue:
        BUDGET.spend(len(items), f"{name}()")
        return function(items)

    return member(name, "list(dyn)", returns, call)


_NUMBERS = (int, float)
ORDERED = frozenset(("bool", "int", "float", "str", "bytearray", "datetime", "timedelta"))


def _is_above(value: CelValue, other: CelValue) -> bool:
    """Return whether a value is greater than another; False if their types don't compare."""
    return _is_like(value, other) and bool(value > other)


def _is_like(value: CelValue, other: CelValue) -> bool:
    kinds = [_NUMBERS if type(each) in _NUMBERS else type(each) for each in (value, other)]
    return kinds[0] == kinds[1]


def _find_most(items: list[CelValue], is_less: Callable[[CelValue, CelValue], bool]) -> CelValue:
    """Return the first item that no item exceeds, given `is_less`. Raises ValueError for none."""
    if not items:
        raise ValueError("called on empty list")
    most, *others = map(_ordered, items)
    for item in others:
        most = item if is_less(most, item) else most
    return most


def _sum(items: list[CelValue]) -> CelValue:
    """Return the sum of values of one type, 0 for none. Raises ValueError for several types."""
    if len(set(map(type, items))) > 1:
        raise ValueError("no such overload")
    total: CelValue = sum(items[1:], items[0]) if items else 0
    if isinstance(total, int) and not -LARGEST - 1 <= total <= LARGEST:
        raise ValueError("integer overflow")
    return total


def _is_sorted(items: list[CelValue]) -> bool:
    return not any(_is_above(a, b) for a, b in pairwise(map(_ordered, items)))


def _ordered(value: CelValue) -> CelValue:
    """Return the value. Raises ValueError if values of its type can't be ordered."""
    if type(value).__name__ not in ORDERED:
        raise ValueError("no such overload")
    return value


def _indices_of(items: list[CelValue], searched: CelValue) -> list[int]:
    """Return the indices of a value, or [-1]; as in CEL, 1 equals 1.0, and true is no number."""
    BUDGET.spend(len(items), "indexOf()")
    alike = (i for i, item in enumerate(items) if _is_like(item, searched))
    return [i for i in alike if items[i] == searched] or [-1]


LIST_FUNCTIONS: tuple[Function, ...] = (
    _charge_items("isSorted", "bool", _is_sorted),
    _charge_items("sum", "dyn", _sum),
    _charge_items("min", "dyn", lambda items: _find_most(items, _is_above)),
    _charge_items("max", "dyn", lambda items: _find_most(items, lambda a, b: _is_above(b, a))),
    *(
        member(
            name, f"list(dyn) {item}", "int", lambda items, one, at=at: _indices_of(items, one)[at]
        )
        for name, at in (("indexOf", 0), ("lastIndexOf", -1))
        for item in _ITEMS
    ),
)


TOO_COSTLY = "it costs too much"


def declare_functions(functions: Iterable[Function]) -> list[cel.FunctionDecl]:
    """Return declarations of functions for the library; overloads of one name are joined."""
    by_name: dict[str, list[cel.Overload]] = defaultdict(list)
    for function in functions:
        by_name[function.name].append(declare_overload(function, function.call))
    return [cel.FunctionDecl(name, overloads) for name, overloads in by_name.items()]


def declare_overload(function: Function, call: Callable[..., CelValue] | None) -> cel.Overload:
    """Return the declaration of an overload; `call` is None if another overload has the code."""
    name = overload_id(function.name, function.parameters, is_member=function.is_member)
    return overload(name, function.returns, function.parameters, call, function.is_member)


def overload_id(name: str, parameters: Sequence[str], *, is_member: bool = False) -> str:
    """Return the identity of an overload by its name and the types of its parameters."""
    words = "_".join((name, "member" if is_member else "", *parameters))
    return "".join(c if c.isalnum() else "_" for c in words)


def as_texts(functions: Iterable[Function]) -> Iterator[Function]:
    """Yield functions with texts in place of opaque types; equal results are yielded once."""
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
    """Return an overload by its types' names; `call` is None if another overload has the code."""
    kinds = [find_type(parameter) for parameter in parameters]
    calls = () if call is None else (explain_costs(call),)
    return cel.Overload(name, find_type(returns), kinds, is_member, *calls)


def find_type(name: str) -> cel.Type:
    """Return the type of a name: `list(string)`, `map(string, dyn)`, or the name of a message."""
    outer, bracket, inner = name.removesuffix(")").partition("(")
    if not bracket:
        scalar: cel.Type | None = getattr(cel.Type, outer.upper(), None)
        return scalar or cel.Type(outer)
    if outer == "list":
        return cel.Type.List(find_type(inner))
    key, _, value = inner.partition(", ")
    return cel.Type.Map(find_type(key), find_type(value))


def explain_costs(function: Callable[..., CelValue]) -> Callable[..., CelValue]:
    """Return the function, with the error of a spent budget replaced by one that CEL can report."""

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
