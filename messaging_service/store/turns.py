"""Takes turns at writing a SQLite store, among the threads of a process and among processes."""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Turns:
    """One writer at a time. SQLite's own waiting polls; this wakes the next writer when the one before is done."""

    def __init__(self, path: Path) -> None:
        self._thread = threading.Lock()
        self._file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the turn while the block runs. It is free again when its process is gone, however that ends."""
        with self._thread:
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
