"""Runs the fake of Klaviyo over CSV files, for trying the connector without an account there.

``python -m messaging_service.connectors.fakes.klaviyo_program --folder examples/segments --key pk_fake``; then start
the service with ``DOVECOTE_KLAVIYO_URL=http://127.0.0.1:8950``, and give it the key by ``dovecote connectors connect``.
"""

from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from messaging_service.connectors.demo import numbers_in, title_of
from messaging_service.connectors.fakes.klaviyo import FakeKlaviyo, Profile, Segment


def main(
    folder: Annotated[Path, typer.Option(help="CSV files; each is a segment.")],
    key: Annotated[str, typer.Option(help="The private key that the platform takes.")],
    port: Annotated[int, typer.Option(help="Port to listen on, on this machine only.")] = 8950,
) -> None:
    """Serve the files of a folder as Klaviyo would its segments, until Ctrl-C."""
    segments = {
        file.stem: Segment(title_of(file.stem), [Profile(number) for number in numbers_in(file)])
        for file in sorted(folder.glob("*.csv"))
    }
    uvicorn.run(FakeKlaviyo(key, segments).application(), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    typer.run(main)
