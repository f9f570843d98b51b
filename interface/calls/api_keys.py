"""The calls about keys (specification 4.3)."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.account import ApikeyMeResponse, ApikeyUpdate, Success
from interface.calls.call import Base, Call
from interface.calls.errors import REST_ERRORS, SETTINGS_ERRORS

APIKEY_ME: Final = Call(
    name="apikey_me",
    method="GET",
    path="/apikey/me",
    base=Base.REST,
    group="api keys",
    summary="The calling key and its account",
    answer=ApikeyMeResponse,
    errors=REST_ERRORS,
)

APIKEY_UPDATE: Final = Call(
    name="apikey_update",
    method="POST",
    path="/apikey/update",
    base=Base.REST,
    group="api keys",
    summary="Change the settings of the calling key",
    description="Both required fields must be present; an empty string deletes the value.",
    body=TypeAdapter(ApikeyUpdate),
    answer=Success,
    errors=SETTINGS_ERRORS,
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (APIKEY_ME, APIKEY_UPDATE)
