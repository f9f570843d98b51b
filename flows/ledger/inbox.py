"""How far an account's inbox was read, and what was done about each message of the dates that are not done with."""

from collections.abc import Collection, Mapping
from enum import StrEnum

from sqlalchemy import bindparam, delete, insert, select, update

from flows.ledger.database import Ledger
from flows.ledger.tables import inbound, inbox_marks


class Step(StrEnum):
    """What is done about each message, in this order; the value is the column that says when."""

    CONSENT = "consent_at"
    TOLD = "told_at"
    FORWARDED = "forwarded_at"


def first_open_date(ledger: Ledger, account: str) -> str | None:
    """Return the UTC date (``YYYY-MM-DD``) up to which the inbox is done with, None when it was never read."""
    with ledger.read() as connection:
        found = connection.scalar(select(inbox_marks.c.date).where(inbox_marks.c.account == account))
    return None if found is None else str(found)


def note_arrivals(ledger: Ledger, account: str, dates: Mapping[str, str]) -> dict[str, frozenset[Step]]:
    """Write down the messages (id to date) that aren't yet, and return for each what was done about it."""
    with ledger.write() as connection:
        rows = connection.execute(
            select(inbound).where(inbound.c.account == account, inbound.c.date.in_(sorted(set(dates.values()))))
        )
        done = {row.id: frozenset(step for step in Step if getattr(row, step) is not None) for row in rows}
        new = [{"account": account, "id": each, "date": date} for each, date in dates.items() if each not in done]
        if new:
            connection.execute(insert(inbound), new)
    return {each: done.get(each, frozenset()) for each in dates}


def mark_done(ledger: Ledger, account: str, ids: Collection[str], step: Step) -> None:
    """Write down that this was done about these messages, now."""
    if not ids:
        return
    done = (
        update(inbound)
        .where(inbound.c.account == account, inbound.c.id == bindparam("message"))
        .values({step.value: ledger.now()})
    )
    with ledger.write() as connection:
        connection.execute(done, [{"message": each} for each in ids])


def move_mark(ledger: Ledger, account: str, date: str) -> None:
    """Begin with this date the next time, and forget the messages of those before; the mark never goes back."""
    known = first_open_date(ledger, account)
    with ledger.write() as connection:
        if known is None:
            connection.execute(insert(inbox_marks).values(account=account, date=date))
        elif known < date:
            connection.execute(update(inbox_marks).where(inbox_marks.c.account == account).values(date=date))
        connection.execute(delete(inbound).where(inbound.c.account == account, inbound.c.date < date))
