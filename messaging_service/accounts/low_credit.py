"""Tells accounts that credit is low: an e-mail and an event, once until it has risen again (details, "credit")."""

import asyncio
from collections.abc import Callable, Sequence

import orjson
import structlog
from sqlalchemy import RowMapping

from interface.notifications import LowCredit
from messaging_service.accounts.money import format_money
from messaging_service.clock import SECOND, Clock, Milliseconds
from messaging_service.notify import outbox
from messaging_service.store import credit_alerts, mails
from messaging_service.store.engine import Store

_EVERY_SECONDS = 1.0
_TEXT = """\
The credit of {account} ({name}) is {credit} {currency}, below {value} {currency}.

Messages that it can't pay are rejected with [307] Insufficient credit. This is told once, until the credit has risen
to {value} {currency} again; POST /credit/notify changes that.
"""

log = structlog.get_logger(__name__)


class LowCreditWatch:
    """Compares wallets with what their keys want to be told of, many at a time. ``on_told`` wakes who sends it."""

    def __init__(self, store: Store, clock: Clock, on_told: Callable[[], None], *, sends_mail: bool) -> None:
        self._store = store
        self._clock = clock
        self._on_told = on_told
        self._sends_mail = sends_mail
        self._whose = credit_alerts.EVERY_KEY if sends_mail else credit_alerts.KEYS_WITH_CALLBACK

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            while await asyncio.to_thread(self.turn):
                self._on_told()
            await asyncio.sleep(_EVERY_SECONDS)

    def turn(self) -> int:
        """Write what is to be told now, in the transaction that remembers it. Returns how many keys are told."""
        with self._store.reading() as connection:
            if not credit_alerts.any_changed(connection, self._whose):
                return 0
        now = self._clock.now()
        with self._store.writing() as connection:
            told = [row for row in credit_alerts.take_changed(connection, self._whose) if row["is_low"]]
            if self._sends_mail:
                mails.add(connection, [_mail(row) for row in told], now)
            outbox.write_events(connection, _events(told, now), now)
        if told and not self._sends_mail:
            log.warning("credit.no-mail", why="DOVECOTE_SMTP_HOST is not set", alerts=len(told))
        return len(told)


def _mail(row: RowMapping) -> mails.Mail:
    facts = _facts(row)
    name = row["note"] or row["subid"]
    subject = f"Credit is low: {facts['credit']} {facts['currency']}"
    return mails.Mail(row["email"], subject, _TEXT.format(account=row["account"], name=name, **facts))


def _events(told: Sequence[RowMapping], now: Milliseconds) -> dict[outbox.Address, list[bytes]]:
    return {
        (row["key_id"], row["default_callback_url"]): [orjson.dumps(_event(row, now).model_dump())]
        for row in told
        if row["default_callback_url"]
    }


def _event(row: RowMapping, now: Milliseconds) -> LowCredit:
    return LowCredit(timestamp=now // SECOND, subid=row["subid"], **_facts(row))


def _facts(row: RowMapping) -> dict[str, str]:
    return {
        "credit": format_money(row["balance"]),
        "value": format_money(row["value"]),
        "currency": row["currency"].upper(),
    }
