"""What is put on the lists and taken off them, in parts so that nobody waits long."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from interface.account import ListSubmission
from interface.field_errors import FieldError
from interface.lists import ListRemoval
from interface.phone_numbers import InvalidPhoneNumber, normalise
from messaging_service.accounts.keys import Key
from messaging_service.accounts.opening import DEFAULT_SUBID
from messaging_service.accounts.sub_accounts import key_named
from messaging_service.clock import Clock
from messaging_service.refusals import InvalidRequest
from messaging_service.store import suppressions
from messaging_service.store.engine import Store
from messaging_service.store.suppressions import Listed

NUMBERS_A_TRANSACTION = 1000


@dataclass(slots=True)
class Taken:
    """What became of a submission: how many lines are numbers, and those that aren't, as they were written."""

    accepted: int = 0
    invalid: list[str] = field(default_factory=list)


@dataclass(slots=True)
class TakenOff:
    """What became of a removal: how many entries are gone, how many remain, and the lines that aren't numbers."""

    removed: int = 0
    remaining: int = 0
    invalid: list[str] = field(default_factory=list)


class Submissions:
    """Writes and deletes entries of the lists. Runs in a thread: a call may hold a hundred thousand numbers."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def add(self, key: Key, name: str, submission: ListSubmission) -> Taken:
        """Write the numbers into the list ``name``; those that are on it already stay. Raises InvalidRequest.

        ``subid`` ``default`` means ``own_list``; another one is the calling key's own or one of its sub-keys.
        A failure may leave the first part of a long submission written; submitting it again completes it.
        """
        listed = self.listed(key, name, submission.subid)
        taken = Taken()
        for lines in _parts(submission.numbers(), NUMBERS_A_TRANSACTION):
            numbers = list(_read(lines, key.calling_code, taken.invalid))
            taken.accepted += len(numbers)
            self._write(listed, numbers)
        return taken

    def remove(self, key: Key, name: str, removal: ListRemoval) -> TakenOff:
        """Delete the entries of numbers from the list ``name``. Raises InvalidRequest."""
        listed = self.listed(key, name, removal.subid)
        taken = TakenOff()
        for lines in _parts(removal.numbers(), NUMBERS_A_TRANSACTION):
            numbers = set(_read(lines, key.calling_code, taken.invalid))
            with self._store.writing() as connection:
                taken.removed += suppressions.remove(connection, listed, numbers)
        with self._store.reading() as connection:
            taken.remaining = suppressions.count(connection, listed)
        return taken

    def wipe(self, key: Key, name: str, subid: str) -> None:
        """Delete all entries of the list ``name``. Raises InvalidRequest."""
        listed = self.listed(key, name, subid)
        for numbers in self._numbers(listed):
            with self._store.writing() as connection:
                suppressions.remove(connection, listed, numbers)

    def listed(self, key: Key, name: str, subid: str) -> Listed:
        """Return which list a call means. Raises InvalidRequest for a ``subid`` that the key doesn't have."""
        if subid == DEFAULT_SUBID:
            return own_list(key, name)
        with self._store.reading() as connection:
            if key_named(connection, key, subid) is None:
                raise InvalidRequest([FieldError("subid", "subid must be default or a sub-account of this key.")])
        return Listed(key.account_id, name, subid)

    def _numbers(self, listed: Listed) -> Iterator[list[str]]:
        """Yield the numbers of a list in parts; what is added behind the place that was read is left out."""
        after = ""
        while True:
            with self._store.reading() as connection:
                rows = suppressions.page(connection, listed, after, NUMBERS_A_TRANSACTION)
            if not rows:
                return
            after = rows[-1]["phone_number"]
            yield [row["phone_number"] for row in rows]

    def _write(self, listed: Listed, numbers: Iterable[str]) -> None:
        shared = {
            "account_id": listed.account_id,
            "list": listed.name,
            "subid": listed.subid,
            "created_at": self._clock.now(),
        }
        rows = [{"phone_number": number, **shared} for number in sorted(set(numbers))]
        with self._store.writing() as connection:
            suppressions.add(connection, rows)


def own_list(key: Key, name: str) -> Listed:
    """Return a key's list: the account's, or its own where it is another customer of the account."""
    return Listed(key.account_id, name, key.subid if key.is_separate else suppressions.WHOLE_ACCOUNT)


def _read(lines: Sequence[str], calling_code: str, invalid: list[str]) -> Iterator[str]:
    for line in lines:
        try:
            yield normalise(line, calling_code)
        except InvalidPhoneNumber:
            invalid.append(line)


def _parts(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    remaining = iter(lines)
    while part := list(islice(remaining, size)):
        yield part
