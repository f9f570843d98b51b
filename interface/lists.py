"""Reading and shortening the blacklist and the opt-out list (specification 2.9, details "lists")."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from interface import patterns
from interface.null import OrDefault
from interface.queries import SUBID, Query
from interface.responses import Response
from interface.texts import Text

_Subid = Annotated[str, StringConstraints(pattern=patterns.NOT_EMPTY, max_length=100)]


class ListQuery(Query):
    """``GET /blacklist`` and ``GET /optout``."""

    subid: Text = SUBID


class ListAddress(Response):
    """Where a list can be downloaded as CSV, within 60 seconds and without a key."""

    success: bool
    url: str = Field(examples=["https://dovecote.example/v1/lists/WyJvcHRvdXQiXQ.aZ5f"], repr=False)


class NothingListed(Response):
    """The body of the 404 for an empty list: the call succeeded, there is nothing to download."""

    success: bool
    message: str = Field(examples=["The list is empty."])


class ListRemoval(BaseModel):
    """What to take off a list: the numbers in ``to``, or ``all``."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"examples": [{"to": "420777123456\n420777123457"}]})

    to: Annotated[str, StringConstraints(pattern=patterns.NOT_EMPTY)] | None = Field(
        default=None, description="Numbers, one a line."
    )
    all: OrDefault[bool] = Field(default=False, description="Empty the list instead.")
    subid: OrDefault[_Subid] = Field(
        default="default", description="Sub-account; not empty, lest another's list is emptied."
    )

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if (self.to is None) != self.all:
            raise PydanticCustomError("to_or_all", "must hold either to or all: true")
        return self

    def numbers(self) -> list[str]:
        """Return the numbers as they were written, without empty lines."""
        return [line for line in map(str.strip, (self.to or "").splitlines()) if line]


class Removed(Response):
    """What was taken off: how many numbers, how many remain, what wasn't a number; or ``wiped`` alone."""

    removed: int | None = Field(default=None, examples=[2])
    remaining: int | None = Field(default=None, examples=[5])
    invalid: list[str] | None = Field(default=None, examples=[[]])
    wiped: bool | None = Field(default=None, examples=[None])


class OptOutRemoved(Response):
    """The envelope of ``DELETE /optout``."""

    success: bool
    optout: Removed


class BlacklistRemoved(Response):
    """The envelope of ``DELETE /blacklist``."""

    success: bool
    blacklist: Removed
