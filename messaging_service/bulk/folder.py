"""Where uploaded files are kept until all their lines are accepted: a folder that every process of the service sees."""

import os
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import make_url

from messaging_service.clock import HOUR, Milliseconds
from messaging_service.secret_keys import key_file
from messaging_service.settings import Settings

LEFT_BEHIND_AFTER: Milliseconds = HOUR
"""How old a file is that nobody needs and nobody is writing any more."""
_KEY = "upload.key"
_SUFFIX = ".jsonl"
_PART = ".part"


class Folder:
    """Keeps files by name. A file appears under its name only when all of it is on disk."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def receiving(self, name: str) -> Iterator[BinaryIO]:
        """Open a file to write into; unless it is kept before the block ends, nothing of it stays."""
        part = self._part(name)
        try:
            with part.open("xb") as file:
                yield file
        finally:
            part.unlink(missing_ok=True)

    def keep(self, name: str, file: BinaryIO) -> None:
        """Bring a file that is being received to disk, whole, under its name."""
        file.flush()
        os.fsync(file.fileno())
        self._part(name).rename(self._path / name)
        folder = os.open(self._path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def open(self, name: str) -> BinaryIO:
        """Open a kept file. Raises FileNotFoundError."""
        return (self._path / name).open("rb")

    def remove(self, name: str) -> None:
        """Delete a file, if it is there."""
        (self._path / name).unlink(missing_ok=True)

    def tidy(self, needed: Collection[str], now: Milliseconds) -> None:
        """Delete what a process that died has left behind: files that nobody needs and that are an hour old."""
        for path in self._path.glob(f"*{_SUFFIX}*"):
            if path.name not in needed and path.stat().st_mtime * 1000 < now - LEFT_BEHIND_AFTER:
                path.unlink(missing_ok=True)

    @staticmethod
    def new_name(upload_id: int) -> str:
        """Return a name that no other file has: of two that arrive for one upload, the store takes one."""
        return f"{upload_id}-{secrets.token_hex(8)}{_SUFFIX}"

    def _part(self, name: str) -> Path:
        return self._path / f"{name}{_PART}"


def folder_path(settings: Settings) -> Path | None:
    """Return where files are kept: as set, else beside the SQLite store; None for a PostgreSQL store without a setting.

    With PostgreSQL the processes may be on several machines, and a file that its worker can't see would never be sent.
    """
    if settings.bulk_folder is not None:
        return settings.bulk_folder
    url = make_url(settings.database)
    if url.get_backend_name() != "sqlite" or not url.database:
        return None
    return Path(url.database).with_name("uploads")


def open_folder(path: Path) -> Folder:
    """Return the folder, made when it isn't there. Only its owner may look into it: it holds texts and numbers."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Folder(path)


def address_key(settings: Settings, path: Path) -> bytes:
    """Return the key that signs upload addresses: as set, else from a file in the folder. Raises ValueError."""
    if settings.bulk_key is not None:
        return settings.bulk_key.get_secret_value().encode()
    return key_file(path / _KEY)
