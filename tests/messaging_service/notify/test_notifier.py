import asyncio
import threading
import time

import pytest
import structlog
from notifying import eventually, moves_to, poster, receiving
from sqlalchemy.exc import OperationalError

from interface.results import Result
from interface.signatures import check_callback
from messaging_service.notify.receivers import Limits
from messaging_service.store import callbacks

pytestmark = pytest.mark.anyio


async def test_events_reach_the_receiver_and_leave_the_outbox(outbox, receiver):
    outbox.write(moves_to(receiver.url, 150))

    async with outbox.notifying():
        await eventually(lambda: not outbox.pending())

    assert sorted(receiver.message_ids) == sorted(f"message-{index}" for index in range(150))
    assert sorted(len(call.events) for call in receiver.calls) == [50, 100]


async def test_news_are_delivered_at_once_when_woken(outbox, receiver, monkeypatch):
    monkeypatch.setattr("messaging_service.notify.notifier.POLL_S", 3600.0)  # who isn't woken finds nothing
    async with outbox.notifying() as notifier:
        await asyncio.sleep(0.05)
        outbox.write(moves_to(receiver.url))
        notifier.waker.wake()

        await eventually(lambda: receiver.calls)


async def test_rows_of_another_process_are_found_without_being_woken(outbox, receiver):
    async with outbox.notifying():
        await asyncio.sleep(0.05)
        outbox.write(moves_to(receiver.url))

        await eventually(lambda: receiver.calls)


async def test_a_delivery_is_signed_when_its_key_has_a_secret(outbox, receiver):
    outbox.write([*moves_to(receiver.url), *moves_to(receiver.url, key_id=2)])

    async with outbox.notifying():
        await eventually(lambda: len(receiver.calls) == 2)

    by_signed = {"X-Request-Signature" in call.headers: call for call in receiver.calls}
    signed = by_signed[True]
    assert check_callback(signed.body, signed.headers["X-Request-Signature"], "callback-secret")
    assert signed.headers["Content-Type"] == "application/json"
    assert signed.headers["User-Agent"].startswith("Dovecote/")
    assert by_signed[False].headers["X-Request-Id"] != signed.headers["X-Request-Id"]


async def test_a_failed_delivery_is_retried_after_about_30_60_120_and_240_seconds_then_kept(outbox, receiver):
    receiver.answer = lambda _call: 500
    outbox.write(moves_to(receiver.url))

    async with outbox.notifying() as notifier:
        for attempt, delay in enumerate([30, 60, 120, 240], start=1):
            await eventually(lambda attempt=attempt: len(receiver.calls) == attempt)
            await eventually(lambda: callbacks_due_in(outbox) is not None)
            assert callbacks_due_in(outbox) == pytest.approx(delay, rel=0.2)
            outbox.clock.advance(delay * 1.2)
            notifier.waker.wake()
        await eventually(outbox.failed)

    (kept,) = outbox.failed()
    assert (kept["attempts"], kept["last_error"], kept["event_count"]) == (5, "answered with status 500", 1)
    assert not outbox.pending()
    assert len({call.headers["X-Request-Id"] for call in receiver.calls}) == 1
    assert len({call.body for call in receiver.calls}) == 1


def callbacks_due_in(outbox):
    """Seconds until the one failed delivery is due again; None while an attempt holds it."""
    with outbox.store.reading() as connection:
        row = connection.exec_driver_sql("SELECT attempts, due_at, last_error, id FROM callbacks").one()
    seconds = (row.due_at - outbox.clock.now()) / 1000
    leased = seconds == 45
    return None if leased or row.last_error is None else seconds


async def test_a_delivery_that_was_given_up_can_be_replayed(outbox, receiver):
    receiver.answer = lambda _call: 500
    outbox.write(moves_to(receiver.url))
    async with outbox.notifying(attempts=1) as notifier:
        await eventually(outbox.failed)
        (kept,) = outbox.failed()
        receiver.answer = lambda _call: 200
        outbox.clock.advance(60)

        with outbox.store.writing() as connection:
            count = callbacks.replay(connection, outbox.clock.now(), delivery_id=kept["delivery_id"])
        notifier.waker.wake()
        await eventually(lambda: not outbox.pending())

    assert count == 1
    assert outbox.failed() == []
    assert [call.headers["X-Request-Id"] for call in receiver.calls] == [kept["delivery_id"]] * 2


async def test_replaying_a_key_leaves_the_failures_of_others(outbox, receiver):
    receiver.answer = lambda _call: 500
    outbox.write([*moves_to(receiver.url), *moves_to(receiver.url, key_id=2)])
    async with outbox.notifying(attempts=1):
        await eventually(lambda: outbox.failed(1) and outbox.failed(2))

    with outbox.store.writing() as connection:
        count = callbacks.replay(connection, outbox.clock.now(), key_id=2)

    assert count == 1
    assert len(outbox.failed(1)) == 1
    assert outbox.failed(2) == []


async def test_a_receiver_that_never_answers_does_not_delay_another(outbox, receiver):
    released = threading.Event()
    with receiving(lambda _call: released.wait(10) and 200) as dead:
        for index in range(300):
            outbox.write(moves_to(f"{dead.url}?{index}"))
        outbox.clock.advance(1)
        outbox.write(moves_to(receiver.url, 1_000))

        async with outbox.notifying(poster(timeout=0.5)):
            await eventually(lambda: len(receiver.message_ids) == 1_000)
        released.set()

    assert len(dead.calls) < 30


async def test_many_dead_receivers_leave_room_for_the_living(outbox, receiver):
    released = threading.Event()
    limits = Limits(total=8, receiver=4, failing=2)
    with receiving(lambda _call: released.wait(10) and 200) as dead:
        for index in range(20):
            outbox.write(moves_to(dead.url.replace("receiver", f"dead-{index}"), 300))
        async with outbox.notifying(poster(timeout=0.3), limits=limits) as notifier:
            await eventually(lambda: len(dead.calls) >= 8)
            outbox.write(moves_to(receiver.url))
            notifier.waker.wake()

            await eventually(lambda: receiver.calls)
        released.set()


async def test_a_receiver_gets_no_more_than_its_share_at_once(outbox):
    now, most, lock, share = 0, 0, threading.Lock(), threading.Barrier(4, timeout=10)

    def answer(_call):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        share.wait()
        time.sleep(0.02)  # for one too many to arrive
        with lock:
            now -= 1
        return 200

    with receiving(answer) as receiver:
        for index in range(20):
            outbox.write(moves_to(f"{receiver.url}?{index}"))
        async with outbox.notifying():
            await eventually(lambda: not outbox.pending())

    assert len(receiver.calls) == 20
    assert most == 4


async def test_a_slow_receiver_times_out_and_is_tried_again(outbox, receiver):
    released = threading.Event()
    receiver.answer = lambda _call: released.wait(10) and 200
    outbox.write(moves_to(receiver.url))

    async with outbox.notifying(poster(timeout=0.5)):
        await eventually(lambda: callbacks_due_in(outbox) is not None)
    released.set()
    outbox.clock.advance(40)
    async with outbox.notifying():
        await eventually(lambda: not outbox.pending())

    first, second = receiver.calls
    assert first.headers["X-Request-Id"] == second.headers["X-Request-Id"]


async def test_a_crash_between_the_post_and_its_record_repeats_the_delivery(outbox, receiver):
    outbox.write(moves_to(receiver.url))
    (claimed,) = outbox.claim({"1 " + receiver.url.removesuffix("/callbacks"): 1})
    async with poster() as post:
        await post(claimed)  # and the process dies here

    outbox.clock.advance(61)
    async with outbox.notifying():
        await eventually(lambda: not outbox.pending())

    first, second = receiver.calls
    assert first.headers["X-Request-Id"] == second.headers["X-Request-Id"]
    assert first.body == second.body


async def test_a_stop_lets_an_attempt_in_flight_end(outbox, receiver, monkeypatch):
    monkeypatch.setattr("messaging_service.notify.notifier.GRACE_S", 10.0)
    arrived = threading.Event()
    receiver.answer = lambda _call: arrived.set() or time.sleep(0.2) or 200
    outbox.write(moves_to(receiver.url))

    async with outbox.notifying():
        await asyncio.to_thread(arrived.wait, 5)

    assert not outbox.pending()


async def test_a_stop_gives_back_what_takes_too_long(outbox, receiver):
    arrived, released = threading.Event(), threading.Event()
    receiver.answer = lambda _call: arrived.set() or (released.wait(10) and 200)
    outbox.write(moves_to(receiver.url))
    async with outbox.notifying():
        await asyncio.to_thread(arrived.wait, 5)

    released.set()
    async with outbox.notifying():
        await eventually(lambda: not outbox.pending())

    first, second = receiver.calls
    assert first.headers["X-Request-Id"] == second.headers["X-Request-Id"]


async def test_a_notifier_can_be_run_again(outbox, receiver, monkeypatch):
    monkeypatch.setattr("messaging_service.notify.notifier.GRACE_S", 10.0)
    notifier = outbox.notifier()
    for index in range(2):
        outbox.write(moves_to(receiver.url))
        running = asyncio.create_task(notifier.run())
        await eventually(lambda index=index: len(receiver.calls) == index + 1)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    assert not outbox.pending()


async def test_a_store_that_is_away_for_a_moment_costs_no_event(outbox, receiver, monkeypatch):
    outbox.write(moves_to(receiver.url))
    failing = iter([True])
    remove = callbacks.remove

    def remove_unless_away(connection, delivered):
        if delivered and next(failing, False):
            raise OperationalError("DELETE", {}, Exception("away"))
        remove(connection, delivered)

    monkeypatch.setattr(callbacks, "remove", remove_unless_away)
    async with outbox.notifying():
        await eventually(lambda: not outbox.pending())

    assert len(receiver.calls) == 1


async def test_logs_tell_of_failures_without_secrets_texts_numbers_or_addresses_in_full(outbox, receiver):
    receiver.answer = lambda _call: 500
    outbox.write(moves_to(receiver.url + "?token=query-secret"))

    with structlog.testing.capture_logs() as logged:
        async with outbox.notifying(attempts=1):
            await eventually(outbox.failed)

    delivery_id = receiver.calls[0].headers["X-Request-Id"]
    (entry,) = [each for each in logged if each.get("delivery_id") == delivery_id]  # services of other tests log, too
    assert entry["event"] == "notify.given-up"
    told = repr(entry)
    for private in ("query-secret", "callback-secret", "420777123456", "/callbacks"):
        assert private not in told


async def test_two_processes_deliver_each_event_once(outbox, receiver):
    if outbox.store.is_sqlite:
        pytest.skip("a SQLite store has one worker")
    for index in range(50):
        outbox.write(moves_to(f"{receiver.url}?{index}", state=Result.DELIVERED))

    async with outbox.notifying(), outbox.notifying():
        await eventually(lambda: not outbox.pending())

    assert len(receiver.calls) == 50
