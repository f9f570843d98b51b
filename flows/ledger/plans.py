"""Write a campaign down before anything of it is sent."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from flows.ledger.database import Ledger
from flows.ledger.records import BatchState, CampaignPlan, CampaignSettings, PlannedBatch
from flows.ledger.tables import batches, campaigns, messages, recipients
from flows.problems import LedgerProblem
from flows.tags import batch_tag, tag_set

ROWS_AN_INSERT = 5_000


class PlanDiffers(LedgerProblem):
    """A campaign of this name has other content, and some of it may have been sent."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The campaign {name!r} was started with other recipients, texts or settings; "
            "give the changed one another name, or start it again unchanged to continue it."
        )


@dataclass(frozen=True)
class PlannedCampaign:
    """A campaign as it stands in the ledger; ``created_at`` is Unix seconds."""

    id: str
    name: str
    settings: CampaignSettings
    created_at: float


def plan(ledger: Ledger, wanted: CampaignPlan) -> PlannedCampaign:
    """Write the campaign down, or find it planned already with the same content.

    A plan of which nothing was ever claimed is replaced by a different one of the same name; else raises `PlanDiffers`.
    """
    try:
        return _plan(ledger, wanted)
    except IntegrityError:  # two runs planned the same new campaign at once, and the other one was first
        return _plan(ledger, wanted)


def _plan(ledger: Ledger, wanted: CampaignPlan) -> PlannedCampaign:
    with ledger.write() as connection:
        known = connection.execute(
            select(campaigns).where(campaigns.c.name == wanted.name).with_for_update()
        ).one_or_none()
        if known is not None:
            if known.fingerprint == wanted.fingerprint:
                return _campaign(known)
            if _was_touched(connection, known.id) or (known.lease_until or 0) > ledger.now():
                raise PlanDiffers(wanted.name)
            connection.execute(delete(campaigns).where(campaigns.c.id == known.id))
        campaign = PlannedCampaign(uuid.uuid4().hex, wanted.name, wanted.settings, ledger.now())
        _write(connection, campaign, wanted)
        return campaign


def find_campaign(ledger: Ledger, name: str) -> PlannedCampaign | None:
    """Return the campaign of this name, if it was ever planned."""
    with ledger.read() as connection:
        known = connection.execute(select(campaigns).where(campaigns.c.name == name)).one_or_none()
    return _campaign(known) if known is not None else None


def list_campaigns(ledger: Ledger) -> list[PlannedCampaign]:
    """List all campaigns, the newest first."""
    with ledger.read() as connection:
        return [_campaign(row) for row in connection.execute(select(campaigns).order_by(campaigns.c.created_at.desc()))]


def campaign_of(connection: Connection, campaign_id: str) -> PlannedCampaign:
    """Return the campaign with this id, which must exist."""
    return _campaign(connection.execute(select(campaigns).where(campaigns.c.id == campaign_id)).one())


def batch_row(campaign: PlannedCampaign, position: int) -> dict[str, Any]:
    """Make the row of a batch that was never claimed."""
    own = batch_tag(campaign.name, campaign.id, position)
    return {
        "id": f"{campaign.id}-b{position:04}",
        "campaign_id": campaign.id,
        "position": position,
        "tag": tag_set([*campaign.settings.tags, own]),
        "state": BatchState.PLANNED,
        "attempts": 0,
    }


def _was_touched(connection: Connection, campaign_id: str) -> bool:
    claimed = select(func.count(batches.c.first_claimed_at)).where(batches.c.campaign_id == campaign_id)
    return bool(connection.scalar(claimed))


def _write(connection: Connection, campaign: PlannedCampaign, wanted: CampaignPlan) -> None:
    connection.execute(
        insert(campaigns).values(
            id=campaign.id,
            name=campaign.name,
            fingerprint=wanted.fingerprint,
            settings=asdict(campaign.settings),
            created_at=campaign.created_at,
        )
    )
    rows = [batch_row(campaign, position) for position in range(1, len(wanted.batches) + 1)]
    numbered = [(row["id"], batch) for row, batch in zip(rows, wanted.batches, strict=True)]
    _insert(connection, batches, rows)
    _insert(connection, messages, list(_message_rows(numbered)))
    _insert(connection, recipients, list(_recipient_rows(campaign.id, numbered)))


def _insert(connection: Connection, table: Any, rows: Sequence[dict[str, Any]]) -> None:  # noqa: ANN401
    for start in range(0, len(rows), ROWS_AN_INSERT):
        connection.execute(insert(table), rows[start : start + ROWS_AN_INSERT])


def _message_rows(numbered: list[tuple[str, PlannedBatch]]) -> Iterator[dict[str, Any]]:
    for batch_id, batch in numbered:
        for index, message in enumerate(batch.messages):
            yield {"batch_id": batch_id, "object_index": index, "body": message.body}


def _recipient_rows(campaign_id: str, numbered: list[tuple[str, PlannedBatch]]) -> Iterator[dict[str, Any]]:
    for batch_id, batch in numbered:
        for object_index, message in enumerate(batch.messages):
            for recipient_index, recipient in enumerate(message.recipients):
                yield {
                    "campaign_id": campaign_id,
                    "phone_number": recipient.phone_number,
                    "batch_id": batch_id,
                    "object_index": object_index,
                    "recipient_index": recipient_index,
                    "line": recipient.line,
                    "result": "planned",
                    "parts": 0,
                    "price_czk": 0,
                    "price_eur": 0,
                }


def _campaign(row: Row[Any]) -> PlannedCampaign:
    return PlannedCampaign(row.id, row.name, CampaignSettings.from_stored(row.settings), row.created_at)
