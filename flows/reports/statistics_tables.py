"""Tables of a roll-up, for a terminal."""

from collections.abc import Iterator, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from flows.reports.shortened import Shortened
from flows.reports.statistics import COMPARED, NAMES, RollUp, by_date, by_network, by_tags, change, percent, points
from flows.rollups.figures import Figures

ROWS_SHOWN = 40


def tables(roll_up: RollUp) -> Iterator[Table]:
    """Write the roll-up: by date, tags and network, the comparison, and what dropped, if anything."""
    found, dates = roll_up.found, roll_up.scope.dates
    title = f"{dates[0]} to {dates[-1]} (UTC dates of acceptance)"
    yield _rows(title, by_date(found.now)[-ROWS_SHOWN:])
    yield _rows("By tags", by_tags(found.now)[:ROWS_SHOWN])
    yield _rows("By network", by_network(found.now)[:ROWS_SHOWN])
    yield _comparison(found.now.total, found.before.total)
    if found.drops:
        yield _drops(roll_up)


def _rows(title: str, rows: Sequence[Mapping[str, str | int]]) -> Table:
    # All columns fit into 80 characters, if a space is all that is between them and headings take two lines.
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=0)
    if not rows:
        table.add_column("Nothing was sent")
        return table
    subject, *columns = (name for name in rows[0] if _is_told(rows, name))
    table.add_column(subject, no_wrap=subject != "Tags")
    for name in columns:
        table.add_column(name.replace(" ", "\n"), justify="right", no_wrap=True)
    for row in rows:
        names = tuple(str(row[subject]).split(","))
        table.add_row(Shortened(names), *(_written(row[name]) for name in columns))
    return table


def _is_told(rows: Sequence[Mapping[str, str | int]], name: str) -> bool:
    # A terminal is narrow: columns that are nothing in every row are left out.
    return name in {"Sent", "Delivered"} or any(row[name] for row in rows)


def _written(value: str | int) -> str:
    return f"{value:,}" if isinstance(value, int) else value


def _comparison(now: Figures, before: Figures) -> Table:
    table = Table("Compared with the period before", title_justify="left")
    for name in ("Now", "Before", "Change"):
        table.add_column(name, justify="right")
    for name in COMPARED:
        one, other = getattr(now, name), getattr(before, name)
        if one or other:
            table.add_row(NAMES[name], f"{one:,}", f"{other:,}", change(one, other))
    table.add_row("Delivery rate", percent(now.rate), percent(before.rate), points(now.rate, before.rate))
    return table


def _drops(roll_up: RollUp) -> Table:
    table = Table("Delivery rate dropped", style="red")
    for name in ("Date", "Messages", "Rate", "Usual", "Likely\nat least"):
        table.add_column(name, no_wrap=True)
    for one in roll_up.found.drops:
        subject, drop = one.subject, one.drop
        table.add_row(
            Shortened((f"{subject.kind} {subject.name}",)),
            one.date.isoformat(),
            f"{drop.messages:,}",
            percent(drop.rate),
            percent(drop.usual),
            percent(drop.lowest_likely),
        )
    return table
