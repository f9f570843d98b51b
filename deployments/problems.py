"""What keeps a machine from running, and what is wrong with the words of a command: one sentence each."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


def first_of(error: "ValidationError") -> tuple[str, str]:
    """Return the field that is wrong first (empty: several together) and the sentence about it."""
    first = error.errors(include_url=False)[0]
    field = str(first["loc"][0]) if first["loc"] else ""
    # What Pydantic puts before the sentences of our own checks.
    return field, str(first["msg"]).removeprefix("Value error, ")


class CannotRun(Exception):  # noqa: N818
    """Something that has to be put right first; the message says what, in one sentence."""
