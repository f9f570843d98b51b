"""From recipients and a text to calls: recipients of the same text share a message object."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from flows.ledger.records import PlannedBatch, PlannedMessage, PlannedRecipient
from flows.recipient_sources import LeftOut
from flows.recipients import Recipient
from flows.texts import Text, empty_columns, render
from interface.message import MAX_MESSAGES, MAX_RECIPIENTS
from interface.texts import BODY_LIMIT

Item = TypeVar("Item")


@dataclass(frozen=True)
class Composition:
    """The calls of a campaign, the lines whose text cannot be sent, and those whose text has an empty place."""

    batches: tuple[PlannedBatch, ...]
    unsendable: tuple[LeftOut, ...]
    empty_places: tuple[LeftOut, ...]


def compose(recipients: Sequence[Recipient], text: Text) -> Composition:
    """Render each recipient's text and pack up to 10 recipients an object and 10 objects a call (specification, 8)."""
    by_body: dict[str, list[PlannedRecipient]] = {}
    unsendable: list[LeftOut] = []
    empty_places: list[LeftOut] = []
    for recipient in recipients:
        body = render(text, recipient.values)
        if reason := _why_unsendable(body):
            unsendable.append(LeftOut(recipient.line, reason))
            continue
        if empty := empty_columns(text, recipient.values):
            empty_places.append(LeftOut(recipient.line, f"No value for {', '.join(empty)}."))
        by_body.setdefault(body, []).append(PlannedRecipient(recipient.phone_number, recipient.line))
    return Composition(tuple(_pack(by_body)), tuple(unsendable), tuple(empty_places))


def _why_unsendable(body: str) -> str | None:
    if not body.strip():
        return "The text is empty for this recipient."
    if len(body) > BODY_LIMIT:
        return f"The text has {len(body)} characters for this recipient; at most {BODY_LIMIT} are sent."
    return None


def _pack(by_body: dict[str, list[PlannedRecipient]]) -> Iterator[PlannedBatch]:
    objects = [
        PlannedMessage(body, chunk)
        for body, recipients in by_body.items()
        for chunk in _chunks(recipients, MAX_RECIPIENTS)
    ]
    for chunk in _chunks(objects, MAX_MESSAGES):
        yield PlannedBatch(chunk)


def _chunks(items: Sequence[Item], size: int) -> Iterator[tuple[Item, ...]]:
    iterator = iter(items)
    while chunk := tuple(islice(iterator, size)):
        yield chunk
