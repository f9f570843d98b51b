"""The errors of the client.

::

    DovecoteError
    ├── ConnectionFailed        nothing was sent; repeating is safe
    ├── OutcomeUnknown          sent, but no answer came: it may or may not have taken effect
    ├── UnexpectedAnswer        an answer that isn't of this interface: as unknown as the above
    └── Refused                 the service answered with an error; `status` and its sentence
        ├── Unauthorized        the key is missing, unknown or blocked
        ├── Forbidden           the key may not do this
        ├── Invalid             the request is wrong; `errors` names the fields
        ├── NotFound            there is no such thing
        ├── Conflict            not possible in the present state
        ├── TooManyRequests     over a limit, nothing was done
        └── ServerFailed        the service failed: a send may or may not have taken effect

No error ever holds the key.
"""
# ruff: noqa: N818 - the names say what happened

from collections.abc import Sequence

from interface.field_errors import FieldError


class DovecoteError(Exception):
    """Anything that goes wrong with a call.

    ``call`` is its method and path, such as ``POST /messages``; ``retry_after`` the seconds after which the service
    asks for another try, None when it names none.
    """

    call: str = ""
    retry_after: float | None = None


class ConnectionFailed(DovecoteError):
    """No connection came about, so nothing was sent; repeating is safe."""


class OutcomeUnknown(DovecoteError):
    """The request was sent and no answer came; a send may have taken effect, so don't repeat it blindly."""


class UnexpectedAnswer(DovecoteError):
    """The answer isn't one of this interface; a send may have taken effect. ``status`` is the HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Refused(DovecoteError):
    """The service answered with an error. ``status`` is the HTTP status, ``message`` its sentence.

    The verification API and the XML interface add ``code`` (specification 7.4, 4.5), and the former, with a wrong code,
    ``attempts_remaining``.
    """

    code: str | None = None
    attempts_remaining: int | None = None

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


class Unauthorized(Refused):
    """The key is missing, unknown or blocked (400 with ``Message`` on the messaging API, else 401)."""


class Forbidden(Refused):
    """The key's scope doesn't allow this call (403)."""


class Invalid(Refused):
    """The request is wrong (400, 413, 415, 422); ``errors`` names the fields as far as the service does."""

    def __init__(self, message: str, status: int, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(message, status)
        self.errors = tuple(errors)


class NotFound(Refused):
    """There is no such thing (404)."""


class Conflict(Refused):
    """Not possible in the present state (409)."""


class TooManyRequests(Refused):
    """Over a limit, nothing was done (429)."""


class ServerFailed(Refused):
    """The service failed (5xx); a send may have taken effect, so don't repeat it blindly."""
