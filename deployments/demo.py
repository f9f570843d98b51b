"""The demo: a campaign of real recipients goes out through the service and comes back as a report."""

import json
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from deployments.local import Machine, Place, environment_without, running
from deployments.ports import Ports
from deployments.problems import CannotRun
from flows import ledger
from flows.ledger import Totals, open_ledger
from flows.planning.tags import slug
from flows.problems import FlowProblem
from flows.recipients.reading import read_recipients
from flows.recipients.sources import RecipientTable, read_csv
from interface.client import Addresses, MessagingClient
from interface.errors import Unauthorized
from interface.phone_numbers import DEFAULT_CALLING_CODE
from interface.results import Result
from messaging_service.settings import data_directory

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PERSONAL_TEXT = "Hello {name}, our new shop in {city} opens on Monday. No more of these? Answer STOP."
PLAIN_TEXT = "Hello, our new shop opens on Monday. No more of these? Answer STOP."
SERVICE_SETTINGS = {
    "DOVECOTE_CREDIT": "1000000",
    "DOVECOTE_API_PROCESSES": "1",
    # Each run of the demo sends the same text to the same people.
    "DOVECOTE_IDENTICAL_LIMIT": "0",
    # Only what the story asks for runs.
    "DOVECOTE_FLOW_SCHEDULES": "off",
}
_QUIET_SECONDS = 2  # several times what the simulated operator takes: a busy machine pauses too
_LOOK_EVERY_SECONDS = 0.2
_ENDED = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}
_ON_THE_WAY = ("planned", Result.ACCEPTED, Result.SENDING, Result.SENT)


@dataclass(frozen=True, slots=True)
class Story:
    """Whom the demo writes, and what."""

    campaign: str
    recipients: Path
    text: str

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the flow ``send_campaign``."""
        campaign = {
            "name": self.campaign,
            "text": self.text,
            "recipients_file": str(self.recipients),
            "tag": "demo",
            "quiet_seconds": _QUIET_SECONDS,
        }
        return {"campaign": campaign}


def read_story(recipients: Path | None) -> Story:
    """Look whether the file, or else the example, can be used, before anything starts. Raises CannotRun."""
    if not EXAMPLES.is_dir():
        raise CannotRun("The examples, which the demo needs, come with Dovecote's source: run it there by `make demo`.")
    recipients = recipients or EXAMPLES / "recipients.csv"
    try:
        table = read_csv(recipients)
        read_recipients(table, None, DEFAULT_CALLING_CODE)
    except FlowProblem as problem:
        raise CannotRun(str(problem)) from None
    return Story(f"Demo {datetime.now().astimezone():%Y-%m-%d %H:%M:%S}", recipients.resolve(), _text_for(table))


def demo_place(ports: Ports) -> Place:
    """Return where the demo lives: apart from whatever else of Dovecote runs on this machine."""
    directory = data_directory() / "demo"
    database = f"sqlite:///{directory / 'dovecote.db'}"
    return Place(directory, ports, database, environment_without("DOVECOTE_") | SERVICE_SETTINGS | _segments())


def _segments() -> dict[str, str]:
    """Return the setting that shows the example segments, where there are examples."""
    folder = EXAMPLES / "segments"
    return {"DOVECOTE_DEMO_SEGMENTS": str(folder)} if folder.is_dir() else {}


def play(place: Place, story: Story, console: Console, *, stays: bool) -> None:
    """Run the demo; when it ``stays`` until Ctrl-C. Raises CannotRun."""
    begun = time.monotonic()
    with console.status("Starting the messaging service and a Prefect server …") as status, running(place) as machine:
        opt_out(machine)
        status.update("Starting the flow send-campaign …")
        run_id = machine.prefect.start_run(machine.deployment_id, story.parameters())
        status.stop()
        show_progress(machine, story.campaign, run_id, console)
        _show_report(machine, story.campaign, console)
        console.print(f"Done in {time.monotonic() - begun:.1f} s.\n{_addresses(machine, run_id)}", soft_wrap=True)
        if stays:
            machine.run_until_stopped()


def opt_out(machine: Machine) -> None:
    """Put the opted-out numbers of the example on the service's list. Raises CannotRun."""
    numbers = (EXAMPLES / "opted-out.txt").read_text().split("\n")
    with MessagingClient(machine.key, Addresses.of(machine.place.address)) as client:
        try:
            client.opt_out(number for number in numbers if number.strip())
        except Unauthorized:
            raise CannotRun(
                f"The service doesn't know the key in {machine.place.key_file}; delete that file, or its folder."
            ) from None


def show_progress(machine: Machine, campaign: str, run_id: str, console: Console) -> None:
    """Show how far the messages are until the run has ended. Raises CannotRun when it failed."""
    book = open_ledger(machine.place.ledger)
    columns = (TextColumn("{task.description:<24}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=console) as progress:
            taken = progress.add_task("Taken by the service", total=None)
            final = progress.add_task("With a final result", total=None)
            while True:
                state, message = machine.prefect.state_of(run_id)
                planned = ledger.find_campaign(book, campaign)
                if planned is not None:
                    totals = ledger.totals(book, planned.id)
                    progress.update(taken, total=totals.recipients, completed=_taken(totals))
                    progress.update(final, total=totals.recipients, completed=_final(totals))
                if state in _ENDED:
                    break
                machine.programs.check()
                time.sleep(_LOOK_EVERY_SECONDS)
    finally:
        book.close()
    if state != "COMPLETED":
        raise CannotRun(f"The flow's run ended as {state}: {message}")


def _taken(totals: Totals) -> int:
    return totals.recipients - totals.count("planned")


def _final(totals: Totals) -> int:
    return totals.recipients - totals.count(*_ON_THE_WAY)


def _show_report(machine: Machine, campaign: str, console: Console) -> None:
    """Show what the flow left as artifacts: the table, and from the summary who got nothing."""
    key = f"campaign-{slug(campaign)}"
    table = Table("What", "Figure", title=campaign, title_justify="left")
    table.columns[1].justify = "right"
    for row in json.loads(machine.prefect.artifact(f"{key}-results")):
        table.add_row(row["what"], str(row["figure"]))
    console.print(table)
    _title, people, *_ = machine.prefect.artifact(f"{key}-summary").split("\n\n")
    console.print(people, soft_wrap=True)


def _addresses(machine: Machine, run_id: str) -> str:
    place = machine.place
    return "\n".join(
        [
            "Everything keeps running; open:",
            f"  the run and its report   {place.prefect_address}/runs/flow-run/{run_id}",
            f"  send a campaign (form)   {place.prefect_address}/deployments/deployment/{machine.deployment_id}/run",
            f"  verify a phone number    {place.verify_address}",
            f"  the telephone for that   {place.phone_address}",
            f"  API documentation        {place.address}/docs",
            f"The key of the account is in {place.key_file}; logs are in {place.directory / 'logs'}.",
            "Nothing reached a telephone: the way out is the simulated operator.",
            "Run the demo again and it sends a new campaign; the data of this one stays. Stop with Ctrl-C.",
        ],
    )


def _text_for(table: RecipientTable) -> str:
    known = {column.casefold() for column in table.columns}
    return PERSONAL_TEXT if {"name", "city"} <= known else PLAIN_TEXT
