"""What the simulated telephones write back, kept like receipts until somebody confirms it."""

from collections.abc import Sequence

from sqlalchemy import Connection, RowMapping

from interface.flow_steps import Channel
from messaging_service.channels.channel import Inbound, Submission
from messaging_service.channels.simulated import log
from messaging_service.clock import SECOND, Clock, Milliseconds
from messaging_service.identifiers import new_id
from messaging_service.store.engine import Store

ANSWERS_A_BATCH = 100
REPORT_AGAIN_AFTER: Milliseconds = 30 * SECOND
PAUSE: Milliseconds = 2 * SECOND
"""A telephone doesn't answer by itself twice in this time, so that two machines don't talk to each other for long."""


class Telephones:
    """The telephones of the simulated network. Any process with the operator's records may write for one."""

    def __init__(self, records: Store, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    def write(self, phone_number: str, recipient: str, channel: Channel, text: str) -> None:
        """Write a message to a sender. It is reported as soon as the operator looks."""
        now = self._clock.now()
        with self._records.writing() as connection:
            log.add(connection, log.answers, [_row(new_id(), (channel, phone_number, recipient), text, now)])

    def answer(self, connection: Connection, submission: Submission, text: str, at: Milliseconds) -> None:
        """Have a telephone answer a message at a moment, in the transaction that takes the message."""
        number, sender = submission.phone_number, submission.sender
        if log.has_answered(connection, number, sender, self._clock.now() - PAUSE):
            return
        answer_id = f"{submission.message_id}-{submission.flow_index}"
        row = _row(answer_id, (submission.channel, number, sender), text, at)
        log.add(connection, log.answers, [row])

    def claim_due(self) -> Sequence[RowMapping]:
        """Return what is to be reported now; what nobody confirms is reported again."""
        now = self._clock.now()
        with self._records.reading() as connection:
            if (log.next_answer(connection) or now + 1) > now:
                return []
        with self._records.writing() as connection:
            due = log.due_answers(connection, now, ANSWERS_A_BATCH)
            log.report_again(connection, due, now + REPORT_AGAIN_AFTER)
            return due

    def confirm(self, rows: Sequence[RowMapping]) -> None:
        """Never report these again."""
        with self._records.writing() as connection:
            log.report_again(connection, rows, None)


def inbound_of(row: RowMapping) -> Inbound:
    """Return an answer as a channel reports it."""
    channel = Channel(row["channel"])
    return Inbound(
        f"simulated:{row['id']}", channel, row["phone_number"], row["recipient"], row["text"], row["written_at"]
    )


def _row(answer_id: str, way: tuple[Channel, str, str], text: str, at: Milliseconds) -> log.Row:
    channel, phone_number, recipient = way
    return {
        "id": answer_id,
        "channel": channel.value,
        "phone_number": phone_number,
        "recipient": recipient,
        "text": text,
        "written_at": at,
        "due_at": at,
    }
