"""What an operation is: a call with what it is sent, and what its answer comes to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from interface.calls import Call

Answer = TypeVar("Answer", bound=BaseModel)
Outcome = TypeVar("Outcome")


class Sent(NamedTuple):
    """What a call is sent besides the key."""

    body: object = None
    query: BaseModel | None = None
    idempotency_key: str | None = None
    path: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Operation(Generic[Outcome]):
    """A call with what it is sent, and what its answer comes to for the caller."""

    call: Call[BaseModel]
    sent: Sent
    result: Callable[[Any], Outcome]


def operation(call: Call[Answer], sent: Sent, result: Callable[[Answer], Outcome]) -> Operation[Outcome]:
    """Return an operation, its parts checked against each other by their types."""
    return Operation(call, sent, result)


def whole(answer: Answer) -> Answer:
    """Return an answer as it is."""
    return answer
