from random import Random

import pytest
from notifying import NOON

from messaging_service.notify.receivers import Limits, Receivers
from messaging_service.notify.retries import retry_delay


def receivers(**limits):
    return Receivers(Limits(**limits), Random(1))


def test_a_receiver_may_start_as_many_as_its_limit():
    known = receivers()

    shares = known.shares({"a": NOON, "b": NOON, "later": NOON + 1}, NOON)

    assert shares == {"a": 4, "b": 4}


def test_what_is_in_flight_counts():
    known = receivers()
    for _ in range(3):
        known.start("a")

    assert known.shares({"a": NOON}, NOON) == {"a": 1}


def test_all_together_stay_within_the_total():
    known = receivers(total=6)

    shares = known.shares(dict.fromkeys("abc", NOON), NOON)

    assert sum(shares.values()) == 6


def test_the_receivers_take_turns_when_there_is_not_room_for_all():
    known = receivers(total=1, receiver=1)

    firsts = {next(iter(known.shares(dict.fromkeys("abc", NOON), NOON))) for _ in range(50)}

    assert firsts == {"a", "b", "c"}


def test_a_receiver_that_failed_pauses_and_then_gets_one_at_a_time():
    known = receivers()
    known.start("a")
    known.fail("a", NOON)

    assert known.shares({"a": NOON}, NOON) == {}
    assert known.next_start({"a": NOON}, NOON) == NOON + 1_000
    assert known.shares({"a": NOON}, NOON + 1_000) == {"a": 1}


def test_pauses_grow_to_five_seconds():
    known = receivers()
    now = NOON
    pauses = []
    for _ in range(5):
        known.start("a")
        known.fail("a", now)
        ends = known.next_start({"a": now}, now)
        pauses.append(ends - now)
        now = ends

    assert pauses == [1_000, 2_000, 4_000, 5_000, 5_000]


def test_failures_of_deliveries_that_were_in_flight_together_count_once():
    known = receivers()
    for _ in range(4):
        known.start("a")
    for _ in range(4):
        known.fail("a", NOON)

    assert known.shares({"a": NOON}, NOON + 1_000) == {"a": 1}


def test_a_success_ends_the_pause():
    known = receivers()
    known.start("a")
    known.start("a")
    known.fail("a", NOON)
    known.succeed("a")

    assert known.shares({"a": NOON}, NOON) == {"a": 4}


def test_failing_receivers_together_take_a_part_of_the_total_only():
    known = receivers(total=8, receiver=4, failing=2)
    for name in "abcdef":
        known.start(name)
        known.fail(name, NOON)

    shares = known.shares({**dict.fromkeys("abcdef", NOON), "alive": NOON}, NOON + 1_000)

    assert shares.pop("alive") == 4
    assert list(shares.values()) == [1, 1]


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 30), (2, 60), (3, 120), (4, 240)])
def test_retries_come_after_about_twice_the_time_before(attempt, seconds):
    random = Random(1)

    delays = [retry_delay(attempt, random) for _ in range(100)]

    assert min(delays) >= seconds * 850
    assert max(delays) <= seconds * 1150
    assert len(set(delays)) > 50
