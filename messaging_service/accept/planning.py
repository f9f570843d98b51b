"""Turns what a call asks for into the rows to write. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from interface.message import MessageRequest
from messaging_service.accounts.keys import Key
from messaging_service.clock import Milliseconds, utc_date
from messaging_service.identifiers import new_id
from messaging_service.schedule import due_at, queue_of

Row = Mapping[str, Any]


@dataclass(slots=True)
class Plan:
    """The rows of one call, with the request id that they share.

    ``addressees`` has a row for each list of recipients that get an id together; the store makes a message of each.
    """

    request_id: str
    contents: list[Row] = field(default_factory=list)
    addressees: list[Row] = field(default_factory=list)

    def journal_row(self) -> Row:
        """Return the plan as the journal keeps it, in the best queue of its messages."""
        queue = min(addressee["queue"] for addressee in self.addressees)
        return {"queue": queue, "plan": _json({"contents": self.contents, "addressees": self.addressees})}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends, when, and (for ``/message/priority``) through which queue whatever the tags say."""

    key: Key
    now: Milliseconds
    queue: int | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """The ids of a message object: the one its caller sees, and that of what its recipients share.

    ``position`` is the index of the first recipient, for an object that is planned in several pieces.
    """

    message_id: str
    content_id: str
    position: int = 0


def plan_object(plan: Plan, caller: Caller, request: MessageRequest) -> str:
    """Add a message object whose recipients' ids are ``<message_id>-<index>``. Returns the ``message_id``."""
    identity = Identity(new_id(), new_id())
    plan_identified(plan, caller, request, identity)
    return identity.message_id


def plan_identified(plan: Plan, caller: Caller, request: MessageRequest, identity: Identity) -> None:
    """Add a message object as ``plan_object`` does, with ids that its caller chose."""
    recipients = [recipient.phone_number for recipient in request.to]
    addressee = {
        "message_id": identity.message_id,
        "numbered": True,
        "position": identity.position,
        "recipients": _json(recipients),
    }
    _add(plan, caller, request, identity.content_id, [addressee])


def plan_recipients(plan: Plan, caller: Caller, request: MessageRequest) -> list[str]:
    """Add a message object whose recipients have an id each. Returns the ids in the order of ``to``."""
    addressees = [
        {"message_id": new_id(), "numbered": False, "position": position, "recipients": _json([recipient.phone_number])}
        for position, recipient in enumerate(request.to)
    ]
    _add(plan, caller, request, new_id(), addressees)
    return [str(addressee["message_id"]) for addressee in addressees]


def _add(
    plan: Plan,
    caller: Caller,
    request: MessageRequest,
    content_id: str,
    addressees: list[dict[str, Any]],
) -> None:
    plan.contents.append(_content(content_id, plan.request_id, caller, request))
    queue = queue_of(request.tag) if caller.queue is None else caller.queue
    due = due_at(request.datetime, request.delivery_time, caller.now)
    for addressee in addressees:
        plan.addressees.append({**addressee, "content_id": content_id, "queue": queue, "due_at": due})


def _content(content_id: str, request_id: str, caller: Caller, request: MessageRequest) -> Row:
    return {
        "id": content_id,
        "key_id": caller.key.id,
        "request_id": request_id,
        "date": utc_date(caller.now),
        "tags": request.tag,
        "body": request.body,
        "sender": request.sender or caller.key.default_sender,  # whatever the key's default is later
        "callback": request.callback,
        "payload": _json(request.payload),
        "flow": None
        if request.flow is None
        else _json([step.model_dump(mode="json", exclude_unset=True) for step in request.flow]),
        "delivery_time": _json(request.delivery_time and request.delivery_time.model_dump(mode="json")),
        "params": _json(request.params and request.params.model_dump(mode="json", by_alias=True, exclude_unset=True)),
        "created_at": caller.now,
    }


def _json(value: Any) -> str | None:  # noqa: ANN401 - whatever JSON the caller sent
    return None if value is None else orjson.dumps(value).decode()
