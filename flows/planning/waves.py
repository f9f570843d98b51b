"""Who is written to when: recipients in waves by the next moment that suits their own clocks. Pure."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flows.ledger.records import PlannedWave
from flows.planning.clocks import Clock, Hours, UnknownZone, clock_of, next_span
from flows.planning.compose import Group
from flows.planning.told_hours import delivery_time_of, delivery_time_of_all
from flows.recipients.reading import Recipient
from flows.recipients.sources import LeftOut

FIRST = 1


@dataclass(frozen=True)
class Seating:
    """The waves, the groups of recipients in them, and the lines whose time zone can't be read.

    ``zones`` is a digest of who has which zone by the column; None without one.
    """

    waves: tuple[PlannedWave, ...]
    groups: tuple[Group, ...]
    unreadable: tuple[LeftOut, ...] = ()
    zones: str | None = None


@dataclass(frozen=True)
class Start:
    """From when on people may be written to, and what time it is now (Unix seconds)."""

    now: float
    not_before: float


def seat(recipients: Sequence[Recipient], hours: Hours | None, start: Start) -> Seating:
    """Put recipients into waves by the next moment at which their clocks suit.

    Those whom the present suits go at once, those whose hours end first before the others.
    """
    if hours is None:
        return Seating((PlannedWave(FIRST),), (Group(tuple(recipients)),))
    by_clock, unreadable = _by_clock(recipients, hours)
    times = {clock: _times([clock], hours, start) for clock in by_clock}
    waves = tuple(_waves(times))
    numbers = {(wave.opens_at, wave.closes_at): wave.number for wave in waves}
    groups = tuple(
        Group(tuple(members), numbers[times[clock]], delivery_time_of(clock, hours, start.not_before))
        for clock, members in by_clock.items()
    )
    return Seating(waves, groups, tuple(unreadable), _digest(groups, hours.zone_column))


def reopening(wave: PlannedWave, hours: Hours, now: float) -> PlannedWave:
    """Return the wave with the next moment that suits all of its clocks."""
    clocks = [Clock.from_stored(stored) for stored in wave.clocks]
    opens_at, closes_at = _times(clocks, hours, Start(now, now))
    return replace(wave, opens_at=opens_at, closes_at=closes_at)


def told_again(wave: PlannedWave, hours: Hours, now: float) -> Mapping[str, Any] | None:
    """Return the hours to tell the provider of a wave that reopens; None where those that were planned still hold."""
    clocks = [Clock.from_stored(stored) for stored in wave.clocks]
    return delivery_time_of_all(clocks, hours, wave.opens_at or now)


def _by_clock(recipients: Iterable[Recipient], hours: Hours) -> tuple[dict[Clock, list[Recipient]], list[LeftOut]]:
    by_clock: dict[Clock, list[Recipient]] = {}
    unreadable: list[LeftOut] = []
    for recipient in recipients:
        try:
            by_clock.setdefault(clock_of(recipient, hours), []).append(recipient)
        except UnknownZone as problem:
            unreadable.append(LeftOut(recipient.line, str(problem)))
    return by_clock, unreadable


def _digest(groups: Iterable[Group], column: str | None) -> str | None:
    """Tell apart plans that write to the same people in other hours, whenever they are made."""
    if column is None:
        return None
    zones = sorted((one.phone_number, one.values.get(column, "")) for group in groups for one in group.recipients)
    return hashlib.sha256(json.dumps(zones).encode()).hexdigest()


def _times(clocks: Sequence[Clock], hours: Hours, start: Start) -> tuple[float | None, float]:
    span = next_span(clocks, hours, start.not_before)
    opens_at = max(span.opens / 1000, start.not_before)
    return (None if opens_at <= start.now else opens_at), span.closes / 1000


def _waves(times: Mapping[Clock, tuple[float | None, float]]) -> Iterable[PlannedWave]:
    moments = sorted(set(times.values()), key=lambda one: (one[0] or 0.0, one[1]))
    for number, (opens_at, closes_at) in enumerate(moments, start=FIRST):
        clocks = tuple(clock.as_stored() for clock, moment in times.items() if moment == (opens_at, closes_at))
        yield PlannedWave(number, opens_at, closes_at, clocks)
