"""A folder for as long as a process runs. Those that killed processes have left are removed by the next."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_YOUNG_SECONDS = 60
"""A folder this young may be one that its process is about to lock."""


@contextmanager
def folder_while_running(prefix: str) -> Iterator[Path]:
    """Make a private folder among the machine's temporary ones. A lock on it says that its process is alive."""
    _remove_left_ones(prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _remove_left_ones(prefix: str) -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # gone, or somebody else's
            continue
        try:
            state = os.fstat(lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if state.st_uid == os.getuid() and time.time() - state.st_mtime > _YOUNG_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:  # its process is alive
            continue
        finally:
            os.close(lock)
