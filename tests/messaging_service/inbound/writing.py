"""What people write, for tests: inbound messages as a channel reports them."""

from itertools import count

from bench import Bench
from sqlalchemy import select

from interface.flow_steps import Channel
from messaging_service.channels.channel import Inbound
from messaging_service.store.tables import inbox, suppressions

PERSON = "420601123456"
_numbers = count()


def written(bench: Bench, body: str, **given) -> Inbound:
    """Return an inbound message of PERSON to the account's default sender, just now."""
    values = {"id": f"operator:{next(_numbers)}", "channel": Channel.SMS, "phone_number": PERSON}
    values |= {"recipient": "Dovecote", "body": body, "at": bench.clock.now()}
    return Inbound(**(values | given))


def write(bench: Bench, body: str, **given) -> None:
    bench.recorder.record([written(bench, body, **given)])


def sent(bench: Bench, *numbers: str, **message) -> list[str]:
    """Send a message and let it arrive, with the default sender unless another is named."""
    ids = bench.accept(*(numbers or (PERSON,)), **message)
    bench.run_for(seconds=1)
    return ids


def received(bench: Bench) -> list[dict]:
    with bench.store.reading() as connection:
        return [dict(row) for row in connection.execute(select(inbox).order_by(inbox.c.id)).mappings()]


def opted_out(bench: Bench) -> list[tuple]:
    table = suppressions
    question = select(table.c.list, table.c.phone_number, table.c.subid).order_by(table.c.phone_number)
    with bench.store.reading() as connection:
        return [tuple(row) for row in connection.execute(question)]


def incoming(bench: Bench) -> list[dict]:
    return [event for event in bench.notifications() if event["type"] == "incoming"]
