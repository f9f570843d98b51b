"""When a call is tried again, and after how long. Pure but for the injected randomness."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from interface.calls import Call, Repeatable


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff with full jitter, in seconds.

    ``attempts`` counts the first one too. A ``Retry-After`` is honoured up to ``longest_wait``; a longer one is left to
    the caller. ``idempotent_server`` says that the provider honours ``Idempotency-Key``, as Dovecote does: only then is
    a send that carries one repeated after its answer was lost.
    """

    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 30.0
    idempotent_server: bool = False
    jitter: Callable[[], float] = random.random
    clock: Callable[[], float] = time.time

    def may_repeat(self, call: Call[BaseModel], idempotency_key: str | None) -> bool:
        """Whether ``call`` may be sent again although the first one may have taken effect."""
        if call.repeatable is Repeatable.ALWAYS:
            return True
        if call.repeatable is Repeatable.NEVER:
            return False
        return self.idempotent_server and idempotency_key is not None

    def wait_after(self, attempt: int, retry_after: float | None = None) -> float | None:
        """Return how long to wait after the ``attempt``-th attempt (from 1) failed; None to give up."""
        if attempt >= self.attempts or (retry_after or 0) > self.longest_wait:
            return None
        backoff = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1)) * self.jitter()
        return max(backoff, retry_after or 0)
