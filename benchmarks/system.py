"""What the benchmarks need to know of a system that they measure; implemented by ``kannel`` and ``dovecote``."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.call import Call

TEXT = "Hello from the benchmark"
SENDER = "12345"


@dataclass(frozen=True)
class System:
    """A messaging system: how to start it, how to send through it, and how it tells of a delivery.

    ``running`` starts it afresh in an empty directory and gives the port of its HTTP interface. ``single`` and
    ``batch`` make a call with one and with 100 recipients, to which the given callback address is attached unless it is
    empty. A callback that reports a delivery holds ``delivered``, one that reports the operator's acceptance holds
    ``sent``. ``missing`` names what isn't installed; empty, it can run. ``may_refuse`` is the share of calls that
    may be refused under full load; such calls don't count.
    """

    name: str
    missing: str
    running: Callable[[Path], AbstractContextManager[int]]
    single: Callable[[str], Call]
    batch: Callable[[str], Call]
    delivered: str
    sent: str
    may_refuse: float = 0.0
