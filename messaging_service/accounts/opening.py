"""Opens accounts: the first one of a new store, keys and credit from the command line."""

from dataclasses import dataclass

from sqlalchemy import Connection

from interface.account import Scope
from messaging_service.accounts.billing import new_billing_id
from messaging_service.accounts.keys import digest, hint
from messaging_service.accounts.money import Money
from messaging_service.clock import Milliseconds
from messaging_service.store import billing, keys

DEFAULT_SUBID = "default"


@dataclass(frozen=True, slots=True)
class Opening:
    """What a new account starts with."""

    name: str
    currency: str
    credit: Money
    calling_code: str
    default_sender: str
    time_zone: str = "UTC"


def open_account(connection: Connection, opening: Opening, secret: str, now: Milliseconds) -> int:
    """Write an account with its wallet and its first key. Returns the key's number."""
    account_id = keys.add_account(
        connection,
        {
            "name": opening.name,
            "calling_code": opening.calling_code,
            "time_zone": opening.time_zone,
            "created_at": now,
        },
    )
    wallet_id = keys.add_wallet(
        connection,
        {"account_id": account_id, "currency": opening.currency, "balance": opening.credit},
    )
    key_id = keys.add_key(
        connection,
        {
            "account_id": account_id,
            "parent_id": None,
            "wallet_id": wallet_id,
            "subid": DEFAULT_SUBID,
            "digest": digest(secret),
            "hint": hint(secret),
            "scope": Scope.FULL.value,
            "note": "",
            "default_sender": opening.default_sender,
            "default_callback_url": "",
            "default_callback_secret": "",
            "is_blocked": False,
            "created_at": now,
        },
    )
    billing.add(connection, new_billing_id(), key_id, now, {})
    return key_id
