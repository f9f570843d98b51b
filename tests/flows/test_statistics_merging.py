"""Lines of statistics in the ledger's table: what was told last stands, and telling it again changes nothing."""

import datetime as dt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from flows.ledger import open_ledger
from flows.ledger.statistics import ALL_NETWORKS, Merged, Whose, merge, read_statistics
from flows.ledger.tables import daily_statistics
from flows.rollups.daily_lines import daily_lines
from interface.responses import DateStatistics

DATES = (dt.date(2026, 3, 1), dt.date(2026, 3, 2))
MINE, ANOTHER = Whose("main", "default"), Whose("main", "shop")

tellings = st.lists(
    st.builds(
        lambda date, tags, delivered, more, networks: DateStatistics.model_validate(
            {
                "date": date,
                "tags": tags,
                "stats": {"count_delivered": delivered, "count_sent": delivered + more, "msg_mccmnc": networks},
            }
        ),
        st.sampled_from(DATES),
        st.lists(st.sampled_from(["a", "b", "c-x-12345678-b0001", "c-x-12345678-b0002"]), min_size=1, max_size=2),
        st.integers(0, 5),
        st.integers(0, 5),
        st.dictionaries(st.sampled_from(["23001", "23002"]), st.integers(0, 5)),
    ),
    max_size=6,
)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    opened = open_ledger(f"sqlite:///{tmp_path_factory.mktemp('statistics') / 'ledger.sqlite3'}")
    yield opened
    opened.close()


@pytest.fixture
def empty(book):
    def emptied():
        with book.write() as connection:
            connection.execute(delete(daily_statistics))
        return book

    return emptied


QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUICK
@given(tellings)
def test_telling_the_same_again_changes_nothing(empty, telling):
    book, lines = empty(), daily_lines(telling)
    first = merge(book, MINE, lines)
    before = list(read_statistics(book, [MINE], DATES))

    again = merge(book, MINE, lines)

    assert (first.new, again) == (len(lines), Merged())
    assert list(read_statistics(book, [MINE], DATES)) == before


@QUICK
@given(tellings, tellings)
def test_of_each_date_and_set_of_tags_what_was_told_last_stands(empty, earlier, later):
    book = empty()
    merge(book, MINE, daily_lines(earlier))
    merge(book, ANOTHER, daily_lines(earlier))

    merge(book, MINE, daily_lines(later))

    told_later = {(line.date, line.tags) for line in daily_lines(later)}
    kept = [line for line in daily_lines(earlier) if (line.date, line.tags) not in told_later]
    expected = sorted([*kept, *daily_lines(later)], key=lambda line: line.key)
    assert [line for _, line in read_statistics(book, [MINE], DATES)] == expected
    assert [line for _, line in read_statistics(book, [ANOTHER], DATES)] == daily_lines(earlier)


@given(tellings)
def test_nothing_is_lost_when_batches_are_summed_up(telling):
    lines = daily_lines(telling)

    whole = [line for line in lines if line.network == ALL_NETWORKS]
    assert sum(line.sent for line in whole) == sum(each.stats.count_sent for each in telling)
    assert sum(line.delivered for line in whole) == sum(each.stats.count_delivered for each in telling)
    assert all(line.delivered <= line.rated for line in lines)
    assert sum(line.sent for line in lines if line.network) == sum(sum(t.stats.msg_mccmnc.values()) for t in telling)
