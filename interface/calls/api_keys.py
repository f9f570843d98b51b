"""The calls about keys (specification 4.3)."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.account import ApikeyMeResponse, ApikeyUpdate, Success
from interface.calls.call import Base, Call, ErrorAnswer, Repeatable
from interface.calls.errors import REST_ERRORS, SETTINGS_ERRORS
from interface.keys import ApikeyAdd, ApikeyAdded, ApikeyChange, ApikeyListResponse

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

APIKEY_ADD: Final = Call(
    name="apikey_add",
    method="POST",
    path="/apikey/add",
    base=Base.REST,
    group="api keys",
    summary="Make a sub-key",
    description=(
        "Only for a key that is no sub-key itself, at most 19 of them. The same `app_userid` gets its key again, as it "
        "is. The key is told here and nowhere else."
    ),
    body=TypeAdapter(ApikeyAdd),
    answer=ApikeyAdded,
    repeatable=Repeatable.NEVER,
    errors=(
        *SETTINGS_ERRORS,
        ErrorAnswer(409, "The key of this app_userid can't be told: the service has another verification key since."),
    ),
)

APIKEY_LIST: Final = Call(
    name="apikey_list",
    method="GET",
    path="/apikey/list",
    base=Base.REST,
    group="api keys",
    summary="The sub-keys of the calling key",
    answer=ApikeyListResponse,
    errors=REST_ERRORS,
)

APIKEY_CHANGE: Final = Call(
    name="apikey_change",
    method="POST",
    path="/apikey/change",
    base=Base.REST,
    group="api keys",
    summary="Change or block a sub-key",
    description="`scope`, `disable`, or both. A blocked key is refused at once. Anything but a sub-key: 403.",
    body=TypeAdapter(ApikeyChange),
    answer=Success,
    errors=SETTINGS_ERRORS,
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (APIKEY_ME, APIKEY_UPDATE, APIKEY_ADD, APIKEY_LIST, APIKEY_CHANGE)
