"""``dovecote stats`` against a provider over HTTP."""

import csv
import json
from collections import deque
from datetime import UTC, datetime, timedelta

import pytest
from serving import served
from statistics_provider import StatisticsProvider, told
from typer.testing import CliRunner

from flows.statistics_commands import app

pytestmark = pytest.mark.usefixtures("within_an_hour")


def day(before_today):
    return (datetime.now(UTC) - timedelta(days=before_today)).date().isoformat()


@pytest.fixture
def provider():
    usual = [told(day(back), "parcels", 190 + back % 3, 200) for back in range(3, 30)]
    return StatisticsProvider({"default": [*usual, told(day(2), "parcels", 140, 200), told(day(0), "spring", 9, 10)]})


@pytest.fixture
def stats(provider, tmp_path, monkeypatch):
    monkeypatch.setenv("DOVECOTE_LEDGER", f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    monkeypatch.setenv("COLUMNS", "160")
    with served(provider.app) as address:
        environment = {"DOVECOTE_API_KEY": "secret-key", "DOVECOTE_ADDRESS": address}
        yield lambda *arguments: CliRunner().invoke(app, arguments, env=environment)


def test_tables_show_the_period_the_one_before_and_what_dropped(stats):
    shown = stats()

    assert shown.exit_code == 0, shown.output
    assert f"{day(6)} to {day(0)}" in shown.output
    assert "Compared with the period before" in shown.output
    assert "tag parcels" in shown.output
    assert "23003" in shown.output


def test_dates_and_headings_are_whole_on_a_narrow_terminal(stats, provider, monkeypatch):
    today = told(day(0), "spring", 9, 10)
    today["stats"] |= {"count_notsent": 20, "count_replied": 6, "count_optout": 3, "msg_sent": 651}
    provider.lines["default"].append(today)
    monkeypatch.setenv("COLUMNS", "80")

    by_date, _, _ = stats().stdout.partition("By tags")

    wanted = ["Delivered", "delivered", "Replied", *(day(back) for back in range(7))]
    assert [word for word in wanted if word not in by_date.partition("\n")[2]] == []


def test_long_tags_are_one_line_each_on_a_narrow_terminal(stats, provider, monkeypatch):
    long = "newsletter-" + "x" * 80 + "-brno-2026"
    today = told(day(0), f"{long},spring", 1_234_567, 2_345_678)
    today["stats"] |= {"count_notsent": 20, "count_replied": 6, "count_optout": 3}
    provider.lines["default"] += [today, *(told(day(back), long, 190 + back % 3, 200) for back in range(3, 30))]
    provider.lines["default"].append(told(day(2), long, 140, 200))
    monkeypatch.setenv("COLUMNS", "80")

    shown = stats().stdout.splitlines()

    naming = [line for line in shown if "newsl" in line]
    assert len(naming) == 3  # two sets of tags, and the drop
    assert all("…" in line and "2026" in line for line in naming)
    assert any(line.startswith("spring ") for line in shown)
    assert "2,345,678" in naming[0]
    assert max(map(len, shown)) <= 80


def test_long_tags_are_whole_where_there_is_room(stats, provider, monkeypatch):
    long = "x" * 100
    provider.lines["default"].append(told(day(0), long, 9, 10))
    monkeypatch.setenv("COLUMNS", "200")

    assert long in stats().stdout


def test_json_is_the_report_and_a_second_run_finds_nothing_new(stats):
    first, again = stats("--json", "--days", "3"), stats("--json", "--days", "3")

    report = json.loads(first.stdout)
    assert (report["dates"], report["period"]["sent"], report["calls"]) == (3, 210, 1)
    assert report["drops"][0]["subject"] == "23003"
    assert json.loads(again.stdout)["new_lines"] == 0


def test_a_drop_is_an_exit_code_when_asked_for(stats):
    assert stats("--alert").exit_code == 3
    assert stats("--alert", "--tag", "spring").exit_code == 0


def test_dates_tags_and_sub_accounts_are_chosen(stats, provider):
    provider.lines["shop"] = [told(day(1), "spring", 1, 2)]

    shown = stats(
        "--from", day(1), "--to", day(0), "--tag", "spring", "--subid", "default", "--subid", "shop", "--json"
    )

    assert json.loads(shown.stdout)["period"]["sent"] == 12


def test_lines_are_exported(stats, tmp_path):
    stats("--days", "1", "--csv", str(tmp_path / "s.csv"))

    with (tmp_path / "s.csv").open() as file:
        assert [row["tags"] for row in csv.DictReader(file)] == ["spring", "spring"]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--to", "2026-01-01"], 2, "Give --from too"),
        (["--from", "2026-01-02", "--to", "2026-01-01"], 2, "must not follow 2026-01-01"),
        (["--from", "yesterday"], 2, "does not match the format"),
        (["--days", "0"], 2, "--days"),
        (["--csv", "/nowhere/s.csv"], 1, "There is no folder /nowhere"),
        (["--address", "http://127.0.0.1:1"], 1, "Nothing answers"),
        (["--ledger", "nonsense"], 1, "The ledger's address must read"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_an_exit_code(stats, arguments, code, sentence):
    ended = stats(*arguments)

    assert ended.exit_code == code
    assert sentence in " ".join(ended.stderr.replace("│", " ").split())


def test_a_refused_key_is_one_sentence_without_the_key(stats, provider):
    provider.faults = deque([401])

    ended = stats()

    assert (ended.exit_code, "The service refuses the key" in ended.stderr) == (1, True)
    assert "secret-key" not in ended.output
