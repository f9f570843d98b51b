"""Tasks about the opt-out list and the blacklist: read them, compare them with a file, change them."""

import asyncio
import os
from collections.abc import Collection, Sequence
from enum import StrEnum
from pathlib import Path

import httpx

from flows.advice import calling
from flows.listed_numbers import Source, listed_in, numbers_of, written_list
from flows.problems import SettingsProblem
from flows.provider import Provider
from flows.recipients.sources import read_file
from flows.tasks.kinds import call, step
from interface.errors import ConnectionFailed, NotFound, ServerFailed
from interface.lists import ListRemoval

NUMBERS_A_CALL = 1_000
SECONDS_TO_DOWNLOAD = 120.0


class Which(StrEnum):
    """The two lists, as people call them."""

    OPT_OUT = "opt-out list"
    BLACKLIST = "blacklist"

    @property
    def path(self) -> str:
        """The path of its calls."""
        return "/optout" if self is Which.OPT_OUT else "/blacklist"


@step("read-file")
async def read_source(place: str, column: str, calling_code: str) -> Source:
    """Read the numbers of a file or of an http(s) address."""
    table = await asyncio.to_thread(read_file, place, column or "phone_number")
    return numbers_of(table, column or None, calling_code)


@call("read-list")
async def read_list(provider: Provider, which: Which) -> frozenset[str]:
    """Read the provider's list; the numbers are digits with the calling code."""
    client, subid = provider.client, provider.subid
    try:
        with calling(f"GET {which.path}"):
            address = await (
                client.opt_out_address(subid=subid) if which is Which.OPT_OUT else client.blacklist_address(subid=subid)
            )
    except NotFound:  # the answer for an empty list (details, "lists")
        return frozenset()
    with calling(f"Download of {which}"):
        return listed_in(await _download(address))


@call("add-to-list")
async def add_to_list(provider: Provider, which: Which, numbers: Sequence[str]) -> int:
    """Add numbers; return how many the provider found invalid. Adding one again changes nothing."""
    invalid = 0
    add = provider.client.opt_out if which is Which.OPT_OUT else provider.client.blacklist
    for start in range(0, len(numbers), NUMBERS_A_CALL):
        with calling(f"POST {which.path}"):
            answer = await add(numbers[start : start + NUMBERS_A_CALL], subid=provider.subid)
        invalid += len(answer.invalid)
    return invalid


@call("take-off-list")
async def take_off_list(provider: Provider, which: Which, numbers: Sequence[str]) -> None:
    """Take numbers off; one that isn't there changes nothing."""
    remove = provider.client.opt_out_remove if which is Which.OPT_OUT else provider.client.blacklist_remove
    for start in range(0, len(numbers), NUMBERS_A_CALL):
        removal = ListRemoval(to="\n".join(numbers[start : start + NUMBERS_A_CALL]), subid=provider.subid)
        with calling(f"DELETE {which.path}"):
            await remove(removal)


@step("write-file")
async def write_file(place: str, numbers: Collection[str]) -> None:
    """Write numbers as CSV into a file that only its owner reads, whole or not at all. Raises `SettingsProblem`."""
    try:
        await asyncio.to_thread(_write, Path(place), written_list(numbers))
    except OSError as error:
        raise SettingsProblem(f"{place} cannot be written: {error.strerror}.") from None


def _write(path: Path, written: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened:
        opened.write(written)
        opened.flush()
        os.fsync(opened.fileno())
    beside.replace(path)


async def _download(address: str) -> str:
    # The address lets anybody read the list for a minute: no error may show it.
    try:
        async with httpx.AsyncClient(timeout=SECONDS_TO_DOWNLOAD) as client:
            answer = await client.get(address)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ConnectionFailed(f"The download broke off ({type(error).__name__}).") from None
    if not answer.is_success:
        raise ServerFailed("The list could not be downloaded.", answer.status_code)
    return answer.content.decode("utf-8-sig", errors="replace")
