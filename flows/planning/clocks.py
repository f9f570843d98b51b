"""By which clocks people live, and when these are within the hours in which one may write to them. Pure."""

import datetime as dt
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from flows.problems import PackageMissing
from flows.recipients.reading import Recipient
from interface.delivery_time import DeliveryTime
from interface.phone_numbers import Country, country, time_zones
from interface.windows import Span, Window, next_span_of_all, window_of


@dataclass(frozen=True)
class Hours:
    """When people may be written to, on their own clocks; ``DeliveryTime.tz`` is for those whose zone isn't known.

    ``zone_column`` names the column with a person's zone, if there is one. With ``holidays``, public holidays of the
    number's country count as closed.
    """

    window: DeliveryTime
    zone_column: str | None = None
    holidays: bool = False

    def as_stored(self) -> dict[str, Any]:
        """Write it as JSON."""
        return {**self.window.model_dump(mode="json"), "zone_column": self.zone_column, "holidays": self.holidays}

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "Hours":
        """Read it from JSON."""
        window = {name: stored[name] for name in DeliveryTime.model_fields if name in stored}
        return cls(DeliveryTime.model_validate(window), stored["zone_column"], stored["holidays"])


@dataclass(frozen=True)
class Clock:
    """The zones in which somebody may be, and the country whose holidays they have (none: not asked for)."""

    zones: tuple[str, ...]
    region: str | None = None

    def as_stored(self) -> dict[str, Any]:
        """Write it as JSON."""
        return {"zones": list(self.zones), "region": self.region}

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "Clock":
        """Read it from JSON."""
        return cls(tuple(stored["zones"]), stored["region"])


class UnknownZone(ValueError):  # noqa: N818 - named after what it is about
    """A column holds something that is no time zone."""

    def __init__(self) -> None:
        super().__init__("The column of time zones holds none of the IANA names, such as Europe/Prague.")


def clock_of(recipient: Recipient, hours: Hours) -> Clock:
    """Return the clock of a recipient: of the column, else of the number's country and area, else of the window.

    Raises `UnknownZone` for a column that holds something else.
    """
    written = recipient.values.get(hours.zone_column, "") if hours.zone_column else ""
    if written and not _is_zone(written):
        raise UnknownZone
    place = country(recipient.phone_number)
    zones = (written,) if written else _zones_of(recipient.phone_number, place) or (hours.window.tz,)
    return Clock(zones, place.region if place and hours.holidays else None)


def next_span(clocks: Iterable[Clock], hours: Hours, at: float) -> Span:
    """Return when (Unix milliseconds) the clocks (at least one) are next within the hours, ``at`` (seconds) or later.

    In all of their zones at once; where these have no moment in common, in the first of them.
    """
    windows = [window for clock in clocks for window in windows_of(clock, hours)]
    instant = int(at * 1000)
    return next_span_of_all(windows, instant) or windows[0].next_span(instant)


def windows_of(clock: Clock, hours: Hours) -> Sequence[Window]:
    """Return the hours in each of the clock's zones, without the holidays that it has."""
    closed = None if clock.region is None else _holidays(clock.region)
    if closed is None:  # not `or`: calendars are empty until they are looked into
        closed = frozenset()
    return [window_of(hours.window.model_copy(update={"tz": zone}), closed) for zone in clock.zones]


def knows_holidays(region: str) -> bool:
    """Whether the public holidays of a country are known."""
    return _holidays(region) is not None


@cache
def _holidays(region: str) -> Container[dt.date] | None:
    try:
        import holidays
    except ImportError:
        raise PackageMissing("Leaving public holidays out", "holidays") from None
    try:
        return holidays.country_holidays(region)
    except NotImplementedError:
        return None


def _zones_of(number: str, place: Country | None) -> tuple[str, ...]:
    """Return the zones in which a number may be; of a calling code of several countries only those of its own."""
    zones = time_zones(number)
    own = _zones_of_regions().get(place.region, frozenset()) if place and len(zones) > 1 else frozenset()
    return tuple(zone for zone in zones if zone in own) or zones


@cache
def _zones_of_regions() -> Mapping[str, frozenset[str]]:
    """Return the zones of each country (ISO 3166), by the table of the time zone database."""
    table = files("tzdata").joinpath("zoneinfo/zone.tab").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines() if line and not line.startswith("#")]
    found: dict[str, set[str]] = {}
    for region, _, zone, *_ in rows:
        found.setdefault(region, set()).add(zone)
    return {region: frozenset(zones) for region, zones in found.items()}


@cache
def _is_zone(name: str) -> bool:
    try:
        DeliveryTime(tz=name)
    except ValueError:
        return False
    return True
