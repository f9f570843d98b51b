"""Step 8: records what people wrote, once, with all that follows from it, in one transaction each."""

from collections.abc import Sequence

import structlog
from sqlalchemy import Connection

from messaging_service.accept.planning import Caller
from messaging_service.accounts.keys import read_key
from messaging_service.channels.channel import Inbound
from messaging_service.clock import Clock, Milliseconds
from messaging_service.inbound.answering import answer_to, send_answer
from messaging_service.inbound.consent import Consent, follow_word
from messaging_service.inbound.mailing import mail_of
from messaging_service.inbound.matching import owner_of
from messaging_service.inbound.occasion import Occasion, handling_of
from messaging_service.message import Message, Move
from messaging_service.notify import incoming
from messaging_service.record import record_reactions
from messaging_service.store import inbox, keys, mails
from messaging_service.store.engine import Store

log = structlog.get_logger(__name__)


class InboundRecorder:
    """Records inbound messages. It may be told of one as often as the operator likes.

    ``sends_mail`` says whether there is somebody who sends what is written into ``mails``.
    """

    def __init__(self, store: Store, clock: Clock, *, sends_mail: bool = False) -> None:
        self._store = store
        self._clock = clock
        self._sends_mail = sends_mail
        self._said_that_no_mail_goes = False

    def record(self, received: Sequence[Inbound]) -> None:
        """Record messages; one that fails holds up no other. Raises the first failure, so that it is sent again."""
        failures = []
        for inbound in received:
            try:
                with self._store.writing() as connection:
                    self._record(connection, inbound)
            except Exception as failure:  # noqa: BLE001 - raised below
                failures.append(failure)
        if failures:
            raise failures[0]

    def _record(self, connection: Connection, inbound: Inbound) -> None:
        now = self._clock.now()
        if inbox.is_recorded(connection, inbound.id):
            return
        owner = owner_of(connection, inbound)
        if owner is None:
            log.warning("inbound.dropped", inbound_id=inbound.id, recipient=inbound.recipient)
            return
        if not inbox.add(connection, _row(owner.key_id, owner.answered, inbound, now)):
            return
        key = read_key(keys.numbered(connection, owner.key_id))
        consent = follow_word(connection, key, inbound, now)
        if owner.answered is not None:
            record_reactions(connection, [Move(owner.answered, _reacted(owner.answered, inbound, consent))])
        occasion = Occasion(inbound, key, owner.answered, handling_of(owner.answered))
        _notify(connection, occasion, now)
        text = answer_to(occasion, consent)
        if text is not None:
            send_answer(connection, Caller(key, now), occasion, text)
        self._write_mail(connection, occasion, now)

    def _write_mail(self, connection: Connection, occasion: Occasion, now: Milliseconds) -> None:
        mail = mail_of(occasion)
        if mail is not None and self._sends_mail:
            mails.add(connection, [mail], now)
        elif mail is not None and not self._said_that_no_mail_goes:
            self._said_that_no_mail_goes = True
            log.warning("inbound.no-mail", why="params._incoming.email_to: DOVECOTE_SMTP_HOST is not set")


def _row(key_id: int, answered: Message | None, inbound: Inbound, now: Milliseconds) -> dict[str, object]:
    return {
        "key_id": key_id,
        "inbound_id": inbound.id,
        "ts_received": now,  # not the operator's moment: nothing appears in a day that was asked about already
        "sender": inbound.phone_number,
        "recipient": inbound.recipient,
        "body": inbound.body,
        "gateway": inbound.channel.value,
        "payload": None if answered is None else answered.content.payload,
        "message_id": None if answered is None else answered.message_id,
    }


def _reacted(answered: Message, inbound: Inbound, consent: Consent) -> Message:
    at = max(inbound.at, answered.ts_sent or 0)
    opted_out = consent in {Consent.WITHDRAWN, Consent.WITHDRAWN_AGAIN}
    return answered._replace(
        ts_replied=answered.ts_replied or at,
        ts_optout=answered.ts_optout or (at if opted_out else None),
    )


def _notify(connection: Connection, occasion: Occasion, now: Milliseconds) -> None:
    answered = occasion.answered
    if answered is None:
        url: object = occasion.key.default_callback_url
        event = incoming.incoming_message(occasion.inbound)
    else:
        url = occasion.handling.callback or answered.content.callback
        event = incoming.incoming_reply_message(occasion.inbound, answered)
    if url:
        incoming.write(connection, (occasion.key.id, str(url)), event, now)
