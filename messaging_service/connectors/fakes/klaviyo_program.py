"""Runs the fake of Klaviyo over CSV files, for trying the connector without an account there."""

from pathlib import Path
from typing import Annotated

import typer

from messaging_service.connectors.demo import numbers_in, title_of
from messaging_service.connectors.fakes.klaviyo import FakeKlaviyo, Profile, Segment
from messaging_service.refusals import PlatformFailed
from messaging_service.running.by_hand import serve_by_hand


def main(
    folder: Annotated[
        Path, typer.Option(exists=True, file_okay=False, help="Where the CSV files are; each is a segment.")
    ],
    key: Annotated[str, typer.Option(help="The private key that it takes: any word.")],
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on, on this machine only; 0 takes a free one.")
    ] = 8950,
) -> None:
    """Serve the CSV files of a folder as Klaviyo would its segments, until Ctrl-C.

    Give the service the key by `dovecote connectors connect klaviyo --app-userid shop`, and start it with
    DOVECOTE_KLAVIYO_URL=http://127.0.0.1:8950 dovecote serve

    Example: python -m messaging_service.connectors.fakes.klaviyo_program --folder examples/segments --key pk_fake
    """
    segments = {file.stem: _segment(file) for file in sorted(folder.glob("*.csv"))}
    if not segments:
        raise typer.BadParameter(f"There are no CSV files in {folder}.", param_hint="--folder")
    application = FakeKlaviyo(key, segments).application()
    what = f"A fake of Klaviyo with the segments {', '.join(segments)}"
    code = serve_by_hand(
        application, "127.0.0.1", port, lambda address: f"{what} listens on {address}; stop with Ctrl-C."
    )
    raise typer.Exit(code)


def _segment(file: Path) -> Segment:
    try:
        return Segment(title_of(file.stem), [Profile(number) for number in numbers_in(file)])
    except PlatformFailed:
        raise typer.BadParameter(f"{file.name} has no column of phone numbers.", param_hint="--folder") from None


if __name__ == "__main__":
    typer.run(main)
