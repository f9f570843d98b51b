"""Results are followed by pages of rows, and by status calls only for those that show no sign of life."""

import asyncio
from collections import deque

import httpx
import pytest
from builders import a_plan, number
from provider import Provider as FakeProvider

from flows.ledger import find_campaign, networks, outstanding, plan, take_lease, totals
from flows.provider import Provider
from flows.sending.dispatch import send_batches
from flows.sending.following import Follower
from flows.sending.outbox import Outbox
from flows.sending.row_results import delivery_of, is_news, rejection_of
from interface.client import Addresses, AsyncMessagingClient, RetryPolicy
from interface.errors import ServerFailed
from interface.responses import MessageRow, MessageStatus
from interface.results import Result


def row(**counters):
    return MessageRow(message_id="m-0", phone_number="420777000001", message_parts=2, price_czk="1.50", **counters)


@pytest.mark.parametrize(
    ("counters", "result"),
    [
        ({"sent": 1}, Result.SENT),
        ({"sent": 1, "delivered": 1}, Result.DELIVERED),
        ({"sent": 1, "delivered": 1, "seen": 1}, Result.SEEN),
        ({"sent": 1, "nondelivered": 1}, Result.UNDELIVERED),
    ],
)
def test_a_rows_counters_tell_the_result(counters, result):
    delivery = delivery_of(row(**counters))

    assert (delivery.result, delivery.parts, delivery.price_czk) == (result, 2, 1_500_000)


def test_a_row_without_any_count_tells_nothing():
    assert delivery_of(row()) is None


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ({"status_code": "304"}, "[304] Phone number is blacklisted or opted out"),
        ({"status_code": "131042"}, "[131042]"),
        ({"status_code": "blocked", "status_info": "Blocked by the network"}, "Blocked by the network"),
    ],
)
def test_a_status_tells_why_a_message_was_rejected(status, reason):
    delivery = rejection_of(MessageStatus(to={"phone_number": "1"}, request_id="r", **status))

    assert (delivery.result, delivery.reason) == (Result.REJECTED, reason)


@pytest.mark.parametrize("code", [None, "100", "200"])
def test_a_message_that_waits_or_was_handed_over_is_not_rejected(code):
    assert rejection_of(MessageStatus(to={"phone_number": "1"}, request_id="r", status_code=code)) is None


def test_results_never_move_backwards():
    assert is_news(Result.ACCEPTED, Result.SENT)
    assert is_news(Result.SENT, Result.DELIVERED)
    assert not is_news(Result.SENT, Result.SENT)
    assert not is_news(Result.SENT, Result.ACCEPTED)


async def follow(book, fake, recipients, rounds, *, to_the_end=False):
    campaign = plan(book, a_plan(recipients))
    transport = httpx.ASGITransport(fake.app)
    retries = RetryPolicy(attempts=1)
    async with AsyncMessagingClient("key", Addresses.of("http://fake"), transport=transport, retries=retries) as client:
        provider = Provider(client)
        lease = take_lease(book, campaign.id, "me")
        await send_batches(Outbox(lease, campaign.settings, provider), outstanding(book, campaign.id))
        follower = Follower(provider, book)
        for _ in range(rounds):
            await follower.look(campaign.id)
        if to_the_end:
            await follower.look_at_all(campaign.id)
    return totals(book, campaign.id)


def test_only_those_without_a_sign_of_life_are_asked_for_one_by_one(ledger, clock):
    fake = FakeProvider(now=clock, opted_out=frozenset({number(3)}))

    counted = asyncio.run(follow(ledger, fake, recipients=20, rounds=3))

    assert counted.by_result == {"delivered": 19, "rejected": 1}
    assert counted.by_reason == {"[304] Phone number is blacklisted or opted out": 1}
    assert fake.calls["status"] == 1


def test_more_rejected_than_a_round_asks_for_are_asked_for_in_the_next_ones(ledger, clock):
    fake = FakeProvider(now=clock, opted_out=frozenset(map(number, range(500))))

    counted = asyncio.run(follow(ledger, fake, recipients=500, rounds=4))

    assert counted.by_result == {"rejected": 500}


def test_batches_with_all_results_are_not_looked_at_again(ledger, clock):
    fake = FakeProvider(now=clock, without_receipt=frozenset({number(0)}))

    counted = asyncio.run(follow(ledger, fake, recipients=20, rounds=3))

    assert counted.by_result == {"delivered": 19, "sent": 1}
    assert fake.calls["list"] == 9 + 1
    assert fake.calls["statistics"] == 3
    assert fake.calls["status"] == 0


def test_a_provider_without_statistics_is_followed_by_its_lists(ledger, clock):
    fake = FakeProvider(now=clock, opted_out=frozenset({number(3)}), has_statistics=False)

    counted = asyncio.run(follow(ledger, fake, recipients=20, rounds=3))

    assert counted.by_result == {"delivered": 19, "rejected": 1}


def test_the_rows_are_read_once_more_for_the_report(ledger, clock):
    fake = FakeProvider(now=clock, without_receipt=frozenset({number(0)}))

    counted = asyncio.run(follow(ledger, fake, recipients=4, rounds=1, to_the_end=True))

    assert counted.by_result == {"delivered": 3, "sent": 1}


def test_the_networks_are_kept(ledger, clock):
    fake = FakeProvider(now=clock)

    asyncio.run(follow(ledger, fake, recipients=6, rounds=1))

    assert networks(ledger, find_campaign(ledger, "Spring sale").id) == {"23003": 6}


def test_a_failing_list_is_told_as_the_error_it_is(ledger, clock):
    fake = FakeProvider(now=clock, list_faults=deque([503]))

    with pytest.raises(ServerFailed):
        asyncio.run(follow(ledger, fake, recipients=4, rounds=1))
