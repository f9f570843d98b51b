"""Submissions to the lists: read the numbers, write the entries, in parts so that nobody waits long."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from interface.account import ListSubmission
from interface.field_errors import FieldError
from interface.phone_numbers import InvalidPhoneNumber, normalise
from messaging_service.accounts.keys import Key
from messaging_service.accounts.opening import DEFAULT_SUBID
from messaging_service.accounts.sub_accounts import key_named
from messaging_service.clock import Clock
from messaging_service.refusals import InvalidRequest
from messaging_service.store import suppressions
from messaging_service.store.engine import Store

NUMBERS_A_TRANSACTION = 1000


@dataclass(slots=True)
class Taken:
    """What became of a submission: how many lines are numbers, and those that aren't, as they were written."""

    accepted: int = 0
    invalid: list[str] = field(default_factory=list)


class Submissions:
    """Writes entries of the lists. Runs in a thread: a submission may hold a hundred thousand numbers."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def add(self, key: Key, name: str, submission: ListSubmission) -> Taken:
        """Write the numbers into the list ``name``; those that are on it already stay. Raises InvalidRequest.

        ``subid`` ``default`` means the whole account; another one is the calling key's own or one of its sub-keys.
        A failure may leave the first part of a long submission written; submitting it again completes it.
        """
        self._check_subid(key, submission.subid)
        taken = Taken()
        for lines in _parts(submission.numbers(), NUMBERS_A_TRANSACTION):
            numbers = list(_read(lines, key.calling_code, taken))
            taken.accepted += len(numbers)
            self._write(key, name, submission.subid, numbers)
        return taken

    def _check_subid(self, key: Key, subid: str) -> None:
        if subid == DEFAULT_SUBID:
            return
        with self._store.reading() as connection:
            if key_named(connection, key, subid) is None:
                raise InvalidRequest([FieldError("subid", "subid must be default or a sub-account of this key.")])

    def _write(self, key: Key, name: str, subid: str, numbers: Iterable[str]) -> None:
        shared = {"account_id": key.account_id, "list": name, "subid": subid, "created_at": self._clock.now()}
        rows = [{"phone_number": number, **shared} for number in sorted(set(numbers))]
        with self._store.writing() as connection:
            suppressions.add(connection, rows)


def _read(lines: Sequence[str], calling_code: str, taken: Taken) -> Iterator[str]:
    for line in lines:
        try:
            yield normalise(line, calling_code)
        except InvalidPhoneNumber:
            taken.invalid.append(line)


def _parts(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    remaining = iter(lines)
    while part := list(islice(remaining, size)):
        yield part
