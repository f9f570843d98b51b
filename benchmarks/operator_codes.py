"""The codes that telephones got, read from the simulated operator's own records, many at a time."""

import asyncio
import re
import sqlite3
from pathlib import Path
from typing import NamedTuple

BETWEEN_LOOKS = 0.02
"""Seconds; a code waits half of them on average, and no measure holds this wait."""

CODE = re.compile(r"\b\d{6}\b")
NEW = "SELECT rowid, phone_number, text, taken_at FROM operator_taken WHERE rowid > ? ORDER BY rowid"


class Arrived(NamedTuple):
    """A code, and when (seconds since 1970, to the millisecond) the operator had it."""

    code: str
    at: float


class OperatorCodes:
    """Hands out each code to whoever waits for it, while ``watch`` runs."""

    def __init__(self, records: Path) -> None:
        self._connection = sqlite3.connect(f"file:{records}?mode=ro", uri=True)
        self._seen = 0
        self._waiting: dict[str, asyncio.Future[Arrived]] = {}

    def expect(self, phone_number: str) -> asyncio.Future[Arrived]:
        """Return what will be the code that is sent to a number from now on."""
        future = asyncio.get_running_loop().create_future()
        self._waiting[phone_number] = future
        return future

    async def watch(self) -> None:
        """Look for new codes until cancelled."""
        while True:
            self._look()
            await asyncio.sleep(BETWEEN_LOOKS)

    def close(self) -> None:
        """Close the records."""
        self._connection.close()

    def _look(self) -> None:
        for row, phone_number, text, taken_at in self._connection.execute(NEW, (self._seen,)):
            self._seen = row
            future = self._waiting.pop(phone_number, None)
            found = CODE.search(text)
            if future is not None and found is not None and not future.done():
                future.set_result(Arrived(found[0], taken_at / 1000))
