"""Reads and writes what accounts have set, their secrets sealed."""

from collections.abc import Iterable
from functools import lru_cache

from pydantic import SecretStr
from sqlalchemy import Connection, RowMapping

from messaging_service.store import verification_settings
from messaging_service.verification.account import AccountVerification
from messaging_service.verification.codes import CodeKeeper

_DEFAULTS = AccountVerification()


class AccountBook:
    """The settings of accounts, as they are at the moment of asking: another process may have changed them."""

    def __init__(self, codes: CodeKeeper) -> None:
        self._codes = codes
        self._unseal = lru_cache(maxsize=1024)(codes.unseal)

    def read(self, connection: Connection, account_ids: Iterable[int]) -> dict[int, AccountVerification]:
        """Return the settings of these accounts. Raises WrongKey."""
        wanted = set(account_ids)
        rows = verification_settings.of_accounts(connection, wanted) if wanted else {}
        return {number: self._settings(rows[number]) if number in rows else _DEFAULTS for number in wanted}

    def read_one(self, connection: Connection, account_id: int) -> AccountVerification:
        """Return the settings of one account. Raises WrongKey."""
        return self.read(connection, [account_id])[account_id]

    def write(self, connection: Connection, account_id: int, settings: AccountVerification) -> None:
        """Write the settings of an account."""
        secret = settings.secret.get_secret_value()
        values = settings.model_dump(exclude={"secret", "countries"})
        values |= {
            "sealed_secret": self._codes.seal(secret) if secret else "",
            "countries": ",".join(settings.countries),
        }
        verification_settings.save(connection, account_id, values)

    def _settings(self, row: RowMapping) -> AccountVerification:
        sealed = row["sealed_secret"]
        # What was written was checked then.
        return AccountVerification.model_construct(
            secret=SecretStr(self._unseal(sealed) if sealed else ""),
            countries=tuple(filter(None, row["countries"].split(","))),
            **{name: row[name] for name in ("attempts", "language", "template", "origin")},
        )
