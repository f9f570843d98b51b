"""Cancels what is still scheduled: an upload, a message, or a message object with all its recipients."""

from collections.abc import Iterator
from itertools import count

from interface.bulk import BulkCancel
from interface.message import MAX_RECIPIENTS
from messaging_service.accept.filing import Filer
from messaging_service.clock import Clock
from messaging_service.refusals import Conflict, NotFound
from messaging_service.store import bulk, bulk_cancellations
from messaging_service.store.engine import Store

_TOO_LATE = "It is not scheduled any more."
_NAMES_AT_ONCE = 1000


class Cancelling:
    """Takes schedules back. One conditional statement decides: whoever works on it meanwhile, one of the two wins."""

    def __init__(self, store: Store, clock: Clock, filer: Filer) -> None:
        self._store = store
        self._clock = clock
        self._filer = filer

    def cancel(self, key_id: int, wanted: BulkCancel) -> None:
        """Cancel what a key names. Raises NotFound for what the key doesn't have, Conflict when it is too late."""
        if wanted.bulk_id is not None:
            self._cancel_upload(key_id, wanted.bulk_id)
        elif wanted.message_id is not None:
            self._cancel_messages(key_id, wanted.message_id)

    def _cancel_upload(self, key_id: int, bulk_id: str) -> None:
        with self._store.writing() as connection:
            if bulk.cancel(connection, key_id, bulk_id, self._clock.now()):
                return
            if bulk.of_key(connection, key_id, bulk_id) is None:
                raise NotFound("This key has no upload with this bulk_id.")
        raise Conflict(_TOO_LATE)

    def _cancel_messages(self, key_id: int, message_id: str) -> None:
        self._filer.catch_up()  # what was accepted just now can be cancelled too
        cancelled, known = 0, False
        with self._store.writing() as connection:
            for names in _names(message_id):
                cancelled += bulk_cancellations.cancel(connection, key_id, names, self._clock.now())
                known = known or bulk_cancellations.exist(connection, key_id, names)
                if not bulk_cancellations.exist(connection, key_id, names[-1:]):
                    break
        if not known:
            raise NotFound("This key has no message with this message_id.")
        if not cancelled:
            raise Conflict(_TOO_LATE)


def _names(message_id: str) -> Iterator[list[str]]:
    """Yield what recipients of a message may be called: at first as many as most have, for XML can have thousands."""
    yield [message_id, *(f"{message_id}-{index}" for index in range(MAX_RECIPIENTS))]
    for start in count(MAX_RECIPIENTS, _NAMES_AT_ONCE):
        yield [f"{message_id}-{index}" for index in range(start, start + _NAMES_AT_ONCE)]
