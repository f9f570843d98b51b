"""The worker of phase 2: what goes out together, and what waits for what."""

import asyncio
from collections.abc import Sequence

import pytest
from bench import OTHER_CZECH, VODAFONE, Bench
from sqlalchemy.exc import OperationalError

from interface.results import Result
from messaging_service.channels.channel import Answer, Submission, Taken
from messaging_service.process import worker
from messaging_service.process.worker import BATCHES_UNDER_WAY, Worker
from messaging_service.running.supervision import running

pytestmark = pytest.mark.anyio
SLOW = "A text for a line that doesn't answer"


class Line:
    """A way out that notes the texts of each batch, and never answers one that has ``SLOW`` in it."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    async def submit(self, submissions: Sequence[Submission]) -> Sequence[Answer]:
        texts = [submission.text for submission in submissions]
        self.batches.append(texts)
        if SLOW in texts:
            await asyncio.Event().wait()
        return [Answer(Taken.YES) for _ in submissions]


def worker_over(bench: Bench, line: Line) -> Worker:
    return Worker(bench.store, bench.clock, bench.filer, bench.phase_two, bench.hand_over_to(line))


async def until(is_so) -> None:
    async with asyncio.timeout(10):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_batch_has_messages_of_one_queue_and_the_better_goes_first(bench: Bench):
    line = Line()
    bench.accept(OTHER_CZECH, VODAFONE, body="Promotional")
    bench.accept(OTHER_CZECH, body="Transactional", tag="transactional")
    bench.accept(OTHER_CZECH, body="Priority", tag="priority")

    async with running({"process": worker_over(bench, line)}):
        await until(lambda: len(line.batches) == 3)

    assert line.batches == [["Priority"], ["Transactional"], ["Promotional", "Promotional"]]


async def test_a_priority_message_goes_out_while_no_place_is_left_for_a_backlog(bench: Bench, monkeypatch):
    line = Line()
    monkeypatch.setattr(worker, "BATCH", 1)
    for _ in range(BATCHES_UNDER_WAY + 1):
        bench.accept(OTHER_CZECH, body=SLOW)

    async with running({"process": worker_over(bench, line)}):
        await until(lambda: len(line.batches) == BATCHES_UNDER_WAY)
        (priority,) = bench.accept(OTHER_CZECH, body="Priority", tag="priority")
        await until(lambda: bench.message(priority).state is Result.SENT)

    assert line.batches == [[SLOW]] * BATCHES_UNDER_WAY + [["Priority"]]


async def test_answers_that_a_store_fails_to_take_are_recorded_when_it_works_again(bench: Bench, monkeypatch):
    failures = iter([OperationalError("UPDATE", {}, Exception("disk is full"))] * 2)
    record_answers = bench.tracker.record_answers

    def fails_at_first(*answers):
        if error := next(failures, None):
            raise error
        record_answers(*answers)

    monkeypatch.setattr(bench.tracker, "record_answers", fails_at_first)
    line = Line()
    (message,) = bench.accept(OTHER_CZECH, body="Priority", tag="priority")
    neighbours = bench.accept(OTHER_CZECH, VODAFONE, body="Transactional", tag="transactional")

    async with running({"process": worker_over(bench, line)}):
        await until(lambda: all(bench.message(each).state is Result.SENT for each in (message, *neighbours)))

    assert line.batches == [["Priority"], ["Transactional", "Transactional"]]


async def test_a_backlog_goes_on_when_a_place_is_free_again(bench: Bench, monkeypatch):
    line = Line()
    monkeypatch.setattr(worker, "BATCH", 1)
    ids = [bench.accept(OTHER_CZECH, body="Hello", tag="transactional")[0] for _ in range(3 * BATCHES_UNDER_WAY)]

    async with running({"process": worker_over(bench, line)}):
        await until(lambda: all(bench.message(each).state is Result.SENT for each in ids))

    assert len(line.batches) == len(ids)
