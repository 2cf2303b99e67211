"""From JSON data to models: everything that is wrong with a value, at once, in plain words.

A model's annotations are looked at when the first value of it is read, so that what a project does
not use costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from render.config import words
from render.config.fields import (
    After,
    Before,
    MinItems,
    Model,
    MoreThan,
    RefusedError,
    TextRule,
)
from render.findings.codes.project import INVALID_VALUE
from render.findings.faults import Fault
from render.model import FieldPath

Kind = TypeVar("Kind", bound=Model)
Path = FieldPath | None
Reader = Callable[[Any, Path, list[Fault]], Any]
"""Reads the value at a path; what is wrong with it goes to the list, and then it gives nothing.

Nearly all files are right, so they are read without paths first: those of a thousand spokes take
longer than everything else. What is wrong is read once more to say where.
"""

_MODELS: dict[type[Model], Reader] = {}


def parse(model: type[Kind], data: object) -> tuple[Kind | None, tuple[Fault, ...]]:
    """A model from JSON data, or else everything that is wrong with it."""
    faults: list[Fault] = []
    made = _model(model)(data, None, faults)
    if not faults:
        return made, ()
    faults.clear()
    _model(model)(data, (), faults)
    return None, tuple(faults)


class _Key(NamedTuple):
    """A field as it is read."""

    name: str
    key: str
    read: Reader


def _model(model: type[Model]) -> Reader:
    if model not in _MODELS:
        _MODELS[model] = _model_reader(model)
    return _MODELS[model]


def _model_reader(model: type[Model]) -> Reader:
    fields = model.fields_of
    keys: list[_Key] = []
    meanings = {info.key: info.description for info in fields.values()}
    required = [info.key for info in fields.values() if info.is_required]

    def read(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
        if not isinstance(value, Mapping):
            return _refuse(faults, path, words.must_be("a mapping", value))
        if not keys:
            keys.extend(_keys(model))
        before = len(faults)
        values = {
            name: read_field(value[key], None if path is None else (*path, key), faults)
            for name, key, read_field in keys
            if key in value
        }
        lacking = [key for key in required if key not in value]
        faults += (words.missing((*(path or ()), key), meanings) for key in lacking)
        if len(values) < len(value):
            unknown = [key for key in value if key not in meanings]
            faults += (words.unknown((*(path or ()), key), meanings) for key in unknown)
        return None if len(faults) > before else _made(model, values, path, faults)

    return read


def _keys(model: type[Model]) -> list[_Key]:
    hints = get_type_hints(model, include_extras=True)
    return [_Key(name, info.key, _reader(hints[name])) for name, info in model.fields_of.items()]


def _made(
    model: type[Model], values: dict[str, Any], path: Path, faults: list[Fault]
) -> Model | None:
    made = model(**values)
    try:
        for look in model.checks_of:
            look(made)
    except RefusedError as error:
        _refuse_with(error, path, faults)
        return None
    return made


def _reader(annotation: Any) -> Reader:  # noqa: ANN401, PLR0911  (a type form of any shape)
    """What reads a value of an annotated type."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:])
    if origin in (Union, UnionType):
        (kind,) = (argument for argument in arguments if argument is not NoneType)
        return _optional(_reader(kind))
    if origin is Literal:
        return _choice(arguments)
    if origin is tuple:
        return _items(_reader(arguments[0]), 0)
    if origin is dict:
        return _mapping(_reader(arguments[0]), _reader(arguments[1]), 0)
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return _model(annotation)
    return _SCALARS[annotation]


def _annotated(annotation: Any, metadata: tuple[Any, ...]) -> Reader:  # noqa: ANN401
    """What reads a type with rules; they are applied from left to right."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    least = next((rule.least for rule in metadata if isinstance(rule, MinItems)), 0)
    if origin is tuple:
        reader = _items(_reader(arguments[0]), least)
    elif origin is dict:
        reader = _mapping(_reader(arguments[0]), _reader(arguments[1]), least)
    else:
        reader = _reader(annotation)
    for rule in metadata:
        match rule:
            case TextRule():
                reader = _both(reader, _text(rule))
            case MoreThan():
                reader = _more_than(rule.bound)
            case After():
                reader = _after(reader, rule.function)
            case Before():
                reader = _before(reader, rule.function)
    return reader


def _both(first: Reader, second: Reader) -> Reader:
    def read(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
        before = len(faults)
        found = first(value, path, faults)
        return found if len(faults) > before else second(found, path, faults)

    return first if second is _SCALARS[str] else second if first is _SCALARS[str] else read


def _optional(reader: Reader) -> Reader:
    def read(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
        return None if value is None else reader(value, path, faults)

    return read


def _choice(choices: tuple[str, ...]) -> Reader:
    def read(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
        if isinstance(value, str) and value in choices:
            return value
        return _refuse(faults, path, words.choice(choices, value))

    return read


def _items(reader: Reader, least: int) -> Reader:
    def read(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
        if not isinstance(value, list | tuple):
            return _refuse(faults, path, words.no_list(value))
        if len(value) < least:
            return _refuse(faults, path, words.EMPTY)
        if path is None:
            return tuple([reader(item, None, faults) for item in value])
        return tuple(reader(item, (*path, index), faults) for index, item in enumerate(value))

    return read


def _mapping(keys: Reader, values: Reader, least: int) -> Reader:
    def read(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
        if not isinstance(value, Mapping):
            return _refuse(faults, path, words.must_be("a mapping", value))
        if len(value) < least:
            return _refuse(faults, path, words.EMPTY)
        if path is None:
            return {keys(k, None, faults): values(v, None, faults) for k, v in value.items()}
        places = [(*path, key) for key in value]
        pairs = zip(places, value.items(), strict=True)
        return {keys(k, at, faults): values(v, at, faults) for at, (k, v) in pairs}

    return read


def _text(rule: TextRule) -> Reader:
    is_whole = lru_cache(maxsize=1024)(re.compile(rule.pattern).fullmatch)

    def read(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
        if not isinstance(value, str):
            return _refuse(faults, path, words.no_text(value))
        if len(value) < rule.min_length:
            return _refuse(faults, path, words.EMPTY)
        if rule.max_length is not None and len(value) > rule.max_length:
            return _refuse(faults, path, words.too_long(rule.max_length, value))
        if rule.pattern and not is_whole(value):
            return _refuse(faults, path, words.pattern(rule, value))
        return value

    return read


def _more_than(bound: int) -> Reader:
    def read(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
        number = _integer(value, path, faults)
        if number is not None and number <= bound:
            return _refuse(faults, path, words.too_small(bound, number))
        return number

    return read


def _after(reader: Reader, function: Callable[[Any], Any]) -> Reader:
    def read(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
        before = len(faults)
        found = reader(value, path, faults)
        if len(faults) > before:
            return None
        try:
            return function(found)
        except RefusedError as error:
            return _refuse_with(error, path, faults)

    return read


def _before(reader: Reader, function: Callable[[Any], Any]) -> Reader:
    def read(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
        return reader(function(value), path, faults)

    return read


def _anything(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401, ARG001
    return value


def _boolean(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
    if isinstance(value, bool):
        return value
    return _refuse(faults, path, words.must_be("true or false", value))


def _integer(value: Any, path: Path, faults: list[Fault]) -> Any:  # noqa: ANN401
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return _refuse(faults, path, words.must_be("a whole number", value))


_SCALARS: Mapping[Any, Reader] = {
    Any: _anything,
    bool: _boolean,
    int: _integer,
    str: _text(TextRule()),
}


def _refuse(faults: list[Fault], path: Path, said: words.Words) -> None:
    faults.append(Fault(INVALID_VALUE, *said, path or ()))


def _refuse_with(error: RefusedError, path: Path, faults: list[Fault]) -> None:
    faults.append(Fault(INVALID_VALUE, error.message, error.cure, (*(path or ()), *error.at)))
