"""The query parameters of the status and statistics calls (specification 4.3, details "Status")."""

import re
from datetime import date as date_
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, StringConstraints
from pydantic_core import PydanticCustomError

from interface import patterns
from interface.texts import Text, normalise_tags

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def _date(value: object) -> object:
    if isinstance(value, date_):
        return value
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            return date_.fromisoformat(value)
        except ValueError:
            pass
    raise PydanticCustomError("date", "must be a date written YYYY-MM-DD")


def _separated(value: object) -> object:
    return value.split(",") if isinstance(value, str) else value


def _joined(dates: list[date_]) -> str:
    return ",".join(each.isoformat() for each in dates)


def _tag_filter(value: object) -> object:
    return (normalise_tags(value) if value else None) if isinstance(value, str) else value


Date = Annotated[date_, BeforeValidator(_date, json_schema_input_type=str)]
"""A UTC date of acceptance, YYYY-MM-DD."""
Dates = Annotated[
    list[Date],
    BeforeValidator(_separated, json_schema_input_type=str),
    PlainSerializer(_joined, return_type=str, when_used="json"),
    Field(min_length=1, max_length=366),
]
"""Dates separated by commas."""
Identifier = Annotated[str, StringConstraints(pattern=patterns.NOT_EMPTY, max_length=100)]
"""An identifier that the service gave."""
TagFilter = Annotated[str | None, BeforeValidator(_tag_filter, json_schema_input_type=str)]
"""Comma-separated tags, normalised and sorted before comparing; absent or empty: all."""

SUBID: Any = Field(default="default", description="Sub-account.")
"""The field ``subid`` of a query."""
_TAG = Field(default=None, description="Comma-separated tags, normalised and sorted before comparing.")


class Query(BaseModel):
    """Parameters of a call; unknown ones are ignored."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True)


class MessageQuery(Query):
    """``GET /message``."""

    id: Identifier = Field(description="The message id.")


class MessagesQuery(Query):
    """``GET /messages``."""

    date: Date = Field(description="UTC date of acceptance.", examples=["2026-03-01"])
    tag: TagFilter = _TAG
    phone_number: Text | None = Field(default=None, description="Only messages to this number.")
    subid: Text = SUBID
    cursor: Text | None = Field(default=None, description="`next_cursor` of the page before.")


class RequestsQuery(Query):
    """``GET /requests``."""

    dates: Dates = Field(
        description="UTC dates of acceptance, separated by commas.", examples=["2026-03-01,2026-03-02"]
    )
    tag: TagFilter = _TAG
    subid: Text = SUBID


class RequestQuery(Query):
    """``GET /request``."""

    date: Date = Field(description="UTC date of acceptance.", examples=["2026-03-01"])
    request_id: Identifier = Field(
        validation_alias=AliasChoices("request_id", "id"),
        serialization_alias="request_id",
        description="Id of the request; alias `id`.",
    )
    subid: Text = SUBID
