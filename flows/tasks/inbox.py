"""Tasks about what people wrote: read it, follow opt-outs, tell automations, hand it on."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from prefect.events import Event

from flows import events
from flows.advice import calling
from flows.inbound.arrivals import Arrival, dates_to_read, identified, last_wishes, masked, next_mark
from flows.inbound.forwarding import Receiver
from flows.inbound.words import Kind, kind_of
from flows.ledger import Ledger, Turn
from flows.ledger import inbox as memory
from flows.ledger.inbox import Step
from flows.provider import Provider
from flows.tasks.kinds import call, step
from interface.lists import ListRemoval

EVENT = "dovecote.inbound"
NUMBERS_A_CALL = 1_000
HANDED_ON_AT_ONCE = 8


@dataclass(frozen=True)
class Desk:
    """What is needed to handle one account's inbox, by the one run whose turn it is."""

    account: str
    turn: Turn
    provider: Provider
    opt_out_words: Sequence[str]
    opt_in_words: Sequence[str]

    @property
    def ledger(self) -> Ledger:
        """The ledger that remembers what was done."""
        return self.turn.ledger


@dataclass(frozen=True)
class Consents:
    """How many numbers were put on the opt-out list and taken off it, and how many the provider found invalid."""

    opted_out: int = 0
    opted_in: int = 0
    invalid: int = 0


@call("read-inbox")
async def read_inbox(desk: Desk, days_back: int) -> list[Arrival]:
    """Read the dates that aren't done with, and write down what is new; the oldest first."""
    mark = await asyncio.to_thread(memory.first_open_date, desk.ledger, desk.account)
    arrivals: list[Arrival] = []
    for day in dates_to_read(mark, days_back, desk.ledger.now()):
        with calling(f"GET /inbox of {day}"):
            messages = await desk.provider.client.inbox(day)
        for each, message in identified(messages):
            kind = kind_of(message.body, desk.opt_out_words, desk.opt_in_words)
            arrivals.append(Arrival(each, day.isoformat(), kind, message))
    dates = {one.id: one.date for one in arrivals}
    done = await asyncio.to_thread(memory.note_arrivals, desk.ledger, desk.account, dates)
    return [replace(one, done=done[one.id]) for one in arrivals]


@call("follow-opt-outs")
async def follow_opt_outs(desk: Desk, arrivals: Sequence[Arrival]) -> Consents:
    """Put those whose last word was an opt-out on the provider's list, and take off those who came back."""
    new = without(Step.CONSENT, arrivals)
    wishes = last_wishes(arrivals)
    wishing = {one.message.from_ for one in new if one.kind is not Kind.MESSAGE}
    leaving = sorted(number for number in wishing if wishes[number] is Kind.OPT_OUT)
    returning = sorted(wishing - set(leaving))
    await asyncio.to_thread(desk.turn.renew)
    invalid = 0
    for numbers in _some(leaving):
        with calling("POST /optout"):
            invalid += len((await desk.provider.client.opt_out(numbers, subid=desk.provider.subid)).invalid)
    for numbers in _some(returning):
        with calling("DELETE /optout"):
            await desk.provider.client.opt_out_remove(ListRemoval(to="\n".join(numbers), subid=desk.provider.subid))
    await asyncio.to_thread(memory.mark_done, desk.ledger, desk.account, [one.id for one in new], Step.CONSENT)
    return Consents(len(leaving) - invalid, len(returning), invalid)


@call("tell-automations")
async def tell_automations(desk: Desk, arrivals: Sequence[Arrival]) -> int:
    """Emit an event for each new message; a message told twice, because a run was killed, is one event."""
    new = without(Step.TOLD, arrivals)
    await events.tell([_event(desk.account, one) for one in new])
    await asyncio.to_thread(memory.mark_done, desk.ledger, desk.account, [one.id for one in new], Step.TOLD)
    return len(new)


@call("hand-on")
async def hand_on(desk: Desk, receiver: Receiver | None, arrivals: Sequence[Arrival]) -> int:
    """Hand each new message on to the receiver, several at a time; without a receiver they are done with."""
    waiting = await asyncio.to_thread(_not_handed_on, desk, arrivals)
    if receiver is None:
        await asyncio.to_thread(memory.mark_done, desk.ledger, desk.account, waiting, Step.FORWARDED)
        return 0
    async with receiver.client() as client:

        async def hand_on_one(arrival: Arrival) -> None:
            await receiver.hand_on(client, arrival)
            await asyncio.to_thread(memory.mark_done, desk.ledger, desk.account, [arrival.id], Step.FORWARDED)

        await _some_at_a_time([one for one in arrivals if one.id in waiting], hand_on_one)
    return len(waiting)


@step("move-mark")
async def move_mark(desk: Desk, read_at: float) -> None:
    """Begin the next time with the first date that may still get messages."""
    await asyncio.to_thread(memory.move_mark, desk.ledger, desk.account, next_mark(read_at).isoformat())


def without(done: Step, arrivals: Sequence[Arrival]) -> list[Arrival]:
    """Choose those about which this was not done yet."""
    return [one for one in arrivals if done not in one.done]


def _some(numbers: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(numbers), NUMBERS_A_CALL):
        yield numbers[start : start + NUMBERS_A_CALL]


def _not_handed_on(desk: Desk, arrivals: Sequence[Arrival]) -> set[str]:
    # Asked again, for this task may be at its second try.
    done = memory.note_arrivals(desk.ledger, desk.account, {one.id: one.date for one in arrivals})
    return {each for each, steps in done.items() if Step.FORWARDED not in steps}


async def _some_at_a_time(arrivals: Sequence[Arrival], work: Callable[[Arrival], Awaitable[None]]) -> None:
    """Work through them; after the first error none is begun, those under way finish, and it is raised."""
    waiting = iter(arrivals)
    errors: list[Exception] = []

    async def one_after_another() -> None:
        for each in waiting:
            try:
                await work(each)
            except Exception as error:  # noqa: BLE001  (raised below, when the others have finished)
                errors.append(error)
            if errors:
                return

    await asyncio.gather(*(one_after_another() for _ in range(HANDED_ON_AT_ONCE)))
    if errors:
        raise errors[0]


def _event(account: str, arrival: Arrival) -> Event:
    message = arrival.message
    payload = {
        "account": account,
        "from": masked(message.from_),
        "to": message.to,
        "gateway": message.gateway,
        "received": message.ts_received.isoformat(),
    }
    return events.event(
        f"{EVENT}.{arrival.kind}", f"dovecote.account.{account}", account, payload, once=f"{account}:{arrival.id}"
    )
