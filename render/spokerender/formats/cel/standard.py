"""Functions of CEL's standard that have more overloads in OCM's environment than the library's.

The library takes no more overloads for its own functions, but lets them be left out. Those with
the identities of its own are called as before.
"""

from itertools import permutations

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
_NUMBERS = ("int64", "uint64", "double")
LEFT_OUT = "stdlib:\n  exclude_functions:\n" + "".join(
    f"  - name: {name}\n" for name in (*COMPARISONS, "string")
)
"""Configuration of an environment without the functions that are declared here."""
STRINGS = tuple(Function("string", (kind,), "string", str, is_member=False) for kind in (IP, CIDR))
"""The overloads of `string` for values of ours; `declare_standard` has the others."""


def declare_comparisons() -> list[cel.FunctionDecl]:
    """Declare comparisons, those of numbers of two types as well."""
    return [
        cel.FunctionDecl(
            name,
            [
                *(_declare(f"{words}_{kind}", kind, kind) for kind in _ORDERED),
                *(_declare(f"{words}_{a}_{b}", a, b) for a, b in permutations(_NUMBERS, 2)),
            ],
        )
        for name, words in COMPARISONS.items()
    ]


def _declare(identity: str, *kinds: str) -> cel.Overload:
    types = [_ORDERED[kind] for kind in kinds]
    return overload(identity, "bool", types, None, is_member=False)


def declare_texts() -> list[cel.Overload]:
    """Declare the overloads of `string` that the library has."""
    return [
        cel.Overload(f"{kind}_to_string", cel.Type.STRING, [find_type(name)], False)
        for kind, name in _ORDERED.items()
        if kind != "string"
    ] + [cel.Overload("string_to_string", cel.Type.STRING, [cel.Type.STRING], False)]
