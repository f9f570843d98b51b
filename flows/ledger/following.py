"""Follow what the provider has taken: which results are still to come, and the newest that did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import String, bindparam, case, func, or_, select, update

from flows.ledger.database import Ledger
from flows.ledger.records import BatchState, Delivery, Way
from flows.ledger.tables import batches, recipients
from interface.results import FINAL, Result

UNFINISHED = frozenset(Result) - FINAL
"""Results after which a campaign still waits for another; ``sent`` may stay for ever without a receipt (section 3)."""


@dataclass(frozen=True)
class FollowedBatch:
    """An answered batch with recipients who wait for a result: how many it has, and how many of them wait.

    ``first_claimed_at`` and ``answered_at`` (Unix seconds) enclose the moment at which the provider accepted it.
    """

    id: str
    tag: str
    way: Way
    first_claimed_at: float
    answered_at: float
    recipients: int
    waiting: int


@dataclass(frozen=True)
class OpenResults:
    """How many messages that the provider has taken wait: for the operator, or only for a receipt."""

    waiting: int
    without_receipt: int


def batches_to_follow(ledger: Ledger, campaign_id: str) -> list[FollowedBatch]:
    """List the answered batches of a campaign that have recipients without a final result."""
    waits = case((recipients.c.result.in_(UNFINISHED), 1), else_=0)
    query = (
        select(
            batches.c.id,
            batches.c.tag,
            batches.c.way,
            batches.c.first_claimed_at,
            batches.c.answered_at,
            func.count().filter(recipients.c.result != "refused").label("recipients"),
            func.sum(waits).label("waiting"),
        )
        .join_from(recipients, batches, recipients.c.batch_id == batches.c.id)
        .where(recipients.c.campaign_id == campaign_id, batches.c.state == BatchState.ANSWERED)
        .group_by(batches.c.id)
        .having(func.sum(waits) > 0)
        .order_by(batches.c.position)
    )
    with ledger.read() as connection:
        rows = connection.execute(query).all()
    return [
        FollowedBatch(
            row.id, row.tag, Way(row.way), row.first_claimed_at, row.answered_at, row.recipients, int(row.waiting)
        )
        for row in rows
    ]


def waiting_in(ledger: Ledger, batch_ids: Sequence[str]) -> dict[str, dict[str, Result]]:
    """Return those of batches who wait for a result, by batch and phone number, with the last known one."""
    query = select(recipients.c.batch_id, recipients.c.phone_number, recipients.c.result).where(
        recipients.c.batch_id.in_(batch_ids), recipients.c.result.in_(UNFINISHED)
    )
    waiting: dict[str, dict[str, Result]] = {batch_id: {} for batch_id in batch_ids}
    with ledger.read() as connection:
        for batch_id, number, result in connection.execute(query):
            waiting[batch_id][number] = Result(result)
    return waiting


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


def record_deliveries(ledger: Ledger, deliveries: Mapping[str, Mapping[str, Delivery]]) -> None:
    """Keep the newest results of recipients, by batch and phone number."""
    rows = [
        {
            "batch": batch_id,
            "number": number,
            "new_result": delivery.result,
            "new_reason": delivery.reason,
            "new_parts": delivery.parts,
            "new_czk": delivery.price_czk,
            "new_eur": delivery.price_eur,
            "new_id": delivery.message_id,
        }
        for batch_id, of_batch in deliveries.items()
        for number, delivery in of_batch.items()
    ]
    if not rows:
        return
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
            message_id=func.coalesce(bindparam("new_id", type_=String), recipients.c.message_id),
            updated_at=ledger.now(),
        )
    )
    with ledger.write() as connection:
        connection.execute(newest, rows)


def record_networks(ledger: Ledger, networks: Mapping[str, Mapping[str, int]]) -> None:
    """Keep to which networks the messages of batches went: by batch, messages by network code (2.6)."""
    if not networks:
        return
    rows = [{"batch": batch_id, "told": dict(counted)} for batch_id, counted in networks.items()]
    told = update(batches).where(batches.c.id == bindparam("batch")).values(networks=bindparam("told"))
    with ledger.write() as connection:
        connection.execute(told, rows)


@dataclass(frozen=True)
class Waiting:
    """What the provider has taken and not sent: a message object, or a file by its ``bulk_id``, with its people."""

    batch_id: str
    bulk_id: str | None
    message_id: str | None
    phone_numbers: tuple[str, ...]


def waiting_at_provider(ledger: Ledger, campaign_id: str) -> list[Waiting]:
    """List what may still be cancelled at the provider, as far as is known."""
    query = (
        select(batches.c.id, batches.c.way, recipients)
        .join_from(recipients, batches, recipients.c.batch_id == batches.c.id)
        .where(recipients.c.campaign_id == campaign_id, recipients.c.result == Result.ACCEPTED)
        .where(batches.c.state == BatchState.ANSWERED)
        .order_by(batches.c.position, recipients.c.object_index, recipients.c.recipient_index)
    )
    people: dict[tuple[str, str | None, str | None], list[str]] = {}
    with ledger.read() as connection:
        for row in connection.execute(query):
            # The lines of a file that was read have ids of their own, and are cancelled by them.
            of_file = Way(row.way) is Way.BULK and row.message_id is None
            message_id = None if of_file else (row.message_id or "").removesuffix(f"-{row.recipient_index}")
            key = (row.batch_id, row.batch_id if of_file else None, message_id)
            people.setdefault(key, []).append(row.phone_number)
    return [Waiting(*key, tuple(numbers)) for key, numbers in people.items()]
