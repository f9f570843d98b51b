"""What became of the messages: the last known result of each recipient, and the sums."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import func, select

from flows.ledger.database import Ledger
from flows.ledger.tables import batches, recipients
from interface.results import Result

FAILED = ("refused", Result.REJECTED, Result.UNDELIVERED, Result.FAILED)
"""Results of those who didn't get the message."""


@dataclass(frozen=True)
class UnsentLine:
    """A line of the source whose recipient was refused or rejected, and the provider's reason."""

    line: int
    reason: str


@dataclass(frozen=True)
class Failure:
    """Somebody who didn't get the message, and why, as far as it is known."""

    line: int
    phone_number: str
    message_id: str | None
    result: str
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


def networks(ledger: Ledger, campaign_id: str) -> dict[str, int]:
    """Add up to which networks a campaign's messages went, as far as the provider has told."""
    query = select(batches.c.networks).where(batches.c.campaign_id == campaign_id, batches.c.networks.is_not(None))
    with ledger.read() as connection:
        return _sums(pair for told in connection.scalars(query) for pair in told.items())


def totals_by_wave(ledger: Ledger, campaign_id: str) -> dict[int, Mapping[str, int]]:
    """Count the recipients of each wave by result."""
    query = (
        select(batches.c.wave, recipients.c.result, func.count().label("number"))
        .join_from(recipients, batches, recipients.c.batch_id == batches.c.id)
        .where(recipients.c.campaign_id == campaign_id)
        .group_by(batches.c.wave, recipients.c.result)
        .order_by(batches.c.wave)
    )
    counted: dict[int, dict[str, int]] = {}
    with ledger.read() as connection:
        for row in connection.execute(query):
            counted.setdefault(row.wave, {})[row.result] = row.number
    return dict(counted)


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


def unsent_lines(ledger: Ledger, campaign_id: str) -> list[UnsentLine]:
    """List who was refused or rejected, by line."""
    query = (
        select(recipients.c.line, recipients.c.reason)
        .where(recipients.c.campaign_id == campaign_id, recipients.c.result.in_(("refused", Result.REJECTED)))
        .order_by(recipients.c.line)
    )
    with ledger.read() as connection:
        return [UnsentLine(row.line, row.reason or "no reason given") for row in connection.execute(query)]


def failures(ledger: Ledger, campaign_id: str) -> list[Failure]:
    """List everybody to whom the message was refused, or not delivered, by line."""
    query = (
        select(recipients)
        .where(recipients.c.campaign_id == campaign_id, recipients.c.result.in_(FAILED))
        .order_by(recipients.c.line)
    )
    with ledger.read() as connection:
        return [
            Failure(row.line, row.phone_number, row.message_id, row.result, row.reason or row.result)
            for row in connection.execute(query)
        ]


def batch_states(ledger: Ledger, campaign_id: str) -> dict[str, int]:
    """Count a campaign's batches by state."""
    query = (
        select(batches.c.state, func.count().label("number"))
        .where(batches.c.campaign_id == campaign_id)
        .group_by(batches.c.state)
    )
    with ledger.read() as connection:
        return {row.state: row.number for row in connection.execute(query)}


def _sums(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for key, number in pairs:
        sums[key] = sums.get(key, 0) + number
    return sums
