"""The account's marketing window: hours, on the recipient's clocks, in which promotional messages may go. Pure."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from interface.delivery_time import DeliveryTime
from interface.phone_numbers import country, time_zones
from messaging_service.schedule import Window, window_of

Country = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]
"""ISO 3166 code."""


class Hours(BaseModel):
    """From ``start`` until before ``end``, each day, as ``HH:MM``."""

    model_config = ConfigDict(frozen=True)

    start: str = "08:00"
    end: str = "20:00"

    @classmethod
    def checked(cls, start: str, end: str) -> Self:
        """Return hours as a person wrote them. Raises ValidationError."""
        window = DeliveryTime.model_validate({"start": start, "end": end}).model_dump(mode="json")
        return cls(start=window["start"], end=window["end"] or "24:00")


class MarketingWindow(BaseModel):
    """The hours of every country, and of those that have their own."""

    model_config = ConfigDict(frozen=True)

    everywhere: Hours = Hours()
    countries: Mapping[Country, Hours] = Field(default={})

    def windows(self, number: str) -> tuple[Window, ...]:
        """Return a window for each time zone in which a normalised number may be; UTC's when none is known."""
        found = country(number)
        hours = self.everywhere if found is None else self.countries.get(found.region, self.everywhere)
        return _windows(hours, time_zones(number) or ("UTC",))


@lru_cache(maxsize=4096)
def _windows(hours: Hours, zones: tuple[str, ...]) -> tuple[Window, ...]:
    return tuple(window_of(DeliveryTime.model_validate({**hours.model_dump(), "tz": zone})) for zone in zones)


@lru_cache(maxsize=1024)
def read_marketing_window(text: str) -> MarketingWindow:
    """Return the window as an account keeps it (JSON)."""
    return MarketingWindow.model_validate_json(text)
