"""Calls of ours in place of what the library does otherwise than cel-go, in checked expressions.

In cel-go a value such as an IP equals nothing of another type, and to ask is an error on the left
alone; `has()` is false of what is no map; NaN has no order; a list is no index; a time is written
with the offset that it was read with; functions of ours return no optional values; a list that is
made by walking a map is chance, unless its items are alike; and numbers, durations and times are
read from texts, and written, as in Go.

The functions take their arguments in one list: of parameters of type dyn the library finds no call.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from spokerender.formats.cel.checked import parse_checked, spelled_path, walk_nodes, wrap_checked
from spokerender.formats.cel.inspecting import NUMBERS, list_unordered, name_kind
from spokerender.formats.cel.overloads import overload_id

LIST = "list(dyn)"
EQUAL, DIFFER, AMONG = "__equal", "__differ", "__among"
HAS, IN_ORDER, INDEX = "__has", "__in_order", "__index"
PLACE = {"indexOf": "__index_of", "lastIndexOf": "__last_index_of"}
TIME, MOVED_TIME = "__time", "__moved_time"
IS_FAULTY, IS_FORMAT, FORMAT_OF = "__is_faulty", "__is_format", "__format"
_COMPARING = {"_==_": EQUAL, "_!=_": DIFFER, "@in": AMONG}
ORDERING = {
    "_<_": "__less",
    "_<=_": "__less_equals",
    "_>_": "__greater",
    "_>=_": "__greater_equals",
}
_READABLE = ("bool", "int", "uint", "double", "duration", "timestamp", "string")
READ = {kind: f"__read_{kind}" for kind in _READABLE}
"""Calls that read values of a type from texts."""
_ODD = frozenset({"double", "dyn"})
_MAKING_ODD = frozenset({"double", "sum", "_+_", "_-_", "_*_", "_/_"})
_OPTIONALS = {
    ("hasValue", "validate"): IS_FAULTY,
    ("hasValue", "format.named"): IS_FORMAT,
    ("value", "format.named"): FORMAT_OF,
}
"""Calls of a function of ours that returns an optional value, by what is asked of that."""
_SCALARS = frozenset(("bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"))
_LISTS = frozenset(
    ("managedCluster", *path)
    for path in (("spec", "taints"), ("status", "clusterClaims"), ("status", "conditions"))
)
"""Paths of a cluster that are lists."""
_MAPS = frozenset(
    ("managedCluster", *path)
    for path in (
        *((), ("metadata",), ("metadata", "labels"), ("metadata", "annotations"), ("spec",)),
        *(("status",), ("status", "version"), ("status", "allocatable"), ("status", "capacity")),
    )
)
"""Paths of a cluster that are maps; the checker does not know the types of either."""
_MOST_COPIED = 2_000
"""The parts of an expression that are copied; the longest in use have some ten."""


class TooManyListsError(Exception):
    """An expression walks what it made by walking, so often that its copies would not end."""


def rewrite_unlike(serialized: bytes) -> bytes | None:
    """Return a checked expression with calls of ours; None where it needs none.

    Raises `TooManyListsError` if it would be too long.
    """
    return _Rewriting(serialized).rewritten()


class _Rewriting:
    """A checked expression that is being changed."""

    def __init__(self, serialized: bytes) -> None:
        self._type_url, self._data = parse_checked(serialized)
        self._kinds = {entry.key: entry.value for entry in self._data.type_map}
        self._nodes = [node for node, _ in walk_nodes(self._data.expr)]
        self._copied = 0
        self._last: int = max(node.id for node in self._nodes)
        self._has_messages = any(kind.message_type for kind in self._kinds.values())
        self._has_odd = any(map(self._may_be_odd, self._nodes))

    def _name(self, node: Any) -> str:  # noqa: ANN401  (an Expr)
        kind = self._kinds.get(node.id)
        return name_kind(kind) if kind is not None else "dyn"

    def _may_be_odd(self, node: Any) -> bool:  # noqa: ANN401  (an Expr)
        """Tell whether a number may be infinite or none."""
        return node.call_expr.function in _MAKING_ODD and self._name(node) in _ODD

    def rewritten(self) -> bytes | None:
        unordered = set[int]()
        changes: list[tuple[Any, Callable[[Any], None]]] = []
        for node in self._nodes:
            unordered.update(list_unordered(node, unordered))
            change = self._find_change(node, node.id in unordered)
            if change is not None:
                changes.append((node, change))
        for node, change in reversed(changes):  # what is inside before what is around it
            change(node)
        return wrap_checked(self._type_url, self._data) if changes else None

    def _find_change(self, node: Any, is_unordered: bool) -> Callable[[Any], None] | None:  # noqa: ANN401
        call, select = node.call_expr, node.select_expr
        if call.function:
            return self._find_call_change(call)
        if select.test_only and self._may_be_no_map(select.operand):
            return self._ask_field
        return None if is_unordered or not self._may_walk_map(node) else self._keep_order

    def _find_call_change(self, call: Any) -> Callable[[Any], None] | None:  # noqa: ANN401  (a Call)
        function = call.function
        if (function, call.target.call_expr.function) in _OPTIONALS:
            return self._open_optional
        if function == "string" and self._name(call.args[0]) == "timestamp":
            return self._find_writing(call.args[0])
        if function in READ:
            return self._find_reading(call)
        if function in PLACE:
            return self._find_place
        return self._find_operator_change(call)

    def _find_operator_change(self, call: Any) -> Callable[[Any], None] | None:  # noqa: ANN401
        function = call.function
        if function in _COMPARING and self._may_mix(call.args):
            return self._compare
        if function in ORDERING and self._may_be_unordered(call.args):
            return self._order
        is_index = function == "_[?_]" and self._name(call.args[1]) == "dyn"
        return self._read_index if is_index and self._name(call.args[0]) != "optional" else None

    def _find_reading(self, call: Any) -> Callable[[Any], None] | None:  # noqa: ANN401  (a Call)
        if call.function == "bool":
            return self._read_bool
        read = {"string", "dyn"}
        if call.function == "string":
            is_timed = "duration" in map(name_kind, self._kinds.values())
            read = {*(("duration", "dyn") if is_timed else ()), *(_ODD if self._has_odd else ())}
        return self._read_bare if self._name(call.args[0]) in read else None

    def _find_writing(self, time: Any) -> Callable[[Any], None] | None:  # noqa: ANN401  (an Expr)
        read, is_moved = self._find_read(time)
        readable = {"string", "dyn", *(("int",) if is_moved else ())}
        if read is None or self._name(read) not in readable:
            return None
        return self._write_moved if is_moved else self._write_time

    def _find_read(self, time: Any) -> tuple[Any, bool]:  # noqa: ANN401  (Exprs)
        """Return what a time is read from, and whether it is moved then.

        It is None where that is not spelled out.
        """
        is_moved = False
        while time is not None and self._name(time) == "timestamp":
            call = time.call_expr
            is_moved = is_moved or call.function != "timestamp"
            parts = call.args if call.function in ("timestamp", "_+_", "_-_") else ()
            times = (part for part in parts if self._name(part) == "timestamp")
            time = call.args[0] if call.function == "timestamp" else next(times, None)
        if time is not None and time.call_expr.function == READ["timestamp"]:
            time = time.call_expr.args[0].list_expr.elements[0]  # the text, as it was
        return time, is_moved

    def _may_be_no_map(self, node: Any) -> bool:  # noqa: ANN401  (an Expr)
        return self._name(node) == "dyn" and spelled_path(node) not in _MAPS

    def _may_walk_map(self, node: Any) -> bool:  # noqa: ANN401  (an Expr)
        """Tell whether it makes a list by walking what may be a map."""
        loop = node.comprehension_expr
        makes_list = loop.accu_init.HasField("list_expr")
        is_open = self._name(loop.iter_range) in ("dyn", "map")
        return makes_list and is_open and spelled_path(loop.iter_range) not in _LISTS

    def _may_mix(self, operands: Collection[Any]) -> bool:
        names = {self._name(operand) for operand in operands}
        return self._has_messages and not names <= _SCALARS and "optional" not in names

    def _may_be_unordered(self, operands: Collection[Any]) -> bool:
        names = {self._name(operand) for operand in operands}
        return self._has_odd and names <= NUMBERS and not names.isdisjoint(_ODD)

    def _open_optional(self, node: Any) -> None:  # noqa: ANN401  (an Expr)
        inner = node.call_expr.target.call_expr
        parts = ([inner.target] if inner.HasField("target") else []) + list(inner.args)
        self._call(node, _OPTIONALS[node.call_expr.function, inner.function], parts)

    def _find_place(self, node: Any) -> None:  # noqa: ANN401  (an Expr)
        call = node.call_expr
        self._call(node, PLACE[call.function], [call.target, *call.args])

    def _write_time(self, node: Any) -> None:  # noqa: ANN401  (an Expr)
        self._call(node, TIME, [self._find_read(node.call_expr.args[0])[0]])

    def _write_moved(self, node: Any) -> None:  # noqa: ANN401  (an Expr)
        time = node.call_expr.args[0]
        read, _ = self._find_read(time)
        self._spend(read)
        self._call(node, MOVED_TIME, [read, time])

    def _read_bool(self, node: Any) -> None:  # noqa: ANN401  (an Expr)
        self._call(node, READ["bool"], list(node.call_expr.args))

    def _read_bare(self, node: Any) -> None:  # noqa: ANN401  (an Expr)
        self._wrap(node.call_expr.args[0], READ[node.call_expr.function])

    def _read_index(self, node: Any) -> None:  # noqa: ANN401  (an Expr)
        self._wrap(node.call_expr.args[1], INDEX)

    def _compare(self, node: Any) -> None:  # noqa: ANN401  (an Expr)
        call = node.call_expr
        self._call(node, _COMPARING[call.function], list(call.args))

    def _order(self, node: Any) -> None:  # noqa: ANN401  (an Expr)
        call = node.call_expr
        self._call(node, ORDERING[call.function], list(call.args))

    def _ask_field(self, node: Any) -> None:  # noqa: ANN401  (an Expr)
        field = type(node)(id=self._number())
        field.const_expr.string_value = node.select_expr.field
        self._call(node, HAS, [node.select_expr.operand, field])

    def _keep_order(self, node: Any) -> None:  # noqa: ANN401  (an Expr)
        self._spend(node.comprehension_expr.iter_range)
        copy = type(node)()
        copy.CopyFrom(node)
        copy.id = self._number()
        self._call(node, IN_ORDER, [copy.comprehension_expr.iter_range, copy])

    def _spend(self, node: Any) -> None:  # noqa: ANN401  (an Expr that is copied)
        self._copied += sum(1 for _ in walk_nodes(node))
        if self._copied > _MOST_COPIED:
            raise TooManyListsError

    def _wrap(self, part: Any, name: str) -> None:  # noqa: ANN401  (an Expr)
        """Put the call of a function of ours around a part."""
        read = type(part)(id=self._number())
        self._call(read, name, [part])
        part.CopyFrom(read)

    def _call(self, node: Any, name: str, parts: Sequence[Any]) -> None:  # noqa: ANN401
        """Make a node the call of a function of ours, with these parts in one list."""
        call = type(node)(id=node.id)
        call.call_expr.function = name
        call.call_expr.args.add(id=self._number()).list_expr.elements.extend(parts)
        node.CopyFrom(call)
        old = (entry for entry in self._data.reference_map if entry.key == node.id)
        reference = next(old, None) or self._data.reference_map.add(key=node.id)
        reference.value.ClearField("name")
        reference.value.ClearField("overload_id")
        reference.value.overload_id.append(overload_id(name, (LIST,)))

    def _number(self) -> int:
        self._last += 1
        return self._last
