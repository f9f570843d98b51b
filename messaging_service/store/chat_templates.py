"""Queries about templates of messaging apps: an account's, and those whose approval is to be asked about."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, delete, func, select, update

from messaging_service.clock import Milliseconds
from messaging_service.store.tables import chat_templates
from messaging_service.store.upsert import upsert

_COUNTS = (chat_templates.c.body_count, chat_templates.c.header_count, chat_templates.c.button_count)


class KnownTemplate(NamedTuple):
    """What decides whether a message may use a template: ``counts`` are the values for body, header and buttons."""

    status: str
    counts: tuple[int, int, int]


def known(
    connection: Connection, names: Collection[tuple[int, str]]
) -> list[tuple[tuple[int, str, str], KnownTemplate]]:
    """Return the templates of accounts and names, each with its account, name and language."""
    if not names:
        return []
    table = chat_templates
    question = select(table.c.account_id, table.c.name, table.c.language, table.c.status, *_COUNTS).where(
        table.c.account_id.in_({account for account, _ in names}),
        table.c.name.in_({name for _, name in names}),
    )
    rows = connection.execute(question).all()
    return [((row[0], row[1], row[2]), KnownTemplate(row[3], (row[4], row[5], row[6]))) for row in rows]


def add(connection: Connection, row: Mapping[str, Any]) -> bool:
    """Write a template. Returns whether there was none of its name and language."""
    statement = upsert(connection, chat_templates).values(row).on_conflict_do_nothing()
    return connection.execute(statement.returning(chat_templates.c.id)).first() is not None


def count(connection: Connection, account_id: int) -> int:
    """Return how many templates an account has."""
    question = select(func.count()).where(chat_templates.c.account_id == account_id)
    return int(connection.execute(question).scalar_one())


def of_account(
    connection: Connection, account_id: int, waba_id: str | None = None, name: str | None = None
) -> Sequence[RowMapping]:
    """Return an account's templates, all or those of a business account or name, by name and language."""
    table = chat_templates
    question = select(table).where(table.c.account_id == account_id)
    if waba_id is not None:
        question = question.where(table.c.waba_id == waba_id)
    if name is not None:
        question = question.where(table.c.name == name)
    return connection.execute(question.order_by(table.c.name, table.c.language, table.c.id)).mappings().all()


def remove(connection: Connection, account_id: int, waba_id: str, name: str) -> int:
    """Delete a template in all its languages. Returns how many there were."""
    table = chat_templates
    named = delete(table).where(table.c.account_id == account_id, table.c.waba_id == waba_id, table.c.name == name)
    return connection.execute(named).rowcount


def next_due(connection: Connection) -> Milliseconds | None:
    """Return when the platform is next to be asked about a template."""
    return connection.execute(
        select(func.min(chat_templates.c.due_at)).where(chat_templates.c.due_at.is_not(None)),
    ).scalar()


def claim_due(connection: Connection, now: Milliseconds, limit: int, until: Milliseconds) -> Sequence[RowMapping]:
    """Return templates to ask about now. They are due again at ``until``, for others, should this process die."""
    table = chat_templates
    question = select(table).where(table.c.due_at <= now).order_by(table.c.due_at).limit(limit)
    due = connection.execute(question.with_for_update(skip_locked=True)).mappings().all()
    ids = [row["id"] for row in due]
    if ids:
        connection.execute(update(table).where(table.c.id.in_(ids)).values(due_at=until))
    return due


def ask_at(connection: Connection, template_ids: Sequence[str], moment: Milliseconds) -> None:
    """Have the platform asked about templates at a moment: it said that something changed."""
    named = chat_templates.c.template_id.in_(template_ids)
    connection.execute(update(chat_templates).where(named).values(due_at=moment))


def change(connection: Connection, row_id: int, values: Mapping[str, Any]) -> None:
    """Write what the platform says of a template; one deleted meanwhile stays deleted."""
    connection.execute(update(chat_templates).where(chat_templates.c.id == row_id).values(values))
