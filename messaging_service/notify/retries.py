"""When a failed delivery is tried again. Pure."""

from dataclasses import dataclass
from random import Random

from messaging_service.clock import SECOND, Milliseconds

FIRST_RETRY = 30 * SECOND
_JITTER = 0.15


@dataclass(frozen=True, slots=True)
class Rules:
    """How often a delivery is attempted, and for how long a claim holds.

    The lease is longer than an attempt and its recording take; after a crash the attempt is repeated that late.
    """

    attempts: int = 5
    lease: Milliseconds = 45 * SECOND


def retry_delay(attempt: int, random: Random) -> Milliseconds:
    """Return how long to wait after the ``attempt``-th failure: about 30, 60, 120, 240 seconds and so on."""
    delay: Milliseconds = FIRST_RETRY * 2 ** (attempt - 1)
    return round(delay * random.uniform(1 - _JITTER, 1 + _JITTER))
