"""Values in the words of the API server."""

from spokerender.judging.validation.wording import show_value
from tests.support import cases


@cases((7, "7"), (2**64, "1.8446744073709552e+19"), (10**400, f'1{"0" * 199}…"'), ({}, '"object"'))
def test_numbers_outside_int64_are_floats_as_long_as_one_can_hold_them(
    value: object, text: str
) -> None:
    assert show_value(value) == text
