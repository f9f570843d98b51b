"""Second tries: who of a campaign failed, and that nobody is tried again twice."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, distinct, exists, func, insert, or_, select
from sqlalchemy.sql.functions import coalesce

from flows.ledger.database import Ledger
from flows.ledger.following import UNFINISHED
from flows.ledger.plans import PlannedCampaign, campaign_of, plan_within
from flows.ledger.records import BatchState, CampaignPlan
from flows.ledger.tables import batches, messages, recipients, resends

Compose = Callable[[Sequence["Failed"], int], CampaignPlan]
"""Makes the plan of the second try of some recipients; told how many tries there were before."""


@dataclass(frozen=True)
class Failed:
    """Somebody whom a message didn't reach, and the text that it had."""

    phone_number: str
    line: int
    body: str
    delivery_time: Mapping[str, Any] | None


@dataclass(frozen=True)
class Failures:
    """Which failures count: results as they are, and rejections by the beginning of their reason (``[307]``)."""

    results: Collection[str]
    rejections: Collection[str] = ()


def plan_resend(ledger: Ledger, campaign: PlannedCampaign, which: Failures, compose: Compose) -> PlannedCampaign | None:
    """Plan a second try of those who failed and weren't tried again, in one transaction; None when there is nobody.

    The primary key of ``resends`` refuses whoever is in another second try of this campaign.
    """
    with ledger.write() as connection:
        failed = _failed(connection, campaign.id, which)
        if not failed:
            return None
        before = connection.scalar(
            select(func.count(distinct(resends.c.resend_id))).where(resends.c.campaign_id == campaign.id)
        )
        planned = plan_within(connection, compose(failed, before or 0), ledger.now())
        rows = [
            {"campaign_id": campaign.id, "phone_number": one.phone_number, "resend_id": planned.id} for one in failed
        ]
        connection.execute(insert(resends), rows)
    return planned


def unfinished_resends(ledger: Ledger, campaign_id: str) -> list[PlannedCampaign]:
    """List the second tries of a campaign that a killed run left: with calls to make, or results to wait for.

    Results are waited for as long after the last answer as the second try wants to follow them.
    """
    calls = exists().where(batches.c.campaign_id == resends.c.resend_id, batches.c.state != BatchState.ANSWERED)
    results = exists().where(recipients.c.campaign_id == resends.c.resend_id, recipients.c.result.in_(UNFINISHED))
    answered_at = select(func.max(batches.c.answered_at)).where(batches.c.campaign_id == resends.c.resend_id)
    query = (
        select(resends.c.resend_id, calls.label("calls"), answered_at.scalar_subquery().label("answered_at"))
        .distinct()
        .where(resends.c.campaign_id == campaign_id, or_(calls, results))
        .order_by(resends.c.resend_id)
    )
    with ledger.read() as connection:
        found = [(row, campaign_of(connection, row.resend_id)) for row in connection.execute(query).all()]
    now = ledger.now()
    return [one for row, one in found if row.calls or now - (row.answered_at or 0.0) < one.pace.follow_seconds]


def count_failed(ledger: Ledger, campaign_id: str, which: Failures) -> int:
    """Count those who failed so, tried again or not."""
    query = select(func.count()).where(recipients.c.campaign_id == campaign_id, _counts(which))
    with ledger.read() as connection:
        return connection.scalar(query) or 0


def _failed(connection: Connection, campaign_id: str, which: Failures) -> list[Failed]:
    tried = exists().where(
        resends.c.campaign_id == recipients.c.campaign_id, resends.c.phone_number == recipients.c.phone_number
    )
    joined = recipients.join(
        messages,
        and_(messages.c.batch_id == recipients.c.batch_id, messages.c.object_index == recipients.c.object_index),
    )
    query = (
        select(recipients.c.phone_number, recipients.c.line, messages.c.body, messages.c.delivery_time)
        .select_from(joined)
        .where(recipients.c.campaign_id == campaign_id, _counts(which), ~tried)
        .order_by(recipients.c.line)
    )
    return [Failed(row.phone_number, row.line, row.body, row.delivery_time) for row in connection.execute(query)]


def _counts(which: Failures) -> ColumnElement[bool]:
    reasons = [coalesce(recipients.c.reason, "").startswith(each, autoescape=True) for each in which.rejections]
    rejected = and_(recipients.c.result == "rejected", or_(*reasons)) if reasons else None
    failed = recipients.c.result.in_(sorted(which.results))
    return failed if rejected is None else or_(failed, rejected)
