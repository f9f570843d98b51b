"""The command ``dovecote``, put together from each package's commands."""

from messaging_service.commands import app


def main() -> None:
    """Run the command line."""
    app()
