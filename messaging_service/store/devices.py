"""Queries about the devices and people of apps."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, select, update

from messaging_service.store.tables import push_devices, registered_recipients
from messaging_service.store.upsert import upsert

MOST_TOLD = 100
"""Devices of a recipient that are told."""


def put(connection: Connection, row: Mapping[str, Any]) -> RowMapping | None:
    """Write a device, or bring it up to date. Returns it, None when it is another key's."""
    statement = upsert(connection, push_devices).values(row)
    fresh = {name: statement.excluded[name] for name in ("platform", "token")}
    written = statement.on_conflict_do_update(
        index_elements=["device_id"], set_=fresh, where=push_devices.c.key_id == row["key_id"]
    )
    return connection.execute(written.returning(push_devices)).mappings().one_or_none()


def find(connection: Connection, device_id: str) -> RowMapping | None:
    """Return a device, whosever it is."""
    return (
        connection.execute(select(push_devices).where(push_devices.c.device_id == device_id)).mappings().one_or_none()
    )


def put_recipient(connection: Connection, row: Mapping[str, Any], changes: Mapping[str, Any]) -> RowMapping:
    """Write a recipient unless the key has one of the number; then write only the changes. Returns the recipient."""
    table = registered_recipients
    first = upsert(connection, table).values(row)
    connection.execute(first.on_conflict_do_nothing(index_elements=["key_id", "phone_number"]))
    mine = (table.c.key_id == row["key_id"]) & (table.c.phone_number == row["phone_number"])
    if changes:
        connection.execute(update(table).where(mine).values(changes))
    return connection.execute(select(table).where(mine)).mappings().one()


def give(connection: Connection, device: int, recipient: int) -> None:
    """Write whose a device is."""
    connection.execute(update(push_devices).where(push_devices.c.id == device).values(recipient_id=recipient))


def of_recipient(connection: Connection, recipient: int) -> Sequence[str]:
    """Return the ids of a recipient's devices, the first registered first."""
    question = select(push_devices.c.device_id).where(push_devices.c.recipient_id == recipient)
    return list(connection.execute(question.order_by(push_devices.c.id).limit(MOST_TOLD)).scalars())
