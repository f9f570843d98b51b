"""Where recipients come from: a CSV file, or a list given inline; both become rows of named values."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flows.problems import RecipientsProblem

if TYPE_CHECKING:
    from _csv import Reader

DELIMITERS = ",;\t"


@dataclass(frozen=True)
class Row:
    """The values of one recipient by column; ``line`` counts from 1, and for a file it includes the header."""

    line: int
    values: Mapping[str, str]


@dataclass(frozen=True)
class RecipientTable:
    """All rows of one source. ``uneven`` are the lines with more values than the header has names."""

    source: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    uneven: tuple[int, ...] = ()


def read_csv(path: str | Path) -> RecipientTable:
    """Read a CSV file in UTF-8 (with or without a byte order mark) with a header; delimiter ``,``, ``;`` or tab.

    Raises `RecipientsProblem` for a missing, unreadable or empty file.
    """
    written = _read_text(Path(path))
    header, _, _ = written.partition("\n")
    reader = csv.reader(io.StringIO(written, newline=""), delimiter=max(DELIMITERS, key=header.count))
    try:
        names = tuple(name.strip() for name in next(reader))
        rows, uneven = _read_rows(reader, names)
    except csv.Error as error:
        raise RecipientsProblem(f"{path} is not a readable CSV file: {error} (line {reader.line_num}).") from error
    if not rows:
        raise RecipientsProblem(f"{path} has a header but no recipients.")
    return RecipientTable(str(path), names, rows, uneven)


def read_inline(given: Sequence[str | Mapping[str, object]], number_column: str) -> RecipientTable:
    """Read a list of phone numbers, or of objects with the same names as a file's columns."""
    rows = [
        {number_column: item} if isinstance(item, str) else {name: _written(value) for name, value in item.items()}
        for item in given
    ]
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    return RecipientTable("the list of recipients", columns, tuple(Row(n, row) for n, row in enumerate(rows, 1)))


def _read_text(path: Path) -> str:
    try:
        written = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise RecipientsProblem(f"There is no file {path}.") from None
    except UnicodeDecodeError:
        raise RecipientsProblem(f"{path} is not text in UTF-8; save it as CSV UTF-8.") from None
    except OSError as error:
        raise RecipientsProblem(f"{path} cannot be read: {error.strerror}.") from error
    if not written.strip():
        raise RecipientsProblem(f"{path} is empty.")
    return written.lstrip("\r\n")


def _read_rows(reader: "Reader", names: tuple[str, ...]) -> tuple[tuple[Row, ...], tuple[int, ...]]:
    rows: list[Row] = []
    uneven: list[int] = []
    for values in reader:
        if not any(value.strip() for value in values):
            continue
        if len(values) > len(names):
            uneven.append(reader.line_num)
        rows.append(Row(reader.line_num, {n: v.strip() for n, v in zip(names, values, strict=False)}))
    return tuple(rows), tuple(uneven)


def _written(value: object) -> str:
    return "" if value is None else str(value)
