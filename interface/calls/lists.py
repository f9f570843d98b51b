"""The calls about the opt-out list and the blacklist (specification 4.3)."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.account import ListResponse, ListSubmission
from interface.calls.call import Base, Call
from interface.calls.errors import SETTINGS_ERRORS

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

CALLS: Final[tuple[Call[BaseModel], ...]] = (OPT_OUT, BLACKLIST)
