"""What a failed call means for the person who reads it in Prefect: the call, the status, and what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

from interface.errors import (
    Conflict,
    ConnectionFailed,
    DovecoteError,
    Forbidden,
    Invalid,
    NotFound,
    OutcomeUnknown,
    Refused,
    ServerFailed,
    TooManyRequests,
    Unauthorized,
    UnexpectedAnswer,
)

ADVICE: tuple[tuple[type[DovecoteError], str], ...] = (
    (ConnectionFailed, "Is the service running, and is the address in the block 'Messaging Account' right?"),
    (OutcomeUnknown, "Run the flow again: what was done already isn't done again."),
    (UnexpectedAnswer, "Is the address in the block 'Messaging Account' that of this interface, with its version?"),
    (Unauthorized, "Check the key in the block 'Messaging Account'."),
    (Forbidden, "The key's scope doesn't allow this; use a key with scope 'full' or 'rest-api'."),
    (Invalid, "Correct the parameters and start the flow again."),
    (NotFound, "The provider doesn't offer this call, or there is nothing of this name."),
    (Conflict, "Something else is under way; run the flow again later."),
    (TooManyRequests, "The provider's rate limit; run the flow again later, or less often."),
    (ServerFailed, "The provider failed; run the flow again, and tell the provider when it stays so."),
    (Refused, "Put right what it names, and run the flow again."),
)


@contextmanager
def calling(call: str = "") -> Iterator[None]:
    """Let an error of the client name the call, its status, and what to do.

    ``call`` says more of it than the error itself, such as ``GET /inbox of 2026-01-01``.
    """
    try:
        yield
    except DovecoteError as error:
        error.args = (explanation(call or error.call or "A call", error),)
        raise


def explanation(call: str, error: DovecoteError) -> str:
    """Write an error as sentences."""
    status = f" with status {error.status}" if isinstance(error, Refused | UnexpectedAnswer) else ""
    said = str(error).rstrip(".")
    advice = next((advice for kind, advice in ADVICE if isinstance(error, kind)), "Run the flow again later.")
    return f"{call} failed{status}: {said}. {advice}"
