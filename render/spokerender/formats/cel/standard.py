"""Functions of CEL's standard that have more overloads in OCM's environment than the library's.

The library takes no more overloads for its own functions, but lets them be left out. Those with
the identities of its own are called as before.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import starmap

from cel_expr_python import cel

from spokerender.formats.cel.functions import CIDR, COMPARISONS, IP, Function
from spokerender.formats.cel.overloads import find_type, overload

_ORDERED = {
    "bool": "bool",
    "int64": "int",
    "uint64": "uint",
    "double": "double",
    "string": "string",
    "bytes": "bytes",
    "timestamp": "timestamp",
    "duration": "duration",
}
"""Types by their names in identities."""
PLACES = ("indexOf", "lastIndexOf")
"""Functions of texts and lists, which are called by `rewriting`."""
_NUMBERS = ("double", "int64", "uint64")
_ITEM = "{type_name: A, is_type_param: true}"
_LIST = f"{{type_name: list, params: [{_ITEM}]}}"
_MAP = (
    "{type_name: map, params: [{type_name: A, is_type_param: true}, "
    "{type_name: B, is_type_param: true}]}"
)
_ORDINARY = {
    "_+_": (
        ("add_bytes", "bytes", "bytes", "bytes"),
        ("add_double", "double", "double", "double"),
        ("add_duration_duration", "duration", "duration", "duration"),
        ("add_duration_timestamp", "timestamp", "duration", "timestamp"),
        ("add_timestamp_duration", "timestamp", "timestamp", "duration"),
        ("add_int64", "int", "int", "int"),
        ("add_list", _LIST, _LIST, _LIST),
        ("add_string", "string", "string", "string"),
        ("add_uint64", "uint", "uint", "uint"),
    ),
    "_-_": (
        ("subtract_double", "double", "double", "double"),
        ("subtract_duration_duration", "duration", "duration", "duration"),
        ("subtract_int64", "int", "int", "int"),
        ("subtract_timestamp_duration", "timestamp", "timestamp", "duration"),
        ("subtract_timestamp_timestamp", "duration", "timestamp", "timestamp"),
        ("subtract_uint64", "uint", "uint", "uint"),
    ),
    "_*_": (
        ("multiply_double", "double", "double", "double"),
        ("multiply_int64", "int", "int", "int"),
        ("multiply_uint64", "uint", "uint", "uint"),
    ),
    "_/_": (
        ("divide_double", "double", "double", "double"),
        ("divide_int64", "int", "int", "int"),
        ("divide_uint64", "uint", "uint", "uint"),
    ),
    "-_": (("negate_double", "double", "double"), ("negate_int64", "int", "int")),
    "size": tuple(
        row
        for kind, of in (("bytes", "bytes"), ("list", _LIST), ("map", _MAP), ("string", "string"))
        for row in ((f"size_{kind}", "int", of), (f"{kind}_size", "int", f".{of}"))
    ),
    **{
        name: (
            (f"string_{name}_string", "int", ".string", "string"),
            (f"string_{name}_string_int", "int", ".string", "string", "int"),
            (f"list_{name}", "int", f".{_LIST}", _ITEM),
        )
        for name in PLACES
    },
}
"""The identity of an overload, what it returns, its parameters; a dot is before that of a member.

They are in cel-go's order (`common/stdlib/standard.go`), since a value that may be of any type,
such as an item of `[]`, gets that of the first one.
"""
LEFT_OUT = "stdlib:\n  exclude_functions:\n" + "".join(
    f"  - name: {name}\n" for name in (*COMPARISONS, *_ORDINARY, "string")
)
"""Configuration of an environment without the functions that are declared here."""


def _write_type(name: str) -> str:
    name = name.removeprefix(".")
    return name if name.startswith("{") else f"{{type_name: {name}}}"


def _write_function(name: str, rows: Iterable[tuple[str, ...]]) -> str:
    overloads = "".join(
        f"  - id: {identity}\n    return: {_write_type(returns)}\n"
        + (f"    target: {_write_type(kinds[0])}\n" if kinds[0].startswith(".") else "")
        + f"    args: [{', '.join(_write_type(kind) for kind in kinds if kind[0] != '.')}]\n"
        for identity, returns, *kinds in rows
    )
    return f"- name: {name}\n  overloads:\n{overloads}"


ORDINARY = "".join(starmap(_write_function, _ORDINARY.items()))
"""Configuration of functions."""
STRINGS = tuple(Function("string", (kind,), "string", str, is_member=False) for kind in (IP, CIDR))
"""The overloads of `string` for values of ours; `declare_standard` has the others."""


def declare_comparisons(*, is_crossing: bool) -> list[cel.FunctionDecl]:
    """Declare comparisons, perhaps those of numbers of two types as well."""
    pairs = [pair for pair in _list_pairs() if is_crossing or len(pair) == 1]
    return [
        cel.FunctionDecl(name, list(starmap(partial(_declare, words), pairs)))
        for name, words in COMPARISONS.items()
    ]


def _list_pairs() -> Iterator[tuple[str, ...]]:
    """Yield the types that are compared, in cel-go's order."""
    for kind in _ORDERED:
        yield (kind,)
        if kind in _NUMBERS:
            yield from ((kind, other) for other in _NUMBERS if other != kind)


def _declare(words: str, kind: str, other: str = "") -> cel.Overload:
    identity = "_".join(filter(None, (words, kind, other)))
    types = [_ORDERED[kind], _ORDERED[other or kind]]
    return overload(identity, "bool", types, None, is_member=False)


def declare_texts() -> list[cel.Overload]:
    """Declare the overloads of `string` that the library has, that of texts first as in cel-go."""
    return [
        cel.Overload(f"{kind}_to_string", cel.Type.STRING, [find_type(_ORDERED[kind])], False)
        for kind in sorted(_ORDERED, key=lambda kind: kind != "string")
    ]
