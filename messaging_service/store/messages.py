"""Queries about messages: accept them, claim what is due, find them by receipt, write where they have moved."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Select,
    bindparam,
    func,
    insert,
    literal,
    literal_column,
    select,
    text,
    union_all,
    update,
)

from interface.results import Result
from messaging_service.clock import Milliseconds
from messaging_service.message import Content, Message, Move
from messaging_service.store.journal import QUEUES
from messaging_service.store.prepared import Prepared
from messaging_service.store.tables import accounts, contents, keys, messages, wallets

Rows = Sequence[Mapping[str, Any]]

_CONTENT = (
    contents.c.id.label("content_id"),
    contents.c.request_id,
    contents.c.key_id,
    keys.c.account_id,
    keys.c.wallet_id,
    keys.c.subid,
    wallets.c.currency,
    accounts.c.calling_code,
    contents.c.date,
    contents.c.tags,
    contents.c.body,
    func.coalesce(contents.c.sender, keys.c.default_sender).label("sender"),
    func.coalesce(contents.c.callback, func.nullif(keys.c.default_callback_url, "")).label("callback"),
    contents.c.payload,
    contents.c.flow,
    contents.c.delivery_time,
    accounts.c.marketing_window,
    contents.c.params,
)
_PROGRESS = Message._fields[4:-1]
_MESSAGE = (
    messages.c.id,
    messages.c.message_id,
    messages.c.recipient,
    messages.c.state,
    *(messages.c[name] for name in _PROGRESS),
)
WHOLE = (
    select(*_MESSAGE, *_CONTENT)
    .join(contents, contents.c.id == messages.c.content_id)
    .join(keys, keys.c.id == contents.c.key_id)
    .join(accounts, accounts.c.id == keys.c.account_id)
    .join(wallets, wallets.c.id == keys.c.wallet_id)
)
"""Messages with all that ``read`` needs; a question of another module narrows it."""
_WIDTH = len(_MESSAGE)
_RESULTS = {result.value: result for result in Result}


def _saving(names: Sequence[str]) -> Prepared:
    return Prepared(
        update(messages)
        .where(
            messages.c.id == bindparam("row"),
            messages.c.state == bindparam("was"),
            messages.c.flow_index == bindparam("was_on"),  # the next step has the same states
        )
        .values(state=bindparam("state"), **{name: bindparam(name) for name in names}),
    )


# What recipients do is written on its own (`reactions`), maybe just now.
_DECIDED = tuple(name for name in _PROGRESS if name not in {"ts_clicked", "ts_replied", "ts_optout"})
_SAVE = _saving(_DECIDED)
# A receipt never changes the number or the price, and leaving them out spares their indexes.
_TRACKED = ("due_at", "in_doubt", "code", "reason", "ts_sent", "ts_delivered", "ts_seen", "ts_updated")
_SAVE_TRACKED = _saving(_TRACKED)
_ADD_CONTENTS = Prepared(insert(contents))
# The recipients of an object go in as one JSON array, so that what a call costs hardly grows with them.
_ADD_SQLITE = text("""
    INSERT INTO messages (message_id, content_id, position, recipient, state, queue, due_at)
    SELECT :message_id || CASE WHEN :numbered THEN '-' || (:position + key) ELSE '' END,
           :content_id, :position + key, value, 'accepted', :queue, :due_at
    FROM json_each(:recipients)
""")
_ADD_POSTGRESQL = text("""
    INSERT INTO messages (message_id, content_id, position, recipient, state, queue, due_at)
    SELECT CAST(:message_id AS text) || CASE WHEN :numbered THEN '-' || (:position + ordinality - 1) ELSE '' END,
           :content_id, :position + ordinality - 1, value, 'accepted', :queue, :due_at
    FROM json_array_elements_text(CAST(:recipients AS json)) WITH ORDINALITY
""")
_ADD = Prepared(_ADD_SQLITE, _ADD_POSTGRESQL)

# Built once: building them anew would cost a turn of the worker more than running them.
_DUE = (
    WHOLE.where(messages.c.queue == bindparam("in_queue"), messages.c.due_at <= bindparam("now"))
    .order_by(messages.c.due_at)
    .limit(bindparam("most"))
    .with_for_update(of=messages, skip_locked=True)
)
_SAID = func.coalesce(func.nullif(contents.c.body, literal_column("''")), contents.c.flow)  # as ``Content.said``
_IDENTICAL = (
    select(contents.c.key_id, messages.c.phone_number, _SAID, func.count())
    .join(contents, contents.c.id == messages.c.content_id)
    .where(
        messages.c.phone_number.in_(bindparam("numbers", expanding=True)),
        messages.c.state.not_in([Result.ACCEPTED, Result.REJECTED, Result.CANCELLED]),
        # not created_at: many are scheduled
        func.coalesce(messages.c.ts_sent, messages.c.ts_updated) >= bindparam("since"),
    )
    .group_by(contents.c.key_id, messages.c.phone_number, _SAID)
)
_NEXT_DUE = union_all(
    *(
        select(literal(queue), func.min(messages.c.due_at)).where(
            messages.c.queue == queue, messages.c.due_at.is_not(None)
        )
        for queue in QUEUES
    )
)


def add(connection: Connection, content_rows: Rows, addressee_rows: Rows) -> None:
    """Write accepted message objects, and a message for each recipient of each addressee row (``accept.planning``)."""
    _ADD_CONTENTS.run(connection, content_rows)
    _ADD.run(connection, addressee_rows)


def claim_due(connection: Connection, now: Milliseconds, limit: int, queues: Iterable[int] = QUEUES) -> list[Message]:
    """Return messages that need attention, the better queue first, claimed until the transaction ends."""
    claimed: list[Message] = []
    for queue in queues:
        if len(claimed) < limit:
            claimed += read(connection, _DUE, {"in_queue": queue, "now": now, "most": limit - len(claimed)})
    return claimed


def next_due(connection: Connection) -> dict[int, Milliseconds]:
    """Return the earliest moment at which a message needs attention, of each queue that has one; the better first."""
    return dict(sorted((queue, moment) for queue, moment in connection.execute(_NEXT_DUE) if moment is not None))


def with_ids(connection: Connection, message_ids: Iterable[str]) -> dict[str, Message]:
    """Return the messages with these ids, held against other writers until the transaction ends.

    They are held in the order of their rows, so that two workers never wait for each other in a circle.
    """
    chosen = WHOLE.where(messages.c.message_id.in_(list(message_ids))).order_by(messages.c.id)
    question = chosen.with_for_update(of=messages)
    return {message.message_id: message for message in read(connection, question)}


class MovedMeanwhile(Exception):  # noqa: N818
    """A message isn't where a move starts: somebody else, such as a call that cancels, has moved it."""


def save(connection: Connection, moves: Sequence[Move]) -> None:
    """Write where messages have moved in phase 2 or through their flow. Raises MovedMeanwhile."""
    _save(connection, _SAVE, [_row(move, _DECIDED) for move in moves])


def save_tracked(connection: Connection, moves: Sequence[Move]) -> None:
    """Write what receipts and answers of the operator changed. Raises MovedMeanwhile."""
    _save(connection, _SAVE_TRACKED, [_row(move, _TRACKED) for move in moves])


def _save(connection: Connection, statement: Prepared, rows: Sequence[dict[str, Any]]) -> None:
    if statement.run(connection, rows) != len(rows):
        raise MovedMeanwhile


def release_in_doubt(connection: Connection, now: Milliseconds) -> int:
    """Make what a dead worker was handing over due at once. Only for a store that has one worker. Returns how many."""
    question = update(messages).where(messages.c.in_doubt, messages.c.due_at > now, messages.c.state == Result.SENDING)
    return connection.execute(question.values(due_at=now)).rowcount


def held(connection: Connection, limit: int, message_ids: Collection[str] | None = None) -> list[Message]:
    """Return messages held in doubt (all, or those of these ids), oldest first, held against other writers.

    No index serves it: a person asks, and seldom.
    """
    question = WHOLE.where(messages.c.in_doubt, messages.c.due_at.is_(None), messages.c.state == Result.SENDING)
    if message_ids is not None:
        question = question.where(messages.c.message_id.in_(message_ids))
    return read(connection, question.order_by(messages.c.id).limit(limit).with_for_update(of=messages))


def count_identical(
    connection: Connection,
    numbers: Iterable[str],
    since: Milliseconds,
) -> dict[tuple[int, str, str | None], int]:
    """Return how often each key has said each thing (``Content.said``) to each of these numbers since a moment."""
    wanted = list(numbers)
    if not wanted:
        return {}
    rows = connection.execute(_IDENTICAL, {"numbers": wanted, "since": since})
    return {(key_id, number, said): count for key_id, number, said, count in rows}


def _row(move: Move, names: Sequence[str]) -> dict[str, Any]:
    message = move.after
    row: dict[str, Any] = message._asdict() if names is _DECIDED else {name: getattr(message, name) for name in names}
    row["row"] = message.id
    row["was"] = move.before.state.value
    row["was_on"] = move.before.flow_index
    row["state"] = message.state.value
    return row


def read(connection: Connection, question: Select[Any], given: Mapping[str, Any] | None = None) -> list[Message]:
    """Return the messages that a question built on ``WHOLE`` finds; those of one object share their content."""
    shared: dict[str, Content] = {}
    return [_message(row, shared) for row in connection.execute(question, given).all()]


def _message(row: Row[Any], shared: dict[str, Content]) -> Message:
    content_id = row[_WIDTH]
    content = shared.get(content_id)
    if content is None:
        content = shared[content_id] = Content(*row[_WIDTH:])
    values: list[Any] = list(row[:_WIDTH])
    values[3] = _RESULTS[values[3]]
    return Message._make([*values, content])
