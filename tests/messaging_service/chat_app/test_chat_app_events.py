"""What a platform told is on disk before it is answered, and recorded though a worker dies."""

import asyncio
import json

import pytest
from bench import OTHER_CZECH, Bench
from logged_events import events_of
from structlog.testing import capture_logs
from whatsapp import PHONE, SECRET, SENDER, TOKEN, WORD

from interface.results import Result
from messaging_service.channels.chat_app.cloud_api import RECORD_AGAIN_AFTER, CloudApi
from messaging_service.channels.chat_app.cloud_settings import CloudAccess
from messaging_service.clock import SECOND
from messaging_service.store import chat_app_events

ACCESS = CloudAccess("http://127.0.0.1:1", TOKEN, SECRET.encode(), WORD, {SENDER: PHONE}, {})


class Dies(BaseException):
    """Nothing after it happens: what SIGKILL looks like from inside."""


def keep(bench: Bench, *statuses: tuple[str, str]) -> None:
    """Keep a report of messages' statuses, as the webhook does."""
    at = str(bench.clock.now() // SECOND)
    told = [{"status": status, "timestamp": at, "biz_opaque_callback_data": f"{each}:0"} for each, status in statuses]
    body = {"entry": [{"changes": [{"field": "messages", "value": {"statuses": told}}]}]}
    with bench.store.writing() as connection:
        chat_app_events.add(connection, json.dumps(body), bench.clock.now())


def platform(bench: Bench, on_receipts=None) -> CloudApi:
    async def record(receipts):
        bench.tracker.record(receipts)

    return CloudApi(ACCESS, bench.store, bench.clock, on_receipts or record, record)


def record(cloud: CloudApi) -> int:
    async def once():
        return await cloud.record_events()

    return asyncio.run(once())


def sent(bench: Bench) -> str:
    (message_id,) = bench.accept(OTHER_CZECH, flow=[{"viber": {"sender": "Dove"}}])
    bench.send()
    return message_id


def test_reports_are_recorded_in_their_order_and_forgotten(bench: Bench):
    message_id = sent(bench)
    keep(bench, (message_id, "sent"), (message_id, "delivered"))
    keep(bench, (message_id, "read"))

    recorded = [record(platform(bench)), record(platform(bench))]

    assert recorded == [2, 0]
    assert bench.results_told(message_id) == ["sending", "sent", "delivered", "seen"]


def test_a_worker_that_dies_over_a_report_leaves_it_to_the_next(bench: Bench):
    message_id = sent(bench)
    keep(bench, (message_id, "delivered"))

    async def die(_receipts):
        raise Dies

    with pytest.raises(Dies):
        record(platform(bench, die))
    at_once = record(platform(bench))
    bench.clock.move(RECORD_AGAIN_AFTER)
    later = record(platform(bench))

    assert (at_once, later) == (0, 1)
    assert bench.message(message_id).state is Result.DELIVERED


def test_a_worker_that_dies_after_it_recorded_a_report_tells_nothing_twice(bench: Bench):
    message_id = sent(bench)
    keep(bench, (message_id, "delivered"))

    async def record_and_die(receipts):
        bench.tracker.record(receipts)
        raise Dies

    with pytest.raises(Dies):
        record(platform(bench, record_and_die))
    bench.clock.move(RECORD_AGAIN_AFTER)
    record(platform(bench))

    assert bench.results_told(message_id) == ["sending", "sent", "delivered"]
    assert bench.statistics() == bench.recount()


def test_a_report_that_cannot_be_recorded_holds_no_other_up_and_is_tried_again(bench: Bench):
    first, second = sent(bench), sent(bench)
    keep(bench, (first, "delivered"))
    keep(bench, (second, "delivered"))
    failing = [True]

    async def fail_once(receipts):
        if failing.pop() if failing else False:
            raise RuntimeError("the store was away")
        bench.tracker.record(receipts)

    cloud = platform(bench, fail_once)
    with capture_logs() as logged:
        record(cloud)
    states = [bench.message(each).state for each in (first, second)]
    bench.clock.move(RECORD_AGAIN_AFTER)
    record(cloud)

    assert states == [Result.SENT, Result.DELIVERED]
    assert events_of("chat-app", logged) == ["chat-app.event-failed"]
    assert bench.message(first).state is Result.DELIVERED


def test_two_workers_never_record_the_same_report(bench_on_postgresql: Bench):
    bench = bench_on_postgresql
    message_id = sent(bench)
    for _ in range(20):
        keep(bench, (message_id, "delivered"))

    async def both():
        workers = [platform(bench), platform(bench)]
        return await asyncio.gather(*(worker.record_events() for worker in workers))

    assert sum(asyncio.run(both())) == 20
    assert record(platform(bench)) == 0
