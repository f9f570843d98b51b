"""Writes starts and checks, many in one transaction, and answers each once it is on disk."""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from messaging_service.clock import Clock
from messaging_service.idempotency import CallsInFlight
from messaging_service.store.engine import Store
from messaging_service.store.group_commit import GroupCommit
from messaging_service.verification.checking import Attempt, Checking
from messaging_service.verification.drafting import Start
from messaging_service.verification.starting import Starting

CALLS_A_TRANSACTION = 128
PACE = 0.008
"""Seconds between two transactions: a person doesn't notice them, and of many calls each costs half as much."""

Outcome = bytes | Exception


class Verifier:
    """The verification step. ``on_started`` is called after a commit, to wake the worker that sends the codes."""

    def __init__(
        self, store: Store, clock: Clock, steps: tuple[Starting, Checking], on_started: Callable[[], None]
    ) -> None:
        self._clock = clock
        self._starting, self._checking = steps
        self._in_flight = CallsInFlight()
        self._commits = GroupCommit[Start | Attempt, Outcome](
            store.writing, self._write, CALLS_A_TRANSACTION, on_started, PACE
        )

    async def run(self) -> None:
        """Write what calls bring until cancelled."""
        await self._commits.run()

    async def start(self, start: Start) -> bytes:
        """Start a verification. Returns the answer's JSON. Raises Coded, StillRunning, UsedForAnotherCall."""
        with self._in_flight.running(start.idempotent_call):
            return told(await self._commits.write(start))

    async def check(self, attempt: Attempt) -> bytes:
        """Judge a code. Returns the answer's JSON for the right one. Raises Coded."""
        return told(await self._commits.write(attempt))

    def _write(self, connection: Connection, items: Sequence[Start | Attempt]) -> Sequence[Outcome]:
        starts = [item for item in items if isinstance(item, Start)]
        attempts = [item for item in items if isinstance(item, Attempt)]
        now = self._clock.now()  # in turn: what a writer before has written isn't of the future
        started = iter(self._starting.write(connection, starts, now))
        checked = iter(self._checking.write(connection, attempts, now))
        return [next(started) if isinstance(item, Start) else next(checked) for item in items]


def told(outcome: Outcome) -> bytes:
    """Return an answer that is on disk, or raise the refusal."""
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
