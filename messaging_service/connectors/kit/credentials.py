"""What an account shows the platforms: a secret for each connector and user."""

import asyncio

from pydantic import ValidationError

from interface.connectors import ConnectorRequest
from messaging_service.accounts.administration import WrongUsage
from messaging_service.connectors.kit.connector import AppUser, CredentialsRefused
from messaging_service.connectors.kit.registry import names
from messaging_service.store import connector_credentials
from messaging_service.store.engine import Store
from messaging_service.verification.codes import CodeKeeper, WrongKey


class Credentials:
    """Finds secrets. They are given on the command line, never through the interface, and are stored sealed."""

    def __init__(self, store: Store, codes: CodeKeeper) -> None:
        self._store = store
        self._codes = codes

    async def find(self, connector: str, user: AppUser) -> str:
        """Return the secret of a user of an account. Raises CredentialsRefused when it has none that can be read."""
        sealed = await asyncio.to_thread(self._find, connector, user)
        if sealed is None:
            raise CredentialsRefused(f"This account has no credentials for this app_userid of {connector}.")
        try:
            return self._codes.unseal(sealed)
        except WrongKey:
            raise CredentialsRefused(
                f"This service has another verification key since; connect this app_userid of {connector} again."
            ) from None

    def _find(self, connector: str, user: AppUser) -> str | None:
        with self._store.reading() as connection:
            return connector_credentials.find(connection, user.account_id, connector, user.app_userid)


def read_credentials(connector: str, app_userid: str, secret: str, codes: CodeKeeper) -> dict[str, str]:
    """Return credentials as a row, if they can be used: the secret sealed. Raises WrongUsage."""
    if connector not in set(names()):
        raise WrongUsage(f"There is no connector {connector!r}; there are {', '.join(sorted(names()))}.")
    try:
        ConnectorRequest(app_userid=app_userid)
    except ValidationError:
        raise WrongUsage("The app_userid is 1 to 255 characters.") from None
    if not secret or not secret.isascii() or not secret.isprintable() or " " in secret:
        raise WrongUsage("The platform's key must consist of printable ASCII characters, without spaces.")
    return {"connector": connector, "app_userid": app_userid, "sealed": codes.seal(secret)}
