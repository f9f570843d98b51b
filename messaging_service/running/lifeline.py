"""What a forked process knows by when to stop: a signal, or the end of the process that forked it."""

import asyncio
import os
import signal
from collections.abc import Callable


class Lifeline:
    """Tells a process when to stop. The first one holds the writing end of its pipe, and nobody else does."""

    def __init__(self) -> None:
        self._watched, self._held = os.pipe()

    def let_go(self) -> None:
        """Watch only: in a process that was forked."""
        os.close(self._held)

    def on_end(self, stop: Callable[[], None]) -> None:
        """Have ``stop`` called, in the running event loop, on SIGTERM and when the first process is gone."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, stop)

        def on_gone() -> None:
            loop.remove_reader(self._watched)
            stop()

        loop.add_reader(self._watched, on_gone)
