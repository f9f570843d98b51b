"""Counts what messages are charged and refunded, by wallet, day and channel, in the transaction that moves them."""

from collections.abc import Sequence

from sqlalchemy import Connection

from messaging_service.clock import Milliseconds, utc_date
from messaging_service.message import Move
from messaging_service.process.steps import step_of
from messaging_service.store import charges


def count(connection: Connection, moves: Sequence[Move], now: Milliseconds) -> None:
    """Write what moves cost, one row a line and batch. A refund counts on the day on which it is made."""
    date = utc_date(now)
    lines: charges.Lines = {}
    for move in moves:
        if move.charge:
            line = (move.after.content.wallet_id, date, _channel(move))
            messages, amount = lines.get(line, (0, 0))
            lines[line] = (messages + (1 if move.charge > 0 else -1), amount + move.charge)
    charges.add(connection, lines)


def _channel(move: Move) -> str:
    """Return the channel that the move pays for; a refund is for the step that it leaves."""
    return step_of(move.before).channel.value
