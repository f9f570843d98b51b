"""Messages that are in no store: lines that were refused, and messages that are only checked. Pure."""

from dataclasses import dataclass

from interface.results import Result
from messaging_service.accept.planning import Row
from messaging_service.accounts.keys import Key
from messaging_service.message import Content, Message
from messaging_service.schedule import queue_of


@dataclass(frozen=True, slots=True)
class Copy:
    """One recipient's copy of a message: its id, and the recipient as the caller wrote it."""

    message_id: str
    recipient: str


def content_of(key: Key, row: Row) -> Content:
    """Return what the recipients of an object share, from its row (``accept.planning``), free of every window."""
    return Content(
        id=row["id"],
        request_id=row["request_id"],
        key_id=key.id,
        account_id=key.account_id,
        wallet_id=key.wallet_id,
        subid=key.subid,
        currency=key.currency,
        calling_code=key.calling_code,
        date=row["date"],
        tags=row["tags"],
        body=row["body"],
        sender=row["sender"],
        callback=row["callback"] or key.default_callback_url or None,
        payload=row["payload"],
        flow=row["flow"],
        delivery_time=None,
        params=row.get("params"),
    )


def message_of(content: Content, copy: Copy) -> Message:
    """Return a copy as phase 1 leaves it."""
    return Message(
        id=0,
        message_id=copy.message_id,
        recipient=copy.recipient,
        state=Result.ACCEPTED,
        phone_number=None,
        queue=queue_of(content.tags),
        due_at=None,
        in_doubt=False,
        flow_index=0,
        expires_at=None,
        flow_history=None,
        short_text=None,
        code=None,
        reason=None,
        mcc=None,
        mnc=None,
        parts=0,
        price_czk=0,
        price_eur=0,
        charged=0,
        ts_sent=None,
        ts_delivered=None,
        ts_seen=None,
        ts_clicked=None,
        ts_replied=None,
        ts_optout=None,
        ts_updated=None,
        content=content,
    )
