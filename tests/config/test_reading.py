"""From JSON data to models: types are strict, and everything that is wrong is told at once."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest

from render.config.fields import (
    After,
    Before,
    Field,
    Items,
    MinItems,
    Model,
    MoreThan,
    TextRule,
    check,
    refuse,
)
from render.config.reading import parse
from render.findings.codes.project import INVALID_VALUE, MISSING_KEY, UNKNOWN_KEY
from render.findings.faults import Fault

Letter = Annotated[str, TextRule("^[a-z]$", "a letter", max_length=3)]


def _even(number: int) -> int:
    if number % 2:
        refuse("is odd", "add one")
    return number


class Inner(Model):
    """What `Outer` holds."""

    step: Annotated[int, MoreThan(0), After(_even)] = Field(default=2, description="How far.")
    letters: dict[Letter, bool] = Field(default_factory=dict, description="Which.")


class Outer(Model):
    """One field of every sort."""

    name: Letter = Field(description="Its name.")
    inner_items: Annotated[Items[Inner], MinItems(1)] | None = Field(default=None)
    mode: Literal["on", "off"] = Field(default="off")
    as_: Annotated[str, Before(lambda value: value or "nothing")] = Field(default="", key="as")
    free: Any = Field(default=None)

    @check
    def _is_off_for_x(self) -> None:
        if self.name == "x" and self.mode == "on":
            refuse("x can't be on", "turn it off", "mode")


def faults(data: object) -> list[Fault]:
    made, found = parse(Outer, data)
    assert made is None
    return list(found)


def invalid(message: str, cure: str, *path: str | int) -> Fault:
    return Fault(INVALID_VALUE, message, cure, path)


def test_every_field_is_read_and_what_is_left_out_has_its_default() -> None:
    data = {"name": "a", "innerItems": [{"step": 4}, {}], "as": None, "free": [1, {"b": 0.5}]}
    made, found = parse(Outer, data)
    assert found == ()
    assert made == Outer(
        name="a",
        inner_items=(Inner(step=4), Inner()),
        mode="off",
        as_="nothing",
        free=[1, {"b": 0.5}],
    )
    assert made is not None
    assert made.given == {"name", "inner_items", "as_", "free"}


def test_known_keys_are_found_through_lists_and_choices() -> None:
    path = ("innerItems", 0, "stepp")
    assert faults({"name": "a", "innerItems": [{"stepp": 4}]}) == [
        Fault(UNKNOWN_KEY, 'unknown key "stepp"', 'did you mean "step"?', path)
    ]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    assert faults({"innerItems": [{"step": 0}, 5, {"step": 3}], "mode": "of", "free": 1}) == [
        invalid("must be more than 0, but is 0", "", "innerItems", 0, "step"),
        invalid("must be a mapping, but is the number 5", "", "innerItems", 1),
        invalid("is odd", "add one", "innerItems", 2, "step"),
        invalid('must be one of on, off, but is the text "of"', 'did you mean "off"?', "mode"),
        Fault(MISSING_KEY, 'the key "name" is missing', "add name: its name", ("name",)),
    ]


def items(value: object) -> dict[str, object]:
    return {"name": "a", "innerItems": value}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"name": 5}, "must be a text, but is the number 5"),
        ({"name": True}, "must be a text, but is true"),
        ({"name": "A"}, 'must be a letter; it is the text "A"'),
        ({"name": "a\n"}, 'must be a letter; it is the text "a\\n"'),
        ({"name": "abcd"}, "must have at most 3 characters, but has 4"),
        (items("x"), 'must be a list, but is the text "x"'),
        (items([]), "must not be empty"),
        (items([{"step": True}]), "must be a whole number, but is true"),
        (items([{"step": 1.0}]), "must be a whole number, but is the number 1.0"),
        (items([{"letters": {"b": 1}}]), "must be true or false, but is the number 1"),
        (items([{"letters": {"B": True}}]), 'must be a letter; it is the text "B"'),
        ({"name": "a", "mode": None}, "must be one of on, off, but is empty"),
        ({"name": "x", "mode": "on"}, "x can't be on"),
        ([], "must be a mapping, but is a list"),
    ],
    ids=str,
)
def test_types_are_strict(data: object, message: str) -> None:
    (fault,) = faults(data)
    assert fault.message == message


def test_a_model_is_checked_where_its_fields_are_right() -> None:
    assert [fault.message for fault in faults({"name": "x", "mode": "on", "as": 5})] == [
        "must be a text, but is the number 5"
    ]


def test_models_are_frozen() -> None:
    with pytest.raises(AttributeError, match=r"Inner\.step can't be set"):
        Inner().step = 4  # type: ignore[misc]
