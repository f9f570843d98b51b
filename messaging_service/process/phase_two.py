"""Phase 2 of a batch, in one transaction: claim what is due, decide, charge, record. What goes out is returned."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import structlog
from pydantic import ValidationError
from sqlalchemy import Connection

from interface.results import Result
from messaging_service.channels.channel import Submission
from messaging_service.clock import DAY, MINUTE, SECOND, Clock, Milliseconds
from messaging_service.message import Message, Move
from messaging_service.process import flow
from messaging_service.process.chat_steps import gather_chat_facts
from messaging_service.process.decide import Facts, Rules, affordable, decide, is_promotional, numbered
from messaging_service.process.steps import button_of, sender_of, step_of, template_of, text_of
from messaging_service.record import record
from messaging_service.running import measures
from messaging_service.store import messages, orders, suppressions, wallets
from messaging_service.store.engine import Store
from messaging_service.store.journal import QUEUES

LEASE: Milliseconds = 60 * SECOND
"""How long a worker has to hand a message over before another takes it for dead."""
UNDECIDED_FOR: Milliseconds = 10 * MINUTE
"""When a message is looked at again about which deciding failed."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Batch:
    """What one turn did: how many messages it looked at, and those to hand over now."""

    claimed: int
    outgoing: list[Message]


class PhaseTwo:
    """Decides about due messages."""

    def __init__(self, store: Store, clock: Clock, rules: Rules) -> None:
        self._store = store
        self._clock = clock
        self._rules = rules

    def turn(self, limit: int, queues: Iterable[int] = QUEUES) -> Batch:
        """Decide about the next due messages of queues, the better first. What it returns is charged and on disk."""
        now = self._clock.now()
        with self._store.claiming() as claim:
            claimed = messages.claim_due(claim.reading, now, limit, queues)
            if not claimed:
                return Batch(0, [])
            decided = self._decide(claim.reading, claimed, now)
            with claim.writing() as connection:
                moves = self._rules.links.shorten(connection, _charge(connection, decided, now), now)
                record(connection, moves, now)
        measures.moved(moves)
        return Batch(len(claimed), [move.after for move in moves if self._goes_out(move)])

    def _decide(self, connection: Connection, claimed: Sequence[Message], now: Milliseconds) -> list[Move]:
        begun = [message for message in claimed if message.state is not Result.ACCEPTED]
        repeats = [Move(message, self._again(message, now)) for message in begun]
        fresh = [message for message in claimed if message.state is Result.ACCEPTED]
        before = {message.id: message for message in fresh}
        known = [numbered(message) for message in fresh]
        facts = gather_facts(connection, known, self._rules, now)
        decided = [Move(before[message.id], self._decide_one(message, facts, now)) for message in known]
        return repeats + decided

    def _decide_one(self, message: Message, facts: Facts, now: Milliseconds) -> Message:
        """Decide about a message. One that nothing can be made of waits, and holds nobody else up."""
        try:
            return decide(message, facts, self._rules, now)
        except Exception:
            log.exception("decision.failed", message_id=message.message_id)
            return message._replace(due_at=now + UNDECIDED_FOR)

    def _again(self, message: Message, now: Milliseconds) -> Message:
        """Leave a step whose time is over; else hand over again, or hold what may have arrived and must not twice."""
        if flow.is_out_of_time(message, now):
            return flow.leave(message, now)
        if message.state is not Result.SENDING or self._is_held(message):
            return message._replace(due_at=flow.waits_until(message, message.state))
        return _leased(message, now)

    def _is_held(self, message: Message) -> bool:
        """Whether an operator may have a message that it couldn't tell from a repeat."""
        sending = message.state is Result.SENDING and message.in_doubt
        return sending and step_of(message).channel not in self._rules.may_repeat

    def _goes_out(self, move: Move) -> bool:
        return move.after.state is Result.SENDING and not self._is_held(move.before)


def gather_facts(connection: Connection, known: Sequence[Message], rules: Rules, now: Milliseconds) -> Facts:
    """Return what the store knows about the numbers of these messages."""
    numbers = {message.phone_number for message in known if message.phone_number}
    accounts = {message.content.account_id for message in known}
    entries = suppressions.of_numbers(connection, accounts, numbers)
    identical: Counter[tuple[int, str, str | None]] = Counter()
    if rules.identical_limit:
        promotional = {message.phone_number for message in known if message.phone_number and is_promotional(message)}
        identical.update(messages.count_identical(connection, promotional, now - DAY))

    def is_suppressed(message: Message) -> bool:
        lists = ("blacklist", "optout") if is_promotional(message) else ("blacklist",)
        content = message.content
        return any(
            (content.account_id, name, message.phone_number, subid) in entries
            for name in lists
            for subid in (suppressions.WHOLE_ACCOUNT, content.subid)
        )

    senders = set(_numbers_as_senders(known))
    holders = orders.holders(connection, senders) if senders else {}
    return Facts(is_suppressed, identical, gather_chat_facts(connection, known, now), holders)


def _numbers_as_senders(known: Iterable[Message]) -> Iterator[str]:
    for message in known:
        with suppress(ValidationError):  # a flow that can't be read is told of when it is decided about
            sender = sender_of(step_of(message), message.content)
            if sender.isdigit():
                yield sender


def _charge(connection: Connection, moves: Sequence[Move], now: Milliseconds) -> list[Move]:
    """Take what the batch costs from each wallet, and lease what is paid for. Returns the moves in their order."""
    by_wallet: defaultdict[int, list[Move]] = defaultdict(list)
    for move in moves:
        if move.starts_sending:  # what a step gives back that is left is credited by `record`
            by_wallet[move.after.content.wallet_id].append(move)
    giving_back = {move.after.content.wallet_id for move in moves if move.charge < 0}
    paid: dict[int, Move] = {}
    for wallet in sorted({*by_wallet, *giving_back}):  # in one order, so that two workers never wait in a circle
        if wallet in giving_back:
            wallets.balance(connection, wallet)  # held for `record`
        paid |= {move.after.id: move for move in _charge_wallet(connection, wallet, by_wallet[wallet], now)}
    in_order = (paid.get(move.after.id, move) for move in moves)
    return [Move(move.before, _leased(move.after, now)) if move.starts_sending else move for move in in_order]


def _charge_wallet(connection: Connection, wallet: int, moves: Sequence[Move], now: Milliseconds) -> Sequence[Move]:
    total = sum(move.charge for move in moves)
    if not total or wallets.charge(connection, wallet, total):
        return moves
    paid = affordable(moves, wallets.balance(connection, wallet), now)
    wallets.charge(connection, wallet, sum(move.charge for move in paid))
    return paid


def _leased(message: Message, now: Milliseconds) -> Message:
    return message._replace(in_doubt=True, due_at=now + LEASE)


def submission(message: Message) -> Submission:
    """Return what the operator of the message's current step is given."""
    step = step_of(message)
    return Submission(
        message.message_id,
        message.flow_index,
        step.channel,
        sender_of(step, message.content),
        message.phone_number or "",
        text_of(step, message),
        template_of(step),
        button_of(step),
    )
