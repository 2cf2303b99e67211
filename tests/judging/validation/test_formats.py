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


@cases(
    ("0", True),
    ("-0", True),
    ("00", False),
    ("1h0", False),
    ("1ms", True),
    ("1 hrs 2 days", True),
    ("1mss", True),
    ("1.5h.5m", True),
    ("-1.s", True),
    ("1 m s", False),
    ("", False),
)
def test_durations(text: str, is_one: bool) -> None:
    assert FORMATS["duration"](text) is is_one
