"""What the statistics calls tell of dates and requests (specification 2.6, 2.7). Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from messaging_service.accounts.money import format_money
from messaging_service.clock import iso_or_none

_COUNTERS = (
    "count_delivered",
    "count_seen",
    "count_clicked",
    "count_nondelivered",
    "count_sent",
    "count_notsent",
    "count_replied",
    "count_optout",
    "msg_sent",
)
_COUNTERS_OF_A_REQUEST = tuple(name for name in _COUNTERS if name not in {"count_seen", "count_clicked"})

Row = Mapping[Any, Any]


def date_records(lines: Iterable[Row], networks: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the statistics of dates, by tags (2.6); counters are integers."""
    by_line: dict[tuple[str, str], dict[str, int]] = {}
    for row in networks:
        by_line.setdefault((row["date"], row["tags"]), {})[row["network"]] = row["count"]
    return [_date_record(line, by_line.get((line["date"], line["tags"]), {})) for line in lines]


def _date_record(line: Row, networks: Mapping[str, int]) -> dict[str, Any]:
    stats = {name: line[name] for name in _COUNTERS} | _span(line) | {"msg_mccmnc": networks}
    return {"date": line["date"], "tags": line["tags"].split(","), "stats": stats}


def request_record(counted: Row) -> dict[str, Any]:
    """Return the statistics of one request (2.7); counters and prices are strings."""
    prices = {name: format_money(int(counted[name])) for name in ("price_czk", "price_eur")}
    return {name: str(counted[name]) for name in _COUNTERS_OF_A_REQUEST} | prices | _span(counted)


def _span(row: Row) -> dict[str, str | None]:
    return {name: iso_or_none(row[name]) for name in ("first_ts_sent", "last_ts_sent")}
