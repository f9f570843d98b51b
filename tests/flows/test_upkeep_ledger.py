"""What the ledger remembers for the flows of upkeep, on each of its databases."""

import pytest
from builders import a_plan, claim, number
from sqlalchemy import update

from flows.ledger import CampaignPlan, CampaignSettings, outstanding, plan, record, take_lease
from flows.ledger.balances import balances_since, keep_balance, mark_warned
from flows.ledger.inbox import Step, first_open_date, mark_done, move_mark, note_arrivals
from flows.ledger.reconciling import answered_batches, believed, open_batches
from flows.ledger.records import Answer
from flows.ledger.resending import Failures, count_failed, plan_resend, unfinished_resends
from flows.ledger.tables import recipients
from flows.ledger.templates import BEGUN, KnownLanguage, KnownTemplate, Shelf
from flows.spending import DAY, Balance, Level

FAILURES = Failures(["undelivered", "failed"], ["[307]"])


def test_what_was_done_about_a_message_is_remembered_until_its_date_is_done_with(ledger):
    dates = {"a": "2026-03-01", "b": "2026-03-02"}
    assert note_arrivals(ledger, "main", dates) == {"a": frozenset(), "b": frozenset()}

    mark_done(ledger, "main", ["a", "b"], Step.CONSENT)
    mark_done(ledger, "main", ["b"], Step.FORWARDED)
    mark_done(ledger, "main", [], Step.TOLD)

    both = {Step.CONSENT, Step.FORWARDED}
    assert note_arrivals(ledger, "main", dates) == {"a": frozenset({Step.CONSENT}), "b": frozenset(both)}
    assert note_arrivals(ledger, "shop", {"a": "2026-03-01"}) == {"a": frozenset()}
    move_mark(ledger, "main", "2026-03-02")
    assert note_arrivals(ledger, "main", dates) == {"a": frozenset(), "b": frozenset(both)}


def test_the_mark_of_an_inbox_never_goes_back(ledger):
    assert first_open_date(ledger, "main") is None

    for date in ("2026-03-02", "2026-03-05", "2026-03-01"):
        move_mark(ledger, "main", date)

    assert first_open_date(ledger, "main") == "2026-03-05"


def test_balances_are_kept_in_order_and_not_for_ever(ledger, clock):
    for days in (120, 2, 1):
        keep_balance(ledger, "main", Balance(clock() - days * DAY, days * 10**12, "CZK", Level.LOW))

    newest = Balance(clock(), 5, "CZK", Level.CRITICAL)
    keep_balance(ledger, "main", newest)
    mark_warned(ledger, "main", newest)

    kept = balances_since(ledger, "main", 0)
    assert [one.amount for one in kept] == [2 * 10**12, 10**12, 5]
    assert (kept[-1].level, kept[-1].warned_at, kept[0].warned_at) == (Level.CRITICAL, clock(), None)
    assert balances_since(ledger, "shop", 0) == []


def test_templates_are_known_by_business_account(ledger):
    shelf, other = Shelf(ledger, "main", "1"), Shelf(ledger, "main", "2")
    begun = KnownTemplate("parcel", {"cs": KnownLanguage(BEGUN, "d1")})
    done = KnownTemplate("parcel", {"cs": KnownLanguage("17", "d1"), "de": KnownLanguage("18", "d2")})

    shelf.keep(begun)
    shelf.keep(done)

    assert shelf.known() == {"parcel": done}
    assert other.known() == {}
    shelf.forget("parcel")
    assert shelf.known() == {}


@pytest.fixture
def campaign(ledger):
    """A campaign of four recipients: undelivered, without credit, opted out, delivered."""
    planned = plan(ledger, a_plan(4))
    outcomes = [("undelivered", None), ("rejected", "[307] No credit"), ("rejected", "[304]"), ("delivered", None)]
    with ledger.write() as connection:
        for index, (result, reason) in enumerate(outcomes):
            connection.execute(
                update(recipients)
                .where(recipients.c.phone_number == number(index))
                .values(result=result, reason=reason)
            )
    return planned


def compose(failed, before):
    again = a_plan(len(failed), f"again {before + 1}")
    people = [one.phone_number for one in failed]
    assert [one.body for one in failed] == ["Hello"] * len(people)
    return CampaignPlan(again.name, CampaignSettings("main", ("promotional",)), again.batches)


def test_who_failed_for_a_reason_that_may_pass_is_planned_again_once(ledger, campaign):
    assert count_failed(ledger, campaign.id, FAILURES) == 2

    first = plan_resend(ledger, campaign, FAILURES, compose)
    second = plan_resend(ledger, campaign, FAILURES, compose)

    assert (first.name, second) == ("again 1", None)
    assert [one.id for one in unfinished_resends(ledger, campaign.id)] == [first.id]


def test_a_second_try_is_unfinished_until_its_results_are_there(ledger, campaign):
    again = plan_resend(ledger, campaign, FAILURES, compose)
    send_all(ledger, again)
    before = unfinished_resends(ledger, campaign.id)

    with ledger.write() as connection:
        connection.execute(update(recipients).where(recipients.c.campaign_id == again.id).values(result="delivered"))

    assert [one.id for one in before] == [again.id]
    assert unfinished_resends(ledger, campaign.id) == []


def test_a_second_try_is_not_followed_for_longer_than_it_wanted(ledger, campaign, clock):
    again = plan_resend(ledger, campaign, FAILURES, compose)
    send_all(ledger, again)

    clock.move(again.pace.follow_seconds)

    assert unfinished_resends(ledger, campaign.id) == []


def test_calls_without_an_answer_and_answered_ones_are_told_apart(ledger):
    planned = plan(ledger, a_plan(4))
    first, second = outstanding(ledger, planned.id)
    lease = take_lease(ledger, planned.id, "me")
    answer(ledger, claim(lease, first))
    claim(lease, second)

    assert [one.id for one in open_batches(ledger, planned.id)] == [second]
    assert answered_batches(ledger, planned.id, unfinished=True) == [first]
    batch = believed(ledger, first)
    assert batch.recipients[number(0)].message_id == "m0-0"
    assert all(one.is_on_its_way and one.waits for one in batch.recipients.values())
    with ledger.write() as connection:
        connection.execute(update(recipients).values(result="delivered"))
    assert answered_batches(ledger, planned.id, unfinished=True) == []
    assert answered_batches(ledger, planned.id, unfinished=False) == [first]


def send_all(ledger, planned):
    lease = take_lease(ledger, planned.id, "me")
    for batch_id in outstanding(ledger, planned.id):
        answer(ledger, claim(lease, batch_id))


def answer(ledger, batch):
    record(ledger, [(batch, Answer("r", {index: f"m{index}" for index in range(len(batch.messages))}))])
