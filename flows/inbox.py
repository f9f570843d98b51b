"""The flow ``poll_inbox``: what people wrote is handled once, and those who say STOP are left alone."""

from typing import Annotated

from prefect import flow
from prefect.artifacts import acreate_table_artifact
from pydantic import BaseModel, ConfigDict, Field

from flows.connections import load_account, opened_ledger, provider_of
from flows.inbound.forwarding import load_receiver
from flows.inbound.words import OPT_IN_WORDS, OPT_OUT_WORDS
from flows.parameters import Name
from flows.planning.tags import slug
from flows.sending.work import turn
from flows.tasks.inbox import Desk, follow_opt_outs, hand_on, move_mark, read_inbox, tell_automations

Word = Annotated[str, Field(min_length=1, max_length=40)]


class Inbox(BaseModel):
    """Whose inbox to read, and what to do about what is new."""

    model_config = ConfigDict(frozen=True)

    account: Name = Field(
        default="main",
        title="Account",
        description="Name of the block 'Messaging Account' whose key's inbox is read.",
        examples=["main"],
    )
    days_back: Annotated[int, Field(ge=0, le=31)] = Field(
        default=1,
        title="First run: days back",
        description="How many days before today (UTC) to begin with when this inbox was never read. Later runs go on "
        "where the last one was.",
        examples=[1],
    )
    opt_out_words: list[Word] = Field(
        default=list(OPT_OUT_WORDS),
        title="Words that opt out",
        description="Whoever writes one of these, alone, is put on the provider's opt-out list. Case and accents don't "
        "count. Empty: opt-outs are not followed here.",
        examples=[["STOP", "UNSUBSCRIBE"]],
    )
    opt_in_words: list[Word] = Field(
        default=list(OPT_IN_WORDS),
        title="Words that opt in again",
        description="Whoever writes one of these is taken off the opt-out list. The last word of a person counts.",
        examples=[["START"]],
    )
    forward_to: Annotated[str, Field(max_length=100)] = Field(
        default="",
        title="Forward to",
        description="Name of a block 'Webhook' that gets every message as a notification 'incomingMessage'. Its "
        "X-Request-Id is the message's own: a receiver that has seen it may ignore a repeat. Empty: nobody.",
        examples=["crm"],
    )


class InboxReport(BaseModel):
    """What one run did; counts of messages, and of numbers for opt-outs."""

    model_config = ConfigDict(frozen=True)

    account: str
    read: int = Field(description="Messages of the dates that were read.")
    new: int = Field(description="Of these, told to automations for the first time.")
    opted_out: int
    opted_in: int
    invalid: int = Field(description="Numbers that the provider's list refused.")
    forwarded: int


@flow(name="poll-inbox", flow_run_name="inbox-of-{inbox.account}", persist_result=False)
async def poll_inbox(inbox: Inbox = Inbox()) -> InboxReport:  # noqa: B008  (frozen)
    """Handle what people wrote, each message once: opt-outs first, then events, then the webhook.

    Remembers where it was, also when it is killed. Only one run at a time reads an account's inbox.

    Args:
        inbox: Whose inbox to read, and what to do about what is new.

    """
    account = await load_account(inbox.account)
    receiver = await load_receiver(inbox.forward_to)
    async with (
        opened_ledger(account) as book,
        provider_of(account) as provider,
        turn(book, f"the inbox of {inbox.account}") as mine,
    ):
        desk = Desk(inbox.account, mine, provider, inbox.opt_out_words, inbox.opt_in_words)
        began = book.now()
        arrivals = await read_inbox(desk, inbox.days_back)
        consents = await follow_opt_outs(desk, arrivals)
        told = await tell_automations(desk, arrivals)
        forwarded = await hand_on(desk, receiver, arrivals)
        await move_mark(desk, began)
    report = InboxReport(
        account=inbox.account,
        read=len(arrivals),
        new=told,
        opted_out=consents.opted_out,
        opted_in=consents.opted_in,
        invalid=consents.invalid,
        forwarded=forwarded,
    )
    await publish(report)
    return report


async def publish(report: InboxReport) -> None:
    """Leave a table, unless there was nothing new: a schedule of minutes would bury the others."""
    if not (report.new or report.opted_out or report.opted_in or report.forwarded):
        return
    rows = [{"what": name.replace("_", " "), "figure": figure} for name, figure in report.model_dump().items()]
    await acreate_table_artifact(rows, key=f"inbox-{slug(report.account)}", description=f"Inbox of {report.account}")
