"""The members of a segment that a marketing platform keeps (specification, section 4.3)."""

from flows.problems import RecipientsProblem
from interface.client import AsyncMessagingClient
from interface.connectors import ConnectorSegment


async def find_segment(client: AsyncMessagingClient, connector: str, app_userid: str, wanted: str) -> ConnectorSegment:
    """Return the segment of this id, else the one of this name; raises `RecipientsProblem` for none, or several."""
    segments = await client.connector_segments(connector, app_userid)
    by_id = [one for one in segments if one.id == wanted]
    found = by_id or [one for one in segments if one.name.casefold() == wanted.strip().casefold()]
    if len(found) == 1:
        return found[0]
    if found:
        raise RecipientsProblem(f"{connector} has {len(found)} segments of the name {wanted!r}; give the id of one.")
    known = ", ".join(sorted(one.name or one.id for one in segments)) or "none"
    raise RecipientsProblem(f"{connector} has no segment {wanted!r}; it has: {known}.")


async def members_of(client: AsyncMessagingClient, connector: str, app_userid: str, wanted: str) -> list[str]:
    """Return the phone numbers in a segment, named by id or name; raises `RecipientsProblem` when there are none."""
    segment = await find_segment(client, connector, app_userid, wanted)
    members = await client.connector_recipients(connector, app_userid, segment.id)
    if not members:
        raise RecipientsProblem(f"The segment {segment.name or segment.id!r} of {connector} has no members.")
    return members
