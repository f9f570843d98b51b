"""Phase 2, the decision about one message (specification, section 3). Pure: the facts are gathered before."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from interface.delivery_time import DeliveryTime
from interface.flow_steps import Channel, SmsStep, Step
from interface.parts import count_parts
from interface.phone_numbers import TEST_NUMBER, Country, InvalidPhoneNumber, country, normalise
from interface.results import Result, ResultCode
from messaging_service.accounts.money import Money
from messaging_service.accounts.prices import Price, PriceList
from messaging_service.clock import Milliseconds
from messaging_service.links.shortening import ShortLinks
from messaging_service.marketing import read_marketing_window
from messaging_service.message import Message, Move
from messaging_service.process.chat_steps import ChatFacts, obstacle_of
from messaging_service.process.flow import end_of_step, fail
from messaging_service.process.steps import sender_of, step_of, text_of
from messaging_service.schedule import PRIORITY, Window, next_open_of_all, window_of

PROMOTIONAL = "promotional"
_NEVER_BOTH = "The delivery window and the account's marketing window are never open together"
_FOREIGN_SENDER = "The sender is a virtual number of another account"
_NO_ADDRESS = "Short links need the setting DOVECOTE_PUBLIC_URL, or a domain in params._url"


@dataclass(frozen=True, slots=True)
class Facts:
    """What the store knows about the numbers of a batch."""

    is_suppressed: Callable[[Message], bool]
    identical: Counter[tuple[int, str, str | None]] = field(default_factory=Counter)
    """How often a key has said the same (``Content.said``) to a number in a day; counted on as the batch is decided."""
    chat: ChatFacts = field(default_factory=ChatFacts)
    holders: Mapping[str, int] = field(default_factory=dict)
    """The accounts that have ordered the numbers under which the batch is sent."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the service is set to."""

    prices: PriceList
    identical_limit: int  # 0: off
    may_repeat: frozenset[Channel]  # where a submission in doubt is made again
    links: ShortLinks = field(default_factory=ShortLinks)
    all_templates_known: bool = True  # False: a messaging app's own platform may have others than the store


def numbered(message: Message) -> Message:
    """Write the number in international form. What can't be one comes back without a number."""
    if message.phone_number is not None:
        return message
    try:
        return message._replace(phone_number=normalise(message.recipient, message.content.calling_code))
    except InvalidPhoneNumber:
        return message


def decide(message: Message, facts: Facts, rules: Rules, now: Milliseconds) -> Message:
    """Return where a numbered message goes: postponed, rejected, set aside (the test number), or sending and priced."""
    opening = _next_opening(message, now)
    if opening is None:
        return reject(message, ResultCode.REJECTED, now)._replace(reason=_NEVER_BOTH)
    if opening > now:
        return message._replace(due_at=opening)
    if message.phone_number == TEST_NUMBER:
        return message._replace(due_at=None, ts_updated=now)
    step = step_of(message)
    price = _price(message.phone_number, step, rules.prices)
    code = _refusal(message, facts, rules, price)
    if code is not None or price is None:
        return reject(message, code or ResultCode.NOT_ALLOWED, now)
    return _leaving(message, price, facts, rules, now)


def _leaving(message: Message, price: Price, facts: Facts, rules: Rules, now: Milliseconds) -> Message:
    """Return a message that may be sent, priced; where its present step can't leave, what becomes of it."""
    if _is_foreign_sender(message, facts):
        return fail(message, ResultCode.FAILED, _FOREIGN_SENDER, now)
    obstacle = obstacle_of(message, facts.chat, all_templates_known=rules.all_templates_known)
    if obstacle is not None:
        return fail(message, obstacle.code, obstacle.reason, now)
    drafted = message if message.content.params is None else rules.links.draft(message)
    if drafted is None:
        return reject(message, ResultCode.REJECTED, now)._replace(reason=_NO_ADDRESS)
    return _priced(message, _parts(drafted), price, now)


def _is_foreign_sender(message: Message, facts: Facts) -> bool:
    if not facts.holders:
        return False
    content = message.content
    return facts.holders.get(sender_of(step_of(message), content), content.account_id) != content.account_id


def _refusal(message: Message, facts: Facts, rules: Rules, price: Price | None) -> ResultCode | None:
    if message.phone_number is None:
        return ResultCode.INVALID_NUMBER
    if facts.is_suppressed(message):
        return ResultCode.SUPPRESSED
    if _is_one_too_many(message, facts, rules):
        return ResultCode.TOO_MANY_IDENTICAL
    return ResultCode.NOT_ALLOWED if price is None else None


def reject(message: Message, code: ResultCode, now: Milliseconds) -> Message:
    """Refuse a message: nothing is sent, nothing is charged."""
    return message._replace(state=Result.REJECTED, code=code, due_at=None, ts_updated=now)


def is_promotional(message: Message) -> bool:
    """Whether the opt-out list applies."""
    return PROMOTIONAL in message.content.tags.split(",")


def _next_opening(message: Message, now: Milliseconds) -> Milliseconds | None:
    """Return when the message may go as far as windows decide, None when its two windows are never open together."""
    asked = message.content.delivery_time
    windows = [] if asked is None else [window_of(DeliveryTime.model_validate_json(asked))]
    local = _marketing_windows(message)
    opening = next_open_of_all([*windows, *local], now)
    if opening is None and len(local) > 1:  # a country so wide that its zones have no hour in common
        opening = next_open_of_all([*windows, local[0]], now)
    return opening


def _marketing_windows(message: Message) -> tuple[Window, ...]:
    window = message.content.marketing_window
    if window is None or message.phone_number is None or not is_promotional(message):
        return ()
    return read_marketing_window(window).windows(message.phone_number)


def _is_one_too_many(message: Message, facts: Facts, rules: Rules) -> bool:
    if not rules.identical_limit or message.queue == PRIORITY or not is_promotional(message):
        return False
    same = (message.content.key_id, message.phone_number or "", message.content.said)
    facts.identical[same] += 1
    return facts.identical[same] > rules.identical_limit


def _price(number: str | None, step: Step, prices: PriceList) -> Price | None:
    found: Country | None = country(number) if number else None
    if number is None or found is None:
        return None
    return prices.price(step.channel, step.gateway if isinstance(step, SmsStep) else None, number, found)


def _parts(message: Message) -> int:
    step = step_of(message)
    return count_parts(text_of(step, message)).parts if isinstance(step, SmsStep) else 1


def _priced(message: Message, parts: int, price: Price, now: Milliseconds) -> Message:
    total = price.times(parts)
    return message._replace(
        state=Result.SENDING,
        mcc=price.mcc,
        mnc=price.mnc,
        parts=parts,
        price_czk=message.price_czk + total.czk,
        price_eur=message.price_eur + total.eur,
        charged=message.charged + total.in_currency(message.content.currency),
        expires_at=end_of_step(message, now),
        ts_updated=now,
    )


def affordable(moves: Sequence[Move], balance: Money, now: Milliseconds) -> list[Move]:
    """Return the moves of a wallet, first come first served: those that it can't pay turned into rejections."""
    paid = []
    for move in moves:
        if move.charge <= balance:
            balance -= move.charge
            paid.append(move)
        else:
            unpaid = move.before._replace(phone_number=move.after.phone_number)
            paid.append(Move(move.before, reject(unpaid, ResultCode.INSUFFICIENT_CREDIT, now)))
    return paid
