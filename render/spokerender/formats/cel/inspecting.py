"""Checks of expressions that the library lets pass, and should not.

Upstream refuses some calls when it compiles: texts that `format()` cannot fill with the types that
are listed (cel-go `ext/formatting_v2.go`), and patterns that are none (`interpreter`,
`CompileRegexConstants`).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spokerender.formats.cel.checked import parse_checked, walk_nodes
from spokerender.formats.cel.functions import COMPARISONS, SUMS
from spokerender.formats.regexes import PatternError, compile_pattern

_MESSAGE = "message"
_UNLIKE = ("validate", "format.named")
_ASKING = ("_?._", "_[?_]", "optional.none")
"""Calls that return an optional of what may be anything."""
_OF_LISTS = ("min", "max", "indexOf", "lastIndexOf")
_EQUALITY = ("_==_", "_!=_")
_COMPARED = frozenset({"int", "uint", "double"})
_INDICES = frozenset({"dyn", "bool", "int", "uint", "double", "string"})
_KEYS = frozenset({"bool", "int", "uint", "string"})
_HIDING = ("dyn", "_?_:_", "orValue", "optional.of", "optional.ofNonZeroValue")
CLAUSE = re.compile(
    r"%(?:(?P<plain>%)|(?:\.(?P<precision>[0-9]+))?(?P<verb>[sdfebxXo])?)", re.DOTALL
)
"""A clause of a text that `format()` fills; it may have no verb, and so be none."""
_PRIMITIVES = ("", "bool", "int", "uint", "double", "string", "bytes")
_WELL_KNOWN = ("", "any", "timestamp", "duration")
_FIELDS = {
    "list_type": "list",
    "map_type": "map",
    "message_type": "message",
    "abstract_type": "optional",
    "null": "null",
    "type": "type",
}
NUMBERS = frozenset({"dyn", "int", "uint", "double"})
_INTEGERS = frozenset({"dyn", "int", "uint"})
_TEXTS = NUMBERS | {
    "bool",
    "string",
    "bytes",
    "timestamp",
    "duration",
    "list",
    "map",
    "type",
    "null",
}
_TYPES: Mapping[str, frozenset[str]] = {
    "s": _TEXTS,
    "d": NUMBERS,
    "f": NUMBERS,
    "e": NUMBERS,
    "b": _INTEGERS | {"bool"},
    "x": _INTEGERS | {"string", "bytes"},
    "X": _INTEGERS | {"string", "bytes"},
    "o": _INTEGERS,
}


def _list_kept(node: Any) -> Iterator[Any]:  # noqa: ANN401  (an Expr)
    """Yield the parts that a list or a map takes as they are, and those whose type is lost."""
    opened = set(node.list_expr.optional_indices)
    items = enumerate(node.list_expr.elements)
    yield from (item for index, item in items if index not in opened)
    yield from (entry.value for entry in node.struct_expr.entries if not entry.optional_entry)
    if node.call_expr.function in _HIDING:
        yield from node.call_expr.args


def find_call_fault(serialized: bytes) -> str:
    """Return why upstream refuses a call of an expression, "" where it does not."""
    data = parse_checked(serialized)[1]
    types = {entry.key: name_kind(entry.value) for entry in data.type_map}
    if fault := _Order(types).find_early(data.expr):
        return fault
    nodes = [node for node, _ in walk_nodes(data.expr)]
    is_typed = not _asks_for_optionals(nodes)
    for node in nodes:
        call = node.call_expr
        fault = ""
        if call.function == "format" and is_typed:
            fault = _find_format_fault(call, types)
        elif call.function == "_[_]" and call.args[1].HasField("const_expr"):
            kind = types.get(call.args[1].id)
            fault = f"invalid qualifier type: {kind}" if kind in {"bytes", "null"} else ""
        elif call.function in {"find", "findAll"}:
            fault = _find_pattern_fault(call.args[0].const_expr)
        if fault:
            return fault
    return ""


def _asks_for_optionals(nodes: Iterable[Any]) -> bool:
    """Tell whether there are optionals of what may be anything.

    The library takes the type of such a value from what is done with it elsewhere; cel-go does not.
    """
    return any(node.call_expr.function in _ASKING for node in nodes)


class _Order:
    """A walk in the order of cel-go's checker, which forgets in the first loop what it refuses.

    Source: cel-go `checker/env.go`, `filteredOverloadIDs`; `enterScope` does not copy it.
    """

    def __init__(self, types: Mapping[int, str]) -> None:
        self._types = types
        self._has_looped = False

    def find_early(self, node: Any) -> str:  # noqa: ANN401  (an Expr)
        """Return a comparison of numbers of two types before the first loop, "" for none."""
        faults = (self.find_early(part) for part in self._list_parts(node))
        fault = next(filter(None, faults), "")
        function = node.call_expr.function
        if fault or self._has_looped or function not in COMPARISONS:
            return fault
        kinds = [self._types.get(part.id, "dyn") for part in node.call_expr.args]
        if len(set(kinds)) > 1 and _COMPARED.issuperset(kinds):
            return f"found no matching overload for '{function}' applied to '({', '.join(kinds)})'"
        return ""

    def _list_parts(self, node: Any) -> Iterator[Any]:  # noqa: ANN401  (an Expr)
        """Yield the parts of a node as they are checked, until there is a loop."""
        loop, call = node.comprehension_expr, node.call_expr
        if node.HasField("comprehension_expr"):
            yield from (loop.iter_range, loop.accu_init)
            self._has_looped = True
            return
        yield from call.args
        if call.HasField("target"):
            yield call.target
        if node.HasField("select_expr"):
            yield node.select_expr.operand
        yield from node.list_expr.elements
        for entry in node.struct_expr.entries:
            yield from (entry.map_key, entry.value)


def find_unlike_call(serialized: bytes) -> str:
    """Return a call that the library cannot answer as upstream does, "" where there is none.

    It is asked of what `rewriting` leaves.
    """
    data = parse_checked(serialized)[1]
    kinds = {entry.key: entry.value for entry in data.type_map}
    types = {key: name_kind(kind) for key, kind in kinds.items()}
    nodes = [node for node, _ in walk_nodes(data.expr)]
    is_summed = any(node.call_expr.function in SUMS for node in nodes)
    is_mixed = is_summed or _mixes_types(nodes, kinds)
    is_asking = _asks_for_optionals(nodes)
    faults = (
        _find_unlike_value(node.call_expr, types, is_mixed)
        or (_find_format_fault(node.call_expr, types) if is_asking else "")
        or (_find_sum(node.call_expr, types) if is_summed else "")
        for node in nodes
    )
    return next(filter(None, faults), "")


def _find_unlike_value(call: Any, types: Mapping[int, str], is_mixed: bool) -> str:  # noqa: ANN401
    names = [types.get(part.id, "dyn") for part in call.args]
    if call.function in _UNLIKE:
        return f"{call.function}(), which returns an optional value"
    if call.function.endswith("ndex_of") and "uint" in types.values():
        places = call.args[0].list_expr.elements[2:]
        if any(types.get(part.id, "dyn") == "dyn" for part in places):
            return "a place that may be unsigned"  # a function of ours gets an integer
    if call.function == "getMilliseconds" and types.get(call.target.id) != "timestamp":
        return "getMilliseconds() of a duration"  # there all of them, here those of its second
    if call.function == "_[?_]" and names[1] not in (
        _INDICES - {"dyn"} if names[0] == "optional" else _INDICES
    ):
        return "an index of such a type"
    if call.function == "string" and names[0] == "timestamp":
        read = [types.get(part.id) for part in call.args[0].call_expr.args]
        is_whole = call.args[0].call_expr.function == "timestamp" and read == ["int"]
        return "" if is_whole else "string() of a time that was computed"
    is_beside = is_mixed and call.function in (*_EQUALITY, "@in") and "optional" in names
    return "an optional value beside one of a type such as IP" if is_beside else ""


def has_odd_keys(serialized: bytes) -> bool:
    """Tell whether a map is written with keys that may be of a type that the library refuses."""
    data = parse_checked(serialized)[1]
    types = {entry.key: name_kind(entry.value) for entry in data.type_map}
    entries = (entry for node, _ in walk_nodes(data.expr) for entry in node.struct_expr.entries)
    return any(types.get(entry.map_key.id, "dyn") not in _KEYS for entry in entries)


def _find_sum(call: Any, types: Mapping[int, str]) -> str:  # noqa: ANN401  (a Call)
    """Return what is asked of a sum of quantities, which is of another type here and may change."""
    if call.function == "type" and types.get(call.args[0].id, "dyn") in {"dyn", _MESSAGE}:
        return "the type of what may be a sum of quantities"
    if call.function in SUMS and call.target.call_expr.function not in (*SUMS, "quantity"):
        return "a sum of a quantity that has a name"  # upstream adds to it in place at times
    return ""


def _mixes_types(nodes: Iterable[Any], kinds: Mapping[int, Any]) -> bool:
    """Tell whether values of types such as IP stand beside others, so that they may be compared."""
    for node in nodes:
        function = node.call_expr.function
        parts = node.call_expr.args if function in _EQUALITY else _list_kept(node)
        names = {_name_type(kinds.get(part.id)) for part in parts}
        has_message = any("." in name for name in names)
        if has_message and (len(names) > 1 or function == "dyn"):
            return True
    return False


def _name_type(kind: Any) -> str:  # noqa: ANN401  (a Type)
    """Return the name of a type, of messages their own."""
    return "dyn" if kind is None else kind.message_type or name_kind(kind)


def list_unordered(node: Any, unordered: Collection[int]) -> Iterator[int]:  # noqa: ANN401
    """Yield the parts of which an expression asks nothing that depends on the order of items."""
    call, loop = node.call_expr, node.comprehension_expr
    if call.function in ("size", "max", "min"):
        yield call.target.id if call.HasField("target") else call.args[0].id
    elif call.function == "@in":
        yield call.args[1].id
    elif not loop.accu_init.HasField("list_expr") or node.id in unordered:
        yield loop.iter_range.id  # 0 where it is no loop


def _find_pattern_fault(pattern: Any) -> str:  # noqa: ANN401  (a Constant)
    """Return what is wrong with a pattern that is written out."""
    try:
        compile_pattern(pattern.string_value)
    except PatternError as error:
        return f"error parsing regexp: {error}"
    return ""


def _find_format_fault(call: Any, types: Mapping[int, str]) -> str:  # noqa: ANN401  (a Call)
    is_written = call.function == "format" and call.target.const_expr.HasField("string_value")
    if not is_written or not call.args[0].HasField("list_expr"):
        return ""
    values = call.args[0].list_expr.elements
    clauses = list_clauses(call.target.const_expr.string_value)
    if clauses is None:
        return "could not parse formatting clause"
    if len(clauses) != len(values):
        return f"format() has {len(clauses)} clauses and {len(values)} values"
    for (verb, _), value in zip(clauses, values, strict=True):
        for kind in _list_types(value, types, verb):
            if kind not in _TYPES[verb]:
                return f"error during formatting: %{verb} was given {kind}"
    return ""


def list_clauses(pattern: str) -> Sequence[tuple[str, int | None]] | None:
    """Return the verbs of a text with their precision; None where one of them is none."""
    clauses = []
    for match in CLAUSE.finditer(pattern):
        if match["plain"]:
            continue
        if match["verb"] is None:
            return None
        clauses.append((match["verb"], int(match["precision"]) if match["precision"] else None))
    return clauses


def _list_types(value: Any, types: Mapping[int, str], verb: str) -> Iterator[str]:  # noqa: ANN401
    """Yield the type of a value; as a text, those of the items that are written in it, too."""
    yield types.get(value.id, "dyn")
    if verb == "s":
        for item in value.list_expr.elements:
            yield from _list_types(item, types, verb)
        for entry in value.struct_expr.entries:
            yield from _list_types(entry.map_key, types, verb)
            yield from _list_types(entry.value, types, verb)


def name_kind(kind: Any) -> str:  # noqa: ANN401  (a Type)
    """Return the name of a type, without those of its items."""
    if kind.primitive:
        return _PRIMITIVES[kind.primitive]
    if kind.well_known:
        return _WELL_KNOWN[kind.well_known]
    names = (name for field, name in _FIELDS.items() if kind.HasField(field))
    return next(names, "dyn")
