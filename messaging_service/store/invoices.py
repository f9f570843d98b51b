"""Queries about invoices: which are missing, the next number, write one, find them, keep a file."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, func, insert, select, union_all, update

from messaging_service.accounts.money import Money
from messaging_service.clock import Milliseconds, utc_date
from messaging_service.store.tables import (
    billed_wallets,
    billing_records,
    daily_charges,
    invoice_files,
    invoice_numbers,
    orders,
    wallets,
)
from messaging_service.store.tables import invoices as table
from messaging_service.store.upsert import upsert


class Month:
    """A month, with the moments and dates between which it lies, the second of each outside."""

    def __init__(self, name: str, dates: tuple[str, str], moments: tuple[Milliseconds, Milliseconds]) -> None:
        self.name = name
        self.since, self.until = dates
        self.begins, self.ends = moments


def first_charged_date(connection: Connection) -> str | None:
    """Return the date of the first thing that was ever charged."""
    message: str | None = connection.execute(select(func.min(daily_charges.c.date))).scalar()
    order: Milliseconds | None = connection.execute(select(func.min(orders.c.created_at))).scalar()
    return min((date for date in (message, None if order is None else utc_date(order)) if date), default=None)


def missing(connection: Connection, month: Month, least: Money, limit: int) -> Sequence[RowMapping]:
    """Return wallets that ``least`` was charged to in a month without an invoice for it, and whom it is for."""
    messages = select(daily_charges.c.wallet_id, daily_charges.c.amount).where(
        daily_charges.c.date >= month.since, daily_charges.c.date < month.until
    )
    ordered = select(orders.c.wallet_id, orders.c.charged.label("amount")).where(
        orders.c.created_at >= month.begins, orders.c.created_at < month.ends
    )
    charged = union_all(messages, ordered).subquery()
    spending = (
        select(charged.c.wallet_id)
        .group_by(charged.c.wallet_id)
        .having(func.abs(func.sum(charged.c.amount)) >= least)
        .subquery()
    )
    question = (
        select(wallets.c.id.label("wallet_id"), wallets.c.currency, billing_records, table.c.id.label("invoice"))
        .join(spending, spending.c.wallet_id == wallets.c.id)
        .join(billed_wallets, billed_wallets.c.wallet_id == wallets.c.id)
        .join(billing_records, billing_records.c.id == billed_wallets.c.billing_record_id)
        .outerjoin(table, and_(table.c.wallet_id == wallets.c.id, table.c.month == month.name))
        .where(table.c.id.is_(None))
        .order_by(wallets.c.id)
        .limit(limit)
    )
    return connection.execute(question).mappings().all()


def orders_of(connection: Connection, wallet_id: int, month: Month) -> Sequence[RowMapping]:
    """Return the services that were charged to a wallet in a month, in their order."""
    question = select(orders.c.service, orders.c.value, orders.c.charged).where(
        orders.c.wallet_id == wallet_id,
        orders.c.created_at >= month.begins,
        orders.c.created_at < month.ends,
        orders.c.charged != 0,
    )
    return connection.execute(question.order_by(orders.c.created_at, orders.c.id)).mappings().all()


def hold_numbers(connection: Connection, year: int) -> int:
    """Return the last number of a year, held against everybody else until the transaction ends."""
    first = upsert(connection, invoice_numbers).values(year=year, last=0).on_conflict_do_nothing()
    connection.execute(first)
    question = select(invoice_numbers.c.last).where(invoice_numbers.c.year == year)
    return int(connection.execute(question.with_for_update()).scalar_one())


def set_number(connection: Connection, year: int, last: int) -> None:
    """Write the last number that is taken."""
    connection.execute(update(invoice_numbers).where(invoice_numbers.c.year == year).values(last=last))


def add(connection: Connection, row: Mapping[str, Any]) -> None:
    """Write an invoice."""
    connection.execute(insert(table).values(row))


def of_record(connection: Connection, record_id: int, year: int | None) -> Sequence[RowMapping]:
    """Return the invoices of a billing record, issued in a year or ever, the newest first."""
    question = select(table).where(table.c.billing_record_id == record_id).order_by(table.c.id.desc())
    if year is not None:
        question = question.where(table.c.issued >= f"{year}-01-01", table.c.issued <= f"{year}-12-31")
    return connection.execute(question).mappings().all()


def find(connection: Connection, record_id: int, number: str) -> RowMapping | None:
    """Return an invoice of a billing record, with its file if that was made."""
    question = (
        select(table, invoice_files.c.pdf)
        .outerjoin(invoice_files, invoice_files.c.invoice_id == table.c.id)
        .where(table.c.billing_record_id == record_id, table.c.number == number)
    )
    return connection.execute(question).mappings().one_or_none()


def keep_file(connection: Connection, invoice_id: int, pdf: bytes) -> bytes:
    """Keep the file of an invoice unless there is one. Returns the one that is kept."""
    first = upsert(connection, invoice_files).values(invoice_id=invoice_id, pdf=pdf)
    connection.execute(first.on_conflict_do_nothing())
    kept = connection.execute(select(invoice_files.c.pdf).where(invoice_files.c.invoice_id == invoice_id)).scalar_one()
    return bytes(kept)
