"""Values of Kubernetes' CEL library that are no texts: quantities, versions, addresses, URLs.

The library at hand takes no values of types of ours but messages. So each is a message with a text
in one form: two are equal if their texts are, and a text is none of them. A sum of quantities says
that it is one. It calls one function
for all overloads that differ in the types of messages or of a list's items; that one looks at the
types.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from cel_expr_python import cel
from google.protobuf import descriptor_pool, message_factory

from spokerender.formats.cel.functions import OPAQUE, SUMS, CelValue, Function
from spokerender.formats.cel.messages import FieldTypes, build_file_descriptor, is_message, type_of
from spokerender.formats.cel.overloads import declare_overload

_TEXT, _IS_SUM = "_text", "_is_sum"


@cache
def opaque_types() -> descriptor_pool.DescriptorPool:
    """Return a pool with the types."""
    pool = descriptor_pool.DescriptorPool()
    packages: dict[str, dict[str, FieldTypes]] = defaultdict(dict)
    for kind in OPAQUE:
        package, _, name = kind.partition(".")
        packages[package][name] = {_TEXT: "string", _IS_SUM: "bool"}
    for package, types in packages.items():
        pool.Add(build_file_descriptor(package, types))
    return pool


@cache
def _class(kind: str) -> Callable[..., Any]:
    type_ = opaque_types().FindMessageTypeByName(kind)
    create: Callable[..., Any] = message_factory.GetMessageClass(type_)
    return create


def declare_typed(
    functions: Iterable[Function], others: Mapping[str, Sequence[cel.Overload]]
) -> list[cel.FunctionDecl]:
    """Declare functions to the library; those of opaque types get their texts, and return texts.

    `others` are overloads of the same names that are declared already.
    """
    alike: dict[tuple[str, bool, tuple[str, ...]], list[Function]] = defaultdict(list)
    for function in functions:
        kinds = tuple(_runtime_kind(kind) for kind in function.parameters)
        alike[function.name, function.is_member, kinds].append(function)
    by_name: dict[str, list[cel.Overload]] = defaultdict(list)
    for (name, _, _), rows in alike.items():
        called = next((row for row in rows if row.returns == "dyn"), rows[0])
        by_name[name] += [
            declare_overload(
                row, _dispatch(rows) if row is called else None, is_called=row is called
            )
            for row in rows
        ]
    return [
        cel.FunctionDecl(name, [*others.get(name, ()), *overloads])
        for name, overloads in by_name.items()
    ]


def _runtime_kind(kind: str) -> str:
    """Return what the library tells overloads apart by when it calls them."""
    return "message" if kind in OPAQUE else kind.partition("(")[0]


def _dispatch(rows: Sequence[Function]) -> Callable[..., CelValue]:
    """Return the function of the row whose types are those of the arguments."""
    if not any(kind in OPAQUE for row in rows for kind in (*row.parameters, row.returns)):
        return rows[0].call

    def call(*arguments: CelValue) -> CelValue:
        for row in rows:
            if all(map(_is_of, arguments, row.parameters)):
                value = row.call(*map(text_of, arguments))
                if row.returns not in OPAQUE:
                    return value
                return _class(row.returns)(**{_TEXT: value, _IS_SUM: row.name in SUMS})
        message = "no such overload"
        raise ValueError(message)

    return call


def _is_of(value: CelValue, kind: str) -> bool:
    return kind not in OPAQUE or (is_message(value) and type_of(value) == kind)


def is_sum(value: CelValue) -> bool:
    """Tell whether a message is a sum of quantities."""
    return bool(getattr(value, _IS_SUM))


def text_of(value: CelValue) -> CelValue:
    """Return the text of a value of an opaque type, and any other value as it is."""
    return getattr(value, _TEXT) if is_message(value) else value
