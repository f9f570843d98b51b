"""What a roll-up of statistics is asked for, and what it makes of the table once that is up to date."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from flows.ledger import Ledger
from flows.ledger.statistics import Whose, read_statistics
from flows.parameters import Name
from flows.rollups.delivery_rates import Rule
from flows.rollups.exports import write_csv, write_parquet
from flows.rollups.figures import Sums, Told, add_up, histories, with_tags
from flows.rollups.periods import Dates, LastDays, dates_of, dates_to_judge, dates_to_read, history_of, period_before
from flows.rollups.watching import FoundDrop, find_drops
from interface.texts import normalise_tags

File = Annotated[str, Field(max_length=1000)]


class Statistics(BaseModel):
    """Which statistics to roll up."""

    model_config = ConfigDict(frozen=True)

    dates: Dates = Field(
        default=LastDays(),
        title="Dates",
        description="UTC dates of acceptance: the last days, from a date to a date, or single dates.",
    )
    tags: list[Annotated[str, Field(min_length=1, max_length=255)]] = Field(
        default=[],
        title="Tags",
        description="Report only messages with one of these tags. Empty: all. The table gets all of them anyway.",
        examples=[["spring-sale"]],
    )
    sub_accounts: list[Name] = Field(
        default=[],
        title="Sub-accounts",
        description="Names of sub-accounts ('subid'). Empty: that of the account's block.",
        examples=[["default", "shop"]],
    )
    account: Name = Field(
        default="main", title="Account", description="Name of the block 'Messaging Account'.", examples=["main"]
    )
    csv_file: File = Field(
        default="",
        title="Export: CSV file",
        description="Path on the machine where the flow runs. Empty: none.",
        examples=["statistics.csv"],
    )
    parquet_file: File = Field(
        default="",
        title="Export: Parquet file",
        description="The same as Parquet, where pyarrow is installed. Empty: none.",
        examples=["statistics.parquet"],
    )
    chance_of_false_alarm: Annotated[float, Field(gt=0, le=0.1)] = Field(
        default=0.001,
        title="Chance of a false alarm",
        description="How often a run may take mere chance for a fallen delivery rate.",
    )
    fewest_messages: Annotated[int, Field(ge=20)] = Field(
        default=100,
        title="Fewest messages to judge by",
        description="A tag's or network's delivery rate is judged on dates with at least so many messages.",
    )


@dataclass(frozen=True)
class Scope:
    """Whose statistics, of which dates, a roll-up is about."""

    whose: Sequence[Whose]
    dates: Sequence[dt.date]
    today: dt.date

    @property
    def to_read(self) -> Sequence[dt.date]:
        """The dates to ask the provider for."""
        return dates_to_read(self.dates, self.today)


@dataclass(frozen=True)
class Evaluation:
    """The sums of the period and of the one before, and the delivery rates that fell."""

    now: Sums
    before: Sums
    drops: Sequence[FoundDrop]


def scope_of(wanted: Statistics, default_sub_account: str, now: float) -> Scope:
    """Settle what is meant at the moment ``now`` (Unix seconds)."""
    today = dt.datetime.fromtimestamp(now, dt.UTC).date()
    subs = dict.fromkeys(wanted.sub_accounts or [default_sub_account])
    return Scope([Whose(wanted.account, sub) for sub in subs], dates_of(wanted.dates, today), today)


def evaluate(book: Ledger, wanted: Statistics, scope: Scope) -> Evaluation:
    """Add up what the table has, judge the delivery rates, and write the files asked for."""
    judged = dates_to_judge(scope.dates, scope.today)
    rule = Rule(chance=wanted.chance_of_false_alarm, fewest_messages=wanted.fewest_messages)
    evaluation = Evaluation(
        now=add_up(_lines(book, wanted, scope, scope.dates), scope.dates),
        before=add_up(_lines(book, wanted, scope, period_before(scope.dates)), period_before(scope.dates)),
        drops=find_drops(histories(_lines(book, wanted, scope, history_of(judged))), judged, rule),
    )
    if wanted.csv_file:
        write_csv(wanted.csv_file, _lines(book, wanted, scope, scope.dates))
    if wanted.parquet_file:
        write_parquet(wanted.parquet_file, _lines(book, wanted, scope, scope.dates))
    return evaluation


def _lines(book: Ledger, wanted: Statistics, scope: Scope, dates: Sequence[dt.date]) -> Iterator[Told]:
    tags = [tag for each in wanted.tags for tag in normalise_tags(each).split(",")]
    return with_tags(read_statistics(book, scope.whose, dates), tags)
