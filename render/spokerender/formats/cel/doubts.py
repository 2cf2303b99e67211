"""Guards around parts of expressions for which the library's answer may differ from cel-go's.

A guard is a function of ours that is put around a part of a checked expression. It passes values
that both treat alike, and raises a doubt for all others: the evaluation then has no answer. A guard
gets its part in a list, because the library can't call a function of ours for a parameter of type
`dyn`. Expressions whose types cel-go may find otherwise, and refuse, have no answer at all.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite, isnan
from typing import Any, NoReturn

from spokerender.formats.cel.checked import parse_checked, walk_nodes, wrap_checked
from spokerender.formats.cel.costs import BUDGET
from spokerender.formats.cel.environment import NotCompiledError, UnevaluableError
from spokerender.formats.cel.functions import (
    NOT_HERE,
    SUMS,
    CelValue,
    Function,
    format_text,
    overload_id,
)
from spokerender.formats.cel.messages import is_message
from spokerender.formats.regexes import PatternError, compile_pattern

_SCALARS = {
    "primitive": ("", "bool", "int", "uint", "double", "string", "bytes"),
    "well_known": ("", "any", "timestamp", "duration"),
}
_PLAIN = ("dyn", "bool", "int", "double", "string")
_JSON = frozenset({*_PLAIN, "null", "list_type", "map_type"})
_NUMBERS = ("dyn", "int", "uint", "double")
_TEXTS = frozenset({*_JSON, "uint", "bytes", "timestamp", "duration"})
_MESSAGE, _OPTIONAL = "message_type", "abstract_type"
_EQUALITY, _LOGIC, _ORDER = ("_==_", "_!=_"), ("_&&_", "_||_"), ("_<_", "_<=_", "_>_", "_>=_")
_PLACES = ("indexOf", "lastIndexOf")
_LOOKING = ("sum", "min", "max", "isSorted", "getMilliseconds", *_PLACES)
_TAKING = (
    *("dyn", "@in", "_[_]", "_[?_]", "_?_:_"),
    *("optional.of", "optional.ofNonZeroValue", "orValue"),
)
"""Functions that take values of any type."""
_TYPING = ("_+_", "_-_", "_*_", "_/_", "_%_", "-_", "_?_:_", *_TAKING[-3:])
"""Functions whose types depend on the types of their arguments."""
_OPENING = ("value", "or", "_[_]", "_[?_]", "_?._")
"""Functions that return a part."""
_GUARDED: Sequence[tuple[str, Sequence[str], slice, Sequence[str]]] = (
    *((kind, _PLAIN, slice(None), (kind,)) for kind in ("bool", "int", "uint", "double")),
    *((kind, _PLAIN, slice(None), (kind,)) for kind in ("timestamp", "duration")),
    ("scores", ("dyn",), slice(1), ("scores",)),
    ("ordered", (*_PLAIN, "list_type"), slice(None), ("min", "max", "isSorted")),
    ("text", _PLAIN, slice(None), ("string",)),
    ("place", (*_JSON, "bytes", "type", "duration"), slice(1, None), ("_[?_]", *_PLACES)),
    ("a duration", ("duration",), slice(None), ("int", "getMilliseconds")),
)
"""Each guard with the kinds of arguments that it is for, their places, and the functions."""
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
"""By type: texts that both read alike, and texts that one of them may read; others are errors."""
_AS_TEXT = "a text of such a value"
_CLAUSE = re.compile("%(?:%|(?:[.][0-9]+)?([sdfebxXo])?)")
_WRITTEN: Mapping[str | None, Sequence[type]] = {
    "s": (str, int, bool),
    **dict.fromkeys("dboxX", (int,)),
    **dict.fromkeys("fe", (float,)),
}
"""The types that `format()` writes as cel-go does, by its verbs."""


def guard_predicate(serialized: bytes) -> bytes | None:
    """Return a checked expression with guards; None if it needs none.

    Raises `NotCompiledError` where OCM does not compile it, `UnevaluableError` where it may not.
    """
    type_url, data = parse_checked(serialized)
    guarded = list(_Doubts(data.expr, data.type_map).find())
    last = max(node.id for node, _ in walk_nodes(data.expr))
    for number, (part, name) in enumerate(reversed(guarded), last + 1):  # inside before outside
        inner = type(part)()
        # The part moves into the call that takes its place, under a new id, as types are kept by
        # id.
        inner.CopyFrom(part)
        part.Clear()
        part.id, call = number, part.call_expr
        call.function = f"__{name if name in _GUARDS else 'doubt'}"
        items = call.args.add().list_expr.elements
        items.append(inner)
        items.add().const_expr.string_value = _GUARDS[name][0] if name in _GUARDS else name
        identity = overload_id(call.function, ("list(dyn)",))
        data.reference_map.add(key=number).value.overload_id.append(identity)
    return wrap_checked(type_url, data) if guarded else None


class _Doubts:
    """A checked expression, in which doubtful parts are searched."""

    def __init__(self, expression: Any, types: Any) -> None:  # noqa: ANN401  (an Expr, TypeEntries)
        self._kinds = {entry.key: _name_kind(entry.value) for entry in types}
        self._nodes = [node for node, _ in walk_nodes(expression)]
        self._positive = set(_list_positive(expression))
        self._unordered = set[int]()
        items = (item for node in self._nodes for item in _list_items(node))
        self._hidden = {self._kind(item) for item in items} - _JSON - {_OPTIONAL}
        self._has_sums = any(node.call_expr.function in SUMS for node in self._nodes)

    def _kind(self, node: Any) -> str:  # noqa: ANN401  (an Expr)
        return self._kinds.get(node.id, "dyn")

    def find(self) -> Iterator[tuple[Any, str]]:
        """Yield the parts to guard, each with its guard or with the doubt about it."""
        for node in self._nodes:
            call, asked = node.call_expr, node.select_expr
            items, parts = _list_items(node), _list_parts(node)
            if call.function:
                self._check_call(call.function, parts)
                yield from self._find_in_call(node, parts)
            typing = parts if call.function in _TYPING and self._kind(node) != "dyn" else ()
            if any(_is_open(p) and not _is_none(p) for p in typing or items * (not parts)):
                _doubt("what may be of any type")
            yield from (
                (part, "an unsigned number") for part in items if self._kind(part) == "uint"
            )
            keys = (entry.map_key for entry in node.struct_expr.entries)
            yield from ((key, "key") for key in keys if not key.const_expr.string_value)
            if asked.test_only and node.id not in self._positive:
                yield asked.operand, "map"
            yield from self._find_in_loop(node)

    def _find_in_call(self, node: Any, parts: list[Any]) -> Iterator[tuple[Any, str]]:  # noqa: ANN401
        function, kinds = node.call_expr.function, [self._kind(part) for part in parts]
        is_positive, is_equality = node.id in self._positive, function in _EQUALITY
        for guard, taken, places, functions in _GUARDED:
            if function in functions:
                yield from ((part, guard) for part in parts[places] if self._kind(part) in taken)
        may_sum = self._has_sums and parts[-1:] and parts[-1].call_expr.function != "quantity"
        if is_equality and _MESSAGE in kinds and (may_sum or {*kinds} - {_MESSAGE, "null"}):
            is_apart = is_positive and _OPTIONAL not in kinds
            yield node, ("false" if function == "_==_" else "true") if is_apart else "comparing"
        if function in _ORDER and not is_positive:
            yield from ((part, "ordered") for part in parts if self._kind(part) in _PLAIN)
        if function == "@in" and not is_positive and kinds[1] != "list_type":
            yield parts[0], "place"
        open_kinds = ["list_type", "dyn"]
        if (self._hidden and function in _LOOKING) or (is_equality and _MESSAGE in self._hidden):
            open_kinds += ["map_type", _OPTIONAL]
        elif function != "@in" or _MESSAGE not in self._hidden:
            open_kinds = []
        guard = "flat" if is_positive and is_equality else "plain"
        yield from ((part, guard) for part in parts if self._kind(part) in open_kinds)
        is_named = node.call_expr.target.call_expr.function not in (*SUMS, "quantity")
        if self._has_sums and (function == "type" or (function in SUMS and is_named)):
            yield node, "a sum of quantities"  # upstream adds to one that has a name
        if function == "string" and kinds[0] in ("duration", "timestamp"):
            read = parts[0].call_expr.args
            is_in_utc = [*map(self._kind, read)] == ["int"] or any(
                text.const_expr.string_value.endswith("Z") for text in read
            )
            yield node, "whole" if is_in_utc or kinds[0] == "duration" else "a time with an offset"

    def _find_in_loop(self, node: Any) -> Iterator[tuple[Any, str]]:  # noqa: ANN401  (an Expr)
        """Yield the operand of a loop that makes a list: the order of a map is random."""
        loop, call = node.comprehension_expr, node.call_expr
        is_list = loop.accu_init.HasField("list_expr")
        if (_is_open(loop.iter_range) and _uses_item(loop)) or (
            _is_open(loop.accu_init) and not is_list
        ):
            _doubt("what may be of any type")
        if call.function in ("size", "max", "min"):
            self._unordered.add(call.target.id or call.args[0].id)
        elif call.function == "@in":
            self._unordered.add(call.args[1].id)
        elif not is_list or node.id in self._unordered:
            self._unordered.add(loop.iter_range.id)
        elif not loop.iter_range.HasField("list_expr"):
            yield loop.iter_range, "items"

    def _check_call(self, function: str, parts: list[Any]) -> None:
        """Refuse a call that OCM does not compile, or may not compile."""
        if function in ("_[_]", "_[?_]") and self._kind(parts[1]) in ("bytes", "null"):
            _doubt("such an index")
        if function.startswith("get") and len(parts) > 1:
            _doubt("a time in a zone")
        if function in ("find", "findAll"):
            try:
                compile_pattern(parts[1].const_expr.string_value)
            # cel-go compiles literal patterns with the expression.
            except PatternError as error:
                raise NotCompiledError(f"error parsing regexp: {error}") from None
        if (
            function == "format"
            and parts[0].HasField("const_expr")
            and parts[1].HasField("list_expr")
        ):
            self._check_format(parts[0].const_expr.string_value, parts[1].list_expr.elements)

    def _check_format(self, pattern: str, values: Sequence[Any]) -> None:
        verbs = list_verbs(pattern)
        if None in verbs or len(verbs) != len(values):
            raise NotCompiledError(f"error during formatting: {len(values)} values")
        for verb, value in zip(verbs, values, strict=True):
            kind, is_numeric = self._kind(value), verb in ("d", "f", "e")
            is_part = value.HasField("select_expr") or value.HasField("ident_expr")
            is_part = is_part or value.call_expr.function in (*_TAKING, "value")
            if not is_part and (kind == _MESSAGE or (is_numeric and kind not in _NUMBERS)):
                raise NotCompiledError(f"error during formatting: %{verb} of {kind}")
            taken = _NUMBERS if is_numeric else ("dyn", "int")
            items = {self._kind(item) for item in _list_items(value)}
            if not items.issubset(_PLAIN) or kind not in (_TEXTS if verb == "s" else taken):
                _doubt(f"%{verb} of {kind}")


def _doubt(what: str) -> NoReturn:
    raise UnevaluableError(f"{what}: {NOT_HERE}")


def _list_parts(node: Any) -> list[Any]:  # noqa: ANN401  (Exprs)
    """Return the target and the arguments of a call."""
    return [part for part in (node.call_expr.target, *node.call_expr.args) if part.id]


def _list_items(node: Any) -> list[Any]:  # noqa: ANN401  (Exprs)
    """Return the parts of a list, a map or a message."""
    items = [*node.list_expr.elements]
    for entry in node.struct_expr.entries:
        items += [entry.map_key, entry.value]
    return [*items, *_list_parts(node)] if node.call_expr.function in _TAKING else items


def _is_open(node: Any) -> bool:  # noqa: ANN401  (an Expr)
    """Tell whether a part is empty, or in an empty one, so that its items may be of any type."""
    function, asked = node.call_expr.function, node.select_expr
    if function in _OPENING or asked.field:
        return not asked.test_only and _is_open(
            asked.operand if asked.field else _list_parts(node)[0]
        )
    is_literal = node.HasField("list_expr") or node.HasField("struct_expr")
    is_empty = is_literal and not _list_items(node)
    loop = node.comprehension_expr
    is_made = loop.accu_init.HasField("list_expr") and _is_open(loop.iter_range)
    return _is_none(node) or is_empty or is_made


def _is_none(node: Any) -> bool:  # noqa: ANN401  (an Expr)
    return bool(node.call_expr.function == "optional.none")


def _uses_item(loop: Any) -> bool:  # noqa: ANN401  (a Comprehension)
    """Tell whether a loop calls a function with its item, which gives that a type."""
    parts = (
        part
        for node, _ in walk_nodes(loop.loop_step)
        if node.call_expr.function not in _LOGIC
        for part in _list_parts(node)
    )
    return any(part.ident_expr.name == loop.iter_var for part in parts)


def _list_positive(node: Any) -> Iterator[int]:  # noqa: ANN401  (an Expr)
    """Yield the parts whose error has the same effect as false."""
    yield node.id
    call, step = node.call_expr, node.comprehension_expr.loop_step
    parts = [step] if step.call_expr.function in _LOGIC else []  # exists(), all()
    if call.function in (*_LOGIC, "_?_:_"):
        parts = call.args[call.function == "_?_:_" :]
    for part in parts:
        yield from _list_positive(part)


def _name_kind(kind: Any) -> str:  # noqa: ANN401  (a Type)
    """Return the name of a type, without those of its items."""
    names = (_SCALARS[f.name][v] if f.name in _SCALARS else f.name for f, v in kind.ListFields())
    return next(names, "dyn")


def list_verbs(pattern: str) -> list[str | None]:
    """Return the verbs of a text; None for each clause that has no known verb."""
    return [match[1] for match in _CLAUSE.finditer(pattern) if match[0] != "%%"]


def fill_clauses(pattern: str, values: list[CelValue]) -> str:
    """Fill the clauses of a text. Raises ValueError where cel-go may write it otherwise."""
    for verb, value in zip(list_verbs(pattern), values, strict=False):
        # The exact type, as a boolean is an int to Python.
        if type(value) not in _WRITTEN.get(verb, ()) or re.search("%[.][0-9]{3}", pattern):
            raise ValueError(f"%{verb} of such a value: {NOT_HERE}")
    return format_text(pattern, values)


def _spell_number(value: CelValue) -> CelValue:
    """Return the text of a number without digits, as Go writes it, and any other value."""
    is_endless = isinstance(value, float) and not isfinite(value)
    return ("NaN" if isnan(value) else f"{value:+}".title()) if is_endless else value


def _is_ordered(value: CelValue) -> bool:
    numbers = value if isinstance(value, list) else [value]
    return not any(isinstance(number, float) and isnan(number) for number in numbers)


def _is_plain(value: CelValue) -> bool:
    """Tell whether a value is JSON, with all that is in it."""
    BUDGET.spend(1, "reading a value")
    if isinstance(value, list | Mapping):
        return all(map(_is_plain, value.values() if isinstance(value, Mapping) else value))
    return isinstance(value, bool | int | float | str | None)


def _is_alike(kind: str) -> Callable[[CelValue], bool]:
    plain, like = re.compile(_READ[kind][0], re.ASCII), re.compile(_READ[kind][1], re.IGNORECASE)
    return lambda value: (
        not isinstance(value, str)
        or not like.fullmatch(value.strip())
        or plain.fullmatch(value) is not None
    )


def _guard(is_alike: Callable[[CelValue], bool]) -> Callable[[list[CelValue]], CelValue]:
    def call(parts: list[CelValue]) -> CelValue:
        value, reason = parts
        if not (_is_plain(value) or is_message(value)) or not is_alike(value):
            raise ValueError(f"{reason}, {str(value)[:40]!r}: {NOT_HERE}")
        return _spell_number(value) if reason == _AS_TEXT else value

    return call


_GUARDS: Mapping[str, tuple[str, Callable[[CelValue], bool]]] = {
    **{kind: (f"what is read as {kind}", _is_alike(kind)) for kind in _READ},
    "items": (
        "a list of a map's items, whose order is chance",
        lambda value: not isinstance(value, Mapping) or len(value) <= 1,
    ),
    "key": ("a key of such a type", lambda value: isinstance(value, str | int)),
    "place": ("an index of such a type", lambda value: isinstance(value, str | int | float)),
    "scores": ("scores() of no cluster", lambda value: isinstance(value, Mapping)),
    "map": ("has() of what is no map", lambda value: isinstance(value, Mapping)),
    "plain": ("what is compared with a type such as IP", lambda value: not is_message(value)),
    "flat": ("what is compared with a type such as IP", lambda _: True),
    "ordered": ("the order of what is no number", _is_ordered),
    "text": (_AS_TEXT, lambda value: not is_message(value)),
    "whole": ("a text of a part of a second", lambda value: "." not in value),
    "true": ("a sum of quantities", lambda value: value is True),
    "false": ("a sum of quantities", lambda value: value is False),
    "doubt": ("", lambda _: False),
}
"""The reasons of guards, and what passes, by their names."""
GUARDING = tuple(
    Function(f"__{name}", ("list(dyn)",), "dyn", _guard(passes), is_member=False)
    for name, (_, passes) in _GUARDS.items()
)
