"""pydantic's errors in plain words."""

import pytest
from pydantic import Field, ValidationError

from spokerender.config.base import Items, Model
from spokerender.config.documents import explain_validation_error
from spokerender.findings.codes import project as codes
from spokerender.findings.results import Fault


class Inner(Model):
    """What `Outer` holds."""

    step: int = Field(default=0, multiple_of=5)


class Outer(Model):
    """A model with an error that has no words of ours."""

    inner_items: Items[Inner] | None = None


def problems(value: object) -> list[Fault]:
    with pytest.raises(ValidationError) as raised:
        Outer.model_validate(value)
    return list(explain_validation_error(raised.value, Outer))


def test_an_error_without_words_of_ours_is_told_in_pydantics() -> None:
    path = ("innerItems", 0, "step")
    message = "Input should be a multiple of 5"
    assert problems({"innerItems": [{"step": 4}]}) == [
        Fault(codes.INVALID_VALUE, message, "", path)
    ]


def test_known_keys_are_found_through_lists_and_choices() -> None:
    path = ("innerItems", 0, "stepp")
    assert problems({"innerItems": [{"stepp": 4}]}) == [
        Fault(codes.UNKNOWN_KEY, 'unknown key "stepp"', 'did you mean "step"?', path)
    ]
