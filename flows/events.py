"""Events for automations, written down at the Prefect server before the flow goes on."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from prefect.client.orchestration import get_client
from prefect.events import Event
from prefect.events.schemas.events import Resource

EVENTS_A_CALL = 200


def event(name: str, resource_id: str, title: str, payload: Mapping[str, Any], *, once: str | None = None) -> Event:
    """Make an event about a resource. ``once`` names the occasion: told twice, it is one event."""
    resource = Resource({"prefect.resource.id": resource_id, "prefect.resource.name": title})
    made = Event(event=name, resource=resource, payload=dict(payload))
    return made if once is None else made.model_copy(update={"id": uuid.uuid5(uuid.NAMESPACE_URL, f"{name}:{once}")})


async def tell(events: Sequence[Event]) -> None:
    """Give events to the Prefect server; returns when it has them.

    Prefect's own ``emit_event`` sends in the background, and what it hasn't sent is lost with a killed process.
    """
    async with get_client() as client:
        for start in range(0, len(events), EVENTS_A_CALL):
            written = [one.model_dump(mode="json") for one in events[start : start + EVENTS_A_CALL]]
            answer = await client.request("POST", "/events", json=written)
            answer.raise_for_status()
