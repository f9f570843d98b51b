"""The devices and people of a key's apps."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping

from interface.field_errors import FieldError
from interface.partner import PushDevice, RecipientRegister
from interface.phone_numbers import InvalidPhoneNumber, normalise
from messaging_service.accounts.keys import Key
from messaging_service.clock import Clock
from messaging_service.identifiers import new_id
from messaging_service.refusals import Forbidden, InvalidRequest, NotFound
from messaging_service.store import devices
from messaging_service.store.engine import Store

_FOREIGN = "The device belongs to another key."
_UNKNOWN = "The device isn't registered."


class Registered(NamedTuple):
    """A recipient with the ids of its devices."""

    recipient: RowMapping
    device_ids: Sequence[str]


class Apps:
    """Registers devices and recipients. Works on the store: not in the event loop."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def register_device(self, key: Key, device: PushDevice) -> RowMapping:
        """Write a device, or bring it up to date. Raises Forbidden when it is another key's."""
        row = {"key_id": key.id, **device.model_dump(mode="json"), "created_at": self._clock.now()}
        with self._store.writing() as connection:
            written = devices.put(connection, row)
        if written is None:
            raise Forbidden(_FOREIGN)
        return written

    def register_recipient(self, key: Key, wanted: RecipientRegister) -> Registered:
        """Write a recipient and whose device it has. Raises InvalidRequest, Forbidden, NotFound."""
        changes: dict[str, Any] = {} if wanted.name is None else {"name": wanted.name}
        row = {"key_id": key.id, "recipient_id": new_id(), "phone_number": _number(key, wanted), "name": ""}
        with self._store.writing() as connection:
            device = None if wanted.device_id is None else _own_device(connection, key, wanted.device_id)
            recipient = devices.put_recipient(connection, row | {"created_at": self._clock.now()} | changes, changes)
            if device is not None:
                devices.give(connection, device, recipient["id"])
            return Registered(recipient, devices.of_recipient(connection, recipient["id"]))


def _number(key: Key, wanted: RecipientRegister) -> str:
    try:
        return normalise(wanted.phone_number, key.calling_code)
    except InvalidPhoneNumber as problem:
        sentence = f"phone_number: {problem}"
        raise InvalidRequest([FieldError("phone_number", sentence)]) from None


def _own_device(connection: Connection, key: Key, device_id: str) -> int:
    device = devices.find(connection, device_id)
    if device is None:
        raise NotFound(_UNKNOWN)
    if device["key_id"] != key.id:
        raise Forbidden(_FOREIGN)
    return int(device["id"])
