"""A list of suppressed numbers against a source of them: what each has that the other hasn't. Pure."""

import csv
import hashlib
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from flows.recipients.reading import DIGITS_OF_A_NUMBER, find_number_column
from flows.recipients.sources import LeftOut, RecipientTable, Row
from flows.sending.look_up import digits
from interface.phone_numbers import InvalidPhoneNumber, normalise


@dataclass(frozen=True)
class Source:
    """The numbers of a file, normalised, with the line of each, and the lines that hold none."""

    lines: dict[str, int]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Difference:
    """What to add to the list and take off it, in order; ``kept`` are on both sides."""

    to_add: tuple[str, ...]
    to_remove: tuple[str, ...]
    kept: int

    @property
    def is_none(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.to_add or self.to_remove)

    @property
    def digest(self) -> str:
        """The same for the same changes: what a person approved is what is done."""
        return hashlib.sha256(f"{self.to_add}{self.to_remove}".encode()).hexdigest()[:16]


def difference(source: Collection[str], listed: Collection[str], *, removing: bool) -> Difference:
    """Compare; numbers that only the list has are removed where that is wanted, else left alone."""
    wanted, known = frozenset(source), frozenset(listed)
    to_remove = sorted(known - wanted) if removing else []
    return Difference(tuple(sorted(wanted - known)), tuple(to_remove), len(wanted & known))


def numbers_of(table: RecipientTable, column: str | None, calling_code: str) -> Source:
    """Normalise a file's numbers; raises `RecipientsProblem` when it has no column of them."""
    chosen = find_number_column(table, column)
    lines: dict[str, int] = {}
    left_out = list(table.unreadable)
    for row in table.rows:
        try:
            lines.setdefault(_number(row, chosen, calling_code), row.line)
        except InvalidPhoneNumber as problem:
            left_out.append(LeftOut(row.line, str(problem)))
    return Source(lines, tuple(sorted(left_out, key=lambda one: one.line)))


def listed_in(written: str) -> frozenset[str]:
    """Read a provider's CSV of a list: the numbers of its first column that has some, with a header or without."""
    rows: list[Sequence[str]] = [row for row in csv.reader(io.StringIO(written, newline="")) if row]
    for column in range(max(map(len, rows), default=0)):
        numbers = {digits(row[column]) for row in rows if column < len(row)}
        if found := frozenset(each for each in numbers if len(each) >= DIGITS_OF_A_NUMBER):
            return found
    return frozenset()


def written_list(numbers: Collection[str]) -> str:
    """Write numbers as CSV, in order."""
    return "\n".join(["phone_number", *sorted(numbers), ""])


def _number(row: Row, column: str, calling_code: str) -> str:
    written = row.values.get(column, "")
    if not written:
        raise InvalidPhoneNumber("The phone number is missing.")
    return normalise(written, calling_code)
