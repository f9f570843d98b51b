"""Clicks beside everything else that happens to a message: none is lost, each person counts once."""

import asyncio

import pytest
from bench import Bench
from sqlalchemy import select

from interface.results import Result
from messaging_service import housekeeping
from messaging_service.channels.channel import Receipt
from messaging_service.clock import DAY, SECOND
from messaging_service.links.clicks import Clicks
from messaging_service.message import Move
from messaging_service.record import record
from messaging_service.store.links import ShortLink
from messaging_service.store.tables import short_links
from messaging_service.track import moved

NUMBER, TEXT = "420601123456", "https://example.com/a and https://example.com/b"
FLOW = [{"viber": {"sender": "Dove", "ttl": 1, "ttl_condition": "seen"}}, {"sms": {}}]


def links_of(bench: Bench, message_id: str) -> list[ShortLink]:
    question = select(short_links).where(short_links.c.message_row == bench.message(message_id).id)
    with bench.store.reading() as connection:
        rows = connection.execute(question.order_by(short_links.c.target)).mappings().all()
    return [ShortLink(row["code"], row["target"], row["expires_at"], message_id) for row in rows]


def counted(bench: Bench) -> list[tuple[int, int]]:
    question = select(short_links.c.clicks, short_links.c.previews).order_by(short_links.c.target)
    with bench.store.reading() as connection:
        return [tuple(row) for row in connection.execute(question)]


def follow(bench: Bench, *links: ShortLink, is_preview: bool = False) -> None:
    """Have links followed at once, which share as few transactions as they can."""

    async def follow_all() -> None:
        clicks = Clicks(bench.store, bench.clock)
        running = asyncio.create_task(clicks.run())
        await asyncio.gather(*(clicks.record(link, is_preview=is_preview) for link in links))
        running.cancel()

    asyncio.run(follow_all())


def test_clicks_that_come_together_are_counted_each_and_the_person_once(bench: Bench):
    ids = bench.accept(NUMBER, "420601123457", body=TEXT, params={"_url": {}})
    bench.run_for(seconds=1)
    (first, second), (third, _) = (links_of(bench, message_id) for message_id in ids)

    follow(bench, first, first, second, third)
    follow(bench, third, is_preview=True)

    assert sorted(counted(bench)) == [(0, 0), (1, 0), (1, 1), (2, 0)]
    assert [line["count_clicked"] for line in bench.statistics().values()] == [2]
    assert bench.statistics() == bench.recount()


def test_the_first_click_is_the_one_that_is_told(bench: Bench):
    (message_id,) = bench.accept(NUMBER, body=TEXT, params={"_url": {}})
    bench.run_for(seconds=1)
    first_at = bench.clock.now()

    for link in links_of(bench, message_id):
        follow(bench, link)
        bench.clock.move(SECOND)

    assert bench.message(message_id).ts_clicked == first_at


@pytest.mark.parametrize("result", [Result.DELIVERED, Result.UNDELIVERED])
def test_a_click_while_its_message_moves_is_kept(bench: Bench, result):
    (message_id,) = bench.accept(NUMBER, body=TEXT, params={"_url": {}}, flow=FLOW)
    bench.send()
    before = bench.message(message_id)

    follow(bench, *links_of(bench, message_id))
    after = moved(before, Receipt(message_id, 0, result, bench.clock.now()), bench.clock.now())
    with bench.store.writing() as connection:
        record(connection, [Move(before, after)], bench.clock.now())

    assert bench.message(message_id).ts_clicked is not None
    assert bench.message(message_id).flow_index == (1 if result is Result.UNDELIVERED else 0)
    assert bench.statistics() == bench.recount()


def test_ended_links_are_forgotten_however_many_there_are(bench: Bench, monkeypatch):
    monkeypatch.setattr(housekeeping, "LINKS_A_TRANSACTION", 3)
    bench.accept(*[NUMBER] * 4, body=TEXT, params={"_url": {}})
    bench.run_for(seconds=1)
    bench.clock.move(7 * DAY + housekeeping.LINKS_REMEMBERED)
    (latest,) = bench.accept("420601123457", body=TEXT, params={"_url": {}})
    bench.run_for(seconds=1)

    housekeeping.Housekeeping(bench.store, bench.store, bench.clock).tidy()

    assert bench.count(short_links) == len(links_of(bench, latest)) == 2


def test_the_link_of_a_step_that_was_left_still_counts(bench: Bench):
    (message_id,) = bench.accept("420601129001", body=TEXT, params={"_url": {}}, flow=FLOW)
    bench.run_for(seconds=2)
    old, *_ = links_of(bench, message_id)

    follow(bench, old)

    assert bench.message(message_id).flow_index == 1
    assert len(links_of(bench, message_id)) == 4
    assert bench.message(message_id).ts_clicked is not None
