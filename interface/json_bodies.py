"""Reads JSON bodies strictly, so that no two readers can see two contents in one body. Pure."""

import json
from typing import Any


def read_json(body: bytes) -> object:
    """Return what a body holds. Raises ValueError for what isn't UTF-8 JSON, or has a name twice in one object."""
    try:
        content: object = json.loads(body.decode(), object_pairs_hook=_object, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return content


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name twice")
    return members


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} isn't JSON")  # Python reads and writes it, the standard doesn't have it
