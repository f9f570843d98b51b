"""The steps of a message's life without HTTP: real stores, a clock that a test moves, nothing that sleeps."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson
from sqlalchemy import select

from interface.flow_steps import Channel
from interface.message import MessageRequest
from messaging_service import report
from messaging_service.accept.filing import Filer
from messaging_service.accept.planning import Caller, Plan, plan_recipients
from messaging_service.accounts.keys import Key, digest, look_up
from messaging_service.accounts.money import UNIT, Money
from messaging_service.accounts.opening import Opening, open_account
from messaging_service.accounts.prices import PriceFile, PriceList
from messaging_service.channels.channel import Inbound, OnReceipts, Receipt
from messaging_service.channels.simulated import log
from messaging_service.channels.simulated.operator import Delay, Reports, SimulatedOperator
from messaging_service.clock import SECOND, Milliseconds
from messaging_service.inbound.recorder import InboundRecorder
from messaging_service.links.shortening import ShortLinks
from messaging_service.message import Message
from messaging_service.process.decide import Rules
from messaging_service.process.hand_over import HandOver
from messaging_service.process.phase_two import Batch, PhaseTwo
from messaging_service.store import messages, suppressions, wallets
from messaging_service.store.engine import Store
from messaging_service.store.tables import (
    accepted_calls,
    accounts,
    billed_wallets,
    billing_records,
    bulk_uploads,
    callbacks,
    chat_app_events,
    chat_templates,
    contents,
    daily_charges,
    daily_networks,
    daily_statistics,
    idempotency_keys,
    inbox,
    keys,
    mails,
    short_links,
)
from messaging_service.store.tables import messages as message_table
from messaging_service.store.tables import suppressions as suppressed
from messaging_service.store.tables import wallets as wallet_table
from messaging_service.track import Tracker

MORNING: Milliseconds = 1_772_445_600_000
"""Monday, 2 March 2026, 10:00 UTC."""
CALLBACK = "https://receiver.example/callback"
VODAFONE, OTHER_CZECH, SLOVAK, GERMAN = "420777123456", "420601123456", "421903123456", "4915112345678"
"""1.50, 1.00 and 2.00 CZK a part; no price for the last."""
PRICES = PriceList(
    PriceFile.model_validate(
        {
            "gateways": {"lowcost": "0.5"},
            "test": {"price_czk": "0.01", "price_eur": "0.0004"},
            "prices": {
                "sms": {
                    "420": {
                        "mcc": 230,
                        "price_czk": "1",
                        "price_eur": "0.04",
                        "operators": {3: {"prefixes": ["42077"], "price_czk": "1.5", "price_eur": "0.06"}},
                    },
                    "421": {"mcc": 231, "price_czk": "2", "price_eur": "0.08"},
                },
                "viber": {"420": {"mcc": 230, "price_czk": "0.25", "price_eur": "0.01"}},
                "rcs": {"420": {"mcc": 230, "price_czk": "0.5", "price_eur": "0.02"}},
                "whatsapp_text": {"420": {"mcc": 230, "price_czk": "0.3", "price_eur": "0.012"}},
                "whatsapp_template": {"420": {"mcc": 230, "price_czk": "0.6", "price_eur": "0.024"}},
            },
        },
    ),
)
RULES = Rules(PRICES, 5, frozenset(Channel), ShortLinks("https://dove.example"))


_FILLED_BY_THE_STEPS = (
    accepted_calls,
    bulk_uploads,
    callbacks,
    chat_app_events,
    chat_templates,
    inbox,
    mails,
    idempotency_keys,
    daily_networks,
    daily_statistics,
    suppressed,
    short_links,
    message_table,
    contents,
    daily_charges,
    billed_wallets,
    billing_records,
    keys,
    wallet_table,
    accounts,
)


class StoppedClock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self._now = MORNING

    def now(self) -> Milliseconds:
        return self._now

    def move(self, milliseconds: Milliseconds) -> None:
        self._now += milliseconds


class Bench:
    """All steps over one migrated store, with an account of 1000 CZK whose key is ``key``."""

    def __init__(self, store: Store, records: Store) -> None:
        self.store = store
        self.records = records
        self.clock = StoppedClock()
        self.filer = Filer(store, store)
        self.tracker = Tracker(store, self.clock)
        self.recorder = InboundRecorder(store, self.clock)
        self.operator = self.open_operator()
        self.phase_two = PhaseTwo(store, self.clock, RULES)
        self.hand_over = self.hand_over_to(self.operator)
        self.key = self.open_account()

    def open_account(self, credit: Money = 1000 * UNIT, **opening: Any) -> Key:
        secret = f"key-{self.count(keys)}"
        given = {"currency": "czk", "calling_code": "420", "default_sender": "Dovecote"} | opening
        with self.store.writing() as connection:
            open_account(connection, Opening("An account", credit=credit, **given), secret, self.clock.now())
        return look_up(self.store, digest(secret))

    def open_operator(self, on_receipts: OnReceipts | None = None, delay: Milliseconds = 100) -> SimulatedOperator:
        """Open the operator as a process does that has just started: it knows what its records say."""
        reports = Reports(on_receipts or self._on_receipts, self._on_inbound)
        return SimulatedOperator(self.records, self.clock, Delay(delay, delay), reports)

    def hand_over_to(self, way_out: Any) -> HandOver:
        return HandOver(self.tracker, dict.fromkeys(Channel, way_out), lambda: None)

    async def _on_receipts(self, receipts: Sequence[Receipt]) -> None:
        self.tracker.record(receipts)

    async def _on_inbound(self, received: Sequence[Inbound]) -> None:
        self.recorder.record(received)

    def accept(self, *numbers: str, key: Key | None = None, queue: int | None = None, **message: Any) -> list[str]:
        """Accept one message object as ``/message`` does. Returns an id for each recipient."""
        given = {"to": [{"phone_number": number} for number in numbers], "body": "Hello", "callback": CALLBACK}
        plan = Plan("a-request")
        caller = Caller(key or self.key, self.clock.now(), queue)
        ids = plan_recipients(plan, caller, MessageRequest.model_validate(given | message))
        with self.store.writing() as connection:
            messages.add(connection, plan.contents, plan.addressees)
        return ids

    def decide(self, limit: int = 500, rules: Rules = RULES) -> Batch:
        """Run phase 2 once."""
        return PhaseTwo(self.store, self.clock, rules).turn(limit)

    def submit(self, batch: Batch) -> None:
        """Hand a batch over to the operator."""
        asyncio.run(self.hand_over.submit(batch.outgoing))

    def send(self) -> Batch:
        """Run phase 2 once and hand over."""
        batch = self.decide()
        self.submit(batch)
        return batch

    def receive(self) -> int:
        """Have the operator send the receipts and report the answers that are due now."""
        return asyncio.run(self.operator.send_due_receipts()) + asyncio.run(self.operator.report_due_answers())

    def run_for(self, seconds: int) -> None:
        """Let all steps work through a span of time."""
        for _ in range(2 * seconds):
            while self.send().claimed:
                pass
            while self.receive():
                pass
            self.clock.move(SECOND // 2)

    def record(self, *receipts: Receipt) -> list[Message]:
        return self.tracker.record(receipts)

    def message(self, message_id: str) -> Message:
        with self.store.reading() as connection:
            return messages.with_ids(connection, [message_id])[message_id]

    def messages(self, key: Key | None = None) -> list[Message]:
        self.filer.catch_up()
        with self.store.reading() as connection:
            question = messages.WHOLE.where(contents.c.key_id == (key or self.key).id)
            return messages.read(connection, question.order_by(message_table.c.id))

    def balance(self, key: Key | None = None) -> Money:
        with self.store.reading() as connection:
            return wallets.balance(connection, (key or self.key).wallet_id)

    def charged_by_day(self, key: Key | None = None) -> Money:
        """Return the sum of what invoices will be made of."""
        with self.store.reading() as connection:
            lines = connection.execute(select(daily_charges)).mappings().all()
        return sum(line["amount"] for line in lines if line["wallet_id"] == (key or self.key).wallet_id)

    def suppress(self, name: str, *numbers: str, subid: str = "default") -> None:
        row = {"account_id": self.key.account_id, "list": name, "subid": subid, "created_at": 0}
        with self.store.writing() as connection:
            suppressions.add(connection, [row | {"phone_number": number} for number in numbers])

    def notifications(self) -> list[dict[str, Any]]:
        """Return the events in the outbox, in order."""
        with self.store.reading() as connection:
            rows = connection.execute(select(callbacks.c.events).order_by(callbacks.c.id)).scalars()
            return [event for events in rows for event in orjson.loads(events)]

    def addresses(self) -> list[str]:
        """Return where the rows of the outbox go, in order."""
        with self.store.reading() as connection:
            return list(connection.execute(select(callbacks.c.url).order_by(callbacks.c.id)).scalars())

    def results_told(self, message_id: str) -> list[str]:
        sent = [event for event in self.notifications() if event["type"] == "outgoing"]
        return [event["result"] for event in sent if event["message_id"] == message_id]

    def taken(self) -> list[str]:
        """Return the ids of what the operator has taken, in order."""
        with self.records.reading() as connection:
            return list(connection.execute(select(log.taken.c.message_id).order_by(log.taken.c.taken_at)).scalars())

    def texts(self) -> list[tuple[str, str]]:
        """Return sender and text of what the operator has taken."""
        with self.records.reading() as connection:
            question = select(log.taken.c.sender, log.taken.c.text).order_by(log.taken.c.taken_at)
            return [tuple(row) for row in connection.execute(question)]

    def statistics(self) -> dict[tuple[int, str, str], dict[str, int]]:
        """Return the counters that aren't zero, by key, date and tags."""
        with self.store.reading() as connection:
            rows = connection.execute(select(daily_statistics)).mappings().all()
        names = [column.name for column in daily_statistics.c if column.name.startswith(("count_", "msg_"))]
        lines = {
            (row["key_id"], row["date"], row["tags"]): {name: row[name] for name in names if row[name]} for row in rows
        }
        return {line: counts for line, counts in lines.items() if counts}

    def networks(self) -> dict[tuple[int, str, str, str], int]:
        with self.store.reading() as connection:
            rows = connection.execute(select(daily_networks)).all()
        return {tuple(row[:4]): row[4] for row in rows if row[4]}

    def recount(self) -> dict[tuple[int, str, str], dict[str, int]]:
        """Count the rows of all keys, as ``statistics`` should have them."""
        lines: dict[tuple[int, str, str], Counter[str]] = {}
        for message in self._all():
            content = message.content
            line = lines.setdefault((content.key_id, content.date, content.tags), Counter())
            line.update(report.counters(message))
        return {line: dict(counts) for line, counts in lines.items() if counts}

    def recount_networks(self) -> dict[tuple[int, str, str, str], int]:
        return dict(
            Counter(
                (message.content.key_id, message.content.date, message.content.tags, report.network(message))
                for message in self._all()
                if message.ts_sent is not None
            ),
        )

    def _all(self) -> list[Message]:
        with self.store.reading() as connection:
            return messages.read(connection, messages.WHOLE)

    def count(self, table: Any) -> int:
        with self.store.reading() as connection:
            return len(connection.execute(select(table)).all())

    def clear(self) -> None:
        """Empty the store and start anew, with a first account."""
        empty(self.store, self.records)
        self.__init__(self.store, self.records)


def empty(store: Store, records: Store) -> None:
    """Delete all rows."""
    with store.writing() as connection:
        for table in _FILLED_BY_THE_STEPS:
            connection.execute(table.delete())
    with records.writing() as connection:
        for table in log.metadata.sorted_tables:
            connection.execute(table.delete())


def without_repeats() -> Rules:
    """Return the rules of a service whose operators can't tell a message that was submitted twice."""
    return replace(RULES, may_repeat=frozenset())
