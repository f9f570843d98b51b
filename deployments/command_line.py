"""The command ``dovecote``, put together from each package's commands."""

import typer

from deployments.automations.commands import app as automations
from deployments.campaign_commands import app as campaign
from deployments.commands import app as machine
from deployments.segment_commands import app as segment
from flows.commands import app as ledger
from flows.statistics_commands import app as statistics
from interface.client.commands import app as client
from messaging_service.accounts.marketing_commands import app as account
from messaging_service.commands import app as service
from messaging_service.connectors.kit.commands import app as connectors
from messaging_service.notify.commands import app as callbacks
from messaging_service.process.held_commands import app as held
from messaging_service.verification.commands import app as verification
from verify_service.commands import app as verify

app = typer.Typer(
    name="dovecote",
    help="A self-hosted messaging and verification service, and flows that send campaigns on it.",
    epilog="Start with: dovecote demo. Each command has examples: dovecote COMMAND --help.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
app.add_typer(machine)
app.add_typer(service)
app.add_typer(verify)
app.add_typer(client)
app.add_typer(statistics)
app.add_typer(campaign, rich_help_panel="Send")
app.add_typer(segment, rich_help_panel="Send")
app.add_typer(account, name="account", rich_help_panel="Operate")
app.add_typer(verification, name="verification", rich_help_panel="Operate")
app.add_typer(connectors, name="connectors", rich_help_panel="Operate")
app.add_typer(callbacks, name="callbacks", rich_help_panel="Operate")
app.add_typer(held, name="held", rich_help_panel="Operate")
app.add_typer(ledger, rich_help_panel="Operate")
app.add_typer(automations, rich_help_panel="Operate")


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
