"""Tasks of the roll-up of statistics."""

import asyncio
import datetime as dt
from collections.abc import Sequence

from prefect.artifacts import acreate_markdown_artifact, acreate_table_artifact
from prefect.events import Event

from flows.advice import calling
from flows.events import event, tell
from flows.ledger import Ledger
from flows.ledger.statistics import DailyLine, Merged, Whose, merge, record_told, untold
from flows.planning.tags import slug
from flows.provider import Provider
from flows.reports.statistics import RollUp, StatisticsReport, by_date, by_network, by_tags, make_report, summary
from flows.reports.statistics import rate_drop as written
from flows.rollups.daily_lines import daily_lines
from flows.rollups.watching import FoundDrop
from flows.tasks.kinds import call, step

DROPPED = "dovecote.delivery-rate.dropped"


@call("read-statistics")
async def read_statistics_of(provider: Provider, sub_account: str, dates: Sequence[dt.date]) -> list[DailyLine]:
    """Ask the provider for the statistics of some dates: one call."""
    with calling("GET /requests"):
        return daily_lines(await provider.client.statistics(dates, subid=sub_account))


@step("merge-statistics")
async def merge_statistics(book: Ledger, whose: Whose, lines: Sequence[DailyLine]) -> Merged:
    """Write the statistics into the table, correcting what they tell differently now."""
    return await asyncio.to_thread(merge, book, whose, lines)


@step("tell-drops")
async def tell_drops(book: Ledger, drops: Sequence[FoundDrop]) -> None:
    """Emit ``dovecote.delivery-rate.dropped`` for each drop that wasn't told before."""
    new = await asyncio.to_thread(untold, book, [one.told for one in drops])
    await tell([_event(one) for one in drops if one.told in new])
    # Afterwards: a process that is killed in between tells again, and by its id it is the same event.
    await asyncio.to_thread(record_told, book, new)


@step("publish-statistics")
async def publish_statistics(roll_up: RollUp) -> StatisticsReport:
    """Write the summary with its chart, and the tables, as artifacts."""
    named, account = f"statistics-{slug(roll_up.account)}", roll_up.account
    sums = roll_up.found.now
    tables = {"by-date": by_date(sums), "by-tags": by_tags(sums), "by-network": by_network(sums)}
    for what, rows in tables.items():
        await acreate_table_artifact(
            table=rows, key=f"{named}-{what}", description=f"Statistics of {account} {what.replace('-', ' ')}"
        )
    await acreate_markdown_artifact(
        markdown=summary(roll_up), key=f"{named}-summary", description=f"Statistics of {account}"
    )
    return make_report(roll_up)


def _event(found: FoundDrop) -> Event:
    subject, whose = found.subject, found.subject.whose
    name = f"{whose.account}.{whose.sub_account}.{subject.kind}.{subject.name}"
    return event(
        DROPPED,
        f"dovecote.delivery-rate.{name}",
        f"Delivery rate of {subject.kind} {subject.name}",
        written(found).model_dump(mode="json"),
        once=f"{name}.{found.date}",
    )
