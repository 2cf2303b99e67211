"""Dataclasses that take a tenth of the time to make.

The standard library writes and compiles up to ten methods for each class when its module is
imported; with more than a hundred classes, that is a fifth of the time in which a small fleet is
built. Here `__init__` alone is compiled, when the first instance is made; the other methods are
the same for all classes. Options mean what they mean there, and `fields`, `replace` and
`is_dataclass` take these classes for the library's own, as does a type checker; only the
signature that `inspect` finds has no annotations.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import _FIELD, MISSING, Field, FrozenInstanceError, field  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["dataclass"]

_FIELDS = "__dataclass_fields__"
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")

Fields = dict[str, "Field[Any]"]


def _dataclass(
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    order: bool = False,
    kw_only: bool = False,
) -> Callable[[type], type]:
    """Make a dataclass of a class."""

    def decorate(cls: type) -> type:
        own = {name: _field(cls, name, kw_only=kw_only) for name in _annotated(cls)}
        known: Fields = {}
        for base in reversed(cls.__mro__[1:]):
            known |= vars(base).get(_FIELDS, {})
        known |= own

        def __init__(self: object, *values: Any, **named: Any) -> None:  # noqa: ANN401, N807
            made.__init__ = _initializer(made, known, frozen=frozen)  # type: ignore[misc]
            made.__init__(self, *values, **named)  # type: ignore[misc]

        body = {
            _FIELDS: known,
            "__match_args__": tuple(n for n, f in known.items() if f.init and not f.kw_only),
            "__init__": __init__,
            "__repr__": _repr,
            **(_FROZEN if frozen else {}),
            **(_PICKLED if frozen and slots else {}),
            **(dict(_comparisons(known, order=order)) if eq else {}),
        }
        if eq and not frozen:
            body["__hash__"] = None
        made = _slotted(cls, own, body) if slots else _extended(cls, own, body)
        return made

    return decorate


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass


def _annotated(cls: type) -> Iterator[str]:
    """The names of a class's own fields; annotations are texts in all modules."""
    for name, annotation in cls.__annotations__.items():
        if not annotation.startswith("ClassVar["):
            yield name


def _field(cls: type, name: str, *, kw_only: bool) -> Field[Any]:
    given = vars(cls).get(name, MISSING)
    found: Any = given if isinstance(given, Field) else field(default=given)
    found.name, found.type = name, cls.__annotations__[name]
    found._field_type = _FIELD  # noqa: SLF001  (it is what `fields` knows a field by)
    if found.kw_only is MISSING:
        found.kw_only = kw_only
    return found  # type: ignore[no-any-return]


def _slotted(cls: type, own: Fields, body: Mapping[str, Any]) -> type:
    """The class anew, as slots can't be given to one that is there; what it has itself stays."""
    inherited = {slot for base in cls.__mro__[1:] for slot in vars(base).get("__slots__", ())}
    dropped = {*own, "__dict__", "__weakref__"}
    kept = {name: value for name, value in vars(cls).items() if name not in dropped}
    slots = {"__slots__": tuple(name for name in own if name not in inherited)}
    made = type(cls)(cls.__name__, cls.__bases__, {**body, **kept, **slots})
    made.__qualname__ = cls.__qualname__
    return made


def _extended(cls: type, own: Fields, body: Mapping[str, Any]) -> type:
    """The same class; what it has itself stays."""
    for name, value in body.items():
        if name not in vars(cls):
            setattr(cls, name, value)
    for name, found in own.items():
        if found.default is not MISSING:
            setattr(cls, name, found.default)
        elif name in vars(cls):
            delattr(cls, name)
    return cls


def _initializer(cls: type, known: Fields, *, frozen: bool) -> Callable[..., None]:
    """Compile `__init__`: a parameter and a line for each field."""
    names: dict[str, Any] = {"MISSING": MISSING, "put": object.__setattr__}
    parameters: list[str] = ["self"]
    keywords: list[str] = []
    lines = []
    for name, found in known.items():
        value = name
        parameter = name
        if found.default is not MISSING:
            names[f"default_{name}"] = found.default
            parameter = f"{name}=default_{name}"
        if found.default_factory is not MISSING:
            names[f"make_{name}"] = found.default_factory
            parameter = f"{name}=MISSING"
            value = f"make_{name}() if {name} is MISSING else {name}"
        if not found.init:
            continue
        (keywords if found.kw_only else parameters).append(parameter)
        lines.append(_assignment(cls, name, value, names, frozen=frozen))
    if keywords:
        parameters += ["*", *keywords]
    text = f"def __init__({', '.join(parameters)}):\n " + ("\n ".join(lines) or "pass")
    exec(text, names)  # noqa: S102  (as the standard library does; names of fields are all there is)
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _assignment(cls: type, name: str, value: str, names: dict[str, Any], *, frozen: bool) -> str:
    put = getattr(getattr(cls, name, None), "__set__", None)  # a slot's
    if put is not None:
        names[f"set_{name}"] = put
        return f"set_{name}(self, {value})"
    return f"put(self, {name!r}, {value})" if frozen else f"self.{name} = {value}"


def _comparisons(known: Fields, *, order: bool) -> Iterator[tuple[str, Any]]:
    """What compares instances by their fields."""
    names = [name for name, found in known.items() if found.compare]
    key: Callable[[Any], Any] = operator.attrgetter(*names, names[0]) if names else lambda _: ()

    def comparison(compare: Callable[[Any, Any], bool]) -> Callable[[Any, object], bool]:
        return lambda self, other: (
            compare(key(self), key(other)) if other.__class__ is self.__class__ else NotImplemented
        )

    yield "__eq__", comparison(operator.eq)
    yield "__hash__", lambda self: hash(key(self))
    for name in _ORDER if order else ():
        yield name, comparison(getattr(operator, name))


def _repr(self: Any) -> str:  # noqa: ANN401  (an instance)
    shown = (name for name, found in getattr(self, _FIELDS).items() if found.repr)
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({fields})"


def _refuse_change(self: object, name: str, *_: object) -> NoReturn:
    message = f"{type(self).__qualname__}.{name} can't be changed"
    raise FrozenInstanceError(message)


def _state(self: object) -> list[Any]:
    return [getattr(self, name) for name in getattr(self, _FIELDS)]


def _set_state(self: object, state: list[Any]) -> None:
    for name, value in zip(getattr(self, _FIELDS), state, strict=True):
        object.__setattr__(self, name, value)


_FROZEN = {"__setattr__": _refuse_change, "__delattr__": _refuse_change}
_PICKLED = {"__getstate__": _state, "__setstate__": _set_state}
"""Slots are set one by one, which what is frozen would refuse."""
