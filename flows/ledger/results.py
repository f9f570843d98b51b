"""What became of the messages: the last known result of each recipient, and the sums."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlalchemy import bindparam, func, or_, select, update

from flows.ledger.database import Ledger
from flows.ledger.records import BatchState, Delivery
from flows.ledger.tables import batches, recipients
from interface.results import FINAL, Result

UNFINISHED = frozenset(Result) - FINAL
"""Results after which a campaign still waits for another; ``sent`` may stay for ever without a receipt (section 3)."""


@dataclass(frozen=True)
class FollowedBatch:
    """An answered batch with recipients who wait for a result: phone number to last known result.

    ``first_claimed_at`` and ``answered_at`` (Unix seconds) enclose the moment at which the provider accepted it.
    """

    id: str
    tag: str
    first_claimed_at: float
    answered_at: float
    waiting: Mapping[str, Result]


@dataclass(frozen=True)
class UnsentLine:
    """A line of the source whose recipient was refused or rejected, and the provider's reason."""

    line: int
    reason: str


@dataclass(frozen=True)
class Totals:
    """The sums of a campaign. ``by_result`` counts recipients; prices are millionths of a unit of the currency."""

    recipients: int = 0
    by_result: Mapping[str, int] = field(default_factory=dict)
    by_reason: Mapping[str, int] = field(default_factory=dict)
    parts: int = 0
    price_czk: int = 0
    price_eur: int = 0

    def count(self, *results: str) -> int:
        """How many recipients have one of these results."""
        return sum(self.by_result.get(result, 0) for result in results)

    @property
    def waiting(self) -> int:
        """How many have neither a final result nor been handed to the operator."""
        return self.count("planned", Result.ACCEPTED, Result.SENDING)


def batches_to_follow(ledger: Ledger, campaign_id: str) -> list[FollowedBatch]:
    """List the answered batches of a campaign that have recipients without a final result."""
    query = (
        select(
            batches.c.id,
            batches.c.tag,
            batches.c.first_claimed_at,
            batches.c.answered_at,
            recipients.c.phone_number,
            recipients.c.result,
        )
        .join_from(recipients, batches, recipients.c.batch_id == batches.c.id)
        .where(recipients.c.campaign_id == campaign_id, recipients.c.result.in_(UNFINISHED))
        .where(batches.c.state == BatchState.ANSWERED)
        .order_by(batches.c.position)
    )
    with ledger.read() as connection:
        rows = connection.execute(query).all()
    return [_followed(list(group)) for _, group in groupby(rows, key=lambda row: row.id)]


def record_deliveries(ledger: Ledger, batch_id: str, deliveries: Mapping[str, Delivery]) -> None:
    """Keep the newest results of a batch's recipients, by phone number."""
    if not deliveries:
        return
    rows = [
        {
            "batch": batch_id,
            "number": number,
            "new_result": delivery.result,
            "new_reason": delivery.reason,
            "new_parts": delivery.parts,
            "new_czk": delivery.price_czk,
            "new_eur": delivery.price_eur,
        }
        for number, delivery in deliveries.items()
    ]
    newest = (
        update(recipients)
        .where(recipients.c.batch_id == bindparam("batch"), recipients.c.phone_number == bindparam("number"))
        # Another run may have heard of its end meanwhile. Written out: a list can't be expanded for many rows.
        .where(or_(*(recipients.c.result == result for result in sorted(UNFINISHED))))
        .values(
            result=bindparam("new_result"),
            reason=bindparam("new_reason"),
            parts=bindparam("new_parts"),
            price_czk=bindparam("new_czk"),
            price_eur=bindparam("new_eur"),
            updated_at=ledger.now(),
        )
    )
    with ledger.write() as connection:
        connection.execute(newest, rows)


def totals(ledger: Ledger, campaign_id: str) -> Totals:
    """Count a campaign's recipients by result and by reason, and add up parts and prices."""
    query = (
        select(
            recipients.c.result,
            recipients.c.reason,
            func.count().label("number"),
            func.sum(recipients.c.parts).label("parts"),
            func.sum(recipients.c.price_czk).label("price_czk"),
            func.sum(recipients.c.price_eur).label("price_eur"),
        )
        .where(recipients.c.campaign_id == campaign_id)
        .group_by(recipients.c.result, recipients.c.reason)
    )
    with ledger.read() as connection:
        rows = connection.execute(query).all()
    return Totals(
        recipients=sum(row.number for row in rows),
        by_result=_sums((row.result, row.number) for row in rows),
        by_reason=_sums((row.reason, row.number) for row in rows if row.reason),
        parts=sum(int(row.parts) for row in rows),
        price_czk=sum(int(row.price_czk) for row in rows),
        price_eur=sum(int(row.price_eur) for row in rows),
    )


@dataclass(frozen=True)
class OpenResults:
    """How many messages that the provider has taken wait: for the operator, or only for a receipt."""

    waiting: int
    without_receipt: int


def open_results(ledger: Ledger, campaign_id: str) -> OpenResults:
    """Count the results that may still come of what was taken; waves that haven't gone don't count."""
    query = (
        select(recipients.c.result, func.count().label("number"))
        .join_from(recipients, batches, recipients.c.batch_id == batches.c.id)
        .where(recipients.c.campaign_id == campaign_id, recipients.c.result.in_(UNFINISHED))
        .where(batches.c.state == BatchState.ANSWERED)
        .group_by(recipients.c.result)
    )
    with ledger.read() as connection:
        counted = {row.result: row.number for row in connection.execute(query)}
    without_receipt = counted.pop(Result.SENT, 0)
    return OpenResults(sum(counted.values()), without_receipt)


def unsent_lines(ledger: Ledger, campaign_id: str) -> list[UnsentLine]:
    """List who was refused or rejected, by line."""
    query = (
        select(recipients.c.line, recipients.c.reason)
        .where(recipients.c.campaign_id == campaign_id, recipients.c.result.in_(("refused", Result.REJECTED)))
        .order_by(recipients.c.line)
    )
    with ledger.read() as connection:
        return [UnsentLine(row.line, row.reason or "no reason given") for row in connection.execute(query)]


def batch_states(ledger: Ledger, campaign_id: str) -> dict[str, int]:
    """Count a campaign's batches by state."""
    query = (
        select(batches.c.state, func.count().label("number"))
        .where(batches.c.campaign_id == campaign_id)
        .group_by(batches.c.state)
    )
    with ledger.read() as connection:
        return {row.state: row.number for row in connection.execute(query)}


def _followed(rows: Sequence[Any]) -> FollowedBatch:
    first = rows[0]
    waiting = {row.phone_number: Result(row.result) for row in rows}
    return FollowedBatch(first.id, first.tag, first.first_claimed_at, first.answered_at, waiting)


def _sums(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for key, number in pairs:
        sums[key] = sums.get(key, 0) + number
    return sums
