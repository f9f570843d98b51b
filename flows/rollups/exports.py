"""Files of statistics: CSV, and Parquet where pyarrow is installed."""

import csv
import datetime as dt
import importlib
import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from itertools import islice
from pathlib import Path
from typing import Any

from flows.ledger.statistics import DailyLine, Whose
from flows.problems import PackageMissing, SettingsProblem
from flows.rollups.figures import Told

COLUMNS = tuple(field.name for kind in (Whose, DailyLine) for field in fields(kind))
MOMENTS = ("first_sent_at", "last_sent_at")
TEXTS = ("account", "sub_account", "tags", "network")
ROWS_A_GROUP = 20_000


def check_export(csv_file: str, parquet_file: str) -> None:
    """Raise `SettingsProblem` when a file can't be written: before anything is read."""
    for path in filter(None, (csv_file, parquet_file)):
        if not Path(path).parent.is_dir():
            raise SettingsProblem(f"There is no folder {Path(path).parent} for {Path(path).name}.")
    if parquet_file and importlib.util.find_spec("pyarrow") is None:
        raise PackageMissing("Parquet", "pyarrow")


def write_csv(path: str, lines: Iterable[Told]) -> int:
    """Write the lines in UTF-8 with a header, moments as ISO 8601 in UTC; return how many."""
    with _replaced(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        count = 0
        for count, row in enumerate(_rows(lines), 1):  # noqa: B007  (the last count is what is asked)
            writer.writerow(row | {name: row[name] and row[name].isoformat() for name in MOMENTS})
    return count


def write_parquet(path: str, lines: Iterable[Told]) -> int:
    """Write the lines as a Parquet file, in groups of rows; return how many. Raises as `check_export`."""
    check_export("", path)
    # Not installed everywhere, and without types of its own.
    arrow: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    schema = arrow.schema([(name, _arrow_type(arrow, name)) for name in COLUMNS])
    rows, count = _rows(lines), 0
    with _replaced(path) as draft, parquet.ParquetWriter(draft, schema, compression="zstd") as writer:
        while group := list(islice(rows, ROWS_A_GROUP)):
            count += len(group)
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))
    return count


@contextmanager
def _replaced(path: str) -> Iterator[Path]:
    """Write beside, then put in place: whoever reads the file sees the old one or the whole new one."""
    target = Path(path)
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield draft
        draft.replace(target)
    except OSError as error:
        raise SettingsProblem(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        draft.unlink(missing_ok=True)


def _rows(lines: Iterable[Told]) -> Iterator[dict[str, Any]]:
    for whose, line in lines:
        row = {**asdict(whose), **asdict(line)}
        moments = {name: row[name] and dt.datetime.fromtimestamp(row[name], dt.UTC) for name in MOMENTS}
        yield row | moments | {"date": dt.date.fromisoformat(line.date)}


def _arrow_type(arrow: Any, column: str) -> Any:  # noqa: ANN401
    kinds: dict[str, Callable[[], Any]] = dict.fromkeys(TEXTS, arrow.string)
    kinds |= {"date": arrow.date32, **dict.fromkeys(MOMENTS, lambda: arrow.timestamp("ms", tz="UTC"))}
    return kinds.get(column, arrow.int64)()
