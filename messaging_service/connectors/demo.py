"""Segments from CSV files in a folder, for trying and for tests: a file is a segment, named after it."""

import asyncio
import csv
from collections.abc import AsyncGenerator, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import structlog

from interface.connectors import ConnectorAccount, ConnectorMe, ConnectorSegment, ConnectorSender
from messaging_service.connectors.kit.connector import AppUser, NoSuchSegment, Surroundings
from messaging_service.refusals import PlatformFailed

_PAGE: Final = 1_000
_COLUMNS: Final = ("phone", "phone_number", "number", "mobile")
_DELIMITERS: Final = ",;\t"

log = structlog.get_logger(__name__)


def open_connector(surroundings: Surroundings) -> "Demo | None":
    """Return the connector to the folder in the settings, None when none is set."""
    folder = surroundings.settings.demo_segments
    return None if folder is None else Demo(folder, surroundings.settings.default_sender)


class Demo:
    """Every ``app_userid`` sees the same files: ``spring-sale.csv`` is the segment ``spring-sale``, "Spring sale"."""

    def __init__(self, folder: Path, sender: str) -> None:
        self._folder = folder
        self._sender = sender

    async def segments(self, user: AppUser) -> Sequence[ConnectorSegment]:  # noqa: ARG002 - the same for all
        """Return a segment for each file, by name."""
        files = await asyncio.to_thread(self._files)
        return [ConnectorSegment(id=name, name=title_of(name)) for name in files]

    async def recipients(
        self,
        user: AppUser,  # noqa: ARG002 - the same for all
        segment_id: str,
        limit: int,  # noqa: ARG002 - a file doesn't tell beforehand
    ) -> AsyncGenerator[Sequence[str]]:
        """Return the column ``phone`` (or ``phone_number``, ``number``, ``mobile``) of a file."""
        # Looked up in the listing, never joined to a path: an id can't lead out of the folder.
        file = (await asyncio.to_thread(self._files)).get(segment_id)
        if file is None:
            raise NoSuchSegment
        numbers = numbers_in(file)
        while page := await asyncio.to_thread(_next_page, numbers):
            yield page

    async def senders(self, user: AppUser) -> Sequence[ConnectorSender]:  # noqa: ARG002 - the same for all
        """Return the service's default sender."""
        return [ConnectorSender(type="sms", name=self._sender)] if self._sender else []

    async def me(self, user: AppUser) -> ConnectorMe:
        """Return an account of the user's name, in the currency of the calling key."""
        return ConnectorMe(account=ConnectorAccount(id=user.app_userid, name="Demo"), currency=user.currency.upper())

    def _files(self) -> dict[str, Path]:
        try:
            return {file.stem: file for file in sorted(self._folder.glob("*.csv"))}
        except OSError as problem:
            log.warning("connector.folder-not-read", connector="demo", reason=problem.strerror)
            raise PlatformFailed("demo") from None


def _next_page(numbers: Iterator[str]) -> list[str]:
    try:
        return list(islice(numbers, _PAGE))
    except (OSError, csv.Error, UnicodeDecodeError) as problem:
        log.warning("connector.file-not-read", connector="demo", reason=type(problem).__name__)
        raise PlatformFailed("demo") from None


def numbers_in(file: Path) -> Iterator[str]:
    """Return the numbers in a file as they are written. Raises PlatformFailed when it has no column of them."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        header = lines.readline()
        delimiter = max(_DELIMITERS, key=header.count)
        names = [name.strip().strip('"').lower() for name in header.split(delimiter)]
        column = next((names.index(name) for name in _COLUMNS if name in names), None)
        if column is None:
            log.warning("connector.no-column", connector="demo", wanted=", ".join(_COLUMNS))
            raise PlatformFailed("demo")
        for row in csv.reader(lines, delimiter=delimiter):
            if len(row) > column and row[column].strip():
                yield row[column]


def title_of(name: str) -> str:
    """Return the name of the segment that a file is."""
    return name.replace("-", " ").replace("_", " ").strip().capitalize()
