"""The flow ``watch_credit``: says before credit runs out, and where to pay."""

import asyncio
from typing import Annotated, Self

from prefect import flow
from prefect.artifacts import acreate_markdown_artifact
from pydantic import BaseModel, ConfigDict, Field, model_validator

from flows import events
from flows.connections import load_account, opened_ledger, provider_of
from flows.ledger import Ledger
from flows.ledger.balances import balances_since, keep_balance, mark_warned
from flows.parameters import Name
from flows.planning.tags import slug
from flows.provider import Provider
from flows.reports.credit import CreditReport, message, report_of
from flows.sending.work import turn
from flows.spending import DAY, HOUR, Balance, Limits, forecast, is_to_warn, last_warning
from flows.tasks.credit import MILLION, check_notifiers, notify, read_credit, read_topup

EVENT = "dovecote.credit"
BlockName = Annotated[str, Field(pattern=r"^[a-z0-9-]+/[A-Za-z0-9._ -]+$", max_length=200)]


class CreditWatch(BaseModel):
    """Whose credit to watch, when to warn, and whom."""

    model_config = ConfigDict(frozen=True)

    account: Name = Field(
        default="main",
        title="Account",
        description="Name of the block 'Messaging Account' whose wallet is watched.",
        examples=["main"],
    )
    low_days: Annotated[float, Field(gt=0, le=365)] = Field(
        default=7,
        title="Low: days left",
        description="Warn when credit lasts for fewer days at the present rate of spending.",
        examples=[7],
    )
    critical_days: Annotated[float, Field(gt=0, le=365)] = Field(
        default=2, title="Critical: days left", description="Warn again when it lasts for fewer.", examples=[2]
    )
    low_amount: Annotated[float, Field(ge=0, le=1_000_000_000)] = Field(
        default=0,
        title="Low: amount",
        description="Warn below this amount, too, whatever the rate; in the wallet's currency. 0: only by days.",
        examples=[100],
    )
    window_days: Annotated[float, Field(gt=0, le=90)] = Field(
        default=7,
        title="Rate of spending over (days)",
        description="Spending of so many days counts. It is what the balance lost from run to run: let this flow run "
        "every hour or so.",
        examples=[7],
    )
    remind_hours: Annotated[float, Field(ge=1, le=720)] = Field(
        default=24, title="Remind after (hours)", description="Warn again of the same when nobody has paid in by then."
    )
    notify: list[BlockName] = Field(
        default=[],
        title="Notify",
        description="Notification blocks that get the warning, by type and name: an e-mail, Slack, Teams, … The event "
        "dovecote.credit.low (critical, empty, restored) is emitted in any case.",
        examples=[["smtp-email/operations", "slack-webhook/operations"]],
    )

    @model_validator(mode="after")
    def _gets_worse_step_by_step(self) -> Self:
        if self.critical_days >= self.low_days:
            raise ValueError("Critical must be fewer days than low.")
        return self

    @property
    def limits(self) -> Limits:
        """When credit counts as low."""
        return Limits(self.low_days, self.critical_days, round(self.low_amount * MILLION))


@flow(name="watch-credit", flow_run_name="credit-of-{watch.account}", persist_result=False)
async def watch_credit(watch: CreditWatch = CreditWatch()) -> CreditReport:  # noqa: B008  (frozen)
    """Read the balance, tell how long it lasts, and warn before it runs out, once a level, with where to pay.

    Args:
        watch: Whose credit to watch, when to warn, and whom.

    """
    account = await load_account(watch.account)
    await check_notifiers(watch.notify)
    async with (
        opened_ledger(account) as book,
        provider_of(account) as provider,
        turn(book, f"the credit of {watch.account}"),
    ):
        report = await look(book, provider, watch)
    await acreate_markdown_artifact(
        message(report), key=f"credit-{slug(watch.account)}", description=f"Credit of {watch.account}"
    )
    return report


async def look(book: Ledger, provider: Provider, watch: CreditWatch) -> CreditReport:
    """Read, judge, warn if need be, and remember."""
    balance = await read_credit(provider, book.now())
    window, reminder = watch.window_days * DAY, watch.remind_hours * HOUR
    history = await asyncio.to_thread(balances_since, book, watch.account, balance.read_at - max(window, reminder))
    recent = [one for one in history if one.read_at >= balance.read_at - window]
    told = forecast(recent, balance, watch.limits)
    balance = Balance(balance.read_at, balance.amount, balance.currency, told.level)
    warns = is_to_warn(history, told.level, balance.read_at, reminder)
    report = report_of(watch.account, balance, told, await read_topup(provider) if warns else None)
    # Remembered before people are told: who is killed in between warns once more, never not at all.
    await asyncio.to_thread(keep_balance, book, watch.account, balance)
    if warns:
        await warn(report, watch)
        await asyncio.to_thread(mark_warned, book, watch.account, balance)
        return report.model_copy(update={"warned": True})
    if not told.level.rank and last_warning(history) is not None:
        await tell(report, "restored")
    return report


async def warn(report: CreditReport, watch: CreditWatch) -> None:
    """Emit the event, and notify everybody who is to be; that one can't be reached doesn't keep the others from it."""
    await tell(report, report.level)
    subject = f"Credit of {report.account}: {report.level}"
    outcomes = await asyncio.gather(
        *(notify(name, subject, message(report)) for name in watch.notify), return_exceptions=True
    )
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome


async def tell(report: CreditReport, what: str) -> None:
    """Tell automations."""
    resource = f"dovecote.account.{report.account}"
    await events.tell([events.event(f"{EVENT}.{what}", resource, report.account, report.model_dump(mode="json"))])
