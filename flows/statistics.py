"""The flow ``roll_up_statistics``: the provider's statistics in a table of our own, reported and watched."""

import asyncio

from prefect import flow

from flows.connections import load_account, opened_ledger, provider_of
from flows.ledger import Ledger
from flows.ledger.statistics import Merged
from flows.provider import Provider
from flows.reports.statistics import RollUp, StatisticsReport
from flows.rollups.exports import check_export
from flows.rollups.periods import calls_of
from flows.rollups.roll_up import Scope, Statistics, evaluate, scope_of
from flows.tasks.statistics import merge_statistics, publish_statistics, read_statistics_of, tell_drops


@flow(name="roll-up-statistics", flow_run_name="{statistics.account}", persist_result=False)
async def roll_up_statistics(statistics: Statistics = Statistics()) -> StatisticsReport:  # noqa: B008  (frozen)
    """Merge the provider's statistics into the flows' database, report them, and tell of delivery rates that fell.

    Run again, it changes only what late receipts have changed.

    Args:
        statistics: Which dates, tags and sub-accounts, and where to export them.

    """
    check_export(statistics.csv_file, statistics.parquet_file)
    account = await load_account(statistics.account)
    async with opened_ledger(account) as book, provider_of(account) as provider:
        scope = scope_of(statistics, account.subid, book.now())
        merged, calls = await merge_all(book, provider, scope)
        found = await asyncio.to_thread(evaluate, book, statistics, scope)
        await tell_drops(book, found.drops)
    return await publish_statistics(RollUp(scope, calls, merged, found))


async def merge_all(book: Ledger, provider: Provider, scope: Scope) -> tuple[Merged, int]:
    """Bring the table up to date, some dates a call; return what has changed, and how many calls it took."""
    merged, calls = Merged(), 0
    for whose in scope.whose:
        for dates in calls_of(scope.to_read):
            lines = await read_statistics_of(provider, whose.sub_account, dates)
            merged += await merge_statistics(book, whose, lines)
            calls += 1
    return merged, calls
