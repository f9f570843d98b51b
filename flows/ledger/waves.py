"""The waves of a campaign: when each may be sent, the flow run that will, and what is left of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from flows.ledger.database import Ledger
from flows.ledger.records import BatchState, PlannedWave
from flows.ledger.tables import batches, messages, waves


@dataclass(frozen=True)
class Wave:
    """A wave as it stands in the ledger; ``run_id`` is the flow run that was scheduled for it.

    ``outstanding`` counts its batches without an answer.
    """

    planned: PlannedWave
    run_id: str | None
    outstanding: int

    @property
    def number(self) -> int:
        """Its place in the plan, from 1."""
        return self.planned.number

    def is_open(self, now: float) -> bool:
        """Whether its people may be written to at this moment (Unix seconds)."""
        opens_at, closes_at = self.planned.opens_at, self.planned.closes_at
        return (opens_at is None or opens_at <= now) and (closes_at is None or now < closes_at)


def read_waves(ledger: Ledger, campaign_id: str) -> list[Wave]:
    """List a campaign's waves in the order of the plan."""
    left = (
        select(batches.c.wave, func.count().label("number"))
        .where(batches.c.campaign_id == campaign_id, batches.c.state != BatchState.ANSWERED)
        .group_by(batches.c.wave)
        .subquery()
    )
    query = (
        select(waves, func.coalesce(left.c.number, 0).label("outstanding"))
        .join_from(waves, left, left.c.wave == waves.c.number, isouter=True)
        .where(waves.c.campaign_id == campaign_id)
        .order_by(waves.c.number)
    )
    with ledger.read() as connection:
        return [_wave(row) for row in connection.execute(query)]


def record_run(ledger: Ledger, campaign_id: str, number: int, run_id: str) -> None:
    """Note the flow run that will send a wave."""
    with ledger.write() as connection:
        _change(connection, campaign_id, number, {"run_id": run_id})


def move_wave(ledger: Ledger, campaign_id: str, moved: PlannedWave, told: Mapping[str, Any] | None = None) -> None:
    """Let a wave open and close at other moments.

    ``told`` are the hours that the provider is told from now on, None: those that were planned. A batch that was ever
    claimed keeps its own: a call is repeated as it was.
    """
    untouched = select(batches.c.id).where(
        batches.c.campaign_id == campaign_id,
        batches.c.wave == moved.number,
        batches.c.state == BatchState.PLANNED,
        batches.c.first_claimed_at.is_(None),
    )
    with ledger.write() as connection:
        _change(connection, campaign_id, moved.number, {"opens_at": moved.opens_at, "closes_at": moved.closes_at})
        if told is not None:
            # Held, so that nobody claims one while it changes.
            connection.execute(untouched.with_for_update())
            written = update(messages).where(messages.c.batch_id.in_(untouched)).values(delivery_time=told)
            connection.execute(written)


def _change(connection: Connection, campaign_id: str, number: int, values: dict[str, Any]) -> None:
    mine = (waves.c.campaign_id == campaign_id) & (waves.c.number == number)
    connection.execute(update(waves).where(mine).values(values))


def _wave(row: Row[Any]) -> Wave:
    planned = PlannedWave(row.number, row.opens_at, row.closes_at, tuple(row.clocks))
    return Wave(planned, row.run_id, row.outstanding)
