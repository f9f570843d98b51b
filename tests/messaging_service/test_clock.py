"""Moments and what they are written as are one another's inverse, to the millisecond."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import example, given
from hypothesis import strategies as st

from messaging_service.clock import iso, moment

UNTIL_2200 = int(datetime(2200, 1, 1, tzinfo=UTC).timestamp()) * 1000


@given(st.integers(0, UNTIL_2200))
@example(2_185_610_208_502)
def test_a_moment_is_read_as_it_was_written(milliseconds):
    assert moment(datetime.fromisoformat(iso(milliseconds))) == milliseconds


@given(st.integers(0, UNTIL_2200), st.integers(-14 * 60, 14 * 60))
def test_a_moment_is_the_same_on_every_clock(milliseconds, minutes_east):
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)

    assert moment(at.astimezone(timezone(timedelta(minutes=minutes_east)))) == milliseconds
