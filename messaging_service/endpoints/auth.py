"""Finds the key behind a call (specification 5)."""

from starlette.requests import Request

from interface.calls import KEY_HEADER
from messaging_service.accounts.keys import Key, KeyRing
from messaging_service.endpoints.headers import header
from messaging_service.refusals import Forbidden, MissingKey, Unauthorized


class Authentication:
    """Authenticates calls. Every endpoint but those that say so asks it first."""

    def __init__(self, keys: KeyRing) -> None:
        self._keys = keys

    async def key_of(self, request: Request) -> Key:
        """Return the key in the header. Raises Unauthorized."""
        return await self.key(header(request, KEY_HEADER))

    async def key(self, secret: str | None) -> Key:
        """Return the key with this text. Raises Unauthorized."""
        if not secret:
            raise MissingKey
        key = await self._keys.find(secret)
        if key is None:
            raise Unauthorized
        return key

    async def settings_key_of(self, request: Request) -> Key:
        """Return the key in the header, if its scope lets it change settings. Raises Unauthorized, Forbidden."""
        key = await self.key_of(request)
        if not key.may_change_settings:
            raise Forbidden
        return key
