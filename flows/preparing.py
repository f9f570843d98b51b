"""From a campaign's parameters to a plan: read, normalise, render, pack. Nothing is written or sent."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from flows.compose import Composition, compose
from flows.ledger import CampaignPlan, CampaignSettings
from flows.parameters import Campaign
from flows.problems import RecipientsProblem, SettingsProblem
from flows.recipient_sources import LeftOut, RecipientTable, read_file, read_inline
from flows.recipients import Recipients, read_recipients
from flows.tags import campaign_tags
from flows.texts import check_columns, parse_text
from interface.delivery_time import DeliveryTime
from interface.message import MessageRequest

INLINE_COLUMN = "phone_number"


@dataclass(frozen=True)
class Prepared:
    """A plan, and an account of everybody who is not in it."""

    plan: CampaignPlan
    lines: int
    duplicates: int
    malformed: tuple[LeftOut, ...]
    empty_places: tuple[LeftOut, ...]


def prepare(campaign: Campaign) -> Prepared:
    """Make the plan; raises `FlowProblem` with one sentence when that is not possible."""
    settings = settings_of(campaign)
    text = parse_text(campaign.text)
    table = _source(campaign)
    recipients = read_recipients(table, campaign.phone_column.strip() or None, campaign.calling_code)
    check_columns(text, recipients.columns)
    composition = compose(recipients.accepted, text)
    if not composition.batches:
        raise RecipientsProblem(f"{table.source}: no recipient has a text that can be sent.")
    return _prepared(CampaignPlan(campaign.name, settings, composition.batches), table, recipients, composition)


def settings_of(campaign: Campaign) -> CampaignSettings:
    """Check what all messages share; raises `SettingsProblem` for what the interface would refuse."""
    settings = CampaignSettings(
        account=campaign.account,
        tags=campaign_tags(campaign.tag),
        sender=campaign.sender.strip() or None,
        callback=campaign.callback.strip() or None,
        datetime=_in_utc(campaign.datetime),
        delivery_time=_written(campaign.delivery_time),
    )
    try:
        MessageRequest.model_validate(
            {"to": [{"phone_number": "1"}], "body": "-", "sender": settings.sender, "callback": settings.callback}
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise SettingsProblem(f"The {first['loc'][0]} cannot be used: {first['msg']}.") from None
    return settings


def _source(campaign: Campaign) -> RecipientTable:
    if campaign.recipients:
        return read_inline(campaign.recipients, campaign.phone_column.strip() or INLINE_COLUMN)
    return read_file(campaign.recipients_file.strip(), campaign.phone_column.strip() or INLINE_COLUMN)


def _prepared(plan: CampaignPlan, table: RecipientTable, recipients: Recipients, composition: Composition) -> Prepared:
    left_out = sorted([*recipients.malformed, *composition.unsendable], key=lambda one: one.line)
    return Prepared(plan, table.lines, recipients.duplicates, tuple(left_out), composition.empty_places)


def _written(window: DeliveryTime | None) -> dict[str, Any] | None:
    return None if window is None else window.model_dump(mode="json", exclude_none=True)


def _in_utc(moment: dt.datetime | None) -> str | None:
    if moment is None:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(dt.UTC).isoformat()
