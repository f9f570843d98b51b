"""What the machine's owner does with keys and credit, directly on the store."""

from dataclasses import dataclass

from sqlalchemy import Connection, RowMapping

from interface.account import Scope
from messaging_service.accounts.billing import wallet_of_symbol
from messaging_service.accounts.keys import digest, hint, new_secret
from messaging_service.accounts.money import Money
from messaging_service.accounts.opening import Opening, open_account
from messaging_service.clock import Milliseconds
from messaging_service.store import keys, wallets


class NotPossible(Exception):  # noqa: N818
    """Something that can't be done; the message says why in one sentence."""


class WrongUsage(NotPossible):
    """Something that was asked for in a way that nothing could answer: left out, malformed, or against itself."""


@dataclass(frozen=True, slots=True)
class SubAccount:
    """What a new key of an account starts with; an empty ``subid`` takes the next free name."""

    subid: str = ""
    note: str = ""
    scope: Scope = Scope.FULL


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was made just now; ``secret`` is kept nowhere."""

    secret: str
    account: str
    subid: str


@dataclass(frozen=True, slots=True)
class Wallet:
    """What is in a wallet."""

    balance: Money
    currency: str


def create_account(connection: Connection, opening: Opening, now: Milliseconds) -> NewKey:
    """Open an account with a wallet and a key of its own. Raises NotPossible when there is one of the name."""
    if any(row["account"] == opening.name for row in keys.overview(connection)):
        raise NotPossible(f"There is an account {opening.name!r} already.")
    secret = new_secret()
    open_account(connection, opening, secret, now)
    return NewKey(secret, opening.name, "default")


def create_sub_account(connection: Connection, wanted: SubAccount, now: Milliseconds) -> NewKey:
    """Add a key to the first account that spends from the account's wallet. Raises NotPossible."""
    parent = keys.first(connection)
    if parent is None:
        raise NotPossible("The store has no account yet; start `dovecote serve` once, or open one with --account NAME.")
    account = {row["id"]: row["account"] for row in keys.overview(connection)}[parent["id"]]
    taken = {row["subid"] for row in keys.overview(connection) if row["account"] == account}
    subid = wanted.subid or next(name for number in range(1, 1_000_000) if (name := f"sub-{number}") not in taken)
    if subid in taken:
        raise NotPossible(f"The account has a sub-account {subid!r} already.")
    secret = new_secret()
    own = {"parent_id": parent["id"], "subid": subid, "digest": digest(secret), "hint": hint(secret)}
    own |= {"scope": wanted.scope.value, "note": wanted.note, "created_at": now}
    inherited = {name: value for name, value in parent.items() if name != "id"}
    keys.add_key(connection, inherited | {"is_blocked": False} | own)
    return NewKey(secret, account, subid)


def find_key(connection: Connection, name: str) -> RowMapping:
    """Return the key with this hint or sub-account name; an empty one is the first key. Raises NotPossible."""
    if not name:
        first = keys.first(connection)
        if first is None:
            raise NotPossible("The store has no account yet; start `dovecote serve` once.")
        return first
    found = keys.recognised(connection, name)
    if not found:
        raise NotPossible(f"There is no key {name!r}; `dovecote keys list` shows all.")
    if len(found) > 1:
        hints = ", ".join(row["hint"] for row in found)
        raise NotPossible(f"{name!r} is the name of {len(found)} keys; name one by its hint: {hints}.")
    return found[0]


def disable(connection: Connection, name: str) -> RowMapping:
    """Block a key; the change is to be announced once it is on disk. Returns the key. Raises NotPossible."""
    key = find_key(connection, name)
    keys.change(connection, key["id"], {"is_blocked": True})
    return key


def find_wallet(connection: Connection, key: str, symbol: str) -> int:
    """Return the wallet that a key spends from, or the one with a payment symbol. Raises NotPossible."""
    if not symbol:
        return int(find_key(connection, key)["wallet_id"])
    if key:
        raise WrongUsage("A wallet is named by a key or by its payment symbol, not by both.")
    wallet_id = wallet_of_symbol(symbol)
    if wallet_id is None or not wallets.exists(connection, wallet_id):
        raise NotPossible(f"There is no wallet with the payment symbol {symbol!r}.")
    return wallet_id


def add_credit(connection: Connection, wallet_id: int, amount: Money) -> Wallet:
    """Add credit to a wallet. Returns the wallet as it is then. Raises NotPossible."""
    if amount <= 0:
        raise WrongUsage("The amount must be above zero.")
    wallets.credit(connection, wallet_id, amount)
    return Wallet(wallets.balance(connection, wallet_id), wallets.currency(connection, wallet_id))
