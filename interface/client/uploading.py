"""PUT a file to the address of a bulk upload (specification 4.2): streamed, without a key."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from datetime import datetime as datetime_
from pathlib import Path
from typing import Final

import httpx

from interface.bulk import CONTENT_TYPES, BulkUpload, Filetype
from interface.calls import BULK_URL
from interface.client.answers import RawAnswer, error_of
from interface.errors import ConnectionFailed, DovecoteError, OutcomeUnknown, Refused, UnexpectedAnswer

Source = Path | bytes
"""A file of messages, one JSON object a line: as it is or gzipped."""

_GZIP_BEGINS: Final = b"\x1f\x8b"
_CALL: Final = "PUT to the address of the upload"
_PIECE: Final = 1024 * 1024
_TIMEOUT: Final = httpx.Timeout(30.0, connect=5.0, read=300.0)  # the answer comes when all of the file is on disk


def describe(bulk_id: str, source: Source, datetime: datetime_ | None) -> BulkUpload:
    """Return what an upload is asked for with; the file itself says whether it is gzipped."""
    return BulkUpload(bulk_id=bulk_id, filetype=_filetype(source), datetime=datetime)


def put(http: httpx.Client, url: str, source: Source) -> None:
    """Send a file to its address. Raises what the client raises."""
    headers = {"content-type": CONTENT_TYPES[_filetype(source)]}
    try:
        if isinstance(source, bytes):
            response = http.put(url, content=source, headers=headers, timeout=_TIMEOUT)
        else:
            with source.open("rb") as file:
                response = http.put(url, content=file, headers=headers, timeout=_TIMEOUT)
    except httpx.HTTPError as error:
        raise _named(_failure(error)) from None
    if not response.is_success:
        raise _named(_refusal(response))


async def put_async(http: httpx.AsyncClient, url: str, source: Source) -> None:
    """Send a file to its address. Raises what the client raises."""
    headers = {"content-type": CONTENT_TYPES[await asyncio.to_thread(_filetype, source)]}
    if isinstance(source, Path):
        headers["content-length"] = str((await asyncio.to_thread(source.stat)).st_size)
    content = source if isinstance(source, bytes) else _pieces(source)
    try:
        response = await http.put(url, content=content, headers=headers, timeout=_TIMEOUT)
    except httpx.HTTPError as error:
        raise _named(_failure(error)) from None
    if not response.is_success:
        raise _named(_refusal(response))


def _filetype(source: Source) -> Filetype:
    if isinstance(source, bytes):
        begins = source[:2]
    else:
        with source.open("rb") as file:
            begins = file.read(2)
    return Filetype.GZ if begins == _GZIP_BEGINS else Filetype.JSONL


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    with await asyncio.to_thread(path.open, "rb") as file:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece


def _failure(error: httpx.HTTPError) -> ConnectionFailed | OutcomeUnknown:
    reason = type(error).__name__
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return ConnectionFailed(f"No connection to the address of the upload ({reason}).")
    return OutcomeUnknown(f"The file was sent and no answer came ({reason}); bulk_status tells whether it arrived.")


def _refusal(response: httpx.Response) -> Refused | UnexpectedAnswer:
    body = json.dumps({"message": response.text.strip()}).encode()
    raw = RawAnswer(response.status_code, body, response.headers.get("retry-after"))
    return error_of(BULK_URL, raw, time.time())


def _named(error: DovecoteError) -> DovecoteError:
    error.call = _CALL
    return error
