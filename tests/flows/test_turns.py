"""Work that one run does at a time, without a campaign."""

import asyncio
import time

import pytest

from flows.ledger import LeaseLost, LeaseTaken, open_ledger, take_turn
from flows.sending.work import turn


def test_one_owner_has_the_turn_at_a_time(ledger):
    take_turn(ledger, "inbox of main", "me")

    with pytest.raises(LeaseTaken, match="Another run is working on inbox of main"):
        take_turn(ledger, "inbox of main", "another")
    assert take_turn(ledger, "inbox of shop", "another").owner == "another"


def test_a_turn_given_back_or_ended_is_free(ledger, clock):
    take_turn(ledger, "inbox", "first").give_back()
    late = take_turn(ledger, "inbox", "second", 10)
    clock.move(11)

    taken_over = take_turn(ledger, "inbox", "third")

    with pytest.raises(LeaseLost, match="its lease on inbox"):
        late.renew()
    late.give_back()
    taken_over.renew()


def test_a_living_process_keeps_its_turn(ledger, ledger_address):  # noqa: ARG001  (its schema)
    book = open_ledger(ledger_address, time.time)

    async def work():
        async with turn(book, "inbox", 3):
            await asyncio.sleep(4)
            with pytest.raises(LeaseTaken):
                take_turn(book, "inbox", "another")
        return take_turn(book, "inbox", "another").owner

    assert asyncio.run(work()) == "another"
    book.close()
