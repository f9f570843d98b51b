"""Issues invoices: one for each wallet and month in which anything was charged, after the month has ended."""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

import structlog
from sqlalchemy import Connection, RowMapping

from messaging_service.accounts.money import UNIT, Money
from messaging_service.billing.document import Document, Facts, Line, write_document
from messaging_service.billing.issuer import IssuerFile, Party
from messaging_service.clock import HOUR, Clock, Milliseconds, moment, utc_date
from messaging_service.store import charges, invoices
from messaging_service.store.engine import Store
from messaging_service.store.invoices import Month

GRACE: Milliseconds = HOUR
"""How long after a month's end its invoices wait: no clock and no transaction is that late."""
_EVERY_SECONDS: Final = 2
BATCH: Final = 100
"""Invoices of one transaction."""
_LEAST: Final[Money] = UNIT // 200
"""Half a cent: a month that comes to less has no invoice."""

log = structlog.get_logger(__name__)


class Invoicing:
    """Issues what is missing, now and then. Any number of workers may: numbers are held while they are given."""

    def __init__(self, store: Store, clock: Clock, issued_by: IssuerFile, vat_rate: str) -> None:
        self._store = store
        self._clock = clock
        self._issued_by = issued_by
        self._vat_rate = vat_rate
        self._done_until = ""

    async def run(self) -> None:
        """Issue invoices until cancelled."""
        while True:
            if self._month() != self._done_until:
                await asyncio.to_thread(self.issue)
            await asyncio.sleep(_EVERY_SECONDS)

    def issue(self) -> int:
        """Issue what is missing of all months that have ended. Returns how many."""
        now, current = self._clock.now(), self._month()
        with self._store.reading() as connection:
            first = invoices.first_charged_date(connection)
        count = sum(self._issue_month(month, now) for month in _months(first, current)) if first else 0
        self._done_until = current
        if count:
            log.info("billing.issued", invoices=count)
        return count

    def _month(self) -> str:
        """Return the month before which everything is to be invoiced."""
        return utc_date(self._clock.now() - GRACE)[:7]

    def _issue_month(self, month: Month, now: Milliseconds) -> int:
        issued = 0
        while batch := self._issue_batch(month, now):
            issued += batch
        return issued

    def _issue_batch(self, month: Month, now: Milliseconds) -> int:
        with self._store.reading() as connection:
            if not invoices.missing(connection, month, _LEAST, 1):
                return 0
        year = int(utc_date(now)[:4])
        with self._store.writing() as connection:
            last = invoices.hold_numbers(connection, year)
            # Asked again while the numbers are held: another worker may just have issued them.
            wanting = invoices.missing(connection, month, _LEAST, BATCH)
            for number, billed in enumerate(wanting, last + 1):
                document = self._write(connection, f"{year}{number:06d}", billed, month, now)
                invoices.add(connection, _row(document, billed))
            invoices.set_number(connection, year, last + len(wanting))
        return len(wanting)

    def _write(
        self, connection: Connection, number: str, billed: RowMapping, month: Month, now: Milliseconds
    ) -> Document:
        facts = Facts(
            number=number,
            billing_id=billed["billing_id"],
            month=month.name,
            issued=utc_date(now),
            supplied=(date.fromisoformat(month.until) - timedelta(days=1)).isoformat(),
            currency=billed["currency"].upper(),
            customer=Party(**{name: billed[name] for name in Party.model_fields}),
        )
        return write_document(facts, _lines(connection, billed["wallet_id"], month), self._issued_by, self._vat_rate)


def _lines(connection: Connection, wallet_id: int, month: Month) -> Sequence[Line]:
    messages = [
        Line(item=row["channel"], quantity=row["messages"], amount=row["amount"])
        for row in charges.by_channel(connection, wallet_id, month.since, month.until)
        if row["amount"]
    ]
    services = [
        Line(item=row["service"], text=row["value"], quantity=1, amount=row["charged"])
        for row in invoices.orders_of(connection, wallet_id, month)
    ]
    return [*messages, *services]


def _row(document: Document, billed: RowMapping) -> dict[str, object]:
    return {
        "number": document.number,
        "wallet_id": billed["wallet_id"],
        "billing_record_id": billed["id"],
        "month": document.month,
        "issued": document.issued,
        "document": document.model_dump_json(),
    }


def _months(first: str, current: str) -> Iterator[Month]:
    """Return the months from that of the date ``first`` until before the month ``current``."""
    name = first[:7]
    while name < current:
        begins = datetime.fromisoformat(f"{name}-01").replace(tzinfo=UTC)
        ends = (begins + timedelta(days=31)).replace(day=1)
        yield Month(name, (f"{begins:%Y-%m-%d}", f"{ends:%Y-%m-%d}"), (moment(begins), moment(ends)))
        name = f"{ends:%Y-%m}"
