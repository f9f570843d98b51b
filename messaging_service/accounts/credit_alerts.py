"""The low-credit alert of a key: what it is set to (details, "credit")."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import RowMapping

from interface.credit import CreditAlertUpdate
from interface.field_errors import FieldError
from messaging_service.accounts.keys import Key
from messaging_service.accounts.money import Money, format_money, parse_money
from messaging_service.refusals import InvalidRequest
from messaging_service.store import credit_alerts
from messaging_service.store.engine import Store

_BY_CALLBACK = "E-mail is not set up on this service: low credit is told to the key's callback address only."
_NOT_AT_ALL = "E-mail is not set up on this service and the key has no callback address: nothing tells of low credit."


@dataclass(frozen=True, slots=True)
class CreditAlerts:
    """Reads and writes alerts. Works on the store: not in the event loop."""

    store: Store
    sends_mail: bool

    def read(self, key: Key) -> dict[str, Any]:
        """Return the alert of a key (``CreditAlert``)."""
        with self.store.reading() as connection:
            return _shown(credit_alerts.of_key(connection, key.id))

    def write(self, key: Key, wanted: CreditAlertUpdate) -> dict[str, Any]:
        """Change the alert of a key and return it. Raises InvalidRequest for what is missing."""
        with self.store.writing() as connection:
            row = _changed(key, credit_alerts.of_key(connection, key.id), wanted)
            credit_alerts.save(connection, row)
        return _shown(row)

    def shortcoming(self, key: Key) -> str | None:
        """Return what keeps an alert of the key from being told as it should, None when nothing does."""
        if self.sends_mail:
            return None
        return _BY_CALLBACK if key.default_callback_url else _NOT_AT_ALL


def _changed(key: Key, before: RowMapping | None, wanted: CreditAlertUpdate) -> dict[str, Any]:
    known = dict(before) if before is not None else {"is_enabled": True, "is_told": False, "value": None}
    value: Money | None = known["value"] if wanted.value is None else parse_money(str(wanted.value))
    email = known.get("email") if wanted.email is None else wanted.email
    missing = [name for name, given in (("email", email), ("value", value)) if given is None]
    if missing:
        raise InvalidRequest([FieldError(name, f"{name} is required.") for name in missing])
    is_enabled = known["is_enabled"] if wanted.enable is None else wanted.enable
    is_another = (value, is_enabled) != (known["value"], known["is_enabled"])
    return {
        "key_id": key.id,
        "wallet_id": key.wallet_id,
        "email": email,
        "value": value,
        "is_enabled": is_enabled,
        "is_told": known["is_told"] and not is_another,
    }


def _shown(row: Any) -> dict[str, Any]:  # noqa: ANN401 - a row as it is read or written
    if row is None:
        return {"email": "", "value": None, "enable": False}
    return {"email": row["email"], "value": format_money(row["value"]), "enable": row["is_enabled"]}
