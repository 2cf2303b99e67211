"""Guards around the parts of a predicate that cel-go and the library at hand may read differently.

These are texts that a conversion such as `int()` reads, and lists of a map's items. A guard is a
function of ours that is put around such a part of a checked expression. It passes values that both
treat alike, and raises a doubt for all others: the evaluation then has no answer. A guard gets its
part in a list, because the library can't call a function of ours for a parameter of type `dyn`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spokerender.formats.cel.checked import parse_checked, walk_nodes, wrap_checked
from spokerender.formats.cel.environment import NotCompiledError
from spokerender.formats.cel.functions import NOT_HERE, CelValue, Function, overload_id
from spokerender.formats.regexes import PatternError, compile_pattern

_STRING = 5
"""The primitive type of texts (cel-spec, `checked.proto`)."""
_READ: Mapping[str, tuple[str, str]] = {
    "bool": ("true|false", "[01tfyn]|yes|no|true|false"),
    "int": ("-?[0-9]{1,30}", "[-+]?[0-9_]+"),
    "uint": ("[0-9]{1,30}", "[-+]?[0-9_]+"),
    "double": (
        "-?[0-9]{1,15}([.][0-9]{1,15})?(e[-+]?[0-9]{1,2})?|NaN",
        "[-+]?(0x.*|(?=.?[0-9])[0-9_]*[.]?[0-9_]*(e.*)?|inf.*|nan.*)",
    ),
    "timestamp": (
        r"\d{4}(-\d\d){2}T([01]\d|2[0-3])(:[0-5]\d){2}([.]\d{1,9})?(Z|[+-][01]\d:[0-5]\d)",
        "[-+]?[0-9]+-.*|infinite.*",
    ),
    "duration": (
        "-?([0-9]{1,6}([.][0-9]{1,3})?(h|m|s|ms))+",
        "[-+]?(([0-9.]*[hmunsµμ]s?)+|[0.]+|inf.*)",
    ),
}
"""By function: texts that both libraries read alike, and texts that either of them reads."""
_ITEMS = "items"
"""The guard of lists that are made by walking a map: cel-go walks maps in random order."""


def guard_predicate(serialized: bytes) -> bytes | None:
    """Return a checked expression with guards around the parts that need them; None if none does.

    Raises `NotCompiledError` for a literal pattern that OCM does not compile.
    """
    type_url, data = parse_checked(serialized)
    nodes = [node for node, _ in walk_nodes(data.expr)]
    _check_patterns(nodes)
    types = {entry.key: entry.value for entry in data.type_map}
    guarded = [*_find_texts(nodes, types), *_find_walks(nodes)]
    places = {node.id: place for place, node in enumerate(nodes)}
    # Inside before outside, as the part around a guard is copied with all that is in it.
    guarded.sort(key=lambda pair: places[pair[0].id], reverse=True)
    for number, (part, name) in enumerate(guarded, max(places) + 1):
        inner = type(part)()
        # The part moves into the call that takes its place, under a new id, as types are kept by
        # id.
        inner.CopyFrom(part)
        part.Clear()
        part.id = number
        part.call_expr.function = f"__{name}"
        part.call_expr.args.add().list_expr.elements.append(inner)
        identity = overload_id(part.call_expr.function, ("list(dyn)",))
        data.reference_map.add(key=number).value.overload_id.append(identity)
    return wrap_checked(type_url, data) if guarded else None


def _check_patterns(nodes: list[Any]) -> None:
    for node in nodes:
        if node.call_expr.function in ("find", "findAll"):
            try:
                compile_pattern(node.call_expr.args[0].const_expr.string_value)
            # cel-go compiles literal patterns with the expression.
            except PatternError as error:
                raise NotCompiledError(f"error parsing regexp: {error}") from None


def _find_texts(nodes: list[Any], types: Mapping[int, Any]) -> Iterator[tuple[Any, str]]:
    """Yield the arguments of conversions that may be texts, each with the name of its guard."""
    for node in nodes:
        name = node.call_expr.function
        for part in node.call_expr.args if name in _READ else ():
            kind = types.get(part.id)
            if kind is None or kind.HasField("dyn") or kind.primitive == _STRING:
                yield part, name


def _find_walks(nodes: list[Any]) -> Iterator[tuple[Any, str]]:
    """Yield what loops iterate over to make a list whose order matters, and its guard's name."""
    unordered = set[int]()
    for node in nodes:
        loop, call = node.comprehension_expr, node.call_expr
        if call.function in ("size", "max", "min"):
            unordered.add(call.target.id or call.args[0].id)
        elif call.function == "@in":
            unordered.add(call.args[1].id)
        elif not loop.accu_init.HasField("list_expr") or node.id in unordered:
            unordered.add(loop.iter_range.id)
        elif not loop.iter_range.HasField("list_expr"):
            yield loop.iter_range, _ITEMS


def _guard_text(kind: str) -> Callable[[list[CelValue]], CelValue]:
    plain, like = re.compile(_READ[kind][0], re.ASCII), re.compile(_READ[kind][1], re.IGNORECASE)

    def call(parts: list[CelValue]) -> CelValue:
        (value,) = parts
        is_text = isinstance(value, str) and like.fullmatch(value.strip())
        if is_text and not plain.fullmatch(value):
            raise ValueError(f"what is read as {kind}, {value[:40]!r}: {NOT_HERE}")
        return value

    return call


def _guard_items(parts: list[CelValue]) -> CelValue:
    (value,) = parts
    if isinstance(value, Mapping) and len(value) > 1:
        raise ValueError(f"a list of a map's items, whose order is chance: {NOT_HERE}")
    return value


GUARDING = tuple(
    Function(f"__{name}", ("list(dyn)",), "dyn", call, is_member=False)
    for name, call in ((_ITEMS, _guard_items), *((kind, _guard_text(kind)) for kind in _READ))
)
