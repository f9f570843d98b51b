"""The flow ``roll_up_statistics`` on a real Prefect server."""

import asyncio
import csv
import sys
import uuid
from collections import deque
from datetime import UTC, datetime, timedelta

import pyarrow.parquet
import pytest
from builders import SOCKETS_OF_PREFECT
from flow_facts import artifact_data, events_about, table_of
from serving import served
from sqlalchemy import select
from statistics_provider import StatisticsProvider, told

from flows.blocks import MessagingAccount
from flows.ledger import open_ledger
from flows.ledger.tables import daily_statistics
from flows.problems import SettingsProblem
from flows.rollups.periods import DateRange, LastDays, ListedDates
from flows.rollups.roll_up import Statistics
from flows.statistics import roll_up_statistics

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.usefixtures("within_an_hour")]


def day(before_today):
    return (datetime.now(UTC) - timedelta(days=before_today)).date().isoformat()


@pytest.fixture
def provider():
    return StatisticsProvider()


@pytest.fixture
def name(prefect, provider, ledger_address, monkeypatch):  # noqa: ARG001  (where the block is saved)
    monkeypatch.setenv("DOVECOTE_LEDGER", ledger_address)
    unique = f"stats-{uuid.uuid4().hex[:8]}"
    with served(provider.app) as address:
        MessagingAccount(api_key="secret-key", rest_url=f"{address}/v1").save(unique)
        yield unique


def run(name, **wanted):
    return asyncio.run(roll_up_statistics(Statistics(account=name, **wanted)))


def table(ledger_address):
    book = open_ledger(ledger_address)
    with book.read() as connection:
        rows = connection.execute(select(daily_statistics).order_by(*daily_statistics.primary_key)).all()
    book.close()
    return rows


ON_SQLITE = pytest.mark.parametrize("ledger_address", ["sqlite"], indirect=True)


def test_a_late_receipt_corrects_the_past_and_the_same_run_again_changes_nothing(name, provider, ledger_address):
    provider.lines["default"] = [told(day(1), "a,promotional", 80, 100), told(day(0), "a,promotional", 0, 10)]
    first = run(name)
    provider.lines["default"][0] = told(day(1), "a,promotional", 95, 100)

    corrected = run(name)

    before = table(ledger_address)
    again = run(name)
    assert (first.new_lines, first.corrected_lines, first.period.delivered) == (4, 0, 80)
    assert (corrected.new_lines, corrected.corrected_lines, corrected.period.delivered) == (0, 2, 95)
    assert (again.new_lines, again.corrected_lines, again.period) == (0, 0, corrected.period)
    assert table(ledger_address) == before


def test_a_network_that_is_not_told_any_more_goes_and_a_forgotten_date_stays(name, provider, ledger_address):
    provider.lines["default"] = [told(day(9), "a", 9, 10), told(day(1), "a", 9, 10, {"23001": 4, "23002": 6})]
    run(name)
    provider.lines["default"] = [told(day(1), "a", 9, 10, {"23001": 10})]

    report = run(name)

    assert (report.new_lines, report.corrected_lines) == (0, 2)
    assert [(row.date, row.network, row.sent) for row in table(ledger_address)] == [
        (day(9), "", 10),
        (day(9), "23003", 10),
        (day(1), "", 10),
        (day(1), "23001", 10),
    ]


@ON_SQLITE
def test_365_dates_and_all_that_they_are_compared_with_take_under_20_calls(name, provider):
    report = run(name, dates=LastDays(last_days=365))

    assert report.dates == 365
    assert report.calls == len(provider.asked) < 20
    assert day(0) in provider.asked[-1]


@ON_SQLITE
@pytest.mark.parametrize(
    ("dates", "sent"),
    [
        (lambda: LastDays(last_days=2), 3),
        (lambda: DateRange(first=day(3), last=day(1)), 14),
        (lambda: ListedDates(dates=(day(3), day(0))), 9),
        (lambda: {"first": day(1), "last": day(0)}, 3),
        (lambda: {"dates": [day(1)]}, 2),
        (dict, 15),
    ],
)
def test_dates_are_the_last_days_a_range_or_a_list(name, provider, dates, sent):
    provider.lines["default"] = [told(day(back), "a", 0, number) for back, number in enumerate((1, 2, 4, 8))]

    assert run(name, dates=dates()).period.sent == sent


@ON_SQLITE
def test_batches_of_a_campaign_count_as_one_set_of_tags(name, provider):
    provider.lines["default"] = [told(day(1), f"c-spring-12345678-b{n:04},spring", 1, 2) for n in (1, 2, 11000)]

    run(name)

    (row,) = table_of(f"statistics-{name}-by-tags")
    assert (row["Tags"], row["Sent"], row["Rate"]) == ("c-spring-12345678,spring", 6, "50.0 %")


@ON_SQLITE
def test_tags_choose_what_is_reported_and_sub_accounts_whose(name, provider):
    provider.lines = {
        "default": [told(day(1), "a,promotional", 1, 1), told(day(1), "b", 10, 10)],
        "shop": [told(day(1), "a", 100, 100)],
        "other": [told(day(1), "a", 1000, 1000)],
    }

    report = run(name, tags=["A"], sub_accounts=["default", "shop"])

    assert (report.sub_accounts, report.period.sent) == (["default", "shop"], 101)


@ON_SQLITE
def test_the_report_is_a_chart_three_tables_and_a_comparison_with_the_period_before(name, provider):
    provider.lines["default"] = [told(day(0), "a", 90, 100), told(day(2), "a", 40, 50)]

    run(name, dates=LastDays(last_days=2))

    summary = artifact_data(f"statistics-{name}-summary")
    assert "| Sent | 100 | 50 | +100.0 % |" in summary
    assert "| Delivery rate | 90.0 % | 80.0 % | +10.0 points |" in summary
    assert "](data:image/svg+xml;base64," in summary
    by_date = table_of(f"statistics-{name}-by-date")
    assert [(row["Sent"], row["Rate"]) for row in by_date] == [(0, "n/a"), (100, "90.0 %")]
    assert "\n\n1 call; " in summary
    assert table_of(f"statistics-{name}-by-network")[0]["Network"] == "23003"


@ON_SQLITE
def test_lines_are_exported_as_csv_and_as_parquet(name, provider, tmp_path):
    provider.lines["default"] = [told(day(1), "a,promotional", 9, 10)]
    files = {"csv_file": str(tmp_path / "s.csv"), "parquet_file": str(tmp_path / "s.parquet")}

    run(name, **files)

    with (tmp_path / "s.csv").open() as file:
        whole, network = csv.DictReader(file)
    assert (whole["date"], whole["tags"], whole["network"], whole["delivered"]) == (day(1), "a,promotional", "", "9")
    assert whole["last_sent_at"] == f"{day(1)}T09:00:00.250000+00:00"
    assert (network["network"], network["nondelivered"]) == ("23003", "")
    rows = pyarrow.parquet.read_table(files["parquet_file"]).to_pylist()
    assert [(row["account"], row["date"].isoformat(), row["sent"]) for row in rows] == [(name, day(1), 10)] * 2
    assert rows[0]["last_sent_at"].isoformat() == whole["last_sent_at"]
    assert not list(tmp_path.glob(".s*"))


@ON_SQLITE
def test_parquet_without_pyarrow_is_one_sentence_before_anything_is_read(name, provider, monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)

    with pytest.raises(SettingsProblem, match=f"{sys.executable} -m pip install pyarrow"):
        run(name, parquet_file=str(tmp_path / "s.parquet"))
    assert not provider.asked


@ON_SQLITE
def test_an_export_into_a_folder_that_is_not_there_is_one_sentence(name):
    with pytest.raises(SettingsProblem, match="There is no folder"):
        run(name, csv_file="/nowhere/s.csv")


def test_a_delivery_rate_that_fell_is_told_once(prefect, name, provider):
    usual = [told(day(back), "parcels", 190 + back % 3, 200) for back in range(3, 30)]
    provider.lines["default"] = [*usual, told(day(2), "parcels", 140, 200)]

    first = run(name)
    run(name)

    assert [(one.kind, one.subject, one.date.isoformat()) for one in first.drops] == [
        ("network", "23003", day(2)),
        ("tag", "parcels", day(2)),
    ]
    assert "| tag parcels |" in artifact_data(f"statistics-{name}-summary")
    (event,) = events_about(prefect, f"dovecote.delivery-rate.{name}.default.tag.parcels", 1)
    assert event["event"] == "dovecote.delivery-rate.dropped"
    assert (event["payload"]["rate"], event["payload"]["messages"]) == (0.7, 200)
    assert event["payload"]["lowest_likely"] < event["payload"]["usual"]


@ON_SQLITE
def test_a_network_is_judged_only_by_messages_whose_fate_is_known(name, provider):
    mixed = {"23001": 100, "23002": 100}
    usual = [told(day(back), "parcels", 190, 200, mixed) for back in range(3, 30)]
    provider.lines["default"] = [*usual, told(day(2), "parcels", 100, 200, mixed)]

    report = run(name)

    assert [one.kind for one in report.drops] == ["tag"]


@ON_SQLITE
def test_a_provider_that_fails_for_a_moment_is_asked_again(name, provider):
    provider.faults = deque([503] * 5)
    provider.lines["default"] = [told(day(1), "a", 1, 1)]

    assert run(name).period.sent == 1


@ON_SQLITE
def test_a_failed_call_names_itself_and_what_to_do(name, provider):
    provider.faults = deque([401])

    with pytest.raises(Exception, match=r"GET /requests failed with status 401.*Check the key"):
        run(name)
