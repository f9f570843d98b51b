"""Keys of the service itself: kept outside the database, in a setting or in a file that only its owner may read."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

SHORTEST = 32
"""Characters that a key has at least."""


def key_file(path: Path) -> bytes:
    """Return the key in a file, made when it isn't there. Raises ValueError, in a sentence, when it holds none."""
    if not path.exists():
        _make(path)
    key = path.read_bytes().strip()
    if len(key) < SHORTEST:
        raise ValueError(f"{path} doesn't hold a key; restore it, or delete it for a new one.")
    return key


def _make(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    written = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_hex(32))
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileExistsError):  # another process has just made one
        os.link(written, path)
    written.unlink()
