"""Shares the deliveries in flight among receivers, so that one that is slow or dead never delays another. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from messaging_service.clock import MINUTE, SECOND, Milliseconds

FIRST_PAUSE = 1 * SECOND
LONGEST_PAUSE = 5 * SECOND
_FORGOTTEN_AFTER = 10 * MINUTE


@dataclass(frozen=True, slots=True)
class Limits:
    """Deliveries in flight: in all, for one receiver, and for all receivers that don't answer taken together."""

    total: int = 64
    receiver: int = 4
    failing: int = 16


@dataclass(slots=True)
class _Receiver:
    in_flight: int = 0
    failures: int = 0  # in a row
    paused_until: Milliseconds = 0


class Receivers:
    """What is known of receivers from this process's own attempts.

    One that fails gets a single delivery at a time, after a pause, until it answers again.
    """

    def __init__(self, limits: Limits, random: Random) -> None:
        self._limits = limits
        self._random = random
        self._known: dict[str, _Receiver] = {}

    def start(self, receiver: str) -> None:
        """Note that a delivery is in flight."""
        self._known.setdefault(receiver, _Receiver()).in_flight += 1

    def succeed(self, receiver: str) -> None:
        """Note that a delivery in flight was taken."""
        known = self._known[receiver]
        known.in_flight -= 1
        known.failures = 0
        known.paused_until = 0

    def fail(self, receiver: str, now: Milliseconds) -> None:
        """Note that a delivery in flight failed. Those that were in flight together count as one failure."""
        known = self._known[receiver]
        known.in_flight -= 1
        if now >= known.paused_until:
            known.failures += 1
            known.paused_until = now + min(FIRST_PAUSE * 2 ** min(known.failures - 1, 10), LONGEST_PAUSE)

    def shares(self, due: Mapping[str, Milliseconds], now: Milliseconds) -> dict[str, int]:
        """Return how many deliveries each receiver may start, of those for which something is due at ``now``.

        Their order is random, so that none comes last for ever.
        """
        self._forget(now)
        free = self._limits.total - sum(known.in_flight for known in self._known.values())
        free_for_failing = self._limits.failing - sum(each.in_flight for each in self._known.values() if each.failures)
        shares: dict[str, int] = {}
        waiting = [receiver for receiver, due_at in due.items() if due_at <= now]
        self._random.shuffle(waiting)
        for receiver in waiting:
            known = self._known.get(receiver, _NEW)
            room = min(free, self._room(known, now))
            if known.failures:
                room = min(room, free_for_failing)
                free_for_failing -= max(room, 0)
            if room > 0:
                shares[receiver] = room
                free -= room
        return shares

    def next_start(self, due: Mapping[str, Milliseconds], now: Milliseconds) -> Milliseconds | None:
        """Return the next moment after ``now`` at which time alone lets a delivery start; None when there is none."""
        starts = (max(due_at, self._known.get(receiver, _NEW).paused_until) for receiver, due_at in due.items())
        return min((start for start in starts if start > now), default=None)

    def _room(self, known: _Receiver, now: Milliseconds) -> int:
        if known.paused_until > now:
            return 0
        return (1 if known.failures else self._limits.receiver) - known.in_flight

    def _forget(self, now: Milliseconds) -> None:
        past = now - _FORGOTTEN_AFTER
        self._known = {
            receiver: known
            for receiver, known in self._known.items()
            if known.in_flight or (known.failures and known.paused_until > past)
        }


_NEW = _Receiver()
