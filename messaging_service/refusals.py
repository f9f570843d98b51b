"""Why a call is refused. Each interface has one place that turns these into its responses (``endpoints/problems``).

Refusal
├── Unauthorized            the key is unknown or blocked
│   └── MissingKey          there is none
├── Forbidden               the key's scope doesn't allow it
├── InvalidRequest          fields are missing or wrong; carries them
├── WrongContentType        the body isn't of the form that the call takes
├── Compressed              the body is compressed, which no call takes
├── TooLarge                the body is over the limit
├── InsufficientCredit      the wallet can't pay it
├── NotFound                the key has nothing of the name
├── Conflict                not possible in the present state
├── NotSetUp                a setting is missing that the call needs
├── PlatformBusy            a marketing platform asks for patience
├── PlatformFailed          a marketing platform doesn't answer as it should
├── TooManyRecipients       a segment is over the limit
├── StillRunning            the first call with this Idempotency-Key has no answer yet
├── UsedForAnotherCall      the Idempotency-Key came before with something else
├── Coded                   the verification API's own refusals, each with its code
└── RefusedDocument         the XML interface's own refusals, each with its code
"""

import math
from collections.abc import Mapping, Sequence

from interface.field_errors import FieldError
from interface.xml import STATUSES, XmlCode


class Refusal(Exception):  # noqa: N818 - the caller's mistake, not ours
    """A call that does nothing, with the HTTP status and the sentence that its caller reads."""

    status = 400
    sentence = "The request can't be answered."
    headers: Mapping[str, str] = {}

    def __init__(self, sentence: str | None = None) -> None:
        super().__init__(sentence or self.sentence)


class Unauthorized(Refusal):
    """The key is missing, unknown or blocked. Its status is 401, but 400 on the messaging API (specification 5)."""

    status = 401
    sentence = "User is not authorized to access this resource with an explicit deny"


class MissingKey(Unauthorized):
    """The call carries no key."""


class Forbidden(Refusal):
    """The key's scope doesn't allow the call."""

    status = 403
    sentence = "Apikey scope 'api' is not allowed to change settings"


class InvalidRequest(Refusal):
    """Nothing of the call can be used: the errors say which fields, and what is allowed in them."""

    status = 400

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__(" ".join(error.message for error in errors))
        self.errors = errors


class WrongContentType(Refusal):
    """The body isn't of the form that the call takes."""

    status = 415

    def __init__(self, wanted: str) -> None:
        super().__init__(f"Content-Type must be {wanted}.")


class Compressed(Refusal):
    """The body is compressed, which no call takes."""

    status = 415
    sentence = "The body must not be compressed: no Content-Encoding is understood."


class TooLarge(Refusal):
    """The body is over the limit."""

    status = 413

    def __init__(self, mebibytes: int) -> None:
        super().__init__(f"The request is larger than {mebibytes} MiB.")


class InsufficientCredit(Refusal):
    """The wallet holds less than the call costs."""

    status = 402
    sentence = "The credit doesn't suffice."


class NotFound(Refusal):
    """The key has nothing of the name."""

    status = 404
    sentence = "There is no such thing."


class Conflict(Refusal):
    """Not possible in the present state of what the call is about."""

    status = 409
    sentence = "This is not possible any more."


class NotSetUp(Refusal):
    """Whoever runs the service hasn't set what the call needs."""

    status = 503
    sentence = "This is not set up on this service."


class PlatformBusy(Refusal):
    """A marketing platform has had enough calls for now; ``retry_after`` seconds is what it asks for."""

    status = 429

    def __init__(self, name: str, retry_after: float) -> None:
        super().__init__(f"{name} takes no more calls just now; repeat this in {math.ceil(retry_after)} s.")
        self.retry_after = retry_after
        self.headers = {"Retry-After": str(math.ceil(retry_after))}


class PlatformFailed(Refusal):
    """A marketing platform doesn't answer, or not as its interface says."""

    status = 502

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} doesn't answer as it should; repeat this later.")


class TooManyRecipients(Refusal):
    """A segment is over the limit of what one answer may hold."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"The segment has more than {limit} recipients; split it.")


class StillRunning(Refusal):
    """The first call with this ``Idempotency-Key`` has no answer yet."""

    status = 409
    sentence = "The first request with this Idempotency-Key is still running; repeat it in a moment."


class UsedForAnotherCall(Refusal):
    """The ``Idempotency-Key`` came before with another path or body."""

    status = 422
    sentence = "This Idempotency-Key was used with another request; use a new one."


class Coded(Refusal):
    """A refusal of the verification API: ``code`` is its ``error``, ``details`` more of its body (7.4)."""

    details: Mapping[str, object] = {}

    def __init__(self, code: str, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.code = code
        self.status = status


class RefusedDocument(Refusal):
    """A refusal of the XML interface: ``code`` is the ``ID`` of its ``Response`` (4.5)."""

    def __init__(self, code: XmlCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.status = STATUSES[code]
