"""Writes accepted calls into the journal, many in one transaction, and answers each once it is on disk."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import orjson
from sqlalchemy import Connection

from interface.message import MessageRequest
from messaging_service.accept.planning import Caller, Plan, plan_object, plan_recipients
from messaging_service.accept.reading import Rejection, read_message, read_messages
from messaging_service.accounts.keys import Key
from messaging_service.clock import Clock
from messaging_service.idempotency import CallsInFlight, IdempotentCall, claim, was_answered
from messaging_service.identifiers import new_id
from messaging_service.refusals import UsedForAnotherCall
from messaging_service.running import measures
from messaging_service.store import journal
from messaging_service.store.engine import Store
from messaging_service.store.group_commit import GroupCommit

CALLS_A_TRANSACTION = 256


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A call that passed phase 1: its rows, its answer, and the promise it asks for.

    A call of very many recipients brings several plans, so that filing it never keeps others waiting for long.
    """

    plans: Sequence[Plan]
    answer: bytes
    idempotent_call: IdempotentCall | None


class Acceptor:
    """Phase 1. ``on_accepted`` is called after a commit, to wake the worker that files the calls and does phase 2."""

    def __init__(self, journal_store: Store, clock: Clock, on_accepted: Callable[[], None]) -> None:
        self._journal = journal_store
        self._clock = clock
        self._in_flight = CallsInFlight()
        self._commits = GroupCommit[Acceptance, bytes | UsedForAnotherCall](
            journal_store.writing, self._write, CALLS_A_TRANSACTION, on_accepted
        )

    async def run(self) -> None:
        """Write what calls bring until cancelled."""
        await self._commits.run()

    def caller(self, key: Key, queue: int | None = None) -> Caller:
        """Describe who calls now."""
        return Caller(key, self._clock.now(), queue)

    async def accept_message(self, caller: Caller, body: bytes, call: IdempotentCall | None) -> bytes:
        """Accept the body of ``/message``: an id for each recipient. Returns the answer's JSON.

        Raises InvalidRequest, StillRunning, UsedForAnotherCall.
        """
        request, indices, rejections = read_message(body)
        plan = Plan(new_id())
        accepted = [] if request is None else plan_recipients(plan, caller, request)
        return await self._accept(plan, list(zip(indices, accepted, strict=True)), rejections, call)

    async def accept_messages(self, caller: Caller, body: bytes, call: IdempotentCall | None) -> bytes:
        """Accept the body of ``/messages``: an id for each message object. Returns and raises as ``accept_message``."""
        reading = read_messages(body)
        plan = Plan(new_id())
        accepted = [(index, plan_object(plan, caller, request)) for index, request in reading.requests]
        return await self._accept(plan, accepted, reading.rejections, call)

    async def accept_simple(self, caller: Caller, request: MessageRequest, call: IdempotentCall | None) -> bytes:
        """Accept a simple message (specification 2.3). Returns and raises as ``accept_message``."""
        plan = Plan(new_id())
        (message_id,) = plan_recipients(plan, caller, request)
        answer = {"request_id": plan.request_id, "message_id": message_id, "accepted": True}
        return await self._write_together(plan, orjson.dumps(answer), call)

    async def accept_plans(self, acceptance: Acceptance, check: Callable[[], None]) -> bytes:
        """Accept what is planned already, unless ``check`` raises, which isn't asked about a call that came before.

        Returns the answer. Raises StillRunning, UsedForAnotherCall, and whatever ``check`` raises.
        """
        call = acceptance.idempotent_call
        with self._in_flight.running(call):
            if call is None or not await asyncio.to_thread(self._came_before, call):
                await asyncio.to_thread(check)
            return await self._commit(acceptance)

    def _came_before(self, call: IdempotentCall) -> bool:
        with self._journal.reading() as connection:
            return was_answered(connection, call, self._clock.now())

    async def _write_together(self, plan: Plan, answer: bytes, call: IdempotentCall | None) -> bytes:
        with self._in_flight.running(call):
            return await self._commit(Acceptance([plan], answer, call))

    async def _commit(self, acceptance: Acceptance) -> bytes:
        outcome = await self._commits.write(acceptance)
        if isinstance(outcome, UsedForAnotherCall):
            raise outcome
        return outcome

    async def _accept(
        self,
        plan: Plan,
        accepted: Sequence[tuple[int, str]],
        rejections: Sequence[Rejection],
        call: IdempotentCall | None,
    ) -> bytes:
        answer = {
            "request_id": plan.request_id,
            "accepted": [{"key": str(index), "message_id": message_id} for index, message_id in accepted],
            "rejected": [{"key": str(item.key), "message": item.message} for item in rejections],
        }
        return await self._write_together(plan, orjson.dumps(answer), call)

    def _write(self, connection: Connection, acceptances: Sequence[Acceptance]) -> Sequence[bytes | UsedForAnotherCall]:
        rows, outcomes = [], []
        for acceptance in acceptances:
            outcome = self._first_answer(connection, acceptance)
            outcomes.append(outcome or acceptance.answer)
            if outcome is None:
                rows += [plan.journal_row() for plan in acceptance.plans if plan.contents]
        journal.add(connection, rows)
        measures.committed(len(acceptances), len(rows))
        return outcomes

    def _first_answer(self, connection: Connection, acceptance: Acceptance) -> bytes | UsedForAnotherCall | None:
        if acceptance.idempotent_call is None:
            return None
        try:
            return claim(connection, acceptance.idempotent_call, acceptance.answer, self._clock.now())
        except UsedForAnotherCall as refusal:
            return refusal
