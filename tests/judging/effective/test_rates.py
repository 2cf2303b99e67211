"""Rates as their controllers count: NGINX's are averages, others are of a window."""

from spokerender.judging.effective.rates import compare_numbers, compare_rates
from tests.support import cases, each, rows_of


@cases(*rows_of(__file__, "rates_of_nginx_are_averages"))
def test_rates_of_nginx_are_averages(old: str, new: str, expected: int | None) -> None:
    assert compare_rates(old, new, ()) == expected


def test_a_rate_of_a_longer_window_lets_more_come_at_once() -> None:
    second, minute = {"n": 1, "t": "1s"}, {"n": 60, "t": "1m"}
    assert compare_rates([second], [minute], ("n", "t")) is None


@each("{}s", "{}r/s", "{}k", "{}", "1e{}", "0.{}", "-{}")
def test_a_number_of_thousands_of_digits_is_none(text: str) -> None:
    large = text.format("9" * 5000)
    assert compare_rates([{"n": 1, "t": large}], [{"n": 2, "t": "1s"}], ("n", "t")) is None
    assert compare_rates(large, "1r/s", ()) is None
    assert compare_numbers(large, 1) is None
