"""Finding optional values inside other values, or passed to our functions: the library fails there.

A value is plain, with no optional value in it, or an optional of a plain value; a value that may be
something else is refused. So is a call with an optional value of a function that is not in a list
below. The types that the checker determined do not count: it takes a value of type `dyn` for any
type.
"""

from collections.abc import Mapping
from typing import Any

from spokerender.formats.cel.checked import parse_checked

_ANSWERING = frozenset(("_==_", "_!=_", "@in", "_&&_", "_||_", "hasValue", "value", "type"))
"""Functions of the library that take optional values and return plain ones."""
_ASKING = frozenset(("_?._", "_[?_]", "or", "optional.none"))
"""Functions of the library that take optional values and return optional values."""
_WRAPPING = frozenset(("optional.of", "optional.ofNonZeroValue"))


class _KeptError(Exception):
    """A value may be neither plain nor an optional of a plain value."""


def keeps_optionals(serialized: bytes) -> bool:
    """Tell whether an optional value may be inside another value, or reach a function of ours."""
    data = parse_checked(serialized)[1]
    typed = {entry.key for entry in data.type_map if entry.value.HasField("abstract_type")}
    try:
        _Values(typed).is_optional(data.expr, {})
    except _KeptError:
        return True
    return False


class _Values:
    """The values of a checked expression; `names` tells which variables of loops are optional."""

    def __init__(self, typed: set[int]) -> None:
        self._typed = typed

    def is_optional(self, node: Any, names: Mapping[str, bool]) -> bool:  # noqa: ANN401  (an Expr)
        if node.HasField("call_expr"):
            return self._is_call(node, names)
        if node.HasField("comprehension_expr"):
            return self._is_loop(node.comprehension_expr, names)
        if node.HasField("select_expr"):
            is_one = self.is_optional(node.select_expr.operand, names)
            return is_one and not node.select_expr.test_only
        opened = node.list_expr.optional_indices
        for index, item in enumerate(node.list_expr.elements):
            _refuse(self.is_optional(item, names) and index not in opened)
        for entry in node.struct_expr.entries:
            _refuse(self.is_optional(entry.map_key, names))
            _refuse(self.is_optional(entry.value, names) and not entry.optional_entry)
        return names.get(node.ident_expr.name, False)

    def _is_call(self, node: Any, names: Mapping[str, bool]) -> bool:  # noqa: ANN401  (an Expr)
        call = node.call_expr
        target = [call.target] if call.HasField("target") else []
        are = [self.is_optional(part, names) for part in (*target, *call.args)]
        match call.function:
            case name if name in _ANSWERING:
                return False
            case name if name in _ASKING:
                return True
            case "_[_]" | "dyn":
                return are[0]
            case "_?_:_":
                _refuse(are[1] is not are[2])
                return are[1]
            case "orValue":
                _refuse(are[1])
                return False
        _refuse(any(are))
        return call.function in _WRAPPING or node.id in self._typed

    def _is_loop(self, loop: Any, names: Mapping[str, bool]) -> bool:  # noqa: ANN401
        self.is_optional(loop.iter_range, names)
        is_one = self.is_optional(loop.accu_init, names)
        outer = {**names, loop.accu_var: is_one}
        inner = {**outer, loop.iter_var: False}
        self.is_optional(loop.loop_condition, inner)
        _refuse(self.is_optional(loop.loop_step, inner) is not is_one)
        return self.is_optional(loop.result, outer)


def _refuse(is_kept: bool) -> None:
    if is_kept:
        raise _KeptError
