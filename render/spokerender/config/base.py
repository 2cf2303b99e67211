"""What all models of our files share: strict, frozen, camelCase in YAML, no unknown key."""

from __future__ import annotations

from typing import Annotated, Literal, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, Strict
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

API_VERSION = "spokerender.io/v1alpha1"
ApiVersion = Literal["spokerender.io/v1alpha1"]

FAULT = "fault"
"""The type of the errors that `refuse` makes, among pydantic's own types."""

Item = TypeVar("Item")
Items = Annotated[tuple[Item, ...], Strict(strict=False)]
"""A YAML list. Strict mode would take nothing but a Python tuple; its items stay strict."""


class Model(BaseModel):
    """A mapping in one of our files."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        field_title_generator=lambda name, _: name.rstrip("_").replace("_", " "),
        frozen=True,
        strict=True,
    )


def refuse(message: str, cure: str, *at: str | int) -> NoReturn:
    """Fail a validator, in our own words; `at` is the path below what is validated."""
    raise PydanticCustomError(FAULT, "{message}", {"message": message, "cure": cure, "at": at})


def exactly_one(model: Model, *names: str) -> None:
    """Refuse a model in which none, or more than one, of the fields is given; by YAML keys."""
    known = type(model).model_fields
    keys = {known[name].alias or name: getattr(model, name) for name in names}
    given = [key for key, value in keys.items() if value is not None]
    if len(given) == 1:
        return
    names = tuple(keys)
    choice = f"{', '.join(names[:-1])} or {names[-1]}"
    if given:
        refuse(f"{' and '.join(given)} can't stand together", f"keep one of {choice}", given[1])
    refuse(f"one of {choice} is needed", "add the one that you mean")
