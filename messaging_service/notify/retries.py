"""When a failed delivery is tried again. Pure."""

from random import Random

from messaging_service.clock import SECOND, Milliseconds

FIRST_RETRY = 30 * SECOND
_JITTER = 0.15


def retry_delay(attempt: int, random: Random) -> Milliseconds:
    """Return how long to wait after the ``attempt``-th failure: about 30, 60, 120, 240 seconds and so on."""
    delay: Milliseconds = FIRST_RETRY * 2 ** (attempt - 1)
    return round(delay * random.uniform(1 - _JITTER, 1 + _JITTER))
