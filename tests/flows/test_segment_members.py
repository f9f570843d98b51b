"""Who of a segment is chosen, remembered and capped, as one with the plan."""

import pytest
from builders import SETTINGS, a_plan, claim, number
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select

from flows.ledger import (
    CampaignPlan,
    PlannedBatch,
    PlannedMessage,
    PlannedRecipient,
    cancel,
    open_ledger,
    outstanding,
    plan,
    take_lease,
)
from flows.ledger.choices import AnotherSegment, Choosing, Segment, SegmentShrank, SendTo
from flows.ledger.frequency import FrequencyCap
from flows.ledger.segments import finish, synchronise, unfinished
from flows.ledger.tables import campaigns, segment_members, segment_syncs

SEGMENT = Segment("welcome", "main", "demo", "shop", "spring")
TWO_DAYS = 2 * 86_400


def people(*indexes):
    return [number(index) for index in indexes]


def plan_for(run, numbers):
    messages = tuple(PlannedMessage("Hello", (PlannedRecipient(one, 1),)) for one in numbers)
    return CampaignPlan(f"welcome {run}", SETTINGS, [PlannedBatch(messages)])


class Sync:
    """Runs, each finished, that remember who was chosen."""

    def __init__(self, book):
        self.book = book

    def run(self, members, segment=SEGMENT, **choosing):
        chosen = []

        def noted(run, numbers):
            chosen.extend(numbers)
            return plan_for(run, numbers)

        done = synchronise(self.book, segment, members, Choosing(**choosing), noted)
        if done.campaign:
            finish(self.book, segment.name, done.campaign.id)
        return done, chosen


@pytest.fixture
def sync(ledger):
    return Sync(ledger)


def claimed(ledger, campaign):
    lease = take_lease(ledger, campaign.id, "me")
    for batch_id in outstanding(ledger, campaign.id):
        claim(lease, batch_id)


def test_the_first_run_chooses_everybody_and_the_next_only_who_is_new(sync):
    _, first = sync.run(people(1, 2))

    done, second = sync.run(people(1, 2, 3))

    assert (first, second) == (people(1, 2), people(3))
    assert (done.members, done.joined, done.left, done.chosen) == (3, 1, 0, 1)


def test_who_comes_back_is_new_again(sync):
    sync.run(people(1, 2, 3))
    sync.run(people(2, 3))

    assert sync.run(people(1, 2, 3))[1] == people(1)


@pytest.mark.parametrize(
    ("send_to", "chosen"),
    [(SendTo.NEW, (4,)), (SendTo.ALL, (1, 2, 4)), (SendTo.LEFT, (3,)), (SendTo.NOBODY, ())],
)
def test_new_all_left_or_nobody_is_chosen(sync, send_to, chosen):
    sync.run(people(1, 2, 3), send_to=SendTo.NOBODY)

    assert sync.run(people(1, 2, 4), send_to=send_to)[1] == people(*chosen)
    assert sync.run(people(1, 2, 4), send_to=SendTo.NEW)[1] == []


def test_a_segment_that_shrinks_by_half_stops_the_run_and_nothing_is_forgotten(sync):
    sync.run(people(1, 2, 3, 4))

    with pytest.raises(SegmentShrank, match="had 4 members and now has 2"):
        sync.run(people(1, 9))

    assert sync.run(people(1, 2, 3, 4, 5))[1] == people(5)


def test_a_segment_may_shrink_when_a_person_says_so(sync):
    sync.run(people(1, 2, 3, 4))

    done, _ = sync.run([], may_shrink_by=1)

    assert (done.members, done.left) == (0, 4)


def test_suppressed_numbers_are_members_who_get_nothing(sync):
    done, chosen = sync.run(people(1, 2), suppressed={number(1)})

    assert (done.suppressed, chosen) == (1, people(2))
    assert sync.run(people(1, 2))[1] == []


def test_messages_of_all_campaigns_count_for_the_cap_until_they_are_old(sync, ledger, clock):
    claimed(ledger, plan(ledger, a_plan(4)))
    clock.move(86_400)
    claimed(ledger, plan(ledger, a_plan(2, name="Another")))
    cap = FrequencyCap(2, 2)

    done, first = sync.run(people(0, 3, 8), cap=cap)
    clock.move(86_401)
    _, second = sync.run(people(0, 3, 8), cap=cap)

    assert (done.capped, first) == (1, people(3, 8))
    assert second == people(0)


def test_messages_that_are_planned_count_for_the_cap_unless_they_are_cancelled(sync, ledger):
    planned = plan(ledger, a_plan(2))
    cap = FrequencyCap(1, 2)

    _, before = sync.run(people(0), cap=cap)
    cancel(ledger, planned.id)
    _, after = sync.run(people(0), cap=cap)

    assert (before, after) == ([], people(0))


def test_one_segment_s_messages_count_for_another_s_cap(sync):
    cap = FrequencyCap(1, 2)
    sync.run(people(1), cap=cap)

    other = Segment("other", "main", "demo", "shop", "autumn")

    assert sync.run(people(1, 2), segment=other, cap=cap)[1] == people(2)


def test_a_campaign_planned_meanwhile_counts_for_the_cap_too(ledger):
    asked = []

    def plan_meanwhile(run, numbers):
        asked.append(numbers)
        plan(ledger, a_plan(2))
        return plan_for(run, numbers)

    done = synchronise(ledger, SEGMENT, people(1, 2), Choosing(cap=FrequencyCap(1, 2)), plan_meanwhile)

    assert asked == [people(1, 2), people(2)]
    assert (done.capped, done.chosen) == (1, 1)


def test_a_run_that_was_ended_is_known_until_it_is_finished(ledger):
    done = synchronise(ledger, SEGMENT, people(1), Choosing(), plan_for)

    found = unfinished(ledger, SEGMENT.name)
    finish(ledger, SEGMENT.name, "of another run")
    still = unfinished(ledger, SEGMENT.name)
    finish(ledger, SEGMENT.name, done.campaign.id)

    assert found == still == done.campaign
    assert unfinished(ledger, SEGMENT.name) is None


def test_a_plan_that_fails_leaves_everything_as_it_was(ledger):
    def failing(_run, _numbers):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        synchronise(ledger, SEGMENT, people(1), Choosing(), failing)

    with ledger.read() as connection:
        assert connection.execute(select(segment_syncs)).all() == []
        assert connection.execute(select(segment_members)).all() == []


def test_another_segment_under_the_same_name_is_refused(sync):
    sync.run(people(1))

    with pytest.raises(AnotherSegment, match="choose another name"):
        sync.run(people(1), segment=Segment("welcome", "main", "demo", "shop", "autumn"))


def test_many_members_are_remembered_and_forgotten(sync):
    many = people(*range(2_000))
    sync.run(many)

    done, chosen = sync.run(many[:1_001], send_to=SendTo.LEFT)

    assert (done.left, chosen) == (999, many[1_001:])


@pytest.fixture(scope="module")
def shared_ledger(tmp_path_factory):
    book = open_ledger(f"sqlite:///{tmp_path_factory.mktemp('segments') / 'ledger.sqlite3'}")
    yield book
    book.close()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.frozensets(st.integers(0, 6)), max_size=6))
def test_whatever_comes_and_goes_each_is_new_once_for_each_time_of_joining(shared_ledger, segments):
    with shared_ledger.write() as connection:
        connection.execute(delete(segment_syncs))
        connection.execute(delete(campaigns))
    sync, before = Sync(shared_ledger), frozenset()

    for now in segments:
        _, chosen = sync.run(people(*now), may_shrink_by=1)
        assert chosen == people(*sorted(now - before))
        before = now
