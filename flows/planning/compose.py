"""From recipients and a text to batches: recipients of the same text and clock share a message object."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from flows.ledger.records import PlannedBatch, PlannedMessage, PlannedRecipient, Way
from flows.planning.texts import Text, empty_columns, render
from flows.recipients.reading import Recipient
from flows.recipients.sources import LeftOut
from interface.message import MAX_MESSAGES, MAX_RECIPIENTS
from interface.texts import BODY_LIMIT

RECIPIENTS_A_CALL = MAX_MESSAGES * MAX_RECIPIENTS
RECIPIENTS_A_FILE = 20_000
"""So that a large campaign shows progress and holds a part of itself in memory, not all."""


@dataclass(frozen=True)
class Group:
    """Recipients who are written to in one wave and by one kind of clocks."""

    recipients: Sequence[Recipient]
    wave: int = 1
    delivery_time: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Packing:
    """How large batches are. A wave of ``bulk_from`` recipients or more goes as files; None: always as calls."""

    recipients_a_call: int = RECIPIENTS_A_CALL
    bulk_from: int | None = None


@dataclass(frozen=True)
class Composition:
    """The batches of a campaign, the lines whose text cannot be sent, and those whose text has an empty place."""

    batches: tuple[PlannedBatch, ...]
    unsendable: tuple[LeftOut, ...]
    empty_places: tuple[LeftOut, ...]


def compose(groups: Iterable[Group], text: Text, packing: Packing) -> Composition:
    """Render each recipient's text and pack each wave by itself.

    An object has up to 10 recipients, a call up to 10 objects (specification, 8).
    """
    unsendable: list[LeftOut] = []
    empty_places: list[LeftOut] = []
    batches: list[PlannedBatch] = []
    for wave, members in groupby(sorted(groups, key=lambda one: one.wave), key=lambda one: one.wave):
        objects: list[PlannedMessage] = []
        for group in members:
            by_body = _by_body(group, text, unsendable, empty_places)
            objects += _objects(by_body, group, min(MAX_RECIPIENTS, packing.recipients_a_call))
        batches += _pack(objects, wave, packing)
    return Composition(tuple(batches), tuple(unsendable), tuple(empty_places))


def _by_body(
    group: Group, text: Text, unsendable: list[LeftOut], empty_places: list[LeftOut]
) -> dict[str, list[PlannedRecipient]]:
    by_body: dict[str, list[PlannedRecipient]] = {}
    for recipient in group.recipients:
        body = render(text, recipient.values)
        if body not in by_body and (reason := _why_unsendable(body)):
            unsendable.append(LeftOut(recipient.line, reason))
            continue
        if empty := empty_columns(text, recipient.values):
            empty_places.append(LeftOut(recipient.line, f"No value for {', '.join(empty)}."))
        by_body.setdefault(body, []).append(PlannedRecipient(recipient.phone_number, recipient.line))
    return by_body


def _why_unsendable(body: str) -> str | None:
    if not body.strip():
        return "The text is empty for this recipient."
    if len(body) > BODY_LIMIT:
        return f"The text has {len(body)} characters for this recipient; at most {BODY_LIMIT} are sent."
    return None


def _objects(by_body: Mapping[str, list[PlannedRecipient]], group: Group, size: int) -> Iterator[PlannedMessage]:
    for body, recipients in by_body.items():
        for start in range(0, len(recipients), size):
            yield PlannedMessage(body, tuple(recipients[start : start + size]), group.delivery_time)


def _pack(objects: Sequence[PlannedMessage], wave: int, packing: Packing) -> Iterator[PlannedBatch]:
    recipients = sum(len(one.recipients) for one in objects)
    if packing.bulk_from is not None and recipients >= packing.bulk_from:
        way, most_objects, most_recipients = Way.BULK, RECIPIENTS_A_FILE, RECIPIENTS_A_FILE
    else:
        way, most_objects, most_recipients = Way.CALLS, MAX_MESSAGES, packing.recipients_a_call
    packed: list[PlannedMessage] = []
    room = most_recipients
    for one in objects:
        if packed and (len(packed) == most_objects or len(one.recipients) > room):
            yield PlannedBatch(tuple(packed), wave, way)
            packed, room = [], most_recipients
        packed.append(one)
        room -= len(one.recipients)
    if packed:
        yield PlannedBatch(tuple(packed), wave, way)
