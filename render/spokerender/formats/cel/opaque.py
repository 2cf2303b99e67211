"""Values of Kubernetes' CEL library that are no texts: quantities, versions, addresses, URLs.

The library takes no values of our own types but messages. So each value is a message with a text in
one form: two values are equal if their texts are, and no text equals a value. The library calls one
function for all overloads that differ in types of messages or of list items; it tells them apart.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from cel_expr_python import cel
from google.protobuf import descriptor_pool, message_factory

from spokerender.authoring.protocol import build_file_descriptor
from spokerender.formats.cel.functions import OPAQUE, CelValue, Function
from spokerender.formats.cel.messages import is_message, type_of
from spokerender.formats.cel.overloads import declare_overload

_TEXT = "in"
"""A field that no expression can name, as its name is a word of CEL."""


@cache
def opaque_types() -> descriptor_pool.DescriptorPool:
    """Return a pool with the types."""
    pool = descriptor_pool.DescriptorPool()
    for package in {kind.partition(".")[0] for kind in OPAQUE}:
        names = [kind.partition(".")[2] for kind in OPAQUE if kind.startswith(package)]
        pool.Add(build_file_descriptor(package, {name: {_TEXT: "string"} for name in names}))
    return pool


@cache
def _class(kind: str) -> Callable[..., Any]:
    type_ = opaque_types().FindMessageTypeByName(kind)
    create: Callable[..., Any] = message_factory.GetMessageClass(type_)
    return create


def declare_typed(functions: Iterable[Function]) -> list[cel.FunctionDecl]:
    """Declare functions to the library; those of opaque types get their texts, and return texts."""
    alike: dict[tuple[str, bool, tuple[str, ...]], list[Function]] = defaultdict(list)
    for row in functions:
        kinds = ("message" if k in OPAQUE else k.partition("(")[0] for k in row.parameters)
        alike[row.name, row.is_member, tuple(kinds)].append(row)
    by_name: dict[str, list[cel.Overload]] = defaultdict(list)
    for rows in alike.values():
        called = next((row for row in rows if row.returns == "dyn"), rows[0])
        by_name[called.name] += [
            declare_overload(row, _dispatch(rows) if row is called else None) for row in rows
        ]
    return [cel.FunctionDecl(name, overloads) for name, overloads in by_name.items()]


def _dispatch(rows: Sequence[Function]) -> Callable[..., CelValue]:
    """Return the function of the row whose types are those of the arguments."""

    def call(*arguments: CelValue) -> CelValue:
        for row in rows:
            pairs = zip(arguments, row.parameters, strict=True)
            if all(kind not in OPAQUE or type_of(value) == kind for value, kind in pairs):
                value = row.call(*map(text_of, arguments))
                return _class(row.returns)(**{_TEXT: value}) if row.returns in OPAQUE else value
        raise ValueError("no such overload")

    return call


def text_of(value: CelValue) -> CelValue:
    """Return the text of a value of an opaque type, and any other value as it is."""
    return getattr(value, _TEXT) if is_message(value) else value
