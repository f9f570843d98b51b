"""The flow ``resend_failed``: those whom a campaign didn't reach are tried again, once, through another channel."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, islice
from typing import Annotated, Any, Literal, Self, TypeVar

from prefect import flow
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from flows import ledger
from flows.connections import load_account, opened_ledger, provider_of
from flows.ledger import CampaignPlan, Ledger, Pace, PlannedBatch, PlannedCampaign, PlannedMessage, PlannedRecipient
from flows.ledger.resending import Failed, Failures, count_failed, plan_resend, unfinished_resends
from flows.parameters import Name
from flows.problems import SettingsProblem
from flows.provider import Provider
from flows.reports.campaign import CampaignReport
from flows.sending.attending import Attendant
from flows.sending.following import Follower
from flows.sending.progress import shown_progress
from flows.sending.work import turn
from flows.tasks.kinds import step
from flows.tasks.reporting import announce, publish_report
from interface.flow_steps import Channel, Gateway
from interface.message import MAX_MESSAGES, MAX_RECIPIENTS, MessageRequest
from interface.results import Result

UNDELIVERED, FAILED, NO_CREDIT = "undelivered", "failed", "insufficient credit"
HOUR = 3600
Item = TypeVar("Item")


class SecondTry(BaseModel):
    """Which campaign, whom of it, and through which channel."""

    model_config = ConfigDict(frozen=True)

    campaign: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        title="Campaign", description="Name of a campaign in the ledger.", examples=["spring-sale-2026"]
    )
    account: Name = Field(
        default="main",
        title="Account",
        description="Name of the block 'Messaging Account' through which the campaign was sent.",
        examples=["main"],
    )
    reasons: list[Literal["undelivered", "failed", "insufficient credit"]] = Field(
        default=["undelivered", "failed", "insufficient credit"],
        min_length=1,
        title="Whom",
        description="Those whose message ended so. Whoever is invalid, opted out or blocked is never tried again.",
    )
    channel: Channel = Field(
        title="Channel", description="Another one than that of the campaign.", examples=["viber", "sms"]
    )
    sender: Annotated[str, Field(max_length=64)] = Field(
        default="",
        title="Sender",
        description="Every channel but sms and rcs needs one. Empty: the campaign's.",
        examples=["Dovecote"],
    )
    gateway: Gateway = Field(
        default=Gateway.DIRECT, title="SMS: gateway", description="Quality of the route, for the channel sms."
    )
    template_name: Annotated[str, Field(max_length=100)] = Field(
        default="",
        title="WhatsApp: template",
        description="For the channel whatsapp_template: an approved template, which brings its own text.",
        examples=["we_missed_you"],
    )
    template_language: Annotated[str, Field(max_length=20)] = Field(
        default="", title="WhatsApp: language", description="Locale code of the template.", examples=["cs"]
    )
    then_sms_after: Annotated[float, Field(ge=0, le=10_080)] = Field(
        default=0,
        title="Then by SMS, after (minutes)",
        description="When the channel hasn't delivered by then, the text goes as SMS. 0: never.",
        examples=[60],
    )
    within_hours: Annotated[float, Field(gt=0, le=720)] = Field(
        default=72,
        title="Only campaigns of the last (hours)",
        description="Nobody wants Monday's offer on Friday: an older campaign is refused.",
        examples=[72],
    )
    follow_minutes: Annotated[float, Field(ge=0, le=120)] = Field(
        default=10, title="Follow results for (minutes)", description="0: don't wait."
    )
    quiet_seconds: Annotated[float, Field(ge=1, le=3600)] = Field(
        default=60,
        title="Missing receipts: stop after (seconds)",
        description="When all was handed over and no receipt came for this long, the report is made without the rest.",
    )

    @model_validator(mode="after")
    def _is_a_flow_that_can_be_sent(self) -> Self:
        try:
            check = {"to": [{"phone_number": "1"}], "body": "-", "flow": self.flow, "sender": "1"}
            MessageRequest.model_validate(check)
        except ValidationError as error:
            first = error.errors()[0]
            raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        if self.then_sms_after and self.channel is Channel.SMS:
            raise ValueError("'Then by SMS' is for other channels than sms.")
        return self

    @property
    def flow(self) -> list[dict[str, Any]]:
        """The channel steps (specification, 2.1)."""
        step: dict[str, Any] = {}
        if self.channel is Channel.SMS:
            step["gateway"] = self.gateway.value
        if self.channel is Channel.WHATSAPP_TEMPLATE:
            step |= {"template_name": self.template_name, "language": self.template_language}
        if not self.then_sms_after:
            return [{self.channel.value: step}]
        return [{self.channel.value: step | {"ttl": max(0.5, self.then_sms_after)}}, {"sms": {}}]

    @property
    def failures(self) -> Failures:
        """Which results count."""
        results = {Result.UNDELIVERED: UNDELIVERED, Result.FAILED: FAILED}
        return Failures(
            [result for result, reason in results.items() if reason in self.reasons],
            ["[307]"] if NO_CREDIT in self.reasons else [],
        )


class SecondTryReport(BaseModel):
    """``failed`` counts those of the campaign who failed so, ``tried`` those whom this run tried again."""

    model_config = ConfigDict(frozen=True)

    campaign: str
    failed: int
    tried: int
    tries: list[CampaignReport]


@flow(name="resend-failed", flow_run_name="again-{second_try.campaign}", persist_result=False)
async def resend_failed(second_try: SecondTry) -> SecondTryReport:
    """Try those of a campaign again whom it didn't reach for reasons that may pass, each once, through another channel.

    Started again, also after a crash, it finishes what it began, and tries those who failed since.

    Args:
        second_try: Which campaign, whom of it, and through which channel.

    """
    account = await load_account(second_try.account)
    async with (
        opened_ledger(account) as book,
        provider_of(account) as provider,
        turn(book, f"the second try of {second_try.campaign}"),
    ):
        campaign = await find(book, second_try)
        await look_once_more(Follower(provider, book), campaign.id)
        waiting = await asyncio.to_thread(unfinished_resends, book, campaign.id)
        planned = await plan_second_try(book, campaign, second_try)
        tries = [*waiting, planned] if planned else waiting
        reports = [await attend(book, provider, each) for each in tries]
        failed = await asyncio.to_thread(count_failed, book, campaign.id, second_try.failures)
    return SecondTryReport(
        campaign=campaign.name, failed=failed, tried=sum(each.recipients for each in reports), tries=reports
    )


async def find(book: Ledger, second_try: SecondTry) -> PlannedCampaign:
    """Return the campaign; raises `SettingsProblem` when there is none, it is too old or of another account."""
    campaign = await asyncio.to_thread(ledger.find_campaign, book, second_try.campaign)
    if campaign is None:
        raise SettingsProblem(f"The ledger has no campaign {second_try.campaign!r}; see: dovecote ledger list")
    if campaign.settings.account != second_try.account:
        raise SettingsProblem(f"That campaign was sent through the account {campaign.settings.account!r}; choose it.")
    if book.now() - campaign.created_at > second_try.within_hours * HOUR:
        raise SettingsProblem(
            f"The campaign {campaign.name!r} is older than {second_try.within_hours:g} hours; allow more if it still "
            "makes sense to its recipients."
        )
    return campaign


@step("look-once-more")
async def look_once_more(follower: Follower, campaign_id: str) -> None:
    """Look for results that came since: nobody is tried again whose message arrived."""
    await follower.look(campaign_id)


@step("plan-second-try")
async def plan_second_try(book: Ledger, campaign: PlannedCampaign, second_try: SecondTry) -> PlannedCampaign | None:
    """Write a plan of those who failed and weren't tried again; None when there is nobody."""
    compose = partial(composed, campaign, second_try)
    return await asyncio.to_thread(plan_resend, book, campaign, second_try.failures, compose)


async def attend(book: Ledger, provider: Provider, planned: PlannedCampaign) -> CampaignReport:
    """Send a second try through the ledger, follow it, and report."""
    attendant = Attendant(book, provider, planned)
    async with shown_progress(book, planned):
        await attendant.send_all()
        await attendant.follow()
    report = await publish_report(book, planned)
    await announce(report)
    return report


def composed(campaign: PlannedCampaign, second_try: SecondTry, failed: Sequence[Failed], before: int) -> CampaignPlan:
    """Make the plan: the texts and windows that they had, the channel that is wanted."""
    settings = replace(
        campaign.settings,
        sender=second_try.sender.strip() or campaign.settings.sender,
        flow=second_try.flow,
        datetime=None,
        hours=None,
    )
    objects = [
        PlannedMessage(body, tuple(PlannedRecipient(one.phone_number, one.line) for one in some), window)
        for body, window, group in _alike(failed)
        for some in _chunks(group, MAX_RECIPIENTS)
    ]
    batches = [PlannedBatch(some) for some in _chunks(objects, MAX_MESSAGES)]
    pace = Pace(campaign.pace.rate, second_try.follow_minutes * 60, second_try.quiet_seconds)
    return CampaignPlan(f"{campaign.name}-again-{before + 1}", settings, batches, pace=pace)


def _alike(failed: Sequence[Failed]) -> Iterator[tuple[str, Mapping[str, Any] | None, list[Failed]]]:
    def key(one: Failed) -> tuple[str, str]:
        return one.body, repr(one.delivery_time)

    for _, group in groupby(sorted(failed, key=key), key=key):
        members = list(group)
        yield members[0].body, members[0].delivery_time, members


def _chunks(items: Sequence[Item], size: int) -> Iterator[tuple[Item, ...]]:
    iterator = iter(items)
    while chunk := tuple(islice(iterator, size)):
        yield chunk
