"""From a campaign's parameters to a plan: read, normalise, seat, render, pack. Nothing is written or sent."""

import asyncio
import datetime as dt
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from flows.ledger import CampaignPlan, CampaignSettings, Pace
from flows.parameters import Campaign
from flows.planning.account_of_reading import Lines, Reading
from flows.planning.clocks import Hours
from flows.planning.compose import RECIPIENTS_A_CALL, Composition, Packing, compose
from flows.planning.tags import campaign_tags
from flows.planning.texts import check_columns, parse_text
from flows.planning.waves import Seating, Start, seat
from flows.problems import RecipientsProblem, SettingsProblem
from flows.provider import Provider
from flows.recipients.reading import Recipients, read_recipients
from flows.recipients.sources import LeftOut, RecipientTable, read_file, read_inline
from flows.segment_members import members_of
from interface.delivery_time import DeliveryTime
from interface.message import MessageRequest

INLINE_COLUMN = "phone_number"
NOT_CONTENT = {"rate", "bulk_from", "follow_minutes", "quiet_seconds", "approval", "approval_hours"}
"""Parameters that don't change who gets what and when."""


@dataclass(frozen=True)
class Prepared:
    """A plan, and an account of everybody who is not in it."""

    plan: CampaignPlan
    reading: Reading


async def read_table(campaign: Campaign, provider: Provider) -> RecipientTable:
    """Read the recipients from where they are; raises `RecipientsProblem`, and what the client raises."""
    column = campaign.phone_column.strip() or INLINE_COLUMN
    if campaign.recipients_segment is not None:
        wanted = campaign.recipients_segment
        members = await members_of(provider.client, wanted.connector, wanted.app_userid, wanted.segment)
        return await asyncio.to_thread(read_inline, members, column)
    if campaign.recipients:
        return read_inline(campaign.recipients, column)
    return await asyncio.to_thread(read_file, campaign.recipients_file.strip(), column)


@dataclass(frozen=True)
class Asked:
    """What was asked for, which may lead to other recipients the next time, as a digest; and the flow run."""

    digest: str
    by: str | None = None

    @classmethod
    def of(cls, campaign: Campaign, run: str | None = None) -> "Asked":
        """Take the digest of a campaign's parameters, without those that change nobody's message."""
        return cls(hashlib.sha256(campaign.model_dump_json(exclude=NOT_CONTENT).encode()).hexdigest(), run)


def prepare(campaign: Campaign, table: RecipientTable, now: float, asked: Asked) -> Prepared:
    """Make the plan; raises `FlowProblem` with one sentence when that is not possible."""
    settings = settings_of(campaign)
    text = parse_text(campaign.text)
    recipients = read_recipients(table, campaign.phone_column.strip() or None, campaign.calling_code)
    check_columns(text, recipients.columns)
    seating = seat(recipients.accepted, _hours(campaign, table.source, recipients.columns), _start(campaign, now))
    composition = compose(seating.groups, text, packing_of(campaign))
    if not composition.batches:
        raise RecipientsProblem(f"{table.source}: no recipient has a text that can be sent.")
    reading = _reading(campaign, table, recipients, seating, composition)
    plan = CampaignPlan(
        name=campaign.name,
        settings=_with_zones(settings, seating),
        batches=composition.batches,
        waves=seating.waves,
        pace=pace_of(campaign),
        needs_approval=campaign.approval,
        asked=asked.digest,
        asked_by=asked.by,
    )
    return Prepared(plan, reading)


def pace_of(campaign: Campaign) -> Pace:
    """Return how the campaign is worked through."""
    return Pace(campaign.rate, campaign.follow_minutes * 60, campaign.quiet_seconds)


def packing_of(campaign: Campaign) -> Packing:
    """Return how large batches are; with a rate, a call takes at most what is sent in a second."""
    if campaign.rate is not None:
        return Packing(max(1, min(RECIPIENTS_A_CALL, int(campaign.rate))))
    return Packing(bulk_from=campaign.bulk_from or None)


def settings_of(campaign: Campaign) -> CampaignSettings:
    """Check what all messages share; raises `SettingsProblem` for what the interface would refuse."""
    settings = CampaignSettings(
        account=campaign.account,
        tags=campaign_tags(campaign.tag),
        sender=campaign.sender.strip() or None,
        callback=campaign.callback.strip() or None,
        datetime=_in_utc(campaign.datetime),
        delivery_time=_written(campaign.delivery_time),
        hours=campaign.local_hours.as_hours().as_stored() if campaign.local_hours else None,
    )
    try:
        MessageRequest.model_validate(
            {"to": [{"phone_number": "1"}], "body": "-", "sender": settings.sender, "callback": settings.callback}
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise SettingsProblem(f"The {first['loc'][0]} cannot be used: {first['msg']}.") from None
    return settings


def _hours(campaign: Campaign, source: str, columns: Sequence[str]) -> Hours | None:
    """Return the hours with the source's own name of the column of zones, found whatever its case."""
    if campaign.local_hours is None:
        return None
    hours = campaign.local_hours.as_hours()
    if hours.zone_column is None:
        return hours
    by_folded = {name.casefold(): name for name in columns}
    column = by_folded.get(hours.zone_column.casefold())
    if column is None:
        there = ", ".join(columns)
        raise RecipientsProblem(f"{source} has no column {hours.zone_column!r} of time zones; its columns: {there}.")
    return replace(hours, zone_column=column)


def _with_zones(settings: CampaignSettings, seating: Seating) -> CampaignSettings:
    return (
        settings
        if seating.zones is None
        else replace(settings, hours={**(settings.hours or {}), "zones": seating.zones})
    )


def _start(campaign: Campaign, now: float) -> Start:
    moment = _in_utc(campaign.datetime)
    return Start(now, max(now, dt.datetime.fromisoformat(moment).timestamp()) if moment else now)


def _reading(
    campaign: Campaign, table: RecipientTable, recipients: Recipients, seating: Seating, composition: Composition
) -> Reading:
    left_out: list[LeftOut] = [*recipients.malformed, *seating.unreadable, *composition.unsendable]
    return Reading(
        lines=table.lines,
        duplicates=recipients.duplicates,
        left_out=Lines.of(left_out),
        empty_places=Lines.of(composition.empty_places),
        text=campaign.text,
    )


def _written(window: DeliveryTime | None) -> dict[str, Any] | None:
    return None if window is None else window.model_dump(mode="json", exclude_none=True)


def _in_utc(moment: dt.datetime | None) -> str | None:
    if moment is None:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(dt.UTC).isoformat()
