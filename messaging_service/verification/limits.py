"""Limits on how often something may be done: exact within any span of the window's length. Pure."""

from dataclasses import dataclass

from messaging_service.clock import Milliseconds

Recent = tuple[tuple[Milliseconds, int], ...]
"""Moments with how often it was done at each, the oldest first."""

SLICES = 64
"""Moments remembered each for itself; more are counted together, by 64ths of the window and to the later moment."""


@dataclass(frozen=True, slots=True)
class Limit:
    """At most ``quota`` times in any ``window``; 0 switches the limit off. ``name`` is told to the caller."""

    name: str
    quota: int
    window: Milliseconds


@dataclass(frozen=True, slots=True)
class Refused:
    """A limit that is reached, and how long from now until it isn't."""

    limit: Limit
    wait: Milliseconds


def check(recent: Recent, limit: Limit, now: Milliseconds) -> Refused | None:
    """Return why something may not be done now, None when it may."""
    if not limit.quota:
        return None
    inside = [(at, count) for at, count in recent if at > now - limit.window]
    left = sum(count for _, count in inside)
    wait = 0
    for at, count in inside:
        if left < limit.quota:
            break
        left -= count
        wait = at + limit.window - now
    return Refused(limit, wait) if wait else None


def added(recent: Recent, now: Milliseconds, window: Milliseconds) -> Recent:
    """Return the moments of the last window with one more, now."""
    kept = tuple((at, count) for at, count in recent if at > now - window)
    if len(kept) >= SLICES:
        at, count = kept[-1]
        if at // (window // SLICES) == now // (window // SLICES):
            return (*kept[:-1], (max(at, now), count + 1))
    return (*kept, (now, 1))


def times(recent: Recent, since: Milliseconds) -> int:
    """Return how often it was done after a moment."""
    return sum(count for at, count in recent if at > since)
