"""Klaviyo, by its public REST API: segments, and the phone numbers of a segment's profiles."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final
from urllib.parse import quote

from interface.connectors import ConnectorAccount, ConnectorMe, ConnectorSegment, ConnectorSender
from messaging_service.connectors.kit.connector import AppUser, NoSuchSegment, Surroundings
from messaging_service.connectors.kit.platform_http import Json, NotThere, Parameters, PlatformHttp, Session
from messaging_service.refusals import PlatformFailed, TooManyRecipients

REVISION: Final = "2025-04-15"
"""The revision of the API that this file is written for."""
_NAME: Final = "klaviyo"
_PAGE: Final = "100"  # the most profiles that the platform gives at once
_PATIENCE_SECONDS: Final = 10.0
_PATIENCE_BETWEEN_PAGES_SECONDS: Final = 120.0
_OPTED_OUT: Final = "UNSUBSCRIBED"


def open_connector(surroundings: Surroundings) -> "Klaviyo":
    """Return the connector to the address in the settings."""
    return Klaviyo(surroundings)


class Klaviyo:
    """Asks Klaviyo; the secret of a user is a private API key that may read accounts, profiles and segments."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._http = PlatformHttp(_NAME, surroundings.settings.klaviyo_url)
        self._find_secret = surroundings.find_secret

    async def segments(self, user: AppUser) -> Sequence[ConnectorSegment]:
        """Return all segments, in the platform's order."""
        async with await self._session(user) as session:
            pages = _pages(session, "/api/segments", {"fields[segment]": "name"}, patience=_PATIENCE_SECONDS)
            return [
                ConnectorSegment(id=each["id"], name=_attributes(each).get("name") or "")
                async for page in pages
                for each in page
            ]

    async def recipients(self, user: AppUser, segment_id: str, limit: int) -> AsyncGenerator[Sequence[str]]:
        """Return the numbers of a segment's profiles, but for those who unsubscribed from SMS there."""
        path = f"/api/segments/{quote(segment_id, safe='')}"
        async with await self._session(user) as session:
            if await _profile_count(session, path) > limit:
                raise TooManyRecipients(limit)
            wanted = {
                "page[size]": _PAGE,
                "fields[profile]": "phone_number,subscriptions.sms.marketing.consent",
                "additional-fields[profile]": "subscriptions",
            }
            async for page in _pages(session, f"{path}/profiles", wanted, patience=_PATIENCE_BETWEEN_PAGES_SECONDS):
                yield [number for profile in page if (number := _number(_attributes(profile)))]

    async def senders(self, user: AppUser) -> Sequence[ConnectorSender]:
        """Return the name that the account sends under; the platform tells of no other senders."""
        contact = (await self._account(user)).get("contact_information") or {}
        name = contact.get("default_sender_name")
        return [ConnectorSender(type="email", name=name)] if name else []

    async def me(self, user: AppUser) -> ConnectorMe:
        """Return the account that the key belongs to, by its organisation."""
        account = await self._account(user)
        name = (account.get("contact_information") or {}).get("organization_name")
        return ConnectorMe(
            account=ConnectorAccount(id=account["id"], name=name),
            currency=account.get("preferred_currency"),
        )

    async def _account(self, user: AppUser) -> Json:
        async with await self._session(user) as session:
            async for page in _pages(session, "/api/accounts", {}, patience=_PATIENCE_SECONDS):
                for account in page:
                    return {**_attributes(account), "id": account["id"]}
        raise PlatformFailed(_NAME)

    async def _session(self, user: AppUser) -> AbstractAsyncContextManager[Session]:
        secret = await self._find_secret(_NAME, user)
        return self._http.session({"Authorization": f"Klaviyo-API-Key {secret}", "revision": REVISION})


async def _profile_count(session: Session, path: str) -> int:
    """Return how many profiles a segment has: asked first, so that nothing too large is begun."""
    wanted = {"additional-fields[segment]": "profile_count", "fields[segment]": "profile_count"}
    try:
        answer = await session.get(path, wanted, patience=_PATIENCE_SECONDS)
    except NotThere:
        raise NoSuchSegment from None
    count = _attributes(answer.get("data")).get("profile_count")
    return count if isinstance(count, int) else 0


async def _pages(
    session: Session, path: str, parameters: Parameters, *, patience: float
) -> AsyncIterator[list[dict[str, Any]]]:
    """Follow ``links.next`` to the end. Raises PlatformFailed where the answers aren't of this API."""
    link: str | None = path
    given: Parameters | None = parameters
    while link is not None:
        try:
            answer = await session.get(link, given, patience=patience)
        except NotThere:
            raise PlatformFailed(_NAME) from None
        data = answer.get("data")
        if not isinstance(data, list) or not all(isinstance(each, dict) and _has_id(each) for each in data):
            raise PlatformFailed(_NAME)
        yield data
        following = (answer.get("links") or {}).get("next")
        if following is not None and (following == link or not isinstance(following, str)):
            raise PlatformFailed(_NAME)
        link, given = following, None


def _has_id(each: Json) -> bool:
    return isinstance(each.get("id"), str)


def _attributes(each: Any) -> Json:  # noqa: ANN401 - whatever the platform sent
    found = each.get("attributes") if isinstance(each, dict) else None
    return found if isinstance(found, dict) else {}


def _number(profile: Json) -> str | None:
    number = profile.get("phone_number")
    known: Any = profile
    for name in ("subscriptions", "sms", "marketing"):
        known = known.get(name) if isinstance(known, dict) else None
    opted_out = isinstance(known, dict) and known.get("consent") == _OPTED_OUT
    return number if isinstance(number, str) and not opted_out else None
