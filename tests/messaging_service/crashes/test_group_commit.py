"""Group commit: what was answered is on disk, in order, and one bad item is its own caller's trouble."""

import asyncio
import subprocess
import sys
from contextlib import asynccontextmanager, closing, nullcontext, suppress
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import text

from messaging_service.accept.filing import Filer
from messaging_service.store.engine import open_store
from messaging_service.store.group_commit import GroupCommit

pytestmark = pytest.mark.anyio
ANSWERS = Path(__file__).with_name("answering.py")


@asynccontextmanager
async def committing(commit, limit=10, on_committed=lambda: None):
    group = GroupCommit(nullcontext, lambda _connection, items: commit(items), limit, on_committed)
    task = asyncio.create_task(group.run())
    yield group
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_items_are_committed_in_order_together_and_within_the_limit():
    batches = []

    async with committing(lambda items: batches.append(list(items)) or items, limit=10) as group:
        answers = await asyncio.gather(*(group.write(number) for number in range(25)))

    assert answers == list(range(25))
    assert [number for batch in batches for number in batch] == list(range(25))
    assert [len(batch) for batch in batches] == [10, 10, 5]


async def test_calls_that_come_during_a_commit_share_the_next():
    first_began, go_on, batches = asyncio.Event(), Event(), []
    loop = asyncio.get_running_loop()

    def commit(items):
        loop.call_soon_threadsafe(first_began.set)
        batches.append(list(items))
        go_on.wait(10)
        return items

    async with committing(commit) as group:
        first = asyncio.create_task(group.write("first"))
        await first_began.wait()
        others = [asyncio.create_task(group.write(number)) for number in range(3)]
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(first, *others)

    assert batches == [["first"], [0, 1, 2]]


async def test_a_bad_item_does_not_take_its_neighbours_with_it():
    written = []

    def commit(items):
        if "bad" in items:
            raise ValueError("bad")
        written.extend(items)
        return items

    async with committing(commit) as group:
        answers = await asyncio.gather(*(group.write(item) for item in ("one", "bad", "two")), return_exceptions=True)

    assert [answers[0], answers[2]] == ["one", "two"]
    assert isinstance(answers[1], ValueError)
    assert written == ["one", "two"]


async def test_a_call_that_is_cancelled_while_it_waits_disturbs_nobody():
    go_on = Event()

    def commit(items):
        go_on.wait(10)
        return items

    async with committing(commit) as group:
        calls = [asyncio.create_task(group.write(number)) for number in range(3)]
        await asyncio.sleep(0.01)
        calls[1].cancel()
        await asyncio.sleep(0)
        go_on.set()
        answers = await asyncio.gather(*calls, return_exceptions=True)
        after = await group.write("after")

    assert [answers[0], answers[2], after] == [0, 2, "after"]
    assert isinstance(answers[1], asyncio.CancelledError)


async def test_others_are_woken_after_the_commit():
    happened = []

    async with committing(
        lambda items: happened.append("committed") or items, on_committed=lambda: happened.append("woken")
    ) as group:
        await group.write("item")

    assert happened == ["committed", "woken"]


async def test_calls_are_answered_though_nobody_can_be_woken():
    def refuse():
        raise OSError("nobody there")

    group = GroupCommit(nullcontext, lambda _connection, items: list(items), 10, refuse)
    task = asyncio.create_task(group.run())
    async with asyncio.timeout(5):
        answer = await group.write("item")

    assert answer == "item"
    with pytest.raises(OSError, match="nobody there"):
        await task


def test_what_was_answered_is_on_disk_when_the_process_is_killed(tmp_path):
    database = f"sqlite:///{tmp_path}/dovecote.db"
    with subprocess.Popen([sys.executable, ANSWERS, database], stdout=subprocess.PIPE, text=True) as process:
        answered = [process.stdout.readline() for _ in range(200)]
        process.kill()
        answered += process.stdout.readlines()

    ids = {line.strip() for line in answered if line.endswith("\n")}
    store = open_store(database)
    Filer(store, store).catch_up()
    with closing(store), store.reading() as connection:
        kept = set(connection.execute(text("SELECT message_id FROM messages")).scalars())
        sound = connection.execute(text("PRAGMA integrity_check")).scalar()
    assert len(ids) >= 200
    assert ids <= kept
    assert sound == "ok"
