"""Queries about accounts, their keys and wallets."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, insert, select, update

from messaging_service.store.tables import accounts, keys, wallets

_PARENTS = keys.alias("parents")
_KNOWN = (
    select(
        keys.c.id,
        keys.c.account_id,
        accounts.c.name.label("account"),
        keys.c.wallet_id,
        keys.c.parent_id,
        keys.c.subid,
        keys.c.scope,
        keys.c.note,
        keys.c.default_sender,
        keys.c.default_callback_url,
        keys.c.is_blocked,
        wallets.c.currency,
        accounts.c.calling_code,
        accounts.c.time_zone,
        and_(keys.c.parent_id.is_not(None), keys.c.wallet_id != _PARENTS.c.wallet_id).label("is_separate"),
    )
    .join(accounts, accounts.c.id == keys.c.account_id)
    .join(wallets, wallets.c.id == keys.c.wallet_id)
    .outerjoin(_PARENTS, _PARENTS.c.id == keys.c.parent_id)
)


def find(connection: Connection, digest: str) -> RowMapping | None:
    """Return the key with this digest, joined with what its calls need of account and wallet."""
    return connection.execute(_KNOWN.where(keys.c.digest == digest)).mappings().one_or_none()


def numbered(connection: Connection, key_id: int) -> RowMapping:
    """Return the key with this number, joined as ``find`` does."""
    return connection.execute(_KNOWN.where(keys.c.id == key_id)).mappings().one()


def any_exist(connection: Connection) -> bool:
    """Whether the store has a key at all."""
    return connection.execute(select(keys.c.id).limit(1)).first() is not None


def find_child(connection: Connection, account_id: int, parent_id: int, subid: str) -> int | None:
    """Return the number of a key's sub-account with this name, None when it has none of the kind."""
    question = select(keys.c.id).where(
        keys.c.account_id == account_id,
        keys.c.parent_id == parent_id,
        keys.c.subid == subid,
    )
    return connection.execute(question).scalar()


def add_account(connection: Connection, values: Mapping[str, Any]) -> int:
    """Write an account and return its number."""
    return _number(connection.execute(insert(accounts).values(values).returning(accounts.c.id)).scalar_one())


def add_wallet(connection: Connection, values: Mapping[str, Any]) -> int:
    """Write a wallet and return its number."""
    return _number(connection.execute(insert(wallets).values(values).returning(wallets.c.id)).scalar_one())


def add_key(connection: Connection, values: Mapping[str, Any]) -> int:
    """Write a key and return its number."""
    return _number(connection.execute(insert(keys).values(values).returning(keys.c.id)).scalar_one())


def change(connection: Connection, key_id: int, values: Mapping[str, Any]) -> None:
    """Write new settings of a key."""
    connection.execute(update(keys).where(keys.c.id == key_id).values(values))


def overview(connection: Connection) -> Sequence[RowMapping]:
    """Return every key with its account's name, its wallet's balance and currency, oldest first."""
    question = (
        select(
            keys.c.id,
            keys.c.hint,
            accounts.c.name.label("account"),
            keys.c.subid,
            keys.c.scope,
            keys.c.note,
            keys.c.is_blocked,
            wallets.c.currency,
            wallets.c.balance,
        )
        .join(accounts, accounts.c.id == keys.c.account_id)
        .join(wallets, wallets.c.id == keys.c.wallet_id)
        .order_by(keys.c.id)
    )
    return connection.execute(question).mappings().all()


def first(connection: Connection) -> RowMapping | None:
    """Return the oldest key that has no parent, with all its columns; None in a new store."""
    question = select(keys).where(keys.c.parent_id.is_(None)).order_by(keys.c.id).limit(1)
    return connection.execute(question).mappings().one_or_none()


def recognised(connection: Connection, name: str) -> Sequence[RowMapping]:
    """Return the keys that a person may mean by a hint or the name of a sub-account, with all their columns."""
    question = select(keys).where((keys.c.hint == name) | (keys.c.subid == name)).order_by(keys.c.id)
    return connection.execute(question).mappings().all()


def marketing_window(connection: Connection, account_id: int) -> str | None:
    """Return the marketing window of an account as JSON, None when it is off."""
    text: str | None = connection.execute(
        select(accounts.c.marketing_window).where(accounts.c.id == account_id),
    ).scalar_one()
    return text


def set_marketing_window(connection: Connection, account_id: int, window: str | None) -> None:
    """Write the marketing window of an account; None switches it off."""
    connection.execute(update(accounts).where(accounts.c.id == account_id).values(marketing_window=window))


def _number(value: Any) -> int:  # noqa: ANN401 - what a driver returns for an integer column
    return int(value)
