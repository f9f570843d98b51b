"""Sub-keys: what a parent does with them over the account REST API (specification 2.9, details "keys")."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, RowMapping

from interface.field_errors import FieldError
from interface.keys import ApikeyAdd, ApikeyChange
from messaging_service.accounts.billing import new_billing_id
from messaging_service.accounts.keys import Key, digest, hint, new_secret
from messaging_service.clock import Clock
from messaging_service.refusals import Conflict, Forbidden, InvalidRequest
from messaging_service.store import billing, keys, sub_keys
from messaging_service.store.engine import Store
from messaging_service.verification.codes import CodeKeeper, WrongKey

MOST_CHILDREN = 19
_FOREIGN = "This apikey is not a sub-key of the calling key."


@dataclass(frozen=True, slots=True)
class Told:
    """A sub-key as it is told to its parent; ``billing_id`` is None for one that shares its parent's wallet."""

    secret: str = field(repr=False)
    billing_id: str | None


class SubKeys:
    """Makes, lists and changes the sub-keys of a key. Works on the store: not in the event loop."""

    def __init__(self, store: Store, clock: Clock, codes: CodeKeeper) -> None:
        self._store = store
        self._clock = clock
        self._codes = codes

    def add(self, parent: Key, wanted: ApikeyAdd) -> Told:
        """Make a sub-key, or return the one that ``app_userid`` has. Raises Forbidden, InvalidRequest, Conflict."""
        if parent.parent_id is not None:
            raise Forbidden("A sub-key can't have sub-keys.")
        with self._store.writing() as connection:
            row = sub_keys.hold_parent(connection, parent.id)
            known = wanted.app_userid and sub_keys.of_app_user(connection, parent.id, wanted.app_userid)
            if known:
                return self._tell_again(connection, row, known)
            if sub_keys.count(connection, parent.id) >= MOST_CHILDREN:
                raise Forbidden(f"A key can have at most {MOST_CHILDREN} sub-keys.")
            return self._add(connection, row, wanted)

    def list(self, parent: Key) -> Sequence[RowMapping]:
        """Return the sub-keys of a key as ``store.sub_keys`` has them."""
        with self._store.reading() as connection:
            return sub_keys.of_parent(connection, parent.id)

    def change(self, parent: Key, wanted: ApikeyChange) -> None:
        """Change a sub-key; to be announced afterwards. Raises Forbidden for any other key, InvalidRequest."""
        values: dict[str, Any] = {}
        if wanted.scope is not None:
            values["scope"] = wanted.scope.value
        if wanted.disable is not None:
            values["is_blocked"] = wanted.disable
        with self._store.writing() as connection:
            keys.change(connection, _child(connection, parent.id, wanted.apikey), values)

    def _tell_again(self, connection: Connection, parent: RowMapping, known: RowMapping) -> Told:
        try:
            secret = self._codes.unseal(known["sealed"])
        except WrongKey:
            raise Conflict("This service has another verification key since; the key can't be told again.") from None
        shared = known["wallet_id"] == parent["wallet_id"]
        return Told(secret, None if shared else billing.id_of_wallet(connection, known["wallet_id"]))

    def _add(self, connection: Connection, parent: RowMapping, wanted: ApikeyAdd) -> Told:
        secret, now = new_secret(), self._clock.now()
        wallet_id = _wallet_of(connection, parent, wanted)
        key_id = keys.add_key(
            connection,
            {
                "account_id": parent["account_id"],
                "parent_id": parent["id"],
                "wallet_id": wallet_id,
                "subid": _next_name(sub_keys.names_of_account(connection, parent["account_id"])),
                "digest": digest(secret),
                "hint": hint(secret),
                "scope": wanted.scope.value,
                "note": wanted.note,
                "default_sender": parent["default_sender"],
                "default_callback_url": wanted.default_callback_url,
                "default_callback_secret": "",
                "is_blocked": False,
                "share_senders": wanted.share_senders,
                "app_userid": wanted.app_userid,
                "sealed": self._codes.seal(secret) if wanted.app_userid else None,
                "created_at": now,
            },
        )
        if wanted.shared:
            return Told(secret, None)
        if wanted.billing_id is not None:
            return Told(secret, _share_record(connection, parent, wallet_id, wanted.billing_id))
        billing_id = new_billing_id()
        contact = {"name": wanted.billing_name, "email": wanted.billing_email or ""}
        billing.add(connection, billing_id, key_id, now, contact)
        return Told(secret, billing_id)


def _wallet_of(connection: Connection, parent: RowMapping, wanted: ApikeyAdd) -> int:
    """Return the wallet of a new sub-key: its parent's, or a new and empty one. Raises InvalidRequest."""
    currency = parent["currency"] if wanted.currency is None else wanted.currency.lower()
    if not wanted.shared:
        return keys.add_wallet(connection, {"account_id": parent["account_id"], "currency": currency, "balance": 0})
    if currency != parent["currency"]:
        sentence = f"currency must be {parent['currency'].upper()}, the parent's, when shared is true."
        raise InvalidRequest([FieldError("currency", sentence)])
    return int(parent["wallet_id"])


def _share_record(connection: Connection, parent: RowMapping, wallet_id: int, billing_id: str) -> str:
    """Have the invoices of a new wallet go to the parent's billing record. Raises Forbidden for any other."""
    record = billing.of_key(connection, parent["id"])
    if record is None or record["billing_id"] != billing_id:
        raise Forbidden("This billing_id is not the calling key's.")
    billing.share(connection, wallet_id, record["id"])
    return billing_id


def _next_name(taken: set[str]) -> str:
    return next(name for number in range(1, len(taken) + 2) if (name := f"sub-{number}") not in taken)


def _child(connection: Connection, parent_id: int, name: str) -> int:
    """Return the number of a sub-key. Raises Forbidden, so that nobody learns which keys there are."""
    found = sub_keys.with_digest(connection, parent_id, digest(name)) or sub_keys.recognised(
        connection, parent_id, name
    )
    if not found:
        raise Forbidden(_FOREIGN)
    if len(found) > 1:
        raise InvalidRequest([FieldError("apikey", "apikey is what several keys begin and end with; write all of it.")])
    return found[0]
