"""What a person decides about messages held in doubt: an operator may have them, and can't recognise a repeat."""

from collections.abc import Callable, Collection

from interface.results import Result, ResultCode
from messaging_service.channels.channel import Receipt
from messaging_service.clock import Clock, Milliseconds
from messaging_service.message import Message, Move
from messaging_service.record import record
from messaging_service.store import messages
from messaging_service.store.engine import Store
from messaging_service.track import moved

GIVEN_UP = "Held in doubt and given up"
_BATCH = 1000


class Held:
    """Decides about held messages: those of these ids, or all. What isn't held any more is left alone."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def resend(self, message_ids: Collection[str] | None = None) -> int:
        """Have messages handed over once more, at the risk of arriving twice. Returns how many."""
        return self._decide(message_ids, lambda message, now: message._replace(in_doubt=False, due_at=now))

    def fail(self, message_ids: Collection[str] | None = None) -> int:
        """Take messages for failed: they are refunded and told, or go on with the next step. Returns how many."""
        return self._decide(message_ids, _failed)

    def _decide(
        self,
        message_ids: Collection[str] | None,
        decision: Callable[[Message, Milliseconds], Message | None],
    ) -> int:
        decided = 0
        while moves := self._batch(message_ids, decision):
            decided += moves
        return decided

    def _batch(
        self, message_ids: Collection[str] | None, decision: Callable[[Message, Milliseconds], Message | None]
    ) -> int:
        now = self._clock.now()
        with self._store.writing() as connection:  # from the question on, so that two people don't decide differently
            held = messages.held(connection, _BATCH, message_ids)
            outcomes = [(message, decision(message, now)) for message in held]
            moves = [Move(before, after) for before, after in outcomes if after is not None]
            record(connection, moves, now)
        return len(moves)


def _failed(message: Message, now: Milliseconds) -> Message | None:
    return moved(
        message, Receipt(message.message_id, message.flow_index, Result.FAILED, now, ResultCode.FAILED, GIVEN_UP), now
    )
