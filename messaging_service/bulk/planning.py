"""Turns lines of a file into the rows to write: messages, and notifications of lines that are none. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from interface.field_errors import field_errors
from interface.message import MessageRequest
from interface.payload import Payload
from interface.results import Result, ResultCode
from interface.texts import DEFAULT_TAG, Callback
from messaging_service.accept.planning import Caller, Identity, Plan, plan_identified
from messaging_service.bulk.line_ids import line_id
from messaging_service.bulk.lines import LONGEST_LINE, Line
from messaging_service.bulk.unstored import Copy, content_of, message_of
from messaging_service.clock import utc_date
from messaging_service.identifiers import new_id
from messaging_service.message import Move

_CALLBACK = TypeAdapter[str](Callback)
_PAYLOAD = TypeAdapter[dict[str, Any]](Payload)
_TOO_LONG = f"The line is longer than {LONGEST_LINE} bytes."


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no message: what to tell the caller, and the notification of it."""

    number: int
    message: str
    move: Move


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """The rows of a batch of lines."""

    plan: Plan
    bad: list[BadLine] = field(default_factory=list)


def plan_lines(caller: Caller, request_id: str, lines: Iterable[Line]) -> BatchPlan:
    """Read lines as message objects (specification 4.2). Empty lines count for nothing."""
    batch = BatchPlan(Plan(request_id))
    batch_id = new_id()  # of contents, which lists show in the order of their ids
    for line in lines:
        if line.content == b"":
            continue
        try:
            request = _read(line)
        except _NoMessage as problem:
            batch.bad.append(_bad_line(caller, request_id, line, problem.sentence))
        else:
            identity = Identity(line_id(request_id, line.number), line_id(batch_id, line.number))
            plan_identified(batch.plan, caller, request, identity)
    return batch


class _NoMessage(Exception):  # noqa: N818
    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def _read(line: Line) -> MessageRequest:
    if line.content is None:
        raise _NoMessage(_TOO_LONG)
    try:
        return MessageRequest.model_validate_json(line.content)
    except ValidationError as error:
        raise _NoMessage(" ".join(problem.message for problem in field_errors(error, "It"))) from None


def _bad_line(caller: Caller, request_id: str, line: Line, sentence: str) -> BadLine:
    document = _readable(line.content)
    row = {
        **dict.fromkeys(("body", "flow")),
        "sender": caller.key.default_sender,
        "id": "",
        "request_id": request_id,
        "date": utc_date(caller.now),
        "tags": DEFAULT_TAG,
        "callback": _checked(_CALLBACK, document.get("callback")),
        "payload": _json(_checked(_PAYLOAD, document.get("payload"))),
    }
    copy = Copy(f"{line_id(request_id, line.number)}-0", next(_numbers(document), ""))
    before = message_of(content_of(caller.key, row), copy)
    after = before._replace(
        state=Result.REJECTED,
        code=ResultCode.REJECTED,
        reason=f"Line {line.number}: {sentence}",
    )
    return BadLine(line.number, sentence, Move(before, after))


def _readable(content: bytes | None) -> dict[str, Any]:
    try:
        document = orjson.loads(content or b"")
    except orjson.JSONDecodeError:
        return {}
    return document if isinstance(document, dict) else {}


def _checked(adapter: TypeAdapter[Any], value: object) -> Any:  # noqa: ANN401 - what the adapter reads
    try:
        return adapter.validate_python(value)
    except ValidationError:
        return None


def _numbers(document: dict[str, Any]) -> Iterator[str]:
    recipients = document.get("to")
    for recipient in recipients if isinstance(recipients, list) else []:
        number = recipient.get("phone_number") if isinstance(recipient, dict) else None
        if isinstance(number, str) and "\x00" not in number:
            yield number


def _json(value: object) -> str | None:
    return None if value is None else orjson.dumps(value).decode()
