"""Runs the fake of the WhatsApp Cloud API, for trying the way out to it without an account there."""

from typing import Annotated

import typer

from messaging_service.channels.chat_app.fakes.cloud_api import VERSION, FakeCloudApi
from messaging_service.running.by_hand import serve_by_hand


def main(
    webhook: Annotated[
        str, typer.Option(help="Where it reports what became of messages.", metavar="URL")
    ] = "http://127.0.0.1:8800/chatapp/webhook",
    sender: Annotated[str, typer.Option(help="The number whose phone number id is 1.")] = "420777000111",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on, on this machine only; 0 takes a free one.")
    ] = 8951,
) -> None:
    """Serve a platform like the WhatsApp Cloud API, until Ctrl-C. Its token is `token`, its secret `secret`.

    Set these and start the service with dovecote serve:
    DOVECOTE_CHAT_APP_URL=http://127.0.0.1:8951/v23.0
    DOVECOTE_CHAT_APP_TOKEN=token
    DOVECOTE_CHAT_APP_SECRET=secret
    DOVECOTE_CHAT_APP_VERIFY_TOKEN=word
    DOVECOTE_CHAT_APP_SENDERS=420777000111=1

    Example: python -m messaging_service.channels.chat_app.fakes.cloud_api_program
    """
    application = FakeCloudApi("token", "secret", {"1": sender}, webhook).application()
    raise typer.Exit(
        serve_by_hand(
            application,
            "127.0.0.1",
            port,
            lambda address: (
                f"A fake of the WhatsApp Cloud API listens on {address}/{VERSION} and reports to {webhook}; "
                "stop with Ctrl-C."
            ),
        )
    )


if __name__ == "__main__":
    typer.run(main)
