"""What a test captured of the log, without what services of other tests in its process write there meanwhile."""

from collections.abc import Iterable, Mapping
from typing import Any


def events_of(part: str, logged: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of the events of one part of the service (the first word of a name), in order."""
    return [entry["event"] for entry in logged if entry["event"].startswith(f"{part}.")]
