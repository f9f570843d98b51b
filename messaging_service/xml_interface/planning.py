"""Turns requests into message objects, and these into the rows to write."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from interface.flow_steps import FlowStep, Gateway, SmsStep
from interface.message import MessageRequest
from interface.message import Recipient as MessageRecipient
from messaging_service.accept.planning import Caller, Identity, Plan, plan_identified
from messaging_service.identifiers import new_id
from messaging_service.xml_interface.answering import AcceptedRequest
from messaging_service.xml_interface.reading import XmlRequest

PIECE = 100
"""Recipients that the journal keeps together: as many as the largest call of the messaging API has."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A document that can be accepted: its rows, and what its caller is told."""

    plans: Sequence[Plan]
    accepted: Sequence[AcceptedRequest]


def message_of(request: XmlRequest) -> MessageRequest:
    """Return the message object that a request stands for; it may have more recipients than one of ``/messages``."""
    return MessageRequest.model_construct(
        to=[MessageRecipient(phone_number=recipient.written) for recipient in request.recipients],
        body=request.text,
        sender=request.sender,
        flow=None if request.gateway is Gateway.HIGH else [FlowStep.of(SmsStep(gateway=request.gateway))],
    )


def plan(caller: Caller, requests: Sequence[XmlRequest]) -> Planned:
    """Plan the requests of a document: one message object each, all with one request id, in pieces."""
    document_id = new_id()
    identified = [(new_id(), request) for request in requests]
    pieces = [piece for message_id, request in identified for piece in _pieces(message_id, message_of(request))]
    accepted = [
        AcceptedRequest(message_id, tuple(recipient.number for recipient in request.recipients))
        for message_id, request in identified
    ]
    return Planned(list(_plans(caller, document_id, pieces)), accepted)


_Piece = tuple[Identity, MessageRequest]


def _pieces(message_id: str, message: MessageRequest) -> Iterator[_Piece]:
    for start in range(0, len(message.to), PIECE):
        piece = message.model_copy(update={"to": message.to[start : start + PIECE]})
        yield Identity(message_id, new_id(), start), piece


def _plans(caller: Caller, document_id: str, pieces: Sequence[_Piece]) -> Iterator[Plan]:
    """Yield plans of at most ``PIECE`` recipients each."""
    current, count = Plan(document_id), 0
    for identity, message in pieces:
        if count + len(message.to) > PIECE:
            yield current
            current, count = Plan(document_id), 0
        plan_identified(current, caller, message, identity)
        count += len(message.to)
    yield current
