"""What follows from every move, in the transaction that makes it: the row, the counters, refunds, the notifications."""

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Connection

from messaging_service import report
from messaging_service.billing import charges
from messaging_service.clock import Milliseconds
from messaging_service.message import Move
from messaging_service.notify import outbox
from messaging_service.store import messages, reactions, wallets


def record(connection: Connection, moves: Sequence[Move], now: Milliseconds) -> None:
    """Write where messages have moved and all that follows from it. A message may move several times in ``moves``.

    Raises MovedMeanwhile, and nothing stays written, when a message isn't where its move starts.
    """
    whole = {move.after.id for move in moves if not move.is_tracking}
    first = {move.before.id: move.before for move in reversed(moves)}
    latest = [Move(first[move.after.id], move.after) for move in {move.after.id: move for move in moves}.values()]
    messages.save(connection, [move for move in latest if move.after.id in whole])
    messages.save_tracked(connection, [move for move in latest if move.after.id not in whole])
    _refund(connection, moves)
    charges.count(connection, moves, now)
    told = [move for move in moves if move.changes_result]
    if told:
        report.count(connection, told)
        outbox.write(connection, told, now)


def record_reactions(connection: Connection, moves: Sequence[Move]) -> None:
    """Write and count that recipients clicked, replied or opted out. The messages must be held against others."""
    reactions.save(connection, [move.after for move in moves])
    report.count(connection, moves)


def _refund(connection: Connection, moves: Sequence[Move]) -> None:
    refunds: Counter[int] = Counter()
    for move in moves:
        if move.charge < 0:
            refunds[move.after.content.wallet_id] -= move.charge
    for wallet in sorted(refunds):
        wallets.credit(connection, wallet, refunds[wallet])
