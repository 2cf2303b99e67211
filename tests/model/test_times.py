"""Times are read as Go reads them."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spokerender.model.times import read_time

_EPOCH = dt.datetime(1, 1, 1, tzinfo=dt.UTC)
_ZONES = st.builds(
    lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)),
    st.integers(-1439, 1439),
)


@given(st.datetimes(timezones=_ZONES))
def test_a_time_is_the_one_that_the_calendar_has(time: dt.datetime) -> None:
    micros = (time - _EPOCH) // dt.timedelta(microseconds=1)
    assert read_time(time.isoformat()) == micros * 1000


def test_time_has_nanoseconds() -> None:
    later, earlier = "2026-01-01T00:00:00.000000001Z", "2026-01-01T00:00:00Z"
    assert read_time(later) - read_time(earlier) == 1


@pytest.mark.parametrize(
    "text",
    ["", "2026-02-29T00:00:00Z", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z",
     "2026-01-01T24:00:00Z", "0000-01-01T00:00:00Z", "2026-1-1T0:0:0Z"],
)  # fmt: skip
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        read_time(text)
