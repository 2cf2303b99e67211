"""Formats of strings that the API server enforces (kube-openapi, `strfmt`)."""

from spokerender.judging.validation.constraints import FORMATS
from tests.support import cases, each, rows_of


@cases(*rows_of(__file__, "a_format"))
def test_a_format(name: str, good: str, bad: str) -> None:
    assert FORMATS[name](good)
    assert not FORMATS[name](bad)


@each("1ms" * 10_000 + "x", "00h" * 10_000 + "x", "1 hours " * 10_000 + "x", "1" * 50_000)
def test_a_duration_is_read_in_linear_time(text: str) -> None:
    """Where a part could be matched in two ways, forty of them took for ever."""
    assert not FORMATS["duration"](text)


@cases(*rows_of(__file__, "durations"))
def test_durations(text: str, is_one: bool) -> None:
    assert FORMATS["duration"](text) is is_one
