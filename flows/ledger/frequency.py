"""How many messages somebody has had, over all campaigns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import Connection, func, or_, select

from flows.ledger.records import BatchState
from flows.ledger.tables import batches, campaigns, recipients

NUMBERS_A_STATEMENT = 500
DAY_SECONDS = 86_400


@dataclass(frozen=True)
class FrequencyCap:
    """At most so many messages to one person within so many days, whatever the campaign."""

    messages: int
    days: float


def at_the_cap(connection: Connection, numbers: Sequence[str], cap: FrequencyCap | None, now: float) -> set[str]:
    """Return those of the numbers who have had as many messages as the cap allows, or are going to."""
    if cap is None:
        return set()
    since = now - cap.days * DAY_SECONDS
    recent = _campaigns_since(connection, since)
    capped: set[str] = set()
    for chunk in chunks(numbers):
        capped |= _written_to(connection, chunk, recent, since, cap.messages)
    return capped


def _campaigns_since(connection: Connection, since: float) -> list[str]:
    claimed = select(batches.c.campaign_id).where(batches.c.claimed_at >= since)
    planned = select(campaigns.c.id).where(campaigns.c.created_at >= since)
    return list(connection.scalars(claimed.union(planned)))


def _written_to(
    connection: Connection, numbers: Sequence[str], campaign_ids: Sequence[str], since: float, messages: int
) -> set[str]:
    sent = (batches.c.state != BatchState.PLANNED) & (batches.c.claimed_at >= since)
    going = (batches.c.state == BatchState.PLANNED) & campaigns.c.cancelled_at.is_(None)
    query = (
        select(recipients.c.phone_number)
        .join_from(recipients, batches, batches.c.id == recipients.c.batch_id)
        .join(campaigns, campaigns.c.id == recipients.c.campaign_id)
        .where(recipients.c.campaign_id.in_(campaign_ids), recipients.c.phone_number.in_(numbers))
        .where(recipients.c.result.not_in(("refused", "rejected")), or_(sent, going))
        .group_by(recipients.c.phone_number)
        .having(func.count() >= messages)
    )
    return set(connection.scalars(query))


def chunks(numbers: Iterable[str]) -> Iterator[list[str]]:
    """Share numbers out over statements."""
    rest = iter(numbers)
    while chunk := list(islice(rest, NUMBERS_A_STATEMENT)):
        yield chunk
