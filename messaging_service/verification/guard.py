"""What a start counts against: the account, the number, the country, the prefix; and the guard against pumping.

Pumping is starting verifications of numbers of one range, whose operator shares what each message costs: hardly any of
them is ever verified. Pure.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from messaging_service.clock import HOUR, MINUTE, SECOND, Milliseconds
from messaging_service.settings import Settings
from messaging_service.verification.limits import Limit, Recent, Refused, added, check, times

REMEMBERED: Milliseconds = HOUR
"""The longest window."""
JUDGE_AGAIN_AFTER: Milliseconds = 10 * SECOND
"""A prefix that passed isn't looked at again so soon: looking reads its sessions of an hour."""


class Subject(NamedTuple):
    """What starts are counted for."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Tally:
    """What is known of a subject's starts."""

    recent: Recent = ()
    refused_until: Milliseconds = 0
    judged_at: Milliseconds = 0


class Subjects(NamedTuple):
    """The subjects of one start."""

    account: Subject
    number: Subject
    country: Subject
    prefix: Subject

    @classmethod
    def of(cls, account_id: int, phone_number: str, country: str) -> Self:
        """Return the subjects of a start. Number and prefix count whichever account starts."""
        return cls(
            Subject("account", str(account_id)),
            Subject("number", phone_number),
            Subject("country", f"{account_id}:{country}"),
            Subject("prefix", prefix_of(phone_number)),
        )


def prefix_of(phone_number: str) -> str:
    """Return the range that a number is of: all but its last four digits."""
    return phone_number[:-4]


@dataclass(frozen=True, slots=True)
class Guard:
    """The limits, as set."""

    limits: tuple[tuple[Limit, ...], ...]  # of account, number, country, prefix
    pumping: Limit
    verified_percent: int

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the limits that the settings ask for."""
        return cls(
            (
                (Limit("account", settings.verification_starts_per_account, MINUTE),),
                (
                    Limit("number", settings.verification_starts_per_number, HOUR),
                    Limit("number-pause", *_pause(settings.verification_pause)),
                ),
                (Limit("country", settings.verification_starts_per_country, HOUR),),
                (Limit("prefix", settings.verification_starts_per_prefix, HOUR),),
            ),
            Limit("pumping", settings.verification_pumping_starts, HOUR),
            settings.verification_pumping_percent,
        )

    def refusal(self, tallies: tuple[Tally, ...], now: Milliseconds) -> Refused | None:
        """Return the limit that refuses a start for the longest time, None when there is none."""
        found = [
            refused
            for tally, limits in zip(tallies, self.limits, strict=True)
            for limit in limits
            if (refused := check(tally.recent, limit, now))
        ]
        found += [Refused(self.pumping, tally.refused_until - now) for tally in tallies if tally.refused_until > now]
        return max(found, key=lambda refused: refused.wait, default=None)

    def is_suspicious(self, prefix: Tally, now: Milliseconds) -> bool:
        """Whether a prefix has so many starts that its share of successes is to be looked at."""
        if not self.pumping.quota or now < prefix.judged_at + JUDGE_AGAIN_AFTER:
            return False
        return times(prefix.recent, now - self.pumping.window) >= self.pumping.quota

    def judged(self, prefix: Tally, verified: int, now: Milliseconds) -> Tally:
        """Return a suspicious prefix as its verified starts of the window leave it: refused for an hour, or passed."""
        starts = times(prefix.recent, now - self.pumping.window)
        is_pumped = verified * 100 <= starts * self.verified_percent
        return replace(prefix, judged_at=now, refused_until=now + HOUR if is_pumped else 0)


def started(tally: Tally, now: Milliseconds) -> Tally:
    """Return a tally with one more start."""
    return replace(tally, recent=added(tally.recent, now, REMEMBERED))


def _pause(seconds: int) -> tuple[int, Milliseconds]:
    return (1, seconds * SECOND) if seconds else (0, SECOND)
