"""Compare what the ledger believes with what the provider says, batch by batch, and put the ledger right."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from flows import ledger
from flows.advice import calling
from flows.inbound.arrivals import masked
from flows.ledger import Delivery, Ledger
from flows.ledger.reconciling import Believed, BelievedBatch, believed
from flows.ledger.records import Way
from flows.provider import Provider
from flows.sending.look_up import digits, utc_dates
from flows.sending.row_results import delivery_of, is_news, rejection_of
from interface.responses import MessageRow, MessageStatus
from interface.results import Result

BATCHES_AT_ONCE = 8
BULK_MAY_TAKE = timedelta(days=2).total_seconds()
"""How long after a file was taken its lines may be read: a message's date is that of its line."""

STUCK = "stuck: taken by the provider, and neither sent nor rejected since"
MISSING = "missing: taken by the provider, and not known to it now"
UNKNOWN = "unknown: at the provider under this campaign's tag, and not in the ledger"


@dataclass(frozen=True)
class Finding:
    """Something to look at; ``line`` is where the recipient was read, 0 for somebody who isn't in the ledger."""

    campaign: str
    line: int
    what: str
    message_id: str
    number: str


@dataclass(frozen=True)
class Comparison:
    """How far a comparison is: what was repaired and found, and how many status calls it may still make.

    Rows that tell nothing (section 2.5: no counter may mean waiting or rejected) and messages without a row are asked
    for one by one.
    """

    provider: Provider
    ledger: Ledger
    status_calls_left: int
    repaired: int = 0
    findings: tuple[Finding, ...] = ()


async def compare(so_far: Comparison, campaign: str, batch_ids: Sequence[str], stuck_before: float) -> Comparison:
    """Look at these batches too; record the results that the ledger had missed."""
    look = _Look(so_far.provider, so_far.ledger, campaign, stuck_before, so_far.status_calls_left)
    await look.look_at_all(batch_ids)
    return replace(
        so_far,
        status_calls_left=look.status_calls_left,
        repaired=so_far.repaired + look.repaired,
        findings=(*so_far.findings, *look.findings),
    )


@dataclass
class _Look:
    """Looks at some of one campaign's batches; ``findings`` and ``repaired`` grow with each."""

    provider: Provider
    ledger: Ledger
    campaign: str
    stuck_before: float
    status_calls_left: int
    findings: list[Finding] = field(default_factory=list)
    repaired: int = 0

    async def look_at_all(self, batch_ids: Sequence[str]) -> None:
        """Look at these batches, several at a time; after the first error none is begun and it is raised."""
        waiting = iter(batch_ids)
        errors: list[Exception] = []

        async def one_after_another() -> None:
            for batch_id in waiting:
                try:
                    await self._look_at(batch_id)
                except Exception as error:  # noqa: BLE001  (raised below, when the others have finished)
                    errors.append(error)
                if errors:
                    return

        await asyncio.gather(*(one_after_another() for _ in range(BATCHES_AT_ONCE)))
        if errors:
            raise errors[0]

    async def _look_at(self, batch_id: str) -> None:
        batch = await asyncio.to_thread(believed, self.ledger, batch_id)
        rows = await self._rows(batch)
        self._find_unknown(batch, rows)
        by_number = {digits(row.phone_number): row for row in rows}
        news: dict[str, Delivery] = {}
        for number, one in batch.recipients.items():
            if one.message_id is None or not one.waits:
                continue
            delivery = await self._delivery(batch, number, one, by_number.get(number))
            if delivery is not None and is_news(Result(one.result), Result(delivery.result)):
                news[number] = delivery
        await asyncio.to_thread(ledger.record_deliveries, self.ledger, {batch.id: news})
        self.repaired += len(news)

    async def _rows(self, batch: BelievedBatch) -> list[MessageRow]:
        last = batch.answered_at
        if batch.way is Way.BULK:
            last = min(self.ledger.now(), last + BULK_MAY_TAKE)
        with calling("GET /messages"):
            return [
                row
                for day in utc_dates(batch.first_claimed_at, last)
                async for row in self.provider.client.messages(day, tag=batch.tag, subid=self.provider.subid)
            ]

    def _find_unknown(self, batch: BelievedBatch, rows: Sequence[MessageRow]) -> None:
        for row in rows:
            one = batch.recipients.get(digits(row.phone_number))
            # The ids of a file's messages are learned with their results.
            if one is None or one.message_id not in {None, row.message_id}:
                self._find(UNKNOWN, 0 if one is None else one.line, row.message_id, digits(row.phone_number))

    async def _delivery(
        self, batch: BelievedBatch, number: str, one: Believed, row: MessageRow | None
    ) -> Delivery | None:
        if row is not None and (told := delivery_of(row)) is not None:
            return told
        if row is not None and not one.is_on_its_way:
            return None
        status = await self._status(one)
        if isinstance(status, MessageStatus) and (rejection := rejection_of(status)) is not None:
            return rejection
        message_id = one.message_id or ""
        if status is None and row is None:
            self._find(MISSING, one.line, message_id, number)
        elif one.is_on_its_way and batch.answered_at < self.stuck_before:
            self._find(STUCK, one.line, message_id, number)
        return None

    async def _status(self, one: Believed) -> MessageStatus | str | None:
        """Ask for one message; ``"not asked"`` when enough were asked for."""
        if self.status_calls_left <= 0:
            return "not asked"
        self.status_calls_left -= 1
        with calling("GET /message"):
            return await self.provider.client.message_status(one.message_id or "")

    def _find(self, what: str, line: int, message_id: str, number: str) -> None:
        self.findings.append(Finding(self.campaign, line, what, message_id, masked(number)))


def counted(findings: Sequence[Finding]) -> Mapping[str, int]:
    """Count findings by the first word of what they are."""
    counts = dict.fromkeys(("stuck", "missing", "unknown"), 0)
    for finding in findings:
        counts[finding.what.partition(":")[0]] += 1
    return counts
