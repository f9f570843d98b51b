"""Tells of an answer by e-mail (``params._incoming.email_to``)."""

from datetime import UTC, datetime

from messaging_service.inbound.occasion import Occasion
from messaging_service.store.mails import Mail

_TEXT = """\
{number} wrote to {sender} on {moment}:

{body}

It answers the message {message_id}:

{answered}
"""


def mail_of(occasion: Occasion) -> Mail | None:
    """Return the e-mail about an answer, None when nobody asked for one."""
    address, answered, inbound = occasion.handling.email_to, occasion.answered, occasion.inbound
    if address is None or answered is None:
        return None
    moment = datetime.fromtimestamp(inbound.at / 1000, UTC)
    text = _TEXT.format(
        number=f"+{inbound.phone_number}",
        sender=inbound.recipient,
        moment=f"{moment:%Y-%m-%d at %H:%M} UTC",
        body=inbound.body,
        message_id=answered.message_id,
        answered=answered.content.body or "",
    )
    return Mail(address, f"Answer from +{inbound.phone_number} to {inbound.recipient}", text)
