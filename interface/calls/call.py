"""What there is to know of a call: what it takes, what it answers, whether it may be repeated."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter

from interface.responses import Problem

Answer_co = TypeVar("Answer_co", bound=BaseModel, covariant=True)

KEY_HEADER: Final = "x-api-key"
"""The header that carries the key on every call (specification 5)."""
IDEMPOTENCY_HEADER: Final = "Idempotency-Key"
"""The header that makes a send repeatable within 24 h; ours, other providers ignore it."""


class Base(StrEnum):
    """Which of the base addresses a path is below."""

    MESSAGING = "messaging"
    REST = "rest"
    VERIFY = "verify"
    XML = "xml"


class Content(StrEnum):
    """How the body of a request or an answer is written."""

    JSON = "application/json"
    FORM = "application/x-www-form-urlencoded"
    XML = "application/xml"


class Repeatable(StrEnum):
    """When a call whose answer was lost may be repeated without doing anything twice."""

    ALWAYS = "always"  # it only reads, or setting the same again changes nothing
    WITH_KEY = "with-idempotency-key"  # it sends: only with an Idempotency-Key that the server honours
    NEVER = "never"  # each time counts


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """An error that a call documents: its status, when it comes, and the models its body may have."""

    status: int
    description: str
    bodies: tuple[type[BaseModel], ...] = (Problem,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Answer_co]):
    """One call: ``path`` is below the address of ``base``; ``body`` and ``query`` are what it is sent, if anything.

    A name in braces in ``path`` stands for a parameter. ``aliases`` are other paths that serve the same.
    """

    name: str
    method: str
    path: str
    base: Base
    group: str
    summary: str
    answer: type[Answer_co]
    description: str = ""
    body: TypeAdapter[Any] | None = None
    content: Content = Content.JSON
    answers: Content = Content.JSON
    query: type[BaseModel] | None = None
    repeatable: Repeatable = Repeatable.ALWAYS
    errors: tuple[ErrorAnswer, ...] = ()
    needs_key: bool = True
    aliases: tuple[str, ...] = ()

    @property
    def takes_idempotency_key(self) -> bool:
        """Whether ``Idempotency-Key`` means something to this call."""
        return self.repeatable is Repeatable.WITH_KEY
