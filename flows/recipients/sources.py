"""Where recipients come from: a CSV or JSON Lines file, or a list; all become rows of named values."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flows.problems import RecipientsProblem
from flows.recipients.downloads import download, is_url, without_query

if TYPE_CHECKING:
    from _csv import Reader

DELIMITERS = ",;\t"
TOO_MANY_VALUES = "The line has more values than the header has columns."
NO_OBJECT = "The line is neither a JSON object nor a phone number in quotes."


@dataclass(frozen=True)
class Row:
    """The values of one recipient by column; ``line`` counts from 1, and for a CSV file it includes the header."""

    line: int
    values: Mapping[str, str]


@dataclass(frozen=True)
class LeftOut:
    """A line that gets no message, and why; never the number itself."""

    line: int
    reason: str


@dataclass(frozen=True)
class RecipientTable:
    """All rows of one source, and the lines of it that are no row."""

    source: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    unreadable: tuple[LeftOut, ...] = ()

    @property
    def lines(self) -> int:
        """How many lines the source has that aren't empty."""
        return len(self.rows) + len(self.unreadable)


def read_file(place: str, number_column: str) -> RecipientTable:
    """Read a file of recipients by its path or http(s) URL; what its first line is tells CSV from JSON Lines.

    Raises `RecipientsProblem` for a missing, unreadable or empty file.
    """
    if is_url(place):
        source, written = without_query(place), _decoded(download(place), without_query(place))
    else:
        source, written = place, _read_text(Path(place))
    if _is_json_lines(written):
        return parse_json_lines(written, source, number_column)
    return parse_csv(written, source)


def read_csv(path: str | Path) -> RecipientTable:
    """Read a CSV file, as `parse_csv` does; raises `RecipientsProblem`."""
    return parse_csv(_read_text(Path(path)), str(path))


def parse_csv(written: str, source: str) -> RecipientTable:
    """Read CSV with a header; delimiter ``,``, ``;`` or tab. Raises `RecipientsProblem`."""
    header, _, _ = written.partition("\n")
    reader = csv.reader(io.StringIO(written, newline=""), delimiter=max(DELIMITERS, key=header.count))
    try:
        names = tuple(name.strip() for name in next(reader))
        rows, unreadable = _read_rows(reader, names)
    except csv.Error as error:
        raise RecipientsProblem(f"{source} is not a readable CSV file: {error} (line {reader.line_num}).") from error
    if not rows and not unreadable:
        raise RecipientsProblem(f"{source} has a header but no recipients.")
    return RecipientTable(source, names, rows, unreadable)


def parse_json_lines(written: str, source: str, number_column: str) -> RecipientTable:
    """Read JSON Lines: each an object of columns, or a phone number as a string. Raises `RecipientsProblem`."""
    rows: list[Row] = []
    unreadable: list[LeftOut] = []
    for number, line in enumerate(written.split("\n"), start=1):
        if not line.strip():
            continue
        values = _json_values(line, number_column)
        if values is None:
            unreadable.append(LeftOut(number, NO_OBJECT))
        else:
            rows.append(Row(number, values))
    if not rows:
        raise RecipientsProblem(f"{source} has no line that is a JSON object.")
    return RecipientTable(source, _columns(rows), tuple(rows), tuple(unreadable))


def read_inline(given: Sequence[str | Mapping[str, object]], number_column: str) -> RecipientTable:
    """Read a list of phone numbers, or of objects with the same names as a file's columns."""
    rows = tuple(Row(number, _values(item, number_column)) for number, item in enumerate(given, 1))
    return RecipientTable("the list of recipients", _columns(rows), rows)


def _is_json_lines(written: str) -> bool:
    first, _, _ = written.lstrip().partition("\n")
    try:
        item = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(item, dict) or (isinstance(item, str) and any(map(str.isdigit, item)))


def _json_values(line: str, number_column: str) -> dict[str, str] | None:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return _values(item, number_column) if isinstance(item, str | dict) else None


def _values(item: str | Mapping[str, object], number_column: str) -> dict[str, str]:
    if isinstance(item, str):
        return {number_column: item}
    return {name: "" if value is None else str(value) for name, value in item.items()}


def _columns(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for row in rows for name in row.values))


def _read_text(path: Path) -> str:
    try:
        return _decoded(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise RecipientsProblem(f"There is no file {path}.") from None
    except OSError as error:
        raise RecipientsProblem(f"{path} cannot be read: {error.strerror}.") from error


def _decoded(content: bytes, source: str) -> str:
    try:
        written = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RecipientsProblem(f"{source} is not text in UTF-8; save it as CSV UTF-8.") from None
    if not written.strip():
        raise RecipientsProblem(f"{source} is empty.")
    return written.replace("\r\n", "\n").lstrip("\r\n")


def _read_rows(reader: "Reader", names: tuple[str, ...]) -> tuple[tuple[Row, ...], tuple[LeftOut, ...]]:
    rows: list[Row] = []
    unreadable: list[LeftOut] = []
    for values in reader:
        if not any(value.strip() for value in values):
            continue
        if len(values) > len(names):
            unreadable.append(LeftOut(reader.line_num, TOO_MANY_VALUES))
        else:
            rows.append(Row(reader.line_num, {n: v.strip() for n, v in zip(names, values, strict=False)}))
    return tuple(rows), tuple(unreadable)
