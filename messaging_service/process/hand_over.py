"""Hands messages to their channels, outside every transaction, and records what the operators say."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import structlog

from interface.flow_steps import Channel
from interface.results import Result
from messaging_service.channels.channel import Answer, Receipt, Submission, Taken, WayOut
from messaging_service.clock import Milliseconds
from messaging_service.message import Message
from messaging_service.process.phase_two import submission
from messaging_service.process.steps import step_of
from messaging_service.track import Tracker

log = structlog.get_logger(__name__)

_RESULTS = {Taken.YES: Result.SENT, Taken.NO: Result.FAILED}

ANSWER_WITHIN_SECONDS = 45
"""How long an operator has to answer a batch: within the lease, and so that a dead line holds nobody else up."""
_PAUSES_SECONDS = (0.0, 0.1, 0.5, 2.0)
"""Before each try to record what an operator answered; all within the lease."""
FillIn = Callable[[Sequence[Submission]], Awaitable[Sequence[Submission]]]
"""Puts into submissions what the store doesn't hold in clear."""


async def _as_stored(submissions: Sequence[Submission]) -> Sequence[Submission]:
    return submissions


class HandOver:
    """Submits batches. ``on_moved`` is called after each record, to wake whom it concerns."""

    def __init__(
        self,
        tracker: Tracker,
        ways_out: Mapping[Channel, WayOut],
        on_moved: Callable[[], None],
        fill_in: FillIn = _as_stored,
    ) -> None:
        self._tracker = tracker
        self._ways_out = ways_out
        self._on_moved = on_moved
        self._fill_in = fill_in

    async def submit(self, outgoing: Sequence[Message]) -> None:
        """Submit charged messages. Those that an operator doesn't answer stay in doubt until their lease ends."""
        by_channel: dict[Channel, list[Message]] = {}
        for message in outgoing:
            by_channel.setdefault(step_of(message).channel, []).append(message)
        for channel, chosen in by_channel.items():
            await self._submit(channel, chosen)

    async def _submit(self, channel: Channel, chosen: Sequence[Message]) -> None:
        try:
            submissions = await self._fill_in([submission(message) for message in chosen])
            async with asyncio.timeout(ANSWER_WITHIN_SECONDS):
                answers = await self._ways_out[channel].submit(submissions)
        except Exception:
            log.exception("submission.in-doubt", channel=channel.value, messages=len(chosen))
            return
        await self._keep(channel, list(zip(chosen, answers, strict=True)))

    async def _keep(self, channel: Channel, answered: Sequence[tuple[Message, Answer]]) -> None:
        """Record answers, again when the store fails: what isn't recorded is in doubt when its lease ends."""
        for pause in _PAUSES_SECONDS:
            await asyncio.sleep(pause)
            try:
                await asyncio.to_thread(self._record, answered)
            except Exception:
                log.exception("answers.unrecorded", channel=channel.value, messages=len(answered))
            else:
                self._on_moved()
                return

    def _record(self, answered: Sequence[tuple[Message, Answer]]) -> None:
        now = self._tracker.clock.now()
        receipts = [_receipt(message, answer, now) for message, answer in answered if answer.taken in _RESULTS]
        if receipts:
            self._tracker.record_answers([message for message, _ in answered], receipts)
        throttled = [(message, answer.retry_in) for message, answer in answered if answer.taken is Taken.LATER]
        if throttled:
            self._tracker.postpone(throttled)


def _receipt(message: Message, answer: Answer, now: Milliseconds) -> Receipt:
    code = answer.code if answer.taken is Taken.NO else None
    return Receipt(message.message_id, message.flow_index, _RESULTS[answer.taken], now, code, answer.reason)
