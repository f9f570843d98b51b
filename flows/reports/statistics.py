"""The report of a roll-up: tables by date, tags and network, the comparison with the period before, the drops. Pure."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from flows.ledger.statistics import Merged
from flows.reports.chart import Column, image
from flows.rollups.figures import Figures, Sums
from flows.rollups.roll_up import Evaluation, Scope
from flows.rollups.watching import FoundDrop

ROWS_SHOWN = 1_000
COMPARED = ("sent", "delivered", "nondelivered", "notsent", "seen", "clicked", "replied", "optout", "parts")
NAMES = {
    "sent": "Sent",
    "delivered": "Delivered",
    "nondelivered": "Not delivered",
    "notsent": "Not sent",
    "seen": "Seen",
    "clicked": "Clicked",
    "replied": "Replied",
    "optout": "Opted out",
    "parts": "Parts",
}
NOT_KNOWN = "n/a"
"""Not a dash: Prefect shows the cells of a table as Markdown, in which that is a list."""
ABOUT_NETWORKS = (
    "A network's delivery rate is that of the messages whose set of tags, on a date, went to this network alone: the "
    "interface tells deliveries by tags only."
)

Row = dict[str, str | int]


class PeriodFigures(BaseModel):
    """Numbers of messages of a period, and of billed parts; ``delivery_rate`` is 0 to 1."""

    model_config = ConfigDict(frozen=True)

    sent: int
    delivered: int
    nondelivered: int
    notsent: int
    seen: int
    clicked: int
    replied: int
    optout: int
    parts: int
    delivery_rate: float | None


class RateDrop(BaseModel):
    """A delivery rate that fell below what its own history makes likely; rates are 0 to 1."""

    model_config = ConfigDict(frozen=True)

    account: str
    sub_account: str
    kind: str = Field(description="`tag` or `network`.")
    subject: str
    date: dt.date
    messages: int
    rate: float
    usual: float
    lowest_likely: float
    chance: float = Field(description="Of so few deliveries, were the date like those before it.")


class StatisticsReport(BaseModel):
    """What a roll-up found; dates are UTC dates of acceptance."""

    model_config = ConfigDict(frozen=True)

    account: str
    sub_accounts: list[str]
    first: dt.date
    last: dt.date
    dates: int
    calls: int = Field(description="Calls made to the provider.")
    new_lines: int = Field(description="Lines (date, tags, network) that weren't known yet.")
    corrected_lines: int = Field(description="Lines that late receipts changed.")
    period: PeriodFigures
    period_before: PeriodFigures
    drops: list[RateDrop]


@dataclass(frozen=True)
class RollUp:
    """Everything that a report is made of."""

    scope: Scope
    calls: int
    merged: Merged
    found: Evaluation

    @property
    def account(self) -> str:
        """The account's name."""
        return self.scope.whose[0].account

    @property
    def sub_accounts(self) -> list[str]:
        """The names of the sub-accounts."""
        return [one.sub_account for one in self.scope.whose]


def make_report(roll_up: RollUp) -> StatisticsReport:
    """Bring the figures together."""
    return StatisticsReport(
        account=roll_up.account,
        sub_accounts=roll_up.sub_accounts,
        first=roll_up.scope.dates[0],
        last=roll_up.scope.dates[-1],
        dates=len(roll_up.scope.dates),
        calls=roll_up.calls,
        new_lines=roll_up.merged.new,
        corrected_lines=roll_up.merged.corrected,
        period=period_figures(roll_up.found.now.total),
        period_before=period_figures(roll_up.found.before.total),
        drops=[rate_drop(one) for one in roll_up.found.drops],
    )


def rate_drop(found: FoundDrop) -> RateDrop:
    """Write a drop down."""
    return RateDrop(
        account=found.subject.whose.account,
        sub_account=found.subject.whose.sub_account,
        kind=found.subject.kind,
        subject=found.subject.name,
        date=found.date,
        messages=found.drop.messages,
        rate=round(found.drop.rate, 4),
        usual=round(found.drop.usual, 4),
        lowest_likely=round(found.drop.lowest_likely, 4),
        chance=found.drop.chance,
    )


def period_figures(figures: Figures) -> PeriodFigures:
    """Write figures down."""
    counted = {name: getattr(figures, name) for name in COMPARED}
    return PeriodFigures(**counted, delivery_rate=None if figures.rate is None else round(figures.rate, 4))


def by_date(sums: Sums) -> list[Row]:
    """Write a row a date."""
    return [{"Date": date.isoformat(), **_row(figures)} for date, figures in sums.by_date.items()]


def by_tags(sums: Sums) -> list[Row]:
    """Write a row a set of tags, the largest first."""
    return [{"Tags": tags, **_row(figures)} for tags, figures in _largest(sums.by_tags)]


def by_network(sums: Sums) -> list[Row]:
    """Write a row a network, the largest first."""
    return [
        {"Network": network, "Sent": figures.sent, "Fate known": figures.rated, "Delivery rate": percent(figures.rate)}
        for network, figures in _largest(sums.by_network)
    ]


def summary(roll_up: RollUp) -> str:
    """Write the Markdown summary: the chart, the comparison, what dropped, and what the roll-up changed."""
    report = make_report(roll_up)
    columns = [Column(date, one.sent, one.delivered, one.rate) for date, one in roll_up.found.now.by_date.items()]
    period = f"{report.first} to {report.last} (UTC dates of acceptance), {report.dates} dates"
    parts = [
        f"# Statistics of {roll_up.account}",
        f"{period}; sub-accounts: {', '.join(roll_up.sub_accounts)}.",
        image(columns, f"Messages by date, {report.first} to {report.last}"),
        f"## Compared with the {report.dates} dates before",
        comparison(roll_up.found.now.total, roll_up.found.before.total),
        *_drops(report.drops),
        f"{_calls(report.calls)}; {report.new_lines} lines were new, {report.corrected_lines} were corrected.",
        ABOUT_NETWORKS,
    ]
    return "\n\n".join(parts)


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number} calls"


def comparison(now: Figures, before: Figures) -> str:
    """Write the figures of both periods as a table in Markdown."""
    lines = ["| | This period | Before | Change |", "|---|---:|---:|---:|"]
    for name in COMPARED:
        one, other = getattr(now, name), getattr(before, name)
        lines.append(f"| {NAMES[name]} | {one:,} | {other:,} | {change(one, other)} |")
    lines.append(f"| Delivery rate | {percent(now.rate)} | {percent(before.rate)} | {points(now.rate, before.rate)} |")
    return "\n".join(lines)


def percent(rate: float | None) -> str:
    """Write a share."""
    return NOT_KNOWN if rate is None else f"{100 * rate:.1f} %"


def change(now: int, before: int) -> str:
    """Write by how much a number has changed."""
    return NOT_KNOWN if not before else f"{100 * (now - before) / before:+.1f} %"


def points(now: float | None, before: float | None) -> str:
    """Write by how many percentage points a share has changed."""
    return NOT_KNOWN if now is None or before is None else f"{100 * (now - before):+.1f} points"


def _drops(drops: Sequence[RateDrop]) -> list[str]:
    if not drops:
        return []
    head = ["| What | Date | Messages | Rate | Usual | Likely at least |", "|---|---|---:|---:|---:|---:|"]
    rows = [
        f"| {one.kind} {one.subject} | {one.date} | {one.messages:,} | {percent(one.rate)} | {percent(one.usual)} "
        f"| {percent(one.lowest_likely)} |"
        for one in drops[:ROWS_SHOWN]
    ]
    return ["## Delivery rates that dropped", "\n".join(head + rows)]


def _row(figures: Figures) -> Row:
    counted: Row = {NAMES[name]: getattr(figures, name) for name in COMPARED}
    return {"Sent": counted["Sent"], "Delivered": counted["Delivered"], "Rate": percent(figures.rate), **counted}


def _largest(by_name: Mapping[str, Figures]) -> list[tuple[str, Figures]]:
    return sorted(by_name.items(), key=lambda item: (-item[1].sent, item[0]))[:ROWS_SHOWN]
