"""What may come of a call to the upstream but an answer.

::

    UpstreamError
    ├── Refused         an error of the API: its code, perhaps attempts left and a time to wait
    ├── Unreachable     no connection came about: nothing was asked
    │   └── ConnectionRefused
    ├── Failed          5xx, a redirect, or an answer that isn't one of this API
    └── NoAnswer        asked, but the answer was late or broke off: what came of it is unknown

No error holds the key, a token or a code.
"""
# ruff: noqa: N818 - the names say what happened

from dataclasses import dataclass

import requests
from requests.exceptions import ChunkedEncodingError
from urllib3.exceptions import NewConnectionError, ProtocolError


class UpstreamError(Exception):
    """The upstream didn't do what it was asked."""


@dataclass
class Refused(UpstreamError):
    """The API refused: ``error`` is its code, empty where the body isn't one of its errors."""

    status: int
    error: str = ""
    attempts_remaining: int | None = None
    retry_after: int | None = None


class Unreachable(UpstreamError):
    """Nothing was asked."""


class ConnectionRefused(Unreachable):
    """Nobody listens, perhaps only for a moment."""


@dataclass
class Failed(UpstreamError):
    """The upstream failed, or answered what isn't an answer; ``why`` is for the log."""

    why: str


class NoAnswer(UpstreamError):
    """Asked, and nothing came back."""


def meaning(error: requests.RequestException) -> UpstreamError:
    """Return what an error of the library says about a call."""
    cause = _cause(error)
    if isinstance(cause, NewConnectionError):
        return ConnectionRefused()
    if isinstance(error, requests.ConnectTimeout):
        return Unreachable()
    if isinstance(error, requests.Timeout | ChunkedEncodingError) or isinstance(cause, ProtocolError):
        return NoAnswer()
    return Unreachable() if isinstance(error, requests.ConnectionError) else Failed(type(error).__name__)


def _cause(error: requests.RequestException) -> object:
    wrapped = error.args[0] if error.args else None
    return getattr(wrapped, "reason", wrapped)
