"""The ledger's rules, on SQLite and on PostgreSQL."""

import threading

import pytest
from builders import a_plan, claim, number
from sqlalchemy import insert, text
from sqlalchemy.exc import IntegrityError

from flows.ledger import (
    Answer,
    BatchState,
    Delivery,
    LeaseLost,
    LeaseTaken,
    NothingTaken,
    PlanDiffers,
    Unknown,
    batches_to_follow,
    claim_again,
    claim_all,
    confirm,
    find_campaign,
    load,
    open_ledger,
    outstanding,
    plan,
    record,
    record_deliveries,
    settle,
    take_lease,
    totals,
    waiting_in,
)
from flows.ledger.tables import resends
from flows.problems import LedgerProblem


def test_the_same_content_under_the_same_name_is_the_same_campaign(ledger):
    first = plan(ledger, a_plan())

    again = plan(ledger, a_plan())

    assert again == first


def test_other_content_under_the_same_name_is_refused_once_something_was_claimed(ledger):
    campaign = plan(ledger, a_plan())
    lease = take_lease(ledger, campaign.id, "me")
    claim(lease, outstanding(ledger, campaign.id)[0])
    lease.give_back()

    with pytest.raises(PlanDiffers, match="Spring sale"):
        plan(ledger, a_plan(body="Changed"))


def test_a_plan_of_which_nothing_was_claimed_may_be_replaced(ledger):
    plan(ledger, a_plan())

    replaced = plan(ledger, a_plan(body="Corrected"))

    batch = load(ledger, outstanding(ledger, replaced.id)[0])
    assert batch.messages[0].body == "Corrected"


def test_two_processes_that_plan_at_once_get_one_campaign(ledger):
    campaigns = []
    threads = [threading.Thread(target=lambda: campaigns.append(plan(ledger, a_plan()))) for _ in range(4)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {campaign.id for campaign in campaigns} == {find_campaign(ledger, "Spring sale").id}


def test_every_batch_has_a_tag_of_its_own_beside_the_campaigns(ledger):
    campaign = plan(ledger, a_plan())

    tags = [load(ledger, batch).tag for batch in outstanding(ledger, campaign.id)]

    own = f"c-spring-sale-{campaign.id[:8]}"
    assert tags == [f"{own}-b0001,promotional", f"{own}-b0002,promotional"]


def test_a_batch_is_claimed_once(ledger):
    campaign = plan(ledger, a_plan())
    lease = take_lease(ledger, campaign.id, "me")
    first = outstanding(ledger, campaign.id)[0]

    claimed = claim(lease, first)

    assert claimed is not None
    assert claimed.attempts == 1
    assert claim(lease, first) is None


def test_a_second_process_cannot_take_a_campaign_whose_owner_lives(ledger, clock):
    campaign = plan(ledger, a_plan())
    lease = take_lease(ledger, campaign.id, "first", 15)
    clock.move(10)
    lease.renew()
    clock.move(10)

    with pytest.raises(LeaseTaken):
        take_lease(ledger, campaign.id, "second")


def test_an_owner_that_slept_through_its_lease_claims_nothing_more(ledger, clock):
    campaign = plan(ledger, a_plan())
    sleeper = take_lease(ledger, campaign.id, "first", 15)
    clock.move(16)
    take_lease(ledger, campaign.id, "second")

    with pytest.raises(LeaseLost):
        claim(sleeper, outstanding(ledger, campaign.id)[0])
    with pytest.raises(LeaseLost):
        sleeper.renew()


def test_a_lease_given_back_is_free_at_once(ledger):
    campaign = plan(ledger, a_plan())
    take_lease(ledger, campaign.id, "first").give_back()

    second = take_lease(ledger, campaign.id, "second")

    assert claim(second, outstanding(ledger, campaign.id)[0]) is not None


def test_an_answered_batch_is_not_outstanding_and_its_recipients_have_ids(ledger):
    campaign = plan(ledger, a_plan(2))
    lease = take_lease(ledger, campaign.id, "me")
    batch = claim(lease, outstanding(ledger, campaign.id)[0])

    record(ledger, [(batch, Answer("r1", accepted={0: "m0"}, rejected={1: "body is required."}))])

    assert outstanding(ledger, campaign.id) == []
    counted = totals(ledger, campaign.id)
    assert counted.by_result == {"accepted": 1, "refused": 1}
    assert counted.by_reason == {"body is required.": 1}


def test_an_answer_that_leaves_an_object_out_leaves_the_batch_in_doubt(ledger):
    campaign = plan(ledger, a_plan(2))
    lease = take_lease(ledger, campaign.id, "me")
    batch = claim(lease, outstanding(ledger, campaign.id)[0])

    left_open = record(ledger, [(batch, Answer("r1", accepted={0: "m0"}))])

    assert left_open == [batch.id]
    assert load(ledger, batch.id).state is BatchState.IN_DOUBT
    assert outstanding(ledger, campaign.id) == [batch.id]


def test_a_released_batch_may_be_claimed_again(ledger):
    campaign = plan(ledger, a_plan())
    lease = take_lease(ledger, campaign.id, "me")
    batch = claim(lease, outstanding(ledger, campaign.id)[0])

    record(ledger, [(batch, NothingTaken())])

    assert claim(lease, batch.id).attempts == 1


def test_of_several_batches_those_that_are_planned_are_claimed_in_the_order_of_the_plan(ledger):
    campaign = plan(ledger, a_plan(8))
    lease = take_lease(ledger, campaign.id, "me")
    first, second, third, fourth = outstanding(ledger, campaign.id)
    claim(lease, second)

    claimed = claim_all(lease, [fourth, second, first, third])

    assert [batch.id for batch in claimed] == [first, third, fourth]
    assert [batch.phone_numbers for batch in claimed] == [
        (number(0), number(1)),
        (number(4), number(5)),
        (number(6), number(7)),
    ]


def test_a_claim_is_confirmed_while_the_lease_is_held(ledger, clock):
    campaign = plan(ledger, a_plan())
    lease = take_lease(ledger, campaign.id, "me", 60)
    claimed = claim(lease, outstanding(ledger, campaign.id)[0])
    clock.move(5)

    confirmed = confirm(lease, claimed)

    assert (confirmed.claimed_at, confirmed.first_claimed_at) == (clock(), clock() - 5)
    assert load(ledger, claimed.id).claimed_at == clock()


def test_a_claim_is_not_confirmed_when_the_lease_is_lost_or_another_process_has_the_batch(ledger, clock):
    campaign = plan(ledger, a_plan())
    first, second = outstanding(ledger, campaign.id)
    lease = take_lease(ledger, campaign.id, "me", 60)
    mine, other = claim(lease, first), claim(lease, second)
    claim_again(lease, second)

    with pytest.raises(LeaseLost):
        confirm(lease, other)
    clock.move(61)
    with pytest.raises(LeaseLost):
        confirm(lease, mine)


def test_what_became_of_several_calls_is_kept_at_once(ledger):
    campaign = plan(ledger, a_plan(8))
    lease = take_lease(ledger, campaign.id, "me")
    one, two, three, four = claim_all(lease, outstanding(ledger, campaign.id))
    answer = Answer("r", {0: "m0", 1: "m1"})

    left_open = record(
        ledger, [(one, answer), (two, Unknown("Timeout")), (three, NothingTaken()), (four, Answer("q", {0: "n0"}))]
    )

    assert left_open == [four.id]
    states = [load(ledger, batch.id).state for batch in (one, two, three, four)]
    assert states == [BatchState.ANSWERED, BatchState.IN_DOUBT, BatchState.PLANNED, BatchState.IN_DOUBT]


def test_a_campaign_of_which_all_claims_were_released_may_be_planned_anew(ledger):
    campaign = plan(ledger, a_plan())
    lease = take_lease(ledger, campaign.id, "me")
    record(ledger, [(claim(lease, outstanding(ledger, campaign.id)[0]), NothingTaken())])
    lease.give_back()

    assert plan(ledger, a_plan(body="Corrected")).id != campaign.id


def test_an_answered_batch_cannot_be_put_back(ledger):
    campaign = plan(ledger, a_plan(2))
    lease = take_lease(ledger, campaign.id, "me")
    batch = claim(lease, outstanding(ledger, campaign.id)[0])
    record(ledger, [(batch, Answer("r1", accepted={0: "m0", 1: "m1"}))])

    record(ledger, [(batch, NothingTaken())])
    record(ledger, [(batch, Unknown("too late"))])

    assert claim(lease, batch.id) is None
    assert claim_again(lease, batch.id) is None


def test_a_batch_in_doubt_of_which_nothing_is_found_is_planned_again_as_it_was(ledger):
    campaign = plan(ledger, a_plan(2))
    lease = take_lease(ledger, campaign.id, "me")
    batch = claim(lease, outstanding(ledger, campaign.id)[0])

    settled = settle(ledger, batch, {})

    again = claim(lease, settled.to_send)
    assert (again.id, again.tag, again.messages) == (batch.id, batch.tag, batch.messages)


def test_a_batch_in_doubt_that_is_found_is_never_sent_again(ledger):
    campaign = plan(ledger, a_plan(2))
    lease = take_lease(ledger, campaign.id, "me")
    batch = claim(lease, outstanding(ledger, campaign.id)[0])

    settled = settle(ledger, batch, {number(0): "m0-0", number(1): "m1-0"})

    assert settled.to_send is None
    assert claim(lease, batch.id) is None
    assert totals(ledger, campaign.id).by_result == {"accepted": 2}


def test_what_is_missing_of_a_batch_moves_to_a_batch_with_its_own_tag(ledger):
    campaign = plan(ledger, a_plan(2))
    lease = take_lease(ledger, campaign.id, "me")
    batch = claim(lease, outstanding(ledger, campaign.id)[0])

    settled = settle(ledger, batch, {number(0): "m0-0"})

    rest = claim(lease, settled.to_send)
    assert rest.phone_numbers == (number(1),)
    assert rest.tag != batch.tag
    assert outstanding(ledger, campaign.id) == [rest.id]
    record(ledger, [(rest, Answer("r2", accepted={0: "m9"}))])
    assert totals(ledger, campaign.id).by_result == {"accepted": 2}


def test_what_a_provider_leaves_out_again_and_again_counts_as_refused(ledger):
    campaign = plan(ledger, a_plan(2))
    lease = take_lease(ledger, campaign.id, "me")
    first = outstanding(ledger, campaign.id)[0]
    settle(ledger, claim(lease, first), {})
    settle(ledger, claim(lease, first), {})

    settled = settle(ledger, claim(lease, first), {number(0): "m0-0"})

    assert settled.to_send is None
    assert totals(ledger, campaign.id).by_result == {"accepted": 1, "refused": 1}


def test_only_recipients_without_a_final_result_are_followed(ledger):
    campaign = plan(ledger, a_plan(2))
    lease = take_lease(ledger, campaign.id, "me")
    batch = claim(lease, outstanding(ledger, campaign.id)[0])
    record(ledger, [(batch, Answer("r1", accepted={0: "m0", 1: "m1"}))])

    record_deliveries(ledger, {batch.id: {number(0): Delivery("delivered", None, 2, 1_500_000, 60_000)}})

    followed = batches_to_follow(ledger, campaign.id)
    assert [(one.recipients, one.waiting) for one in followed] == [(2, 1)]
    assert waiting_in(ledger, [batch.id]) == {batch.id: {number(1): "accepted"}}
    counted = totals(ledger, campaign.id)
    assert (counted.parts, counted.price_czk, counted.price_eur) == (2, 1_500_000, 60_000)


def test_a_ledger_that_is_opened_again_has_kept_everything(ledger, ledger_address, clock):
    campaign = plan(ledger, a_plan())

    again = open_ledger(ledger_address, clock)

    assert find_campaign(again, "Spring sale") == campaign
    again.close()


def test_a_newer_schema_is_refused_in_one_sentence(ledger, ledger_address):
    with ledger.write() as connection:
        connection.execute(text("UPDATE ledger_version SET version_num = '9999'"))

    with pytest.raises(LedgerProblem, match="newer"):
        open_ledger(ledger_address)


def test_a_process_that_wakes_up_late_undoes_nothing_of_its_successor(ledger, clock):
    campaign = plan(ledger, a_plan(2))
    sleeper = take_lease(ledger, campaign.id, "first", 15)
    batch = claim(sleeper, outstanding(ledger, campaign.id)[0])
    clock.move(16)
    successor = take_lease(ledger, campaign.id, "second")
    settle(ledger, batch, {})
    claim(successor, batch.id)

    record(ledger, [(batch, NothingTaken())])
    record(ledger, [(batch, Unknown("late"))])
    settle(ledger, batch, {})

    now = load(ledger, batch.id)
    assert (now.state, now.attempts) == (BatchState.CLAIMED, 2)


def test_what_a_look_up_found_is_followed_like_any_other(ledger):
    campaign = plan(ledger, a_plan(2))
    lease = take_lease(ledger, campaign.id, "me")
    batch = claim(lease, outstanding(ledger, campaign.id)[0])

    settle(ledger, batch, {number(0): "m0-0", number(1): "m1-0"})

    followed = batches_to_follow(ledger, campaign.id)
    assert [(one.first_claimed_at, one.answered_at) for one in followed] == [(ledger.now(), ledger.now())]


def test_a_new_ledger_in_a_file_is_its_owner_s(tmp_path):
    open_ledger(f"sqlite:///{tmp_path}/new/ledger.sqlite3").close()

    folder = tmp_path / "new"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "ledger.sqlite3").stat().st_mode & 0o777 == 0o600


def test_an_error_of_the_database_shows_no_parameters(ledger):
    one = {"campaign_id": "a", "phone_number": number(1), "resend_id": "b"}

    with pytest.raises(IntegrityError) as error, ledger.write() as connection:
        connection.execute(insert(resends), [one, one])

    own_words, _, _ = str(error.value).partition("DETAIL")  # PostgreSQL names the key that is there already
    assert number(1) not in own_words
