"""Find what a checked expression calls and reads, and what in it depends on map order.

CEL's maps have no order, and the library walks a map in a different order in each process. A list
that is made by walking a map is therefore random. An expression that makes such a list is refused
if its types say so. If they don't (`dyn`), the walked value is wrapped in a function of ours that
accepts lists only, so that the walk fails when it happens. Such functions also count the steps of
nested loops, and of loops that make lists: no other limit bounds these. The library serializes
expressions as `cel.expr.CheckedExpr` (cel-spec, `checked.proto`). The fields that are read here are
declared by their numbers; all other fields are kept as they are.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from msgspec import Struct

from spokerender.authoring.protocol import FieldTypes, build_file_descriptor
from spokerender.formats.cel.messages import EXPRESSIONS

ITEMS, WALKED = "__items", "__walked"
"""Functions that count steps: `ITEMS` accepts lists only, `WALKED` maps as well."""
ITEMS_OF_LIST, ITEMS_OF_MAP = "__items_of_list", "__items_of_map"
WALKED_OF_LIST, WALKED_OF_MAP = "__walked_of_list", "__walked_of_map"
"""The overloads of `ITEMS` and `WALKED`."""
FIRST, FLATTEN, FLATTENED = "first", "flatten", "__flattened"
"""`first()` becomes `[0]`, and `flatten()` the function `FLATTENED`: the library can check
functions of ours with type parameters, but can't call them."""


class Call(Struct, frozen=True):
    """A call of a function, and those of its arguments that are literal texts."""

    function: str
    texts: tuple[str, ...]


class ExpressionFault(Struct, frozen=True):
    """A fault in an expression, with its line and column, which count from 1."""

    message: str
    line: int
    column: int


class Checked(Struct, frozen=True):
    """The result of checking an expression.

    `serialized` is the expression with added calls, which count steps and refuse maps; None if no
    call is added. `paths` are the fields that it reads by literal names, each after a variable.
    """

    faults: tuple[ExpressionFault, ...]
    serialized: bytes | None
    calls: frozenset[Call]
    paths: frozenset[tuple[str, ...]]


def _message_class(package: str, name: str, types: Mapping[str, FieldTypes], syntax: str) -> Any:  # noqa: ANN401
    pool = descriptor_pool.DescriptorPool()
    pool.Add(build_file_descriptor(package, types, syntax))
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))


@cache
def _checked_class() -> Any:  # noqa: ANN401  (a class that protobuf makes)
    # As proto2 tells a field that is 0 from one that is not there, which proto3 has oneofs for.
    return _message_class("spokerender.checked", "CheckedExpr", EXPRESSIONS, "proto2")


@cache
def _any_class() -> Any:  # noqa: ANN401  (a class that protobuf makes)
    fields = {"Any": {"type_url": "1:string", "value": "2:bytes"}}
    return _message_class("spokerender.any", "Any", fields, "proto3")


def inspect_expression(serialized: bytes, counted: frozenset[str]) -> Checked:
    """Return the faults, calls and fields of a checked expression that the library serialized.

    A loop over the result of a function in `counted` need not be counted again.
    """
    return _Container(serialized, counted).checked()


def parse_checked(serialized: bytes) -> tuple[str, Any]:
    """Return the type and the content of what the library wraps in `google.protobuf.Any`."""
    outer = _any_class()()
    outer.ParseFromString(serialized)
    data = _checked_class()()
    data.ParseFromString(outer.value)
    return outer.type_url, data


def wrap_checked(type_url: str, data: Any) -> bytes:  # noqa: ANN401  (a CheckedExpr)
    """Return an expression in the serialized form that the library reads."""
    outer = _any_class()(type_url=type_url, value=data.SerializeToString())
    return bytes(outer.SerializeToString())


class _Container:
    """A checked expression, in which `checked` finds faults and inserts calls that count steps."""

    def __init__(self, serialized: bytes, counted: frozenset[str]) -> None:
        self._counted = counted
        self._type_url, self._data = parse_checked(serialized)
        self._types = {entry.key: entry.value for entry in self._data.type_map}

    def checked(self) -> Checked:
        walked = list(walk_nodes(self._data.expr))
        nodes = [node for node, _ in walked]
        faults: list[ExpressionFault] = []
        changed: list[tuple[Callable[[Any, int], None], Any]] = []
        for node, is_nested in walked:
            if node.call_expr.function in (FIRST, FLATTEN):
                changed.append((self._spell_out, node))
            loop = node.comprehension_expr
            if not node.HasField("comprehension_expr"):
                continue
            kind = self._types.get(loop.iter_range.id)
            if kind is not None and kind.HasField("map_type") and _makes_list(loop):
                message = "the order of a map is chance: walk keys() of it, which are sorted"
                faults.append(ExpressionFault(message, *self._place(loop.iter_range.id)))
            elif self._is_to_count(loop, kind, is_nested=is_nested):
                changed.append((self._guard, loop))
        calls = frozenset(
            Call(node.call_expr.function, tuple(_texts(node.call_expr.args)))
            for node in nodes
            if node.HasField("call_expr")
        )
        inner = {_operand(node).id for node in nodes if _operand(node) is not None}
        paths = frozenset(
            filter(None, (spelled_path(node) for node in nodes if node.id not in inner))
        )
        if not changed:
            return Checked(tuple(faults), None, calls, paths)
        last = max(node.id for node in nodes)
        for number, (change, part) in enumerate(reversed(changed), last + 1):
            change(part, number)  # what is inside before what is around it, which copies it
        return Checked(tuple(faults), wrap_checked(self._type_url, self._data), calls, paths)

    def _is_to_count(self, loop: Any, kind: Any, *, is_nested: bool) -> bool:  # noqa: ANN401
        """Return whether the steps of `loop` over a value of type `kind` must be counted."""
        is_list = kind is not None and kind.HasField("list_type")
        if _makes_list(loop) and not is_list:
            return True
        walked = loop.iter_range
        is_field = walked.HasField("select_expr")  # of a message: such lists are short
        if is_list and (is_field or walked.call_expr.function in self._counted):
            return False
        is_of_messages = is_list and kind.list_type.elem_type.HasField("message_type")
        return is_nested or (_makes_list(loop) and not is_of_messages)

    def _guard(self, loop: Any, number: int) -> None:  # noqa: ANN401  (a Comprehension)
        walked = type(loop.iter_range)()
        walked.CopyFrom(loop.iter_range)
        call = type(walked)(id=number)
        makes_list = _makes_list(loop)
        call.call_expr.function = ITEMS if makes_list else WALKED
        call.call_expr.args.append(walked)
        loop.iter_range.CopyFrom(call)
        reference = self._data.reference_map.add(key=number)
        reference.value.overload_id.extend(
            [ITEMS_OF_LIST, ITEMS_OF_MAP] if makes_list else [WALKED_OF_LIST, WALKED_OF_MAP]
        )
        entry = self._data.type_map.add(key=number)
        entry.value.dyn.SetInParent()

    def _spell_out(self, node: Any, number: int) -> None:  # noqa: ANN401  (an Expr)
        call = node.call_expr
        is_first = call.function == FIRST
        target = type(node)()
        target.CopyFrom(call.target)
        call.ClearField("target")
        call.function = "_[_]" if is_first else FLATTENED
        call.args.append(target)
        reference = next(each for each in self._data.reference_map if each.key == node.id)
        del reference.value.overload_id[:]
        reference.value.overload_id.append("index_list" if is_first else FLATTENED)
        if is_first:
            call.args.add(id=number).const_expr.int64_value = 0

    def _place(self, number: int) -> tuple[int, int]:
        offset = next(
            (each.value for each in self._data.source_info.positions if each.key == number), 0
        )
        starts = [0, *self._data.source_info.line_offsets]
        line = max(index for index, start in enumerate(starts) if start <= offset)
        return line + 1, offset - starts[line] + 1


def walk_nodes(node: Any) -> Iterator[tuple[Any, bool]]:  # noqa: ANN401  (an Expr)
    """Yield each part of an expression, outer before inner, and whether a loop repeats it."""
    ahead = [(node, False)]
    while ahead:
        part, is_nested = ahead.pop()
        yield part, is_nested
        for field, value in part.ListFields():
            if field.name == "id":
                continue
            ahead += reversed([(each, is_nested or again) for each, again in _below(value)])


def _below(part: Any) -> Iterator[tuple[Any, bool]]:  # noqa: ANN401  (a part of an Expr)
    for field, value in part.ListFields():
        if field.message_type is None:
            continue
        for item in value if field.is_repeated else (value,):
            if field.message_type.name == "Expr":
                yield item, field.name in ("loop_step", "loop_condition")
            elif field.message_type.name == "Entry":
                yield from _below(item)


def _makes_list(loop: Any) -> bool:  # noqa: ANN401  (a Comprehension)
    """Return whether a loop makes a list in the order in which it walks: `map` and `filter`."""
    return bool(loop.accu_init.HasField("list_expr"))


def _texts(arguments: Any) -> Iterator[str]:  # noqa: ANN401  (Exprs)
    for argument in arguments:
        if argument.HasField("const_expr"):
            yield argument.const_expr.string_value


def _operand(node: Any) -> Any:  # noqa: ANN401  (Exprs)
    """Return the operand of a field selection with a literal name; None for other expressions."""
    if node.HasField("select_expr"):
        return node.select_expr.operand
    call = node.call_expr
    if call.function == "_[_]" and call.args[1].const_expr.string_value:
        return call.args[0]
    return None


def spelled_path(node: Any) -> tuple[str, ...]:  # noqa: ANN401  (an Expr)
    """Return a variable and its selected fields; empty for other expressions."""
    steps: list[str] = []
    while (operand := _operand(node)) is not None:
        is_call = node.HasField("call_expr")
        steps.append(
            node.call_expr.args[1].const_expr.string_value if is_call else node.select_expr.field
        )
        node = operand
    return (node.ident_expr.name, *reversed(steps)) if node.HasField("ident_expr") else ()


_ANSWERING = frozenset(("_==_", "_!=_", "@in", "_&&_", "_||_", "hasValue", "value", "type"))
"""Functions of the library that take optional values and return plain ones."""
_ASKING = frozenset(("_?._", "_[?_]", "or", "optional.none"))
"""Functions of the library that take optional values and return optional values."""
_WRAPPING = frozenset(("optional.of", "optional.ofNonZeroValue"))


class _KeptError(Exception):
    """Raised if an optional may be inside another value, or be given to a function of ours."""


def keeps_optionals(serialized: bytes) -> bool:
    """Return whether an optional may be inside another value, or given to a function of ours."""
    data = parse_checked(serialized)[1]
    typed = {entry.key for entry in data.type_map if entry.value.HasField("abstract_type")}
    try:
        _Values(typed).is_optional(data.expr, {})
    except _KeptError:
        return True
    return False


class _Values:
    """Decides which parts of an expression are optionals; `names`: which variables of loops are."""

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
