"""Look a batch up at the provider by its own tag (specification, section 4.3, ``GET /messages``)."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from flows.ledger import Batch
from flows.provider import Provider


async def find_sent(provider: Provider, batch: Batch, now: float) -> dict[str, str]:
    """Return phone number to message id of those of the batch's recipients whom the provider lists.

    Looks at every UTC date on which it may have been accepted: from that of its first claim to the day after its last.
    """
    wanted = frozenset(batch.phone_numbers)
    found: dict[str, str] = {}
    last = min(now, (batch.claimed_at or now) + timedelta(days=1).total_seconds())
    for day in utc_dates(batch.first_claimed_at or now, last):
        async for row in provider.client.messages(day, tag=batch.tag, subid=provider.subid):
            number = digits(row.phone_number)
            if number in wanted:
                found[number] = row.message_id
    return found


def utc_dates(first: float, last: float) -> Iterator[date]:
    """Count through the UTC dates from one moment (Unix seconds) to another."""
    day = datetime.fromtimestamp(first, UTC).date()
    end = datetime.fromtimestamp(last, UTC).date()
    while day <= end:
        yield day
        day += timedelta(days=1)


def digits(phone_number: str) -> str:
    """Write a provider's number as the ledger does: digits only, no leading zeros."""
    written = phone_number if phone_number.isdecimal() else "".join(filter(str.isdecimal, phone_number))
    return written.lstrip("0")
