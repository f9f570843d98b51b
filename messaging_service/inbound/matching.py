"""Whose an inbound message is: the key whose latest message it answers, or whose sender it was written to."""

from dataclasses import dataclass

from sqlalchemy import Connection

from messaging_service.channels.channel import Inbound
from messaging_service.clock import HOUR, Milliseconds
from messaging_service.message import Message
from messaging_service.process.steps import sender_of, step_of
from messaging_service.store import inbox, messages, orders

ANSWERED_WITHIN: Milliseconds = 72 * HOUR
"""How long after a message what its recipient writes counts as an answer to it."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The key that gets an inbound message, and the message that it answers, held against other writers."""

    key_id: int
    answered: Message | None


def owner_of(connection: Connection, inbound: Inbound) -> Owner | None:
    """Return whose an inbound message is, None when nobody can be told: then nobody may read it.

    What is written to an ordered number is for whoever ordered it, whatever others write as their sender.
    """
    holder = orders.holder_of_number(connection, inbound.recipient)
    for message in inbox.sent_to(connection, inbound.phone_number, inbound.at - ANSWERED_WITHIN):
        if holder is not None and message.content.account_id != holder["account_id"]:
            continue
        if _is_same(sender_of(step_of(message), message.content), inbound.recipient):
            held = messages.with_ids(connection, [message.message_id])[message.message_id]
            return Owner(held.content.key_id, held)
    if holder is not None:
        return Owner(holder["id"], None)
    found = inbox.keys_of_sender(connection, inbound.recipient)
    accounts = {key["account_id"] for key in found}
    return Owner(found[0]["id"], None) if len(accounts) == 1 else None


def _is_same(sender: str, recipient: str) -> bool:
    return sender.casefold() == recipient.casefold()
