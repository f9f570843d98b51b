"""What every way out keeps: an answer for each message, receipts that name them, and its word about repeats."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from bench import Bench
from serving_in_threads import serving
from sqlalchemy import select
from whatsapp import PHONE, SECRET, SENDER, TOKEN, WORD

from interface.flow_steps import Channel
from interface.results import Result
from messaging_service.channels.channel import Receipt, Submission, Taken, TemplateUse, WayOut
from messaging_service.channels.chat_app.cloud_api import CloudApi
from messaging_service.channels.chat_app.cloud_settings import CloudAccess
from messaging_service.channels.chat_app.fakes.cloud_api import VERSION, FakeCloudApi
from messaging_service.channels.simulated import log
from messaging_service.clock import SECOND
from messaging_service.store import chat_app_events

pytestmark = pytest.mark.anyio


@dataclass
class Line:
    """A way out, what the other side took, and how it comes to report."""

    way_out: WayOut
    taken: Callable[[], list[tuple[str, int]]]
    report: Callable[[], Any]


@asynccontextmanager
async def simulated(bench: Bench, receipts: list[Receipt]) -> AsyncIterator[Line]:
    operator = bench.open_operator(into(receipts))

    def taken():
        with bench.records.reading() as connection:
            question = select(log.taken.c.message_id, log.taken.c.flow_index).order_by(log.taken.c.message_id)
            return [tuple(row) for row in connection.execute(question)]

    async def report():
        bench.clock.move(SECOND)
        await operator.send_due_receipts()

    yield Line(operator, taken, report)


class Reporting(FakeCloudApi):
    """The fake of the platform, whose reports are kept as the webhook keeps them."""

    bench: Bench

    async def post(self, body: bytes) -> int | None:
        with self.bench.store.writing() as connection:
            chat_app_events.add(connection, body.decode(), self.bench.clock.now())
        return 200


@asynccontextmanager
async def cloud(bench: Bench, receipts: list[Receipt]) -> AsyncIterator[Line]:
    platform = Reporting(TOKEN, SECRET, {PHONE: SENDER})
    platform.bench = bench
    with serving(platform.application()) as address:
        access = CloudAccess(f"{address}/{VERSION}", TOKEN, SECRET.encode(), WORD, {SENDER: PHONE}, {})
        api = CloudApi(access, bench.store, bench.clock, into(receipts), into([]))

        def taken():
            named = (message["biz_opaque_callback_data"].rpartition(":") for message in platform.taken)
            return sorted((message_id, int(flow_index)) for message_id, _, flow_index in named)

        running = asyncio.create_task(api.run())
        yield Line(api, taken, lambda: asyncio.sleep(0.05))
        running.cancel()
        await asyncio.wait([running])


def into(received):
    async def on_received(batch):
        received.extend(batch)

    return on_received


WAYS = [simulated, cloud]


def submission(message_id, *, flow_index=0, ending="1234"):
    number = f"42060112{ending}"
    use = TemplateUse("parcel", "cs", ("Eva",))
    return Submission(message_id, flow_index, Channel.WHATSAPP_TEMPLATE, SENDER, number, "Hello", use)


@pytest.mark.parametrize("way", WAYS)
async def test_each_message_is_answered_in_its_place(bench_on_sqlite: Bench, way):
    async with way(bench_on_sqlite, []) as line:
        answers = await line.way_out.submit([submission("a"), submission("b", ending="9002"), submission("c")])

        assert [answer.taken for answer in answers] == [Taken.YES, Taken.NO, Taken.YES]
        assert line.taken() == [("a", 0), ("c", 0)]


@pytest.mark.parametrize("way", WAYS)
async def test_a_repeat_is_taken_once_where_the_channel_says_that_it_recognises_it(bench_on_sqlite: Bench, way):
    async with way(bench_on_sqlite, []) as line:
        answers = [await line.way_out.submit([submission("a")]) for _ in range(2)]

        assert [answer.taken for (answer,) in answers] == [Taken.YES, Taken.YES]
        assert len(line.taken()) == (1 if line.way_out.recognises_repeats else 2)


@pytest.mark.parametrize("way", WAYS)
async def test_receipts_name_the_message_and_its_step(bench_on_sqlite: Bench, way):
    receipts: list[Receipt] = []
    async with way(bench_on_sqlite, receipts) as line:
        await line.way_out.submit([submission("a", flow_index=3), submission("b-7")])
        for _ in range(400):
            await line.report()
            if [receipt.result for receipt in receipts].count(Result.DELIVERED) == 2:
                break

    delivered = {(each.message_id, each.flow_index) for each in receipts if each.result is Result.DELIVERED}
    assert delivered == {("a", 3), ("b-7", 0)}


@pytest.mark.parametrize("way", WAYS)
async def test_an_empty_batch_is_nothing(bench_on_sqlite: Bench, way):
    async with way(bench_on_sqlite, []) as line:
        assert list(await line.way_out.submit([])) == []
