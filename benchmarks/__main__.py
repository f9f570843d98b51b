"""Runs the benchmarks: ``python -m benchmarks --help``."""

import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from statistics import median
from typing import Annotated, Protocol

import typer

from benchmarks import bulk_upload, campaign, load, measures, queues, roll_up, verification
from benchmarks.dovecote import DOVECOTE
from benchmarks.kannel import KANNEL
from benchmarks.machine import describe
from benchmarks.measures import Plan
from benchmarks.system import System
from benchmarks.table import AtMost, Ratio, Row, keep, render


class Name(StrEnum):
    """The benchmarks by name."""

    SINGLE = "single"
    BATCH = "batch"
    END_TO_END = "end-to-end"
    LATENCY = "latency"
    VERIFICATION = "verification"
    QUEUES = "queues"
    BULK = "bulk"
    CAMPAIGN = "campaign"
    ROLL_UP = "roll-up"


class Benchmark(Protocol):
    """Something to measure, with what the page says about it."""

    @property
    def title(self) -> str:
        """What is measured."""

    @property
    def note(self) -> str:
        """What a reader must know of it."""

    def run(self, plan: Plan) -> list[Row]:
        """Measure; returns the rows of the table."""


@dataclass(frozen=True)
class Comparison:
    """A measure that both systems are put to."""

    title: str
    unit: str
    measure: Callable[[System, Plan], float]
    target: Ratio | AtMost
    note: str

    def run(self, plan: Plan) -> list[Row]:
        """Measure both systems in turn, so that whatever else the machine does meets both; medians count."""
        pairs = [(self._theirs(plan), self.measure(DOVECOTE, plan)) for _ in range(plan.repetitions)]
        known = [theirs for theirs, _ in pairs if theirs is not None]
        ours = median(ours for _, ours in pairs)
        return [Row(self.title, self.unit, ours, median(known) if known else None, self.target)]

    def _theirs(self, plan: Plan) -> float | None:
        return None if KANNEL.missing else self.measure(KANNEL, plan)


@dataclass(frozen=True)
class Alone:
    """Measures of something that Kannel doesn't do."""

    title: str
    measure: Callable[[Plan], list[Row]]
    note: str

    def run(self, plan: Plan) -> list[Row]:
        """Measure Dovecote."""
        return self.measure(plan)


BENCHMARKS: dict[Name, Benchmark] = {
    Name.SINGLE: Comparison(
        "Accept, one recipient a call",
        "messages/s",
        measures.accept_single,
        Ratio(0.7),
        "64 kept-alive connections; Dovecote answers from disk, Kannel from memory, and both send while they accept.",
    ),
    Name.BATCH: Comparison(
        "Accept, 100 recipients a call",
        "messages/s",
        measures.accept_batch,
        Ratio(4),
        "The same with 10 messages of 10 recipients (Dovecote) and with one message to 100 recipients (Kannel) a call.",
    ),
    Name.END_TO_END: Comparison(
        "End to end, to the report of delivery",
        "messages/s",
        measures.end_to_end,
        Ratio(0.5),
        "To the last `delivered` at the callback receiver; Dovecote reports `sending` and `sent` too, Kannel doesn't.",
    ),
    Name.LATENCY: Comparison(
        "One message, from its 200 to the report of `sent`",
        "ms",
        measures.single_latency,
        AtMost(100),
        "Idle service; the operator has it before its report is back. For Kannel, the report of delivery.",
    ),
    Name.VERIFICATION: Alone(
        "Verification",
        verification.rows,
        f"{verification.PEOPLE} people at once through `dovecote verify` and the service, both on SQLite, the limits "
        "off; the code to the operator: one person, idle services.",
    ),
    Name.QUEUES: Alone(
        "Queues",
        queues.rows,
        "The backlog comes 100 recipients a call; then a priority message every 100 ms.",
    ),
    Name.BULK: Alone(
        "Bulk upload",
        bulk_upload.rows,
        "One gzip file; its messages are sent while it is read. Memory counts what processes share once.",
    ),
    Name.CAMPAIGN: Alone(
        "Campaign",
        campaign.rows,
        "`send_campaign` through a Prefect server beside it, from the start of its process to the report, the preview "
        "included; the bare loop makes the same calls with the same client, 8 at a time, and keeps no ledger.",
    ),
    Name.ROLL_UP: Alone(
        "Roll-up",
        roll_up.rows,
        f"`dovecote stats` over {roll_up.TAG_SETS} sets of tags and a campaign of {roll_up.BATCHES} batches a date, "
        "each with two networks; without Prefect.",
    ),
}


def main(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command line
    names: Annotated[list[Name] | None, typer.Argument(help="Which benchmarks; all of them by default.")] = None,
    seconds: Annotated[float, typer.Option(min=1, help="How long each rate is measured.")] = 5,
    repetitions: Annotated[int, typer.Option(min=1, help="How often; the median counts.")] = 3,
    messages: Annotated[int, typer.Option(min=100, help="Messages of an end-to-end run.")] = 20_000,
    lines: Annotated[int, typer.Option(min=1000, help="Lines of the bulk upload.")] = 1_000_000,
    directory: Annotated[
        Path | None, typer.Option(help="Where the stores go: a real disk.", file_okay=False, exists=True)
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="A page whose figures are replaced.", dir_okay=False, exists=True)
    ] = None,
) -> None:
    """Measure Dovecote, and Kannel where it is installed, and print the figures as a table."""
    plan = Plan(seconds, repetitions, messages, lines=lines, directory=directory)
    machine = describe(directory or Path(tempfile.gettempdir()))
    how = f"Load from {load.generator()}; medians of {repetitions} runs, {seconds:g} s or {messages:,} messages each."
    chosen = [BENCHMARKS[name] for name in names or list(Name)]
    rows = []
    for benchmark in chosen:
        typer.echo(f"Measuring: {benchmark.title}", err=True)
        rows.extend(benchmark.run(plan))
    notes = [f"- {benchmark.title}: {benchmark.note}" for benchmark in chosen]
    report = "\n".join([render(machine, rows, how), "", *notes])
    typer.echo(report)
    if page is not None:
        keep(page, report)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unwinds, so that the processes started are ended
    typer.run(main)
