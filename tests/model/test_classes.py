"""Our dataclasses are what the standard library makes of the same class."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from functools import partial
from typing import Any, ClassVar

import pytest

from render.model import classes

OPTIONS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "order": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "slots": True, "kw_only": True},
    {"slots": True, "eq": False},
    {"frozen": True, "kw_only": True, "eq": False},
]


def made(decorator: Callable[..., Any], options: dict[str, Any]) -> tuple[type, type]:
    """A class with every sort of field, and one that extends it."""

    @decorator(**options)
    class Base:
        """What it is."""

        shared: ClassVar[int] = 5
        name: str
        count: int = 1
        items: list[int] = field(default_factory=list)
        hidden: str = field(default="", repr=False)
        aside: object = field(default=None, compare=False)

        def twice(self) -> int:
            """A method of its own."""
            return self.count * 2

    @decorator(**options)
    class Derived(Base):
        """What extends it."""

        more: tuple[str, ...] = ()

    return Base, Derived


@pytest.fixture(params=OPTIONS, ids=lambda options: " ".join(options) or "plain")
def pairs(request: pytest.FixtureRequest) -> list[tuple[type, type]]:
    """Both classes, each as the library makes it and as we do."""
    ours, theirs = (made(each, request.param) for each in (classes.dataclass, dataclass))
    return list(zip(ours, theirs, strict=True))


def outcome(act: Callable[[], object]) -> object:
    """What comes of it; of an exception its type."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001  (whichever it is, it shall be the same)
        return type(error)


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {"name": "a"}),
    (("a",), {}),
    (("a", 2, [3]), {}),
    ((), {"name": "a", "count": 2, "items": [1], "hidden": "h", "aside": 9}),
    ((), {}),
    ((), {"name": "a", "other": 1}),
    (("a", 1, [], "", None, (), 7), {}),
    (("a",), {"name": "b"}),
]


def shown(cls: type, values: tuple[Any, ...], named: dict[str, Any]) -> str:
    """An instance, as it shows itself."""
    return repr(cls(*values, **named))


@pytest.mark.parametrize(("values", "named"), CALLS, ids=str)
def test_instances_are_made_alike(
    pairs: list[tuple[type, type]], values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    for pair in pairs:
        for _ in range(2):  # the first one is made otherwise
            found, expected = (outcome(partial(shown, each, values, named)) for each in pair)
            assert found == expected


def behaviour(cls: type) -> list[object]:
    """Whatever can be seen of a class and its instances."""
    one, same, other = (cls(name="a"), cls(name="a", aside=1), cls(name="b", count=0))
    seen: list[object] = [
        one.__eq__(one),
        one == same,
        one == other,
        one != 5,
        outcome(lambda: hash(one) == hash(same)),
        outcome(lambda: (one < other, one >= other, one <= one.__class__(name="a"))),
        outcome(lambda: one < 5),
        one.twice(),
        one.items is same.items,
        hasattr(one, "__dict__"),
        repr(replace(one, count=7)),
        repr(copy.copy(one)),
        repr(copy.deepcopy(one)),
        dataclasses.asdict(one),
    ]
    seen += (
        outcome(lambda: setattr(one, "name", "c")),
        outcome(lambda: delattr(other, "name")),
        is_dataclass(cls),
        *((f.name, f.type, f.default, f.repr, f.compare, f.kw_only) for f in fields(cls)),
        *(vars(cls).get(name) for name in ("__match_args__", "__doc__", "__slots__", "shared")),
        cls.__qualname__,
    )
    return seen


def test_instances_behave_alike(pairs: list[tuple[type, type]]) -> None:
    for ours, theirs in pairs:
        assert behaviour(ours) == behaviour(theirs)


@classes.dataclass(frozen=True, slots=True)
class Point:
    """One that can be pickled."""

    x: int
    y: int = 0


def test_one_goes_through_a_pickle() -> None:
    assert pickle.loads(pickle.dumps(Point(1, 2))) == Point(1, 2)  # noqa: S301  (our own)


def test_one_can_be_matched() -> None:
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_a_change_is_refused() -> None:
    point = Point(1)

    with pytest.raises(FrozenInstanceError, match=r"Point\.x can't be changed"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        point.z = 2  # type: ignore[attr-defined]


def test_what_is_made_after_the_fields() -> None:
    @classes.dataclass(frozen=True, slots=True)
    class Later:
        """It has a field that is set later."""

        first: int
        second: int = field(init=False)

    later = Later(1)
    object.__setattr__(later, "second", 2)

    assert (later.first, later.second) == (1, 2)
    with pytest.raises(TypeError):
        Later(1, 2)  # type: ignore[call-arg]


def test_a_class_keeps_what_it_defines_itself() -> None:
    @classes.dataclass(frozen=True, slots=True)
    class Own:
        """It has a `repr` of its own."""

        name: str

        def __repr__(self) -> str:
            return f"<{self.name}>"

    assert repr(Own("a")) == "<a>"
