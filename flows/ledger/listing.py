"""Every batch and every recipient of a campaign, page by page: for a person who looks, however many there are."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Column, Row, Select, func, select

from flows.ledger.database import Ledger
from flows.ledger.tables import batches, recipients

PAGE = 5_000
Line = TypeVar("Line")


@dataclass(frozen=True)
class ListedBatch:
    """A batch as it stands; times are Unix seconds, ``doubt`` says why nobody knows what became of its call."""

    batch: str
    wave: int
    way: str
    state: str
    recipients: int
    attempts: int
    claimed_at: float | None
    answered_at: float | None
    request_id: str | None
    tag: str
    doubt: str | None


@dataclass(frozen=True)
class ListedRecipient:
    """A recipient as it stands, with the state of the batch in which it is; prices are millionths of a unit."""

    phone_number: str
    line: int
    wave: int
    batch: str
    batch_state: str
    result: str
    message_id: str | None
    reason: str | None
    parts: int
    price_czk: int
    price_eur: int
    updated_at: float | None


def listed_batches(ledger: Ledger, campaign_id: str, state: str | None = None) -> Iterator[ListedBatch]:
    """List a campaign's batches in the order of the plan; only those in this state, where one is given."""
    people = select(func.count()).where(recipients.c.batch_id == batches.c.id).scalar_subquery()
    chosen = batches.c.campaign_id == campaign_id
    if state is not None:
        chosen &= batches.c.state == state
    query = select(batches, people.label("recipients")).where(chosen).order_by(batches.c.position)
    yield from _pages(ledger, query, batches.c.position, _batch)


def listed_recipients(ledger: Ledger, campaign_id: str, result: str | None = None) -> Iterator[ListedRecipient]:
    """List a campaign's recipients by number; only those with this result, where one is given."""
    chosen = recipients.c.campaign_id == campaign_id
    if result is not None:
        chosen &= recipients.c.result == result
    query = (
        select(recipients, batches.c.wave, batches.c.state)
        .join_from(recipients, batches, recipients.c.batch_id == batches.c.id)
        .where(chosen)
        .order_by(recipients.c.phone_number)
    )
    yield from _pages(ledger, query, recipients.c.phone_number, _recipient)


def _pages(ledger: Ledger, query: Select[Any], place: Column[Any], line: Callable[[Row[Any]], Line]) -> Iterator[Line]:
    """Read some rows at a time, so that no transaction stays open while somebody looks at them."""
    following = query
    while True:
        with ledger.read() as connection:
            rows = connection.execute(following.limit(PAGE)).all()
        yield from map(line, rows)
        if len(rows) < PAGE:
            return
        following = query.where(place > getattr(rows[-1], place.name))


def _batch(row: Row[Any]) -> ListedBatch:
    return ListedBatch(
        batch=row.id,
        wave=row.wave,
        way=row.way,
        state=row.state,
        recipients=row.recipients,
        attempts=row.attempts,
        claimed_at=row.claimed_at,
        answered_at=row.answered_at,
        request_id=row.request_id,
        tag=row.tag,
        doubt=row.doubt,
    )


def _recipient(row: Row[Any]) -> ListedRecipient:
    return ListedRecipient(
        phone_number=row.phone_number,
        line=row.line,
        wave=row.wave,
        batch=row.batch_id,
        batch_state=row.state,
        result=row.result,
        message_id=row.message_id,
        reason=row.reason,
        parts=row.parts,
        price_czk=row.price_czk,
        price_eur=row.price_eur,
        updated_at=row.updated_at,
    )
