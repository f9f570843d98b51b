"""Python's garbage collector, paused while a plan is made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Let nothing be searched for cycles for the time of the block.

    A plan is made of a few objects a recipient, all of them needed: each time that enough of them are there, the
    collector would look at all of them and at Prefect's, again and again.
    """
    was_at_work = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_at_work:
            gc.enable()
