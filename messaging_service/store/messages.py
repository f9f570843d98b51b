"""Queries about messages: accept them, claim what is due, find them by receipt, write where they have moved."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, bindparam, func, insert, select, update

from interface.results import Result
from messaging_service.clock import Milliseconds
from messaging_service.message import Content, Message
from messaging_service.store.tables import accounts, contents, keys, messages, wallets

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
)
_PROGRESS = (
    "phone_number",
    "queue",
    "due_at",
    "in_doubt",
    "flow_index",
    "flow_history",
    "code",
    "reason",
    "mcc",
    "mnc",
    "parts",
    "price_czk",
    "price_eur",
    "charged",
    "ts_sent",
    "ts_delivered",
    "ts_seen",
    "ts_clicked",
    "ts_replied",
    "ts_optout",
    "ts_updated",
)
_MESSAGE = (
    messages.c.id,
    messages.c.message_id,
    messages.c.recipient,
    messages.c.state,
    *(messages.c[name] for name in _PROGRESS),
)
_WHOLE = (
    select(*_MESSAGE, *_CONTENT)
    .join(contents, contents.c.id == messages.c.content_id)
    .join(keys, keys.c.id == contents.c.key_id)
    .join(accounts, accounts.c.id == keys.c.account_id)
    .join(wallets, wallets.c.id == keys.c.wallet_id)
)
_SAVE = (
    update(messages)
    .where(messages.c.id == bindparam("row"))
    .values(state=bindparam("state"), **{name: bindparam(name) for name in _PROGRESS})
)
# A receipt never changes the number or the price, and leaving them out spares their indexes.
_TRACKED = ("due_at", "in_doubt", "code", "reason", "ts_sent", "ts_delivered", "ts_seen", "ts_updated")
_SAVE_TRACKED = (
    update(messages)
    .where(messages.c.id == bindparam("row"))
    .values(state=bindparam("state"), **{name: bindparam(name) for name in _TRACKED})
)


def add(
    connection: Connection, content_rows: Sequence[Mapping[str, Any]], message_rows: Sequence[Mapping[str, Any]]
) -> None:
    """Write accepted message objects and a row for each of their recipients."""
    connection.execute(insert(contents), content_rows)
    connection.execute(insert(messages), message_rows)


def claim_due(connection: Connection, now: Milliseconds, limit: int) -> list[Message]:
    """Return messages that need attention, the better queue first, held against other workers until the transaction ends."""
    claimed: list[Message] = []
    for queue in range(3):
        if len(claimed) < limit:
            question = (
                _WHOLE.where(messages.c.queue == queue, messages.c.due_at <= now)
                .order_by(messages.c.due_at)
                .limit(limit - len(claimed))
                .with_for_update(of=messages, skip_locked=True)
            )
            claimed += _read(connection, question)
    return claimed


def next_due(connection: Connection) -> Milliseconds | None:
    """Return the earliest moment at which a message needs attention."""
    earliest = (
        select(func.min(messages.c.due_at)).where(messages.c.queue == queue, messages.c.due_at.is_not(None))
        for queue in range(3)
    )
    moments = [connection.execute(question).scalar() for question in earliest]
    return min((moment for moment in moments if moment is not None), default=None)


def with_ids(connection: Connection, message_ids: Iterable[str]) -> dict[str, Message]:
    """Return the messages with these ids, held against other writers until the transaction ends."""
    question = _WHOLE.where(messages.c.message_id.in_(list(message_ids))).with_for_update(of=messages)
    return {message.message_id: message for message in _read(connection, question)}


def save(connection: Connection, changed: Iterable[Message]) -> None:
    """Write where messages have moved in phase 2 or through their flow."""
    rows = [_row(message, _PROGRESS) for message in changed]
    if rows:
        connection.execute(_SAVE, rows)


def save_tracked(connection: Connection, changed: Iterable[Message]) -> None:
    """Write what receipts and answers of the operator changed."""
    rows = [_row(message, _TRACKED) for message in changed]
    if rows:
        connection.execute(_SAVE_TRACKED, rows)


def release_in_doubt(connection: Connection, now: Milliseconds) -> int:
    """Make what a dead worker was handing over due at once. Only for a store that has one worker. Returns how many."""
    question = update(messages).where(messages.c.in_doubt, messages.c.due_at > now, messages.c.state == Result.SENDING)
    return connection.execute(question.values(due_at=now)).rowcount


def count_identical(
    connection: Connection,
    numbers: Iterable[str],
    since: Milliseconds,
) -> dict[tuple[int, str, str | None], int]:
    """Return how often each key has sent each body to each of these numbers since a moment."""
    question = (
        select(contents.c.key_id, messages.c.phone_number, contents.c.body, func.count())
        .join(contents, contents.c.id == messages.c.content_id)
        .where(
            messages.c.phone_number.in_(list(numbers)),
            messages.c.state.not_in([Result.ACCEPTED, Result.REJECTED, Result.CANCELLED]),
            contents.c.created_at >= since,
        )
        .group_by(contents.c.key_id, messages.c.phone_number, contents.c.body)
    )
    return {(key_id, number, body): count for key_id, number, body, count in connection.execute(question)}


def _row(message: Message, names: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(message, name) for name in names}
    row["row"] = message.id
    row["state"] = message.state.value
    return row


def _read(connection: Connection, question: Select[Any]) -> list[Message]:
    shared: dict[str, Content] = {}
    return [_message(row, shared) for row in connection.execute(question).mappings()]


def _message(row: RowMapping, shared: dict[str, Content]) -> Message:
    content = shared.get(row["content_id"])
    if content is None:
        content = shared[row["content_id"]] = _content(row)
    progress = {name: row[name] for name in _PROGRESS}
    return Message(
        id=row["id"],
        message_id=row["message_id"],
        content=content,
        recipient=row["recipient"],
        state=Result(row["state"]),
        **progress,
    )


def _content(row: RowMapping) -> Content:
    return Content(
        id=row["content_id"],
        **{column.key: row[column.key] for column in _CONTENT if column.key != "content_id"},
    )
