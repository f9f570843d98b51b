"""The simulated operator as a way out: takes batches, remembers them for good, sends receipts and answers later."""

import asyncio
import random
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from sqlalchemy import RowMapping
from sqlalchemy.exc import IntegrityError

from interface.results import Result, ResultCode
from messaging_service.channels.channel import Answer, OnInbound, OnReceipts, Receipt, Submission, Taken
from messaging_service.channels.simulated import log
from messaging_service.channels.simulated.behaviour import Behaviour, behaviour
from messaging_service.channels.simulated.telephones import Telephones, inbound_of
from messaging_service.clock import SECOND, Clock, Milliseconds
from messaging_service.running.waking import Waker
from messaging_service.store.engine import Store

Known = AbstractSet[log.Identity]

THROTTLED_FOR: Milliseconds = 1 * SECOND
RECEIPTS_A_BATCH = 1000
RESEND_AFTER: Milliseconds = 30 * SECOND
"""When receipts are sent again that nobody confirmed, since their process died."""
_POLL_SECONDS = 0.5
_BREATH_SECONDS = 0.01  # so that receipts gather into batches
_CODES = {
    Result.DELIVERED: ResultCode.DELIVERED,
    Result.UNDELIVERED: ResultCode.UNDELIVERED,
}


@dataclass(frozen=True, slots=True)
class Reports:
    """Whom the operator tells of what happened."""

    on_receipts: OnReceipts
    on_inbound: OnInbound


@dataclass(frozen=True, slots=True)
class Delay:
    """How long the network takes for a receipt, at least and at most."""

    least: Milliseconds
    most: Milliseconds


class SimulatedOperator:
    """A network that delivers to every number that ``behaviour`` doesn't list. It takes a message once, by its id."""

    recognises_repeats = True

    def __init__(self, records: Store, clock: Clock, delay: Delay, reports: Reports) -> None:
        self._records = records
        self._clock = clock
        self._delay = delay
        self._reports = reports
        self._telephones = Telephones(records, clock)
        self._random = random.Random()  # noqa: S311 - delays, not secrets
        self._waker = Waker()

    async def submit(self, submissions: Sequence[Submission]) -> Sequence[Answer]:
        """Take messages. A message that was taken before is answered as then and not delivered again."""
        answers = await asyncio.to_thread(self._take, submissions)
        self._waker.wake()
        return answers

    async def run(self) -> None:
        """Send receipts and answers as they fall due, until cancelled."""
        while True:
            self._waker.begin()
            if not await self.send_due_receipts() + await self.report_due_answers():
                await self._waker.sleep(await asyncio.to_thread(self._seconds_to_next))

    async def send_due_receipts(self) -> int:
        """Send the receipts that are due now. Returns how many; those of a process that died are sent again later."""
        due = await asyncio.to_thread(self._claim_receipts)
        if due:
            await self._reports.on_receipts([_receipt(row) for row in due])
            await asyncio.to_thread(self._forget_receipts, due)
        return len(due)

    async def report_due_answers(self) -> int:
        """Report what telephones have written, as ``send_due_receipts`` does with receipts."""
        due = await asyncio.to_thread(self._telephones.claim_due)
        if due:
            await self._reports.on_inbound([inbound_of(row) for row in due])
            await asyncio.to_thread(self._telephones.confirm, due)
        return len(due)

    def _take(self, submissions: Sequence[Submission]) -> list[Answer]:
        """Take messages as new ones, which they are but after a crash; look for repeats only when one shows."""
        try:
            return self._take_but(submissions, frozenset(), frozenset())
        except IntegrityError:
            message_ids = [submission.message_id for submission in submissions]
            with self._records.reading() as connection:
                repeats = log.known(connection, log.taken, message_ids)
                warned = log.known(connection, log.throttled, message_ids)
            return self._take_but(submissions, repeats, warned)

    def _take_but(self, submissions: Sequence[Submission], repeats: Known, warned: Known) -> list[Answer]:
        now = self._clock.now()
        answers, taken, throttled, receipts, written = [], [], [], [], []
        for submission in submissions:
            identity = (submission.message_id, submission.flow_index)
            treatment = behaviour(submission.phone_number, submission.channel)
            answer = _answer(treatment, is_first=identity not in warned and identity not in repeats)
            answers.append(answer)
            if answer.taken is Taken.LATER:
                throttled.append({"message_id": identity[0], "flow_index": identity[1]})
            elif answer.taken is Taken.YES and identity not in repeats:
                taken.append(_row(submission, now))
                receipts += self._receipts(identity, treatment, now)
                if treatment.answer:
                    written.append((submission, treatment.answer, receipts[-1]["due_at"] + self._some_delay()))
        with self._records.writing() as connection:
            log.add(connection, log.throttled, throttled)
            log.add(connection, log.taken, taken)
            log.add(connection, log.receipts, receipts)
            for answer_of_telephone in written:
                self._telephones.answer(connection, *answer_of_telephone)
        return answers

    def _receipts(self, identity: log.Identity, treatment: Behaviour, now: Milliseconds) -> list[log.Row]:
        rows: list[log.Row] = []
        due_at = now
        for position, result in enumerate(treatment.receipts):
            due_at += self._some_delay()
            rows.append(
                {
                    "message_id": identity[0],
                    "flow_index": identity[1],
                    "position": position,
                    "result": result.value,
                    "due_at": due_at,
                },
            )
        return rows

    def _some_delay(self) -> Milliseconds:
        return self._random.randint(self._delay.least, self._delay.most)

    def _claim_receipts(self) -> Sequence[RowMapping]:
        now = self._clock.now()
        with self._records.reading() as connection:
            if (log.next_receipt(connection) or now + 1) > now:
                return []
        with self._records.writing() as connection:
            due = log.due_receipts(connection, now, RECEIPTS_A_BATCH)
            if due:
                log.postpone(connection, due, now + RESEND_AFTER)
            return due

    def _forget_receipts(self, rows: Sequence[RowMapping]) -> None:
        with self._records.writing() as connection:
            log.forget(connection, rows)

    def _seconds_to_next(self) -> float:
        with self._records.reading() as connection:
            moments = (log.next_receipt(connection), log.next_answer(connection))
        due_at = min((moment for moment in moments if moment is not None), default=None)
        if due_at is None:
            return _POLL_SECONDS
        return min(max((due_at - self._clock.now()) / 1000, _BREATH_SECONDS), _POLL_SECONDS)


def _answer(treatment: Behaviour, *, is_first: bool) -> Answer:
    if treatment.refuses:
        return Answer(Taken.NO, code=ResultCode.FAILED)
    if treatment.throttles_first and is_first:
        return Answer(Taken.LATER, retry_in=THROTTLED_FOR)
    return Answer(Taken.YES)


def _row(submission: Submission, now: Milliseconds) -> log.Row:
    return {
        "message_id": submission.message_id,
        "flow_index": submission.flow_index,
        "channel": submission.channel.value,
        "sender": submission.sender,
        "phone_number": submission.phone_number,
        "text": _shown(submission),
        "taken_at": now,
    }


def _shown(submission: Submission) -> str:
    """Return what stands on the telephone: the network has no templates' texts, so of those their names and values."""
    template, button = submission.template, submission.button
    if template is not None:
        values = ", ".join((*template.header, *template.body, *template.buttons))
        return f"[{template.name}, {template.language}] {values}".rstrip()
    return submission.text if button is None else f"{submission.text}\n[{button.title}] {button.url}"


def _receipt(row: RowMapping) -> Receipt:
    result = Result(row["result"])
    return Receipt(row["message_id"], row["flow_index"], result, row["due_at"], _CODES.get(result))
