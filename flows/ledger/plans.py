"""Write a campaign down before anything of it is sent."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from flows.ledger.database import Ledger
from flows.ledger.records import BatchState, CampaignPlan, CampaignSettings, Pace, PlannedBatch, Way
from flows.ledger.tables import batches, campaigns, messages, recipients, waves
from flows.planning.tags import batch_tag, tag_set
from flows.problems import LedgerProblem

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
    """A campaign as it stands in the ledger; times are Unix seconds, the other fields those of `CampaignPlan`."""

    id: str
    name: str
    settings: CampaignSettings
    created_at: float
    pace: Pace = field(default_factory=Pace)
    asked: str | None = None
    asked_by: str | None = None
    revision: int = 1
    source: Mapping[str, Any] | None = None
    approved_at: float | None = None
    cancelled_at: float | None = None


def plan(ledger: Ledger, wanted: CampaignPlan) -> PlannedCampaign:
    """Write the campaign down, or find it planned already with the same content.

    A plan of which nothing was ever claimed is replaced by a different one of the same name, and so is one that was
    cancelled before; else raises `PlanDiffers`. The pace is that which was wanted last.
    """
    try:
        return _plan(ledger, wanted)
    except IntegrityError:  # two runs planned the same new campaign at once, and the other one was first
        return _plan(ledger, wanted)


def _plan(ledger: Ledger, wanted: CampaignPlan) -> PlannedCampaign:
    with ledger.write() as connection:
        return plan_within(connection, wanted, ledger.now())


def plan_within(connection: Connection, wanted: CampaignPlan, now: float) -> PlannedCampaign:
    """Plan as `plan` does, in a transaction that writes more than the plan."""
    known = connection.execute(select(campaigns).where(campaigns.c.name == wanted.name).with_for_update()).one_or_none()
    revision = 1
    if known is not None:
        untouched = not _is_at_work(connection, known.id, now)
        if known.fingerprint == wanted.fingerprint and not (known.cancelled_at and untouched):
            connection.execute(update(campaigns).where(campaigns.c.id == known.id).values(pace=asdict(wanted.pace)))
            return replace(_campaign(known), pace=wanted.pace)
        if not untouched:
            raise PlanDiffers(wanted.name)
        revision = _next_revision(known, wanted)
        connection.execute(delete(campaigns).where(campaigns.c.id == known.id))
    campaign = _new_campaign(wanted, revision, now)
    _write(connection, campaign, wanted)
    return campaign


def approve(ledger: Ledger, campaign_id: str) -> None:
    """Let the campaign be sent; no-op when it may be already."""
    mine = (campaigns.c.id == campaign_id) & campaigns.c.approved_at.is_(None)
    with ledger.write() as connection:
        connection.execute(update(campaigns).where(mine).values(approved_at=ledger.now()))


def cancel(ledger: Ledger, campaign_id: str) -> None:
    """Let nothing more of the campaign be sent; what the provider has taken stays taken."""
    mine = (campaigns.c.id == campaign_id) & campaigns.c.cancelled_at.is_(None)
    with ledger.write() as connection:
        connection.execute(update(campaigns).where(mine).values(cancelled_at=ledger.now()))


def set_pace(ledger: Ledger, campaign_id: str, pace: Pace) -> None:
    """Work the campaign through at another pace."""
    with ledger.write() as connection:
        connection.execute(update(campaigns).where(campaigns.c.id == campaign_id).values(pace=asdict(pace)))


def find_campaign(ledger: Ledger, name: str) -> PlannedCampaign | None:
    """Return the campaign of this name, if it was ever planned."""
    with ledger.read() as connection:
        known = connection.execute(select(campaigns).where(campaigns.c.name == name)).one_or_none()
    return _campaign(known) if known is not None else None


def read_campaign(ledger: Ledger, campaign_id: str) -> PlannedCampaign | None:
    """Return the campaign with this id, unless another plan has replaced it."""
    with ledger.read() as connection:
        known = connection.execute(select(campaigns).where(campaigns.c.id == campaign_id)).one_or_none()
    return _campaign(known) if known is not None else None


def list_campaigns(ledger: Ledger) -> list[PlannedCampaign]:
    """List all campaigns, the newest first."""
    with ledger.read() as connection:
        return [_campaign(row) for row in connection.execute(select(campaigns).order_by(campaigns.c.created_at.desc()))]


def campaign_of(connection: Connection, campaign_id: str) -> PlannedCampaign:
    """Return the campaign with this id, which must exist."""
    return _campaign(connection.execute(select(campaigns).where(campaigns.c.id == campaign_id)).one())


def batch_row(campaign: PlannedCampaign, position: int, wave: int, way: Way) -> dict[str, Any]:
    """Make the row of a batch that was never claimed."""
    own = batch_tag(campaign.name, campaign.id, position)
    return {
        "id": f"{campaign.id}-b{position:04}",
        "campaign_id": campaign.id,
        "position": position,
        "wave": wave,
        "way": way,
        "tag": tag_set([*campaign.settings.tags, own]),
        "state": BatchState.PLANNED,
        "attempts": 0,
    }


def _is_at_work(connection: Connection, campaign_id: str, now: float) -> bool:
    claimed = select(func.count(batches.c.first_claimed_at)).where(batches.c.campaign_id == campaign_id)
    held = select(func.count()).where(waves.c.campaign_id == campaign_id, waves.c.lease_until > now)
    return bool(connection.scalar(claimed) or connection.scalar(held))


def _next_revision(known: Row[Any], wanted: CampaignPlan) -> int:
    # The same run asks for the same again with another text: the person who was asked for approval changed it.
    same = known.asked is not None and (known.asked, known.asked_by) == (wanted.asked, wanted.asked_by)
    return int(known.revision) + 1 if same else 1


def _new_campaign(wanted: CampaignPlan, revision: int, now: float) -> PlannedCampaign:
    return PlannedCampaign(
        id=uuid.uuid4().hex,
        name=wanted.name,
        settings=wanted.settings,
        created_at=now,
        pace=wanted.pace,
        asked=wanted.asked,
        asked_by=wanted.asked_by,
        revision=revision,
        source=wanted.source,
        approved_at=None if wanted.needs_approval else now,
    )


def _write(connection: Connection, campaign: PlannedCampaign, wanted: CampaignPlan) -> None:
    connection.execute(
        insert(campaigns).values(
            id=campaign.id,
            name=campaign.name,
            fingerprint=wanted.fingerprint,
            settings=asdict(campaign.settings),
            created_at=campaign.created_at,
            asked=campaign.asked,
            asked_by=campaign.asked_by,
            revision=campaign.revision,
            pace=asdict(campaign.pace),
            source=campaign.source,
            approved_at=campaign.approved_at,
        )
    )
    _insert(connection, waves, [{"campaign_id": campaign.id, **asdict(wave)} for wave in wanted.waves])
    rows = [
        batch_row(campaign, position, batch.wave, batch.way) for position, batch in enumerate(wanted.batches, start=1)
    ]
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
            yield {
                "batch_id": batch_id,
                "object_index": index,
                "body": message.body,
                "delivery_time": message.delivery_time,
            }


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
    return PlannedCampaign(
        id=row.id,
        name=row.name,
        settings=CampaignSettings.from_stored(row.settings),
        created_at=row.created_at,
        pace=Pace(**row.pace),
        asked=row.asked,
        asked_by=row.asked_by,
        revision=row.revision,
        source=row.source,
        approved_at=row.approved_at,
        cancelled_at=row.cancelled_at,
    )
