"""Accepts messages as fast as it can, and prints the id of each once its call was answered. To be killed."""

import asyncio
import os
import sys

import orjson

from messaging_service.accept.acceptor import Acceptor
from messaging_service.accounts.keys import digest, look_up
from messaging_service.accounts.money import UNIT
from messaging_service.accounts.opening import Opening, open_account
from messaging_service.clock import SystemClock
from messaging_service.store.engine import open_store
from messaging_service.store.migrate import migrate

CALLS_IN_FLIGHT = 20
BODY = orjson.dumps({"to": [{"phone_number": "420777123456"}], "body": "Hello"})


async def main(database: str) -> None:
    store, clock = open_store(database), SystemClock()
    migrate(store)
    with store.writing() as connection:
        open_account(connection, Opening("An account", "czk", 1000 * UNIT, "420", "Dovecote"), "key", clock.now())
    acceptor = Acceptor(store, clock, lambda: None)
    key = look_up(store, digest("key"))

    async def keep_calling() -> None:
        while True:
            answer = orjson.loads(await acceptor.accept_message(acceptor.caller(key), BODY, None))
            os.write(1, answer["accepted"][0]["message_id"].encode() + b"\n")

    await asyncio.gather(acceptor.run(), *(keep_calling() for _ in range(CALLS_IN_FLIGHT)))


asyncio.run(main(sys.argv[1]))
