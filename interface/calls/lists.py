"""The calls about the opt-out list and the blacklist (specification 4.3)."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.account import ListResponse, ListSubmission
from interface.calls.call import Base, Call, ErrorAnswer
from interface.calls.errors import REST_ERRORS, SETTINGS_ERRORS
from interface.lists import BlacklistRemoved, ListAddress, ListQuery, ListRemoval, NothingListed, OptOutRemoved

_EMPTY = ErrorAnswer(404, "The list is empty.", (NothingListed,))
_DOWNLOAD = "A CSV file with the columns `phone_number` and `ts_created`, for 60 seconds and without a key."
_REMOVAL = "Takes off the numbers in `to`, or with `all` everything. Entries of other sub-accounts stay."

OPT_OUT: Final = Call(
    name="opt_out",
    method="POST",
    path="/optout",
    base=Base.REST,
    group="blacklist",
    summary="Add numbers to the opt-out list",
    description="Blocks messages tagged `promotional`.",
    body=TypeAdapter(ListSubmission),
    answer=ListResponse,
    errors=SETTINGS_ERRORS,
)

BLACKLIST: Final = Call(
    name="blacklist",
    method="POST",
    path="/blacklist",
    base=Base.REST,
    group="blacklist",
    summary="Add numbers to the blacklist",
    description="Blocks all messages to these numbers.",
    body=TypeAdapter(ListSubmission),
    answer=ListResponse,
    errors=SETTINGS_ERRORS,
)

OPT_OUT_ADDRESS: Final = Call(
    name="opt_out_address",
    method="GET",
    path="/optout",
    base=Base.REST,
    group="blacklist",
    summary="Get an address from which the opt-out list can be downloaded",
    description=_DOWNLOAD,
    query=ListQuery,
    answer=ListAddress,
    errors=(*REST_ERRORS, _EMPTY),
)

BLACKLIST_ADDRESS: Final = Call(
    name="blacklist_address",
    method="GET",
    path="/blacklist",
    base=Base.REST,
    group="blacklist",
    summary="Get an address from which the blacklist can be downloaded",
    description=_DOWNLOAD,
    query=ListQuery,
    answer=ListAddress,
    errors=(*REST_ERRORS, _EMPTY),
)

OPT_OUT_REMOVE: Final = Call(
    name="opt_out_remove",
    method="DELETE",
    path="/optout",
    base=Base.REST,
    group="blacklist",
    summary="Take numbers off the opt-out list",
    description=_REMOVAL,
    body=TypeAdapter(ListRemoval),
    answer=OptOutRemoved,
    errors=SETTINGS_ERRORS,
)

BLACKLIST_REMOVE: Final = Call(
    name="blacklist_remove",
    method="DELETE",
    path="/blacklist",
    base=Base.REST,
    group="blacklist",
    summary="Take numbers off the blacklist",
    description=_REMOVAL,
    body=TypeAdapter(ListRemoval),
    answer=BlacklistRemoved,
    errors=SETTINGS_ERRORS,
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (
    OPT_OUT,
    BLACKLIST,
    OPT_OUT_ADDRESS,
    BLACKLIST_ADDRESS,
    OPT_OUT_REMOVE,
    BLACKLIST_REMOVE,
)
