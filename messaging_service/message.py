"""A message as the steps hand it on: what its object shares, and where one recipient's copy is in its life."""

from dataclasses import dataclass
from typing import NamedTuple

from interface.results import Result
from messaging_service.accounts.money import Money
from messaging_service.clock import Milliseconds


@dataclass(frozen=True, slots=True)
class Content:
    """What the recipients of one message object share, with the settings of its key that apply to it."""

    id: str
    request_id: str
    key_id: int
    account_id: int
    wallet_id: int
    subid: str
    currency: str
    calling_code: str
    date: str
    tags: str
    body: str | None
    sender: str
    callback: str | None
    payload: str | None  # JSON
    flow: str | None  # JSON; None: one SMS step
    delivery_time: str | None  # JSON
    marketing_window: str | None = None  # JSON, of the account
    params: str | None = None  # JSON

    @property
    def said(self) -> str | None:
        """What makes two messages identical: the text, or the flow where only its steps say something."""
        return self.body or self.flow


class Message(NamedTuple):
    """One recipient's copy. A step never changes it: it makes the next one with ``_replace``."""

    id: int
    message_id: str
    recipient: str
    state: Result
    phone_number: str | None
    queue: int
    due_at: Milliseconds | None
    in_doubt: bool
    flow_index: int
    expires_at: Milliseconds | None  # when the time of its step ends, where that means the next step
    flow_history: str | None  # JSON
    short_text: str | None  # of the present step, with short links
    code: int | None
    reason: str | None
    mcc: int | None
    mnc: int | None
    parts: int
    price_czk: Money
    price_eur: Money
    charged: Money
    ts_sent: Milliseconds | None
    ts_delivered: Milliseconds | None
    ts_seen: Milliseconds | None
    ts_clicked: Milliseconds | None
    ts_replied: Milliseconds | None
    ts_optout: Milliseconds | None
    ts_updated: Milliseconds | None
    content: Content


class Move(NamedTuple):
    """A message before and after a step. Rows, counters, wallets and notifications all follow from moves."""

    before: Message
    after: Message

    @property
    def changes_result(self) -> bool:
        """Whether the account is to be told."""
        return self.before.state is not self.after.state or self.before.flow_index != self.after.flow_index

    @property
    def is_tracking(self) -> bool:
        """Whether number, step and price stay as they were, as with most receipts."""
        return (
            self.before.state is not Result.ACCEPTED
            and self.before.charged == self.after.charged
            and self.before.parts == self.after.parts
            and self.before.flow_index == self.after.flow_index
        )

    @property
    def starts_sending(self) -> bool:
        """Whether a step of the message leaves for the first time."""
        return self.before.state is Result.ACCEPTED and self.after.state is Result.SENDING

    @property
    def charge(self) -> Money:
        """What the wallet pays for the move, in its currency; negative: gets back."""
        return self.after.charged - self.before.charged
