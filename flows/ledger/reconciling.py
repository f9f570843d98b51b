"""What the ledger holds against the provider: batches with what it believes about each of their recipients."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import exists, select

from flows.ledger.database import Ledger
from flows.ledger.following import UNFINISHED
from flows.ledger.records import BatchState, Way
from flows.ledger.tables import batches, recipients
from interface.results import Result


@dataclass(frozen=True)
class Believed:
    """What the ledger believes about a recipient: where it was read, its message and its result."""

    line: int
    message_id: str | None
    result: str

    @property
    def waits(self) -> bool:
        """Whether it was taken by the provider and has no final result yet."""
        return self.result in UNFINISHED

    @property
    def is_on_its_way(self) -> bool:
        """Whether it was taken by the provider and not yet handed to an operator."""
        return self.result in {Result.ACCEPTED, Result.SENDING}


@dataclass(frozen=True)
class BelievedBatch:
    """An answered batch; times are Unix seconds, ``recipients`` are by phone number."""

    id: str
    tag: str
    way: Way
    first_claimed_at: float
    answered_at: float
    recipients: Mapping[str, Believed]


@dataclass(frozen=True)
class OpenBatch:
    """A batch that was claimed and never answered."""

    id: str
    wave: int
    way: Way


def open_batches(ledger: Ledger, campaign_id: str) -> list[OpenBatch]:
    """List the batches of a campaign whose outcome nobody knows, in the order of the plan."""
    open_states = (BatchState.CLAIMED, BatchState.IN_DOUBT)
    query = (
        select(batches.c.id, batches.c.wave, batches.c.way)
        .where(batches.c.campaign_id == campaign_id, batches.c.state.in_(open_states))
        .order_by(batches.c.position)
    )
    with ledger.read() as connection:
        return [OpenBatch(row.id, row.wave, Way(row.way)) for row in connection.execute(query)]


def answered_batches(ledger: Ledger, campaign_id: str, *, unfinished: bool) -> list[str]:
    """List the answered batches of a campaign; ``unfinished``: only those with a recipient without a final result."""
    query = select(batches.c.id).where(batches.c.campaign_id == campaign_id, batches.c.state == BatchState.ANSWERED)
    if unfinished:
        query = query.where(exists().where(recipients.c.batch_id == batches.c.id, recipients.c.result.in_(UNFINISHED)))
    with ledger.read() as connection:
        return list(connection.scalars(query.order_by(batches.c.position)))


def believed(ledger: Ledger, batch_id: str) -> BelievedBatch:
    """Return what the ledger believes about an answered batch."""
    people = select(recipients.c.phone_number, recipients.c.line, recipients.c.message_id, recipients.c.result).where(
        recipients.c.batch_id == batch_id
    )
    with ledger.read() as connection:
        row = connection.execute(select(batches).where(batches.c.id == batch_id)).one()
        found = {one.phone_number: Believed(one.line, one.message_id, one.result) for one in connection.execute(people)}
    return BelievedBatch(row.id, row.tag, Way(row.way), row.first_claimed_at, row.answered_at, found)
