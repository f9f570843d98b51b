"""The command ``dovecote campaign cancel``."""

import json
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from deployments.campaign_options import Name
from deployments.campaign_words import FLOW, end_without, one_sentence
from deployments.segment_commands import PREFECT, Prefect
from flows.commands import Address as LedgerAddress
from flows.commands import opened
from interface.client.commands import HERE, Address, AsJson, Key, opened_client

if TYPE_CHECKING:
    from flows.ledger import Ledger, PlannedCampaign

_NO_RUN = (
    "Prefect has no run for it that waits to begin. One that reads its recipients now can be cancelled in a moment."
)
_NOT_ASKED = "Whether Prefect has a run for it that waits to begin isn't known."


def cancel(  # noqa: PLR0913 - the options of a command
    name: Name,
    *,
    recall: Annotated[
        bool, typer.Option("--recall", help="Also cancel what waits at the provider for its time; needs the key.")
    ] = False,
    ledger: LedgerAddress = None,
    prefect: Prefect = PREFECT,
    address: Address = HERE,
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Stop what hasn't gone to the provider, and cancel the runs that wait: for their time, or for approval.

    The ledger decides: from now on no run sends more, also where the Prefect server can't be reached.

    Example: dovecote campaign cancel spring-sale --recall
    """
    from flows import ledger as the_ledger
    from flows.reports.campaign_status import status_of

    not_sent = recalled = 0
    with opened_client(key, address) if recall else nullcontext(), opened(ledger) as book:
        found = the_ledger.find_campaign(book, name)
        if found is not None:
            the_ledger.cancel(book, found.id)
        runs = _cancelled_runs(prefect, name)
        if found is not None:
            recalled = _recalled(book, found, key, address) if recall else 0
            not_sent = status_of(book, found).report.planned
    if found is None and not runs:
        end_without(name, _NOT_ASKED if runs is None else _NO_RUN)
    if as_json:
        typer.echo(json.dumps({"campaign": name, "not_sent": not_sent, "recalled": recalled, "runs": runs or 0}))
    elif found is None:
        typer.echo(f"Cancelled: {runs} runs that had not begun; nothing was sent.")
    else:
        typer.echo(
            f"Cancelled: {not_sent + recalled} people are not written to; {runs or 0} runs that waited are cancelled."
        )


def _recalled(book: "Ledger", campaign: "PlannedCampaign", key: str, address: str) -> int:
    from deployments.campaign_recall import recall_campaign
    from flows.ledger.reconciling import open_batches

    typer.echo("No run sends more of it. Taking back what waits at the provider.", err=True)
    if in_doubt := len(open_batches(book, campaign.id)):
        typer.echo(f"{in_doubt} calls without an answer are looked up first; that may take minutes.", err=True)
    with one_sentence():
        return recall_campaign(book, campaign, key, address)
    return 0


def _cancelled_runs(prefect: str, name: str) -> int | None:
    """Cancel the runs that wait, and count them; None, and a word about it, where the Prefect server doesn't answer."""
    from deployments.flow_runs import prefect_server
    from deployments.problems import CannotRun
    from flows.planning.tags import campaign_run_tag

    server = prefect_server(prefect)
    try:
        return server.cancel_waiting(campaign_run_tag(name), FLOW, name)
    except CannotRun as problem:
        typer.echo(f"{problem} A campaign that the ledger has is cancelled nevertheless: its runs find that.", err=True)
        return None
    finally:
        server.close()
