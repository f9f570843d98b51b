"""Queries about sub-keys: a parent's children."""

from collections.abc import Sequence

from sqlalchemy import Connection, RowMapping, func, select

from messaging_service.store.tables import billed_wallets, billing_records, keys, wallets


def hold_parent(connection: Connection, key_id: int) -> RowMapping:
    """Return a key with all its columns and its wallet's currency; until the transaction ends it is given no child."""
    question = select(keys, wallets.c.currency).join(wallets, wallets.c.id == keys.c.wallet_id)
    held = question.where(keys.c.id == key_id).with_for_update(of=keys, key_share=True)
    return connection.execute(held).mappings().one()


def of_app_user(connection: Connection, parent_id: int, app_userid: str) -> RowMapping | None:
    """Return the sub-key (``wallet_id``, ``sealed``) that was made for somebody by the parent's own name for them."""
    question = select(keys.c.wallet_id, keys.c.sealed).where(
        keys.c.parent_id == parent_id, keys.c.app_userid == app_userid
    )
    return connection.execute(question).mappings().one_or_none()


def count(connection: Connection, parent_id: int) -> int:
    """Return how many sub-keys a key has, blocked ones too."""
    return int(connection.execute(select(func.count()).where(keys.c.parent_id == parent_id)).scalar_one())


def names_of_account(connection: Connection, account_id: int) -> set[str]:
    """Return the sub-account names that are taken."""
    return set(connection.execute(select(keys.c.subid).where(keys.c.account_id == account_id)).scalars())


def of_parent(connection: Connection, parent_id: int) -> Sequence[RowMapping]:
    """Return the sub-keys of a key, the oldest first, with currency and ``billing_id`` of their wallets."""
    question = (
        select(
            keys.c.hint,
            keys.c.subid,
            keys.c.note,
            keys.c.scope,
            keys.c.wallet_id,
            keys.c.share_senders,
            keys.c.is_blocked,
            keys.c.default_callback_url,
            keys.c.app_userid,
            keys.c.created_at,
            wallets.c.currency,
            billing_records.c.billing_id,
        )
        .join(wallets, wallets.c.id == keys.c.wallet_id)
        .outerjoin(billed_wallets, billed_wallets.c.wallet_id == keys.c.wallet_id)
        .outerjoin(billing_records, billing_records.c.id == billed_wallets.c.billing_record_id)
        .where(keys.c.parent_id == parent_id)
        .order_by(keys.c.id)
    )
    return connection.execute(question).mappings().all()


def with_digest(connection: Connection, parent_id: int, digest: str) -> Sequence[int]:
    """Return the number of the parent's sub-key with this digest, if it has one."""
    question = select(keys.c.id).where(keys.c.parent_id == parent_id, keys.c.digest == digest)
    return connection.execute(question).scalars().all()


def recognised(connection: Connection, parent_id: int, name: str) -> Sequence[int]:
    """Return the numbers of the parent's sub-keys that have this hint or this sub-account name."""
    named = (keys.c.hint == name) | (keys.c.subid == name)
    return connection.execute(select(keys.c.id).where(keys.c.parent_id == parent_id, named)).scalars().all()


def own_billing_id(connection: Connection, key_id: int) -> str | None:
    """Return the ``billing_id`` of a key's wallet, None where the wallet is its parent's."""
    parents = keys.alias("parents")
    question = (
        select(billing_records.c.billing_id)
        .join_from(keys, billed_wallets, billed_wallets.c.wallet_id == keys.c.wallet_id)
        .join(billing_records, billing_records.c.id == billed_wallets.c.billing_record_id)
        .outerjoin(parents, parents.c.id == keys.c.parent_id)
        .where(keys.c.id == key_id, parents.c.wallet_id.is_distinct_from(keys.c.wallet_id))
    )
    billing_id: str | None = connection.execute(question).scalar()
    return billing_id


def shares_senders(connection: Connection, key_id: int) -> bool:
    """Whether the senders of a key's parent are the key's, too."""
    return bool(connection.execute(select(keys.c.share_senders).where(keys.c.id == key_id)).scalar_one())
