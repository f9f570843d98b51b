"""The simulated operator's own records: what it took, the receipts to come, and what telephones answered."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    MetaData,
    RowMapping,
    SmallInteger,
    String,
    Table,
    Text,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from messaging_service.clock import Milliseconds
from messaging_service.store.engine import Store
from messaging_service.store.migrate import wait_for_others_to_start
from messaging_service.store.prepared import Prepared

metadata = MetaData()

taken = Table(
    "operator_taken",
    metadata,
    Column("message_id", String(48), primary_key=True),
    Column("flow_index", SmallInteger, primary_key=True),
    Column("channel", String(20), nullable=False),
    Column("sender", String(16), nullable=False),
    Column("phone_number", String(24), nullable=False),
    Column("text", Text, nullable=False),
    Column("taken_at", BigInteger, nullable=False, index=True),
)

throttled = Table(
    "operator_throttled",
    metadata,
    Column("message_id", String(48), primary_key=True),
    Column("flow_index", SmallInteger, primary_key=True),
)

receipts = Table(
    "operator_receipts",
    metadata,
    Column("message_id", String(48), primary_key=True),
    Column("flow_index", SmallInteger, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("result", String(12), nullable=False),
    Column("due_at", BigInteger, nullable=False, index=True),
)

# What telephones write. `due_at` is when it is next reported, null once somebody confirmed it.
answers = Table(
    "operator_answers",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("channel", String(20), nullable=False),
    Column("phone_number", String(24), nullable=False),
    Column("recipient", String(24), nullable=False),
    Column("text", Text, nullable=False),
    Column("written_at", BigInteger, nullable=False, index=True),
    Column("due_at", BigInteger, index=True),
)

_THIS = (
    receipts.c.message_id == bindparam("its_message_id"),
    receipts.c.flow_index == bindparam("its_flow_index"),
    receipts.c.position == bindparam("its_position"),
)
_POSTPONE = Prepared(update(receipts).where(*_THIS).values(due_at=bindparam("until")))
_FORGET = Prepared(delete(receipts).where(*_THIS))

# Built once: building them anew would cost a look for what is due more than running them.
_DUE_RECEIPTS = (
    select(receipts)
    .where(receipts.c.due_at <= bindparam("now"))
    .order_by(receipts.c.due_at, receipts.c.position)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
)
_NEXT_RECEIPT = select(func.min(receipts.c.due_at))
_NEXT_ANSWER = select(func.min(answers.c.due_at))

_ADD = {table.name: Prepared(insert(table)) for table in (taken, throttled, receipts, answers)}

Row = Mapping[str, Any]
Identity = tuple[str, int]
"""Message id and flow index: what the operator knows a submission by."""


def create(store: Store) -> None:
    """Make the tables and indexes where they don't exist. Several processes may do it at the same time."""
    with store.writing() as connection:
        wait_for_others_to_start(connection)
        metadata.create_all(connection)
        for index in taken.indexes:
            index.create(connection, checkfirst=True)  # for records that are older than it


def known(connection: Connection, table: Table, message_ids: Iterable[str]) -> set[Identity]:
    """Return which submissions of these messages stand in a table."""
    question = select(table.c.message_id, table.c.flow_index).where(table.c.message_id.in_(list(message_ids)))
    return {(message_id, flow_index) for message_id, flow_index in connection.execute(question)}


def add(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Write rows. Raises IntegrityError when one is there already."""
    _ADD[table.name].run(connection, rows)


def due_receipts(connection: Connection, now: Milliseconds, limit: int) -> Sequence[RowMapping]:
    """Return receipts to send now, the earliest first."""
    return connection.execute(_DUE_RECEIPTS, {"now": now, "most": limit}).mappings().all()


def postpone(connection: Connection, rows: Sequence[RowMapping], until: Milliseconds) -> None:
    """Keep receipts that are being sent from being sent by another process, until a moment."""
    _POSTPONE.run(connection, [{**_named(row), "until": until} for row in rows])


def forget(connection: Connection, rows: Sequence[RowMapping]) -> None:
    """Delete receipts that were sent."""
    _FORGET.run(connection, [_named(row) for row in rows])


def next_receipt(connection: Connection) -> Milliseconds | None:
    """Return when the next receipt is to be sent."""
    return connection.execute(_NEXT_RECEIPT).scalar()


def next_answer(connection: Connection) -> Milliseconds | None:
    """Return when the next answer is to be reported."""
    return connection.execute(_NEXT_ANSWER).scalar()


def due_answers(connection: Connection, now: Milliseconds, limit: int) -> Sequence[RowMapping]:
    """Return answers to report now, the earliest first."""
    question = select(answers).where(answers.c.due_at <= now).order_by(answers.c.due_at).limit(limit)
    return connection.execute(question.with_for_update(skip_locked=True)).mappings().all()


def report_again(connection: Connection, rows: Sequence[RowMapping], at: Milliseconds | None) -> None:
    """Have answers reported at a moment, or (None) never again."""
    ids = [row["id"] for row in rows]
    connection.execute(update(answers).where(answers.c.id.in_(ids)).values(due_at=at))


def has_answered(connection: Connection, phone_number: str, recipient: str, since: Milliseconds) -> bool:
    """Whether a telephone has written to a sender since a moment, or is about to."""
    question = select(answers.c.id).where(
        answers.c.phone_number == phone_number,
        answers.c.recipient == recipient,
        answers.c.written_at >= since,
    )
    return connection.execute(question.limit(1)).first() is not None


def latest_taken(connection: Connection, since: Milliseconds, limit: int) -> Sequence[RowMapping]:
    """Return what was taken since a moment, the latest first."""
    question = select(taken).where(taken.c.taken_at >= since).order_by(taken.c.taken_at.desc()).limit(limit)
    return connection.execute(question).mappings().all()


def latest_answers(
    connection: Connection, since: Milliseconds, until: Milliseconds, limit: int
) -> Sequence[RowMapping]:
    """Return what telephones wrote from one moment to another, the latest first."""
    question = select(answers).where(answers.c.written_at >= since, answers.c.written_at <= until)
    return connection.execute(question.order_by(answers.c.written_at.desc()).limit(limit)).mappings().all()


def _named(row: RowMapping) -> dict[str, Any]:
    return {f"its_{name}": row[name] for name in ("message_id", "flow_index", "position")}
