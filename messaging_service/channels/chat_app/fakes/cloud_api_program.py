"""Runs the fake of the WhatsApp Cloud API, for trying the way out to it without an account there.

``python -m messaging_service.channels.chat_app.fakes.cloud_api_program``; then start the service with
``DOVECOTE_CHAT_APP_URL=http://127.0.0.1:8951/v23.0``, ``DOVECOTE_CHAT_APP_TOKEN=token``,
``DOVECOTE_CHAT_APP_SECRET=secret``, ``DOVECOTE_CHAT_APP_VERIFY_TOKEN=word`` and
``DOVECOTE_CHAT_APP_SENDERS=420777000111=1``.
"""

from typing import Annotated

import typer
import uvicorn

from messaging_service.channels.chat_app.fakes.cloud_api import FakeCloudApi


def main(
    webhook: Annotated[str, typer.Option(help="Where to report.")] = "http://127.0.0.1:8800/chatapp/webhook",
    sender: Annotated[str, typer.Option(help="The number whose phone number id is 1.")] = "420777000111",
    port: Annotated[int, typer.Option(help="Port to listen on, on this machine only.")] = 8951,
) -> None:
    """Serve the platform until Ctrl-C; its token is `token`, its secret `secret`."""
    platform = FakeCloudApi("token", "secret", {"1": sender}, webhook)
    uvicorn.run(platform.application(), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    typer.run(main)
