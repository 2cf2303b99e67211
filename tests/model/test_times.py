"""Times and durations are read as Go reads them."""

import datetime as dt

import pytest
from hypothesis import given, strategies as st

from spokerender.model.times import read_duration, read_time, write_duration
from tests.support import cases, each, rows_of

_EPOCH = dt.datetime(1, 1, 1, tzinfo=dt.UTC)
_ZONES = st.builds(
    lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)), st.integers(-1439, 1439)
)


@given(st.datetimes(timezones=_ZONES))
def test_a_time_is_the_one_that_the_calendar_has(time: dt.datetime) -> None:
    micros = (time - _EPOCH) // dt.timedelta(microseconds=1)
    assert read_time(time.isoformat()) == micros * 1000


def test_time_has_nanoseconds() -> None:
    later, earlier = "2026-01-01T00:00:00.000000001Z", "2026-01-01T00:00:00Z"
    assert read_time(later) - read_time(earlier) == 1


@each(*rows_of(__file__, "what_is_no_time_is_refused"))
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        read_time(text)


@cases(*rows_of(__file__, "times_of_all_zones_compare"))
def test_times_of_all_zones_compare(text: str, utc: str) -> None:
    assert read_time(text) == read_time(utc)


@given(st.datetimes(timezones=st.just(dt.UTC)))
def test_a_time_is_read_as_the_calendar_has_it(time: dt.datetime) -> None:
    since = time - dt.datetime(1, 1, 1, tzinfo=dt.UTC)
    assert read_time(time.isoformat()) == since // dt.timedelta(microseconds=1) * 1_000


@cases(*rows_of(__file__, "a_duration_is_what_go_reads"))
def test_a_duration_is_what_go_reads(text: str, nanoseconds: int) -> None:
    assert read_duration(text) == nanoseconds


@each(*rows_of(__file__, "what_is_no_duration_is_refused"))
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        read_duration(text)


@given(st.integers(0, 10**7))
def test_a_duration_is_written_as_it_is_read(seconds: int) -> None:
    assert read_duration(write_duration(seconds * 10**9)) == seconds * 10**9
