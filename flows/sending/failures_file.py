"""A file of everybody who didn't get a campaign's message, and why. It holds phone numbers: only its owner reads it."""

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path

from flows.ledger import Failure, Ledger
from flows.ledger.database import default_folder
from flows.planning.tags import slug

COLUMNS = ("line", "phone_number", "message_id", "result", "reason")


def failures_path(book: Ledger, campaign: str) -> Path:
    """Return where the file of a campaign lies: in ``reports`` beside the ledger, or of the data directory."""
    url = book.engine.url
    is_file = url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:"
    folder = Path(str(url.database)).parent if is_file else default_folder()
    return folder / "reports" / f"{slug(campaign)}-failures.csv"


def write_failures(path: Path, failures: Iterable[Failure]) -> None:
    """Write the file in UTF-8 with a header, whole or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(failures_csv(failures))
    draft.replace(path)


def failures_csv(failures: Iterable[Failure]) -> str:
    """Write the failures as CSV with a header."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((one.line, one.phone_number, one.message_id or "", one.result, one.reason) for one in failures)
    return written.getvalue()
