"""What the ledger lets go: approved, not cancelled, within the wave's window, by the holder of the wave's lease."""

from dataclasses import replace

import pytest
from builders import a_plan, claim, number

from flows.ledger import (
    Cancelled,
    LeaseLost,
    LeaseTaken,
    NotNow,
    PlanDiffers,
    PlannedWave,
    Unknown,
    Uploaded,
    Way,
    WindowClosed,
    approve,
    cancel,
    claim_again,
    find_campaign,
    load,
    move_wave,
    outstanding,
    plan,
    read_waves,
    record,
    take_lease,
    totals,
    totals_by_wave,
    waves_at_work,
)


def in_waves(clock, **changes):
    """Two batches: the first may go at once, the second in an hour, for an hour."""
    wanted = a_plan(4)
    first, second = wanted.batches
    waves = (PlannedWave(1), PlannedWave(2, clock() + 3600, clock() + 7200))
    return replace(wanted, batches=(first, replace(second, wave=2)), waves=waves, **changes)


def test_a_wave_goes_only_within_its_window(ledger, clock):
    campaign = plan(ledger, in_waves(clock))
    lease = take_lease(ledger, campaign.id, "me", 10_000, wave=2)
    (batch_id,) = outstanding(ledger, campaign.id, 2)

    with pytest.raises(WindowClosed):
        claim(lease, batch_id)
    clock.move(3600)
    claimed = claim(lease, batch_id)

    assert claimed is not None
    assert claimed.phone_numbers == (number(2), number(3))


def test_a_batch_in_doubt_is_not_repeated_after_the_window(ledger, clock):
    campaign = plan(ledger, in_waves(clock))
    lease = take_lease(ledger, campaign.id, "me", 10_000, wave=2)
    clock.move(3600)
    batch = claim(lease, outstanding(ledger, campaign.id, 2)[0])
    record(ledger, [(batch, Unknown("lost"))])
    clock.move(3600)

    with pytest.raises(WindowClosed):
        claim_again(lease, batch.id)


def test_a_wave_that_moved_goes_at_its_new_time(ledger, clock):
    campaign = plan(ledger, in_waves(clock))
    lease = take_lease(ledger, campaign.id, "me", wave=2)

    move_wave(ledger, campaign.id, PlannedWave(2, clock() - 1, clock() + 60))

    assert claim(lease, outstanding(ledger, campaign.id, 2)[0]) is not None
    assert [one.is_open(clock()) for one in read_waves(ledger, campaign.id)] == [True, True]


TOLD = {"days": ["monday"], "start": "09:00", "end": "10:00", "tz": "UTC"}


def with_windows(wanted):
    """The plan with hours in each message."""
    return replace(
        wanted,
        batches=tuple(
            replace(batch, messages=tuple(replace(one, delivery_time={"end": "20:00"}) for one in batch.messages))
            for batch in wanted.batches
        ),
    )


def test_of_a_wave_that_moved_the_provider_is_told_other_hours(ledger, clock):
    campaign = plan(ledger, with_windows(in_waves(clock)))
    lease = take_lease(ledger, campaign.id, "me", wave=2)
    (other,) = outstanding(ledger, campaign.id, 1)

    move_wave(ledger, campaign.id, PlannedWave(2, clock() - 1, clock() + 60), TOLD)

    moved = claim(lease, outstanding(ledger, campaign.id, 2)[0])
    assert [one.delivery_time for one in moved.messages] == [TOLD, TOLD]
    assert [one.delivery_time for one in load(ledger, other).messages] == [{"end": "20:00"}] * 2


@pytest.mark.parametrize("outcome", [Unknown("lost"), None])
def test_a_batch_that_may_be_at_the_provider_is_repeated_with_the_hours_that_it_had(ledger, clock, outcome):
    campaign = plan(ledger, with_windows(in_waves(clock)))
    lease = take_lease(ledger, campaign.id, "me", 10_000, wave=2)
    clock.move(3600)
    batch = claim(lease, outstanding(ledger, campaign.id, 2)[0])
    record(ledger, [(batch, outcome)] if outcome else [])

    move_wave(ledger, campaign.id, PlannedWave(2, clock() - 1, clock() + 60), TOLD)

    assert claim_again(lease, batch.id).messages == batch.messages


def test_each_wave_has_a_lease_of_its_own(ledger, clock):
    campaign = plan(ledger, in_waves(clock))
    first = take_lease(ledger, campaign.id, "first", wave=1)

    second = take_lease(ledger, campaign.id, "second", wave=2)

    assert waves_at_work(ledger, campaign.id) == 2
    with pytest.raises(LeaseTaken):
        take_lease(ledger, campaign.id, "third", wave=1)
    second.give_back()
    with pytest.raises(LeaseLost):
        claim(second, outstanding(ledger, campaign.id, 2)[0])
    assert claim(first, outstanding(ledger, campaign.id, 1)[0]) is not None


def test_nothing_goes_before_it_is_approved(ledger, clock):
    campaign = plan(ledger, in_waves(clock, needs_approval=True))
    lease = take_lease(ledger, campaign.id, "me")
    (batch_id,) = outstanding(ledger, campaign.id, 1)

    with pytest.raises(NotNow, match="Nobody has approved"):
        claim(lease, batch_id)
    approve(ledger, campaign.id)

    assert claim(lease, batch_id) is not None


def test_nothing_goes_after_it_was_cancelled(ledger, clock):
    campaign = plan(ledger, in_waves(clock))
    lease = take_lease(ledger, campaign.id, "me")

    cancel(ledger, campaign.id)

    with pytest.raises(Cancelled):
        claim(lease, outstanding(ledger, campaign.id, 1)[0])


def test_a_campaign_that_was_cancelled_before_anything_went_may_be_planned_again(ledger, clock):
    wanted = in_waves(clock, needs_approval=True)
    refused = plan(ledger, wanted)
    cancel(ledger, refused.id)

    again = plan(ledger, wanted)

    assert again.id != refused.id
    assert again.cancelled_at is None
    assert find_campaign(ledger, wanted.name).id == again.id


def test_a_campaign_of_which_something_went_stays_cancelled(ledger, clock):
    wanted = in_waves(clock)
    campaign = plan(ledger, wanted)
    lease = take_lease(ledger, campaign.id, "me")
    claim(lease, outstanding(ledger, campaign.id, 1)[0])
    lease.give_back()
    cancel(ledger, campaign.id)

    assert plan(ledger, wanted).cancelled_at is not None
    with pytest.raises(PlanDiffers):
        plan(ledger, replace(wanted, batches=wanted.batches[:1]))


def test_the_same_run_with_another_text_makes_another_revision(ledger):
    asked = {"asked": "what was asked for", "asked_by": "the run", "needs_approval": True}
    first = plan(ledger, replace(a_plan(), **asked))

    second = plan(ledger, replace(a_plan(body="Ahoj"), **asked))
    other_run = plan(ledger, replace(a_plan(), **{**asked, "asked_by": "another run"}))

    assert (first.revision, second.revision, other_run.revision) == (1, 2, 1)


def test_a_file_is_accepted_as_a_whole(ledger):
    wanted = a_plan(4)
    campaign = plan(ledger, replace(wanted, batches=[replace(one, way=Way.BULK) for one in wanted.batches]))
    batch = claim(take_lease(ledger, campaign.id, "me"), outstanding(ledger, campaign.id)[0])

    record(ledger, [(batch, Uploaded())])

    assert totals(ledger, campaign.id).by_result == {"accepted": 2, "planned": 2}
    assert len(outstanding(ledger, campaign.id)) == 1


def test_results_are_counted_by_wave(ledger, clock):
    campaign = plan(ledger, in_waves(clock))

    assert totals_by_wave(ledger, campaign.id) == {1: {"planned": 2}, 2: {"planned": 2}}
