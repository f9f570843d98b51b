"""The permitted delivery window of a message (details, ``delivery_time``)."""

from datetime import time
from enum import StrEnum
from functools import cache
from typing import Annotated, Self
from zoneinfo import available_timezones

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator
from pydantic_core import PydanticCustomError

from interface.null import OrDefault


class Weekday(StrEnum):
    """A day on which a window may open, in the window's own time zone."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def check_time_zone(name: str) -> str:
    """Return ``name`` if it is the IANA name of a time zone, else raise."""
    if name not in _zones():
        raise PydanticCustomError("time_zone", "must be the IANA name of a time zone, such as Europe/Prague")
    return name


def _clock(value: object) -> object:
    if isinstance(value, time) and value.tzinfo is None and not (value.second or value.microsecond):
        return value
    if isinstance(value, str) and len(value) == len("HH:MM") and value.isascii():
        hours, colon, minutes = value.partition(":")
        if colon and hours.isdigit() and minutes.isdigit() and int(hours) < 24 and int(minutes) < 60:  # noqa: PLR2004
            return time(int(hours), int(minutes))
    raise PydanticCustomError("clock", "must be a time of day written HH:MM, from 00:00 to 23:59")


def _closing(value: object) -> object:
    return None if value is None or value == "24:00" else _clock(value)


def _written(value: time) -> str:
    return value.strftime("%H:%M")


_Written = PlainSerializer(_written, return_type=str, when_used="json-unless-none")
_Opening = Annotated[time, BeforeValidator(_clock, json_schema_input_type=str), _Written]
_Closing = Annotated[time | None, BeforeValidator(_closing, json_schema_input_type=str), _Written]


class DeliveryTime(BaseModel):
    """A window that opens on each of ``days`` at ``start`` and closes before ``end``, on the clocks of ``tz``.

    ``end`` earlier than ``start`` closes on the following day; None (absent or ``24:00``) is the end of the day.
    """

    model_config = ConfigDict(
        frozen=True,
        title="Delivery window",
        json_schema_extra={
            "examples": [{"days": ["monday", "friday"], "start": "09:00", "end": "17:30", "tz": "Europe/Prague"}],
        },
    )

    days: OrDefault[list[Weekday]] = Field(
        default=list(Weekday), min_length=1, title="Days", description="Days on which the window opens."
    )
    start: OrDefault[_Opening] = Field(
        default=time(0),
        title="From",
        description="Local time of opening, HH:MM.",
        json_schema_extra={"default": "00:00"},
    )
    end: _Closing = Field(
        default=None,
        title="Until",
        description="Local time of closing, HH:MM, exclusive; 24:00 is the end of the day.",
        json_schema_extra={"default": "24:00"},  # not null, which the schema doesn't allow and forms would send
    )
    tz: OrDefault[Annotated[str, AfterValidator(check_time_zone)]] = Field(
        default="UTC", title="Time zone", description="IANA name of the zone, such as Europe/Prague."
    )

    @model_validator(mode="after")
    def _window_is_open_at_all(self) -> Self:
        if self.start == self.end:
            raise PydanticCustomError("empty_window", "must be another time than start", {"field": "end"})
        return self
