"""One call for one batch, and what is known after it."""

from dataclasses import dataclass

from flows.ledger import Answer, Batch, NothingTaken, Outcome, Unknown, Uploaded, Way
from flows.problems import LedgerProblem
from flows.sending.fence import fenced
from flows.sending.messages import message_requests
from flows.sending.outbox import Outbox
from flows.sending.uploads import upload
from interface.errors import (
    ConnectionFailed,
    DovecoteError,
    Forbidden,
    Invalid,
    NotFound,
    TooManyRequests,
    Unauthorized,
)
from interface.responses import SendResponse

NOTHING_TAKEN = (ConnectionFailed, TooManyRequests, Unauthorized, Forbidden, Invalid, NotFound)
"""Errors after which the provider certainly took nothing of the call."""


@dataclass(frozen=True)
class Called:
    """What is known of a batch after its call, and what went wrong."""

    batch: Batch
    outcome: Outcome
    error: Exception | None = None


async def call(outbox: Outbox, batch: Batch) -> Called:
    """Send a batch for the first time."""
    try:
        with fenced(outbox.lease, batch):
            return Called(batch, await _sent(outbox, batch))
    except LedgerProblem as reason:
        return Called(batch, NothingTaken(), reason)
    except NOTHING_TAKEN as error:
        return Called(batch, NothingTaken(), error)
    except DovecoteError as error:
        return Called(batch, Unknown(type(error).__name__), error)


async def call_again(outbox: Outbox, batch: Batch) -> Called:
    """Send a batch under the same idempotency key. Whatever this call meets, the first one may have been taken."""
    try:
        return Called(batch, await _sent(outbox, batch))
    except DovecoteError as error:
        return Called(batch, Unknown(type(error).__name__), error)


async def _sent(outbox: Outbox, batch: Batch) -> Outcome:
    if batch.way is Way.BULK:
        await upload(outbox.provider, batch, outbox.settings, outbox.sleep)
        return Uploaded()
    messages = list(message_requests(batch, outbox.settings))
    return _answer(await outbox.provider.client.send_many(messages, idempotency_key=batch.id))


def _answer(response: SendResponse) -> Answer:
    return Answer(
        request_id=response.request_id,
        accepted={int(item.key): item.message_id for item in response.accepted},
        rejected={int(item.key): item.message for item in response.rejected},
    )
