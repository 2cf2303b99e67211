"""What the models of our files are made of: strict, frozen, camelCase in YAML, no unknown key.

The words are pydantic's, which many know. The few lines behind them are ours, because importing
pydantic and building its models took two fifths of the time of a small build.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform

Item = TypeVar("Item")
Items = tuple[Item, ...]
"""A YAML list."""


class RefusedError(Exception):
    """A check says no: in our words, and where below what is checked."""

    def __init__(self, message: str, cure: str, at: tuple[str | int, ...]) -> None:
        """`at` is in YAML's keys."""
        super().__init__(message)
        self.message = message
        self.cure = cure
        self.at = at


def refuse(message: str, cure: str, *at: str | int) -> NoReturn:
    """Fail a check, in our own words; `at` is the path below what is checked."""
    raise RefusedError(message, cure, at)


@dataclass(frozen=True, slots=True)
class TextRule:
    """Which texts are taken: whole ones, by a pattern with the words for it, and by length.

    Lengths are looked at first, so that no pattern sees a text that is longer.
    """

    pattern: str = ""
    meaning: str = ""
    min_length: int = 0
    max_length: int | None = None


@dataclass(frozen=True, slots=True)
class MinItems:
    """How many items a list or a mapping must have."""

    least: int


@dataclass(frozen=True, slots=True)
class MoreThan:
    """What a number must be more than."""

    bound: int


@dataclass(frozen=True, slots=True)
class Before:
    """A function that tidies a value before it is looked at."""

    function: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class After:
    """A function that looks at a value that is right otherwise; it may `refuse` it."""

    function: Callable[[Any], Any]


@dataclass(frozen=True, slots=True, eq=False)
class WithJsonSchema:
    """The JSON Schema of a value, where its type does not tell it."""

    schema: Mapping[str, Any]


_REQUIRED: Any = object()


@dataclass(slots=True, eq=False)
class FieldInfo:
    """What is known of a field; `key` is what YAML calls it."""

    description: str
    default: Any
    default_factory: Callable[[], Any] | None
    key: str

    @property
    def is_required(self) -> bool:
        """Whether it can't be left out."""
        return self.default is _REQUIRED and self.default_factory is None


def Field(  # noqa: N802  (pydantic's word)
    *,
    description: str = "",
    default: Any = _REQUIRED,  # noqa: ANN401  (of the field's type)
    default_factory: Callable[[], Any] | None = None,
    key: str = "",
) -> Any:  # noqa: ANN401  (of the field's type)
    """Declare a field; `key` is what YAML calls it, if not the name in camelCase."""
    return FieldInfo(description, default, default_factory, key)


def check(method: Callable[[Any], None]) -> Callable[[Any], None]:
    """Mark a method that looks at a whole model whose fields are right, and may `refuse` it."""
    method.is_check = True  # type: ignore[attr-defined]
    return method


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field,))
class Model:
    """A mapping in one of our files. Made in Python it is not checked: only what is read is."""

    fields_of: ClassVar[Mapping[str, FieldInfo]] = MappingProxyType({})
    checks_of: ClassVar[tuple[Callable[[Any], None], ...]] = ()
    schema_of: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    _defaults: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    _factories: ClassVar[tuple[tuple[str, Callable[[], Any]], ...]] = ()

    def __init_subclass__(cls, *, json_schema_extra: Mapping[str, Any] | None = None) -> None:
        """Gather the fields and the checks of a model."""
        own = {name: info for name, info in vars(cls).items() if isinstance(info, FieldInfo)}
        for name, info in own.items():
            info.key = info.key or _camel(name)
            delattr(cls, name)
        fields_of = {**cls.fields_of, **own}
        cls.fields_of = MappingProxyType(fields_of)
        checks = (value for value in vars(cls).values() if getattr(value, "is_check", False))
        cls.checks_of = (*cls.checks_of, *checks)
        cls.schema_of = MappingProxyType(json_schema_extra or {})
        cls._defaults = {n: i.default for n, i in fields_of.items() if i.default_factory is None}
        cls._factories = tuple(
            (n, i.default_factory) for n, i in fields_of.items() if i.default_factory is not None
        )

    def __init__(self, **values: Any) -> None:  # noqa: ANN401  (of the fields' types)
        """Take over the values; what is left out has its default."""
        own = self.__dict__
        own.update(self._defaults)
        own.update(values)
        for name, factory in self._factories:
            if name not in values:
                own[name] = factory()
        own["_given"] = frozenset(values)

    @property
    def given(self) -> frozenset[str]:
        """The names of the fields that were written."""
        return self.__dict__["_given"]  # type: ignore[no-any-return]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Models are frozen."""
        message = f"{type(self).__name__}.{name} can't be set"
        raise AttributeError(message)

    def __eq__(self, other: object) -> bool:
        """By value; what was written and what was left out makes no difference."""
        return type(self) is type(other) and self._values() == other._values()

    def __hash__(self) -> int:
        """By value, as far as the values are hashable."""
        return hash((type(self), *self._values().values()))

    def __repr__(self) -> str:
        """Show what a developer would write."""
        given = ", ".join(f"{name}={value!r}" for name, value in self._values().items())
        return f"{type(self).__name__}({given})"

    def dump(self, *, given: bool = False, keys: bool = False) -> dict[str, Any]:
        """Give the values as plain data, of all fields or of those given, by YAML's keys or not."""
        return {
            info.key if keys else name: _dumped(self.__dict__[name], given=given, keys=keys)
            for name, info in self.fields_of.items()
            if not given or name in self.given
        }

    def _values(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.fields_of}


def _dumped(value: Any, *, given: bool, keys: bool) -> Any:  # noqa: ANN401  (of a field's type)
    if isinstance(value, Model):
        return value.dump(given=given, keys=keys)
    if isinstance(value, tuple):
        return tuple(_dumped(item, given=given, keys=keys) for item in value)
    return value


def _camel(name: str) -> str:
    return re.sub("_(.)", lambda match: match[1].upper(), name)


def exactly_one(model: Model, *names: str) -> None:
    """Refuse a model in which none, or more than one, of the fields is given; by YAML keys."""
    given = [name for name in names if getattr(model, name) is not None]
    if len(given) == 1:
        return
    choice = f"{', '.join(names[:-1])} or {names[-1]}"
    if given:
        refuse(f"{' and '.join(given)} can't stand together", f"keep one of {choice}", given[1])
    refuse(f"one of {choice} is needed", "add the one that you mean")
