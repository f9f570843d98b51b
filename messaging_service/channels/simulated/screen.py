"""What stands on the screens of the simulated telephones: what they got, and what they wrote."""

from collections.abc import Mapping
from typing import Any

from interface.flow_steps import Channel
from messaging_service.channels.simulated import log
from messaging_service.channels.simulated.behaviour import behaviour
from messaging_service.clock import SECOND, Clock, Milliseconds
from messaging_service.store.engine import Store

MOST = 300
"""How many texts are told at once, the latest."""
_LATE: Milliseconds = 5 * SECOND
"""How long after its moment a text may become readable: as long as a transaction takes."""

Text = dict[str, Any]


class Screen:
    """Follows the texts of all telephones for one listener, in whichever process they are written."""

    def __init__(self, records: Store, clock: Clock) -> None:
        self._records = records
        self._clock = clock
        self._since: Milliseconds = 0
        self._told: dict[str, Milliseconds] = {}

    def news(self) -> list[Text]:
        """Return the texts that weren't told yet, the oldest first; at first the latest there are."""
        now = self._clock.now()
        with self._records.reading() as connection:
            taken = log.latest_taken(connection, self._since, MOST)
            answers = log.latest_answers(connection, self._since, now, MOST)
        found = [_received(row) for row in taken if _is_delivered(row)] + [_written(row) for row in answers]
        texts = [text for text in found if text["id"] not in self._told]
        self._since = now - _LATE
        self._told |= {text["id"]: text["at"] for text in texts}
        self._told = {text_id: at for text_id, at in self._told.items() if at >= self._since}
        return sorted(texts, key=lambda text: text["at"])[-MOST:]


def _is_delivered(row: Mapping[Any, Any]) -> bool:
    return behaviour(row["phone_number"], Channel(row["channel"])).delivers


def _received(row: Mapping[Any, Any]) -> Text:
    return {
        "id": f"{row['message_id']}-{row['flow_index']}",
        "kind": "received",
        "number": row["phone_number"],
        "sender": row["sender"],
        "channel": row["channel"],
        "text": row["text"],
        "at": row["taken_at"],
    }


def _written(row: Mapping[Any, Any]) -> Text:
    return {
        "id": f"answer {row['id']}",
        "kind": "written",
        "number": row["phone_number"],
        "sender": row["recipient"],
        "channel": row["channel"],
        "text": row["text"],
        "at": row["written_at"],
    }
