"""Promotional messages keep to the account's hours, on the clocks of their recipients, whatever season it is."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest
from bench import OTHER_CZECH, RULES, Bench
from typer.testing import CliRunner

from messaging_service.accounts import marketing
from messaging_service.accounts.administration import NotPossible
from messaging_service.accounts.marketing import Wanted
from messaging_service.accounts.marketing_commands import app
from messaging_service.clock import HOUR, iso, moment
from messaging_service.marketing import Hours, MarketingWindow
from messaging_service.process import decide
from messaging_service.schedule import Window, next_open_of_all

EVERY_DAY = frozenset(range(7))
PRAGUE, KALININGRAD_TO_KAMCHATKA, NEW_YORK = "420601123456", "79011234567", "12125550123"


def set_hours(bench, **wanted):
    with bench.store.writing() as connection:
        return marketing.set_hours(connection, "", Wanted(**wanted))


def at(bench, text):
    """Move the bench to a moment."""
    bench.clock.move(moment(datetime.fromisoformat(text)) - bench.clock.now())


def due(bench, message_id):
    return iso(bench.message(message_id).due_at)[:16]


def test_it_is_off_until_it_is_set(bench: Bench):
    at(bench, "2026-03-02T02:00:00+00:00")
    bench.accept(OTHER_CZECH)

    assert len(bench.decide().outgoing) == 1


@pytest.mark.parametrize(
    ("now", "opens"),
    [
        ("2026-03-02T06:59:00+00:00", "2026-03-02T07:00"),
        ("2026-03-02T19:00:00+00:00", "2026-03-03T07:00"),
        ("2026-03-28T20:00:00+00:00", "2026-03-29T06:00"),
        ("2026-10-24T20:00:00+00:00", "2026-10-25T07:00"),
    ],
    ids=["before it opens", "at its end", "into summer time", "out of summer time"],
)
def test_a_promotional_message_waits_for_eight_o_clock_where_its_recipient_is(bench: Bench, now, opens):
    set_hours(bench)
    at(bench, now)
    (message_id,) = bench.accept(OTHER_CZECH)

    outgoing = bench.decide().outgoing

    assert (outgoing, due(bench, message_id)) == ([], opens)


def test_it_goes_when_the_window_has_opened(bench: Bench):
    set_hours(bench)
    at(bench, "2026-03-02T06:00:00+00:00")
    bench.accept(OTHER_CZECH)
    bench.decide()

    bench.clock.move(HOUR)

    assert len(bench.decide().outgoing) == 1


@pytest.mark.parametrize("tag", ["transactional", "priority", "news"])
def test_other_messages_do_not_wait(bench_on_sqlite: Bench, tag):
    set_hours(bench_on_sqlite)
    at(bench_on_sqlite, "2026-03-02T02:00:00+00:00")
    bench_on_sqlite.accept(OTHER_CZECH, tag=tag)

    assert len(bench_on_sqlite.decide().outgoing) == 1


def test_a_country_may_have_hours_of_its_own(bench_on_sqlite: Bench):
    set_hours(bench_on_sqlite, start="06:00", end="22:00")
    set_hours(bench_on_sqlite, country="cz", start="10:00", end="12:00")
    at(bench_on_sqlite, "2026-03-02T05:30:00+00:00")
    czech, slovak = (bench_on_sqlite.accept(number)[0] for number in (OTHER_CZECH, "421903123456"))

    bench_on_sqlite.decide()

    assert due(bench_on_sqlite, czech) == "2026-03-02T09:00"
    assert bench_on_sqlite.message(slovak).due_at > bench_on_sqlite.clock.now()
    assert bench_on_sqlite.message(slovak).state.value == "sending"


def test_the_window_and_the_delivery_time_hold_together(bench_on_sqlite: Bench):
    set_hours(bench_on_sqlite)
    wanted = {"days": ["wednesday"], "start": "06:00", "end": "07:30", "tz": "UTC"}
    (message_id,) = bench_on_sqlite.accept(OTHER_CZECH, delivery_time=wanted, datetime="2026-03-04T06:00:00Z")
    at(bench_on_sqlite, "2026-03-04T06:00:00+00:00")

    bench_on_sqlite.decide()

    assert due(bench_on_sqlite, message_id) == "2026-03-04T07:00"


def test_windows_that_are_never_open_together_reject_with_the_reason(bench: Bench):
    set_hours(bench)
    wanted = {"start": "22:00", "end": "23:00", "tz": "Europe/Prague"}
    (message_id,) = bench.accept(OTHER_CZECH, delivery_time=wanted)
    at(bench, "2026-03-02T21:30:00+00:00")

    bench.decide()

    (event,) = bench.notifications()
    assert event["message_id"] == message_id
    assert event["result_info"] == (
        "[2] The delivery window and the account's marketing window are never open together"
    )


def test_a_number_that_may_be_in_several_zones_waits_until_it_is_day_in_all_of_them():
    windows = MarketingWindow().windows(KALININGRAD_TO_KAMCHATKA)

    opening = next_open_of_all(windows, moment(datetime(2026, 3, 2, 12, tzinfo=UTC)))

    assert len(windows) > 1
    assert opening is not None
    assert all(window.next_open(opening) == opening for window in windows)


def test_a_country_too_wide_for_its_hours_keeps_to_its_first_zone(bench_on_sqlite: Bench, monkeypatch):
    set_hours(bench_on_sqlite)
    apart = tuple(Window(EVERY_DAY, time(8), time(9), ZoneInfo(zone)) for zone in ("UTC", "Asia/Tokyo"))
    monkeypatch.setattr(decide, "_marketing_windows", lambda _message: apart)
    at(bench_on_sqlite, "2026-03-02T10:00:00+00:00")
    (message_id,) = bench_on_sqlite.accept(OTHER_CZECH)

    bench_on_sqlite.decide(rules=RULES)

    assert due(bench_on_sqlite, message_id) == "2026-03-03T08:00"


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"start": "8"}, "start"),
        ({"start": "08:00", "end": "08:00"}, "end"),
        ({"country": "Narnia"}, "ISO 3166"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(bench_on_sqlite: Bench, wanted, expected):
    with pytest.raises(NotPossible, match=expected):
        set_hours(bench_on_sqlite, **wanted)


def test_the_end_of_the_day_is_written_24_00():
    assert Hours.checked("08:00", "24:00") == Hours(start="08:00", end="24:00")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--off", "--start", "10:00"], "--off goes without --start and --end."),
        (["--start", "25:00"], "start must be a time of day"),
        (["--country", "Germany", "--start", "10:00"], "'Germany' is no country"),
    ],
)
def test_hours_that_can_not_be_meant_are_wrong_usage(service_on_sqlite, arguments, sentence):
    database = ["--database", service_on_sqlite.settings.database]

    done = CliRunner().invoke(app, ["marketing-window", *arguments, *database])

    assert done.exit_code == 2
    assert sentence in done.stderr


def test_the_command_sets_shows_and_switches_off(service_on_sqlite):
    database = ["--database", service_on_sqlite.settings.database]

    def run(*arguments):
        outcome = CliRunner().invoke(app, ["marketing-window", *arguments, *database])
        return outcome.exit_code, outcome.output.strip().splitlines()

    everywhere = "Promotional messages go from 09:00 to 20:00, local time."
    assert run() == (0, ["Promotional messages go at any time."])
    assert run("--start", "09:00") == (0, [everywhere])
    assert run("--country", "de", "--end", "19:30") == (0, [everywhere, "In DE from 09:00 to 19:30."])
    assert run("--off", "--country", "de") == (0, [everywhere])
    assert run("--off", "--country", "de") == (1, ["DE has no hours of its own."])
    assert run("--off") == (0, ["Promotional messages go at any time."])
