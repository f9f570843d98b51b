"""The flow ``sync_suppressions``: a file or an address of numbers and the provider's lists say the same."""

from dataclasses import dataclass
from typing import Annotated, Literal, Self

from prefect import flow
from prefect.artifacts import acreate_markdown_artifact, acreate_table_artifact
from prefect.flow_runs import apause_flow_run, asuspend_flow_run
from prefect.input import RunInput
from prefect.runtime import deployment
from pydantic import BaseModel, ConfigDict, Field, model_validator

from flows import events
from flows.connections import load_account, opened_ledger, provider_of
from flows.listed_numbers import Difference, Source, difference
from flows.parameters import Name
from flows.planning.tags import slug
from flows.problems import SettingsProblem
from flows.provider import Provider
from flows.sending.work import turn
from flows.tasks.suppressions import Which, add_to_list, read_list, read_source, take_off_list, write_file
from interface.phone_numbers import DEFAULT_CALLING_CODE

EVENT = "dovecote.suppressions.changed"
LINES_SHOWN = 100
HOUR = 3600
ADD, MIRROR, EXPORT, BOTH = (
    "file to list: add",
    "file to list: make the list equal",
    "list to file",
    "both ways: add what the other side lacks",
)
ASK, AT_ONCE, SHOW = "ask a person first", "at once", "only show the difference"


class Suppressions(BaseModel):
    """Which list to compare with which file, in which direction, and whether a person decides."""

    model_config = ConfigDict(frozen=True)

    account: Name = Field(
        default="main",
        title="Account",
        description="Name of the block 'Messaging Account' whose list it is.",
        examples=["main"],
    )
    which: Which = Field(
        default=Which.OPT_OUT,
        title="List",
        description="The opt-out list blocks promotional messages, the blacklist all.",
    )
    direction: Literal[
        "file to list: add",
        "file to list: make the list equal",
        "list to file",
        "both ways: add what the other side lacks",
    ] = Field(
        default="file to list: add",
        title="Direction",
        description="Only 'make the list equal' ever takes numbers off the list.",
    )
    source: Annotated[str, Field(max_length=2000)] = Field(
        default="",
        title="File",
        description="Path or http(s) address of a CSV or JSON Lines file, such as an export of your CRM. Not for "
        "'list to file'.",
        examples=["/data/unsubscribed.csv"],
    )
    write_to: Annotated[str, Field(max_length=1000)] = Field(
        default="",
        title="Write to",
        description="Path of the CSV file for 'list to file' and 'both ways'; it is replaced.",
        examples=["/data/opted-out.csv"],
    )
    phone_column: Annotated[str, Field(max_length=100)] = Field(
        default="",
        title="Column of phone numbers",
        description="Empty: found by its name (phone, phone_number, mobile, telefon, …).",
        examples=["phone"],
    )
    calling_code: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,2}$")] = Field(
        default=DEFAULT_CALLING_CODE,
        title="Calling code of national numbers",
        description="Put before numbers that are written without one.",
        examples=["420"],
    )
    change: Literal["ask a person first", "at once", "only show the difference"] = Field(
        default="ask a person first",
        title="Change the list",
        description="The difference is always shown first, as an artifact of the run. 'Ask a person first' pauses the "
        "run with it, until somebody resumes it.",
    )
    wait_hours: Annotated[float, Field(gt=0, le=168)] = Field(
        default=24, title="Wait for the person (hours)", description="Then the run fails and nothing is changed."
    )
    at_most_removed_percent: Annotated[float, Field(ge=0, le=100)] = Field(
        default=10,
        title="Take off at most (percent)",
        description="'At once' stops when it would take more of the list off: an export that was cut off must not "
        "write to people who opted out.",
        examples=[10],
    )

    @model_validator(mode="after")
    def _has_what_its_direction_needs(self) -> Self:
        if self.direction != EXPORT and not self.source.strip():
            raise ValueError("Give the file that the list is compared with.")
        if self.direction in {EXPORT, BOTH} and not self.write_to.strip():
            raise ValueError("Give the path of the file to write.")
        return self


class SuppressionsReport(BaseModel):
    """Counts of numbers; ``changed`` tells whether the list or the file were."""

    model_config = ConfigDict(frozen=True)

    account: str
    list: str
    in_file: int
    left_out: int = Field(description="Lines of the file without a usable number.")
    on_list: int = Field(description="Before.")
    on_both: int
    added: int
    removed: int
    invalid: int = Field(description="Numbers that the provider refused.")
    written: int = Field(description="Numbers in the file that was written.")
    changed: bool


class Consent(RunInput):
    """What a person answers to a difference."""

    proceed: bool = Field(default=False, title="Change the list", description="Off: nothing is changed.")


@dataclass(frozen=True)
class Compared:
    """Both sides, and what differs."""

    source: Source
    listed: frozenset[str]
    differs: Difference


@flow(
    name="sync-suppressions", flow_run_name="{suppressions.which.value}-of-{suppressions.account}", persist_result=False
)
async def sync_suppressions(suppressions: Suppressions) -> SuppressionsReport:
    """Bring a file of numbers and the provider's opt-out list or blacklist together; shows the difference first.

    Killed or started again, it compares anew and does what is left.

    Args:
        suppressions: Which list, which file, in which direction, and whether a person decides.

    """
    account = await load_account(suppressions.account)
    async with (
        opened_ledger(account) as book,
        provider_of(account) as provider,
        turn(book, f"the {suppressions.which} of {suppressions.account}"),
    ):
        compared = await compare(provider, suppressions)
        await show(compared, suppressions)
        if not await may_change(compared, suppressions):
            return report_of(compared, suppressions)
        invalid = await change(provider, compared, suppressions)
        written = await export(compared, suppressions)
    report = report_of(compared, suppressions).model_copy(
        update={
            "added": len(compared.differs.to_add) - invalid,
            "removed": len(compared.differs.to_remove),
            "invalid": invalid,
            "written": written,
            "changed": not compared.differs.is_none or bool(written),
        }
    )
    await announce(report)
    return report


async def compare(provider: Provider, wishes: Suppressions) -> Compared:
    """Read both sides."""
    source = Source({}, ())
    if wishes.direction != EXPORT:
        source = await read_source(wishes.source.strip(), wishes.phone_column.strip(), wishes.calling_code)
    listed = await read_list(provider, wishes.which)
    return Compared(source, listed, difference(source.lines, listed, removing=wishes.direction == MIRROR))


async def may_change(compared: Compared, wishes: Suppressions) -> bool:
    """Tell whether to go on: nothing to do, only to show, too much to take off, or what a person says."""
    if wishes.change == SHOW:
        return False
    if compared.differs.is_none:
        return bool(wishes.write_to.strip())
    if wishes.change == ASK:
        return (await ask(compared.differs, wishes)).proceed
    percent = 100 * len(compared.differs.to_remove) / max(1, len(compared.listed))
    if percent > wishes.at_most_removed_percent:
        raise SettingsProblem(
            f"{len(compared.differs.to_remove)} of {len(compared.listed)} numbers ({percent:.0f} %) would leave the "
            f"{wishes.which}, more than the {wishes.at_most_removed_percent:g} % that are allowed at once. Is the file "
            "whole? If it is, let a person decide: 'ask a person first'."
        )
    return True


async def ask(differs: Difference, wishes: Suppressions) -> Consent:
    """Return what a person decides about this very difference; another one is asked about anew."""
    question = (
        f"Add {len(differs.to_add)} numbers to the {wishes.which} of {wishes.account} and take "
        f"{len(differs.to_remove)} off it? The run's artifacts show more."
    )
    form = Consent.with_initial_data(description=question, proceed=False)
    key, timeout = f"difference-{differs.digest}", max(1, round(wishes.wait_hours * HOUR))
    if deployment.id:
        return await asuspend_flow_run(wait_for_input=form, timeout=timeout, key=key)
    return await apause_flow_run(wait_for_input=form, timeout=timeout, poll_interval=2, key=key)


async def change(provider: Provider, compared: Compared, wishes: Suppressions) -> int:
    """Add and take off; return how many the provider found invalid."""
    invalid = await add_to_list(provider, wishes.which, compared.differs.to_add) if compared.differs.to_add else 0
    if compared.differs.to_remove:
        await take_off_list(provider, wishes.which, compared.differs.to_remove)
    return invalid


async def export(compared: Compared, wishes: Suppressions) -> int:
    """Write the file where one is wanted; return how many numbers it has."""
    if wishes.direction not in {EXPORT, BOTH}:
        return 0
    numbers = compared.listed | compared.source.lines.keys()
    await write_file(wishes.write_to.strip(), numbers)
    return len(numbers)


def report_of(compared: Compared, wishes: Suppressions) -> SuppressionsReport:
    """Count both sides; nothing is changed yet."""
    return SuppressionsReport(
        account=wishes.account,
        list=wishes.which,
        in_file=len(compared.source.lines),
        left_out=len(compared.source.left_out),
        on_list=len(compared.listed),
        on_both=compared.differs.kept,
        added=0,
        removed=0,
        invalid=0,
        written=0,
        changed=False,
    )


async def show(compared: Compared, wishes: Suppressions) -> None:
    """Leave the difference as artifacts: figures, and the lines that are new or hold no number; never the numbers."""
    key = f"{slug(wishes.which)}-{slug(wishes.account)}"
    figures = {
        "In the file": len(compared.source.lines),
        "Lines without a usable number": len(compared.source.left_out),
        "On the list": len(compared.listed),
        "On both": compared.differs.kept,
        "To add": len(compared.differs.to_add),
        "To take off": len(compared.differs.to_remove),
    }
    rows = [{"what": what, "figure": figure} for what, figure in figures.items()]
    await acreate_table_artifact(rows, key=f"{key}-difference", description=f"The {wishes.which} against the file")
    lines = _lines(compared)
    if lines:
        await acreate_markdown_artifact(lines, key=f"{key}-lines", description="Lines of the file to look at")


async def announce(report: SuppressionsReport) -> None:
    """Tell automations that a list was changed."""
    if report.changed:
        resource = f"dovecote.account.{report.account}"
        await events.tell([events.event(EVENT, resource, report.account, report.model_dump(mode="json"))])


def _lines(compared: Compared) -> str:
    new = [str(compared.source.lines[number]) for number in compared.differs.to_add if number in compared.source.lines]
    sections = []
    if new:
        more = f", … and {len(new) - LINES_SHOWN} more" if len(new) > LINES_SHOWN else ""
        sections.append(f"**New lines**: {', '.join(sorted(new, key=int)[:LINES_SHOWN])}{more}")
    sections += [f"**Line {one.line}**: {one.reason}" for one in compared.source.left_out[:LINES_SHOWN]]
    return "\n\n".join(sections)
