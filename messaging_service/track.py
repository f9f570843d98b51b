"""Step 6: what operators answer and report moves messages on, by the one table of transitions, never backwards."""

from collections.abc import Sequence

from interface.results import Result, ResultCode, may_follow
from messaging_service.channels.channel import Receipt
from messaging_service.clock import Clock, Milliseconds
from messaging_service.message import Message, Move
from messaging_service.process import flow
from messaging_service.record import record
from messaging_service.running import measures
from messaging_service.store import messages
from messaging_service.store.engine import Store

_FAILURES = frozenset({Result.UNDELIVERED, Result.FAILED})
_CODES = {
    Result.DELIVERED: ResultCode.DELIVERED,
    Result.SEEN: ResultCode.DELIVERED,
    Result.UNDELIVERED: ResultCode.UNDELIVERED,
    Result.FAILED: ResultCode.FAILED,
}


class Tracker:
    """Records what operators say, a batch in one transaction."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self.clock = clock

    def record(self, receipts: Sequence[Receipt]) -> list[Message]:
        """Move messages on, one receipt after another, so that each result on the way is told. Returns what moved.

        A repeated, late or backward receipt, or one of a step that the flow has left behind, changes nothing.
        """
        while True:
            try:
                return self._record(receipts)
            except messages.MovedMeanwhile:  # an answer was recorded between reading and writing: look again
                continue

    def _record(self, receipts: Sequence[Receipt]) -> list[Message]:
        now = self.clock.now()
        with self._store.claiming() as claim:
            current = messages.with_ids(claim.reading, {receipt.message_id for receipt in receipts})
            moves = _follow(current, receipts, now)
            if moves:
                with claim.writing() as connection:
                    record(connection, moves, now)
        measures.moved(moves)
        return [move.after for move in moves]

    def record_answers(self, submitted: Sequence[Message], receipts: Sequence[Receipt]) -> None:
        """Do as ``record``, for messages that this process has just handed over and so knows without reading them.

        So nothing is claimed, and no turn is waited for. Where a receipt was faster than the answer that it follows,
        they are read after all.
        """
        now = self.clock.now()
        moves = _follow({message.message_id: message for message in submitted}, receipts, now)
        try:
            with self._store.writing() as connection:
                record(connection, moves, now)
        except messages.MovedMeanwhile:
            self.record(receipts)
        else:
            measures.moved(moves)

    def postpone(self, throttled: Sequence[tuple[Message, Milliseconds]]) -> None:
        """Have messages handed over again, of which the operator said that it doesn't have them, after a wait each."""
        now = self.clock.now()
        wait = {(message.message_id, message.flow_index): retry_in for message, retry_in in throttled}
        with self._store.claiming() as claim:
            current = messages.with_ids(claim.reading, {message_id for message_id, _ in wait}).values()
            moves = [
                Move(message, _throttled(message, now + wait[message.message_id, message.flow_index]))
                for message in current
                if message.state is Result.SENDING and (message.message_id, message.flow_index) in wait
            ]
            with claim.writing() as connection:
                record(connection, moves, now)


def _follow(current: dict[str, Message], receipts: Sequence[Receipt], now: Milliseconds) -> list[Move]:
    moves: list[Move] = []
    for receipt in receipts:
        before = current.get(receipt.message_id)
        after = None if before is None else moved(before, receipt, now)
        if before is not None and after is not None:
            moves.append(Move(before, after))
            current[receipt.message_id] = after
    return moves


def moved(message: Message, receipt: Receipt, now: Milliseconds) -> Message | None:
    """Return the message as a receipt leaves it, None when the receipt changes nothing."""
    if receipt.flow_index != message.flow_index or not may_follow(message.state, receipt.result):
        return None
    if receipt.result in _FAILURES:
        return _failed(message, receipt, now)
    # An operator's clock may be behind ours, but nothing happens before what led to it.
    at = max(receipt.at, message.ts_sent or 0, message.ts_delivered or 0)
    return message._replace(
        state=receipt.result,
        code=_CODES.get(receipt.result) if receipt.code is None else receipt.code,
        reason=receipt.reason,
        due_at=flow.waits_until(message, receipt.result),
        in_doubt=False,
        ts_sent=message.ts_sent or at,
        ts_delivered=message.ts_delivered or (None if receipt.result is Result.SENT else at),
        ts_seen=at if receipt.result is Result.SEEN else message.ts_seen,
        ts_updated=now,
    )


def _throttled(message: Message, until: Milliseconds) -> Message:
    """Wait for the operator, or for the end of the step's time if that is sooner."""
    ends = flow.waits_until(message, message.state)
    return message._replace(in_doubt=False, due_at=until if ends is None else min(until, ends))


def _failed(message: Message, receipt: Receipt, now: Milliseconds) -> Message:
    # Only what the operator took can be undelivered, though its answer may come to us after the receipt.
    sent_at = receipt.at if receipt.result is Result.UNDELIVERED else None
    never_left = message.state is Result.SENDING and receipt.result is Result.FAILED
    billed = flow.refunded(message) if never_left else message
    ended = billed._replace(
        ts_sent=message.ts_sent or sent_at,
        state=receipt.result,
        code=_CODES[receipt.result] if receipt.code is None and receipt.reason is None else receipt.code,
        reason=receipt.reason,
    )
    return flow.end(ended, now)
