"""Turns: work that has no campaign and that one run does at a time, by its name."""

from dataclasses import dataclass

from sqlalchemy import insert, or_, update
from sqlalchemy.exc import IntegrityError

from flows.ledger.database import Ledger
from flows.ledger.lease import LEASE_SECONDS, LeaseLost, LeaseTaken
from flows.ledger.tables import turns


@dataclass(frozen=True)
class Turn:
    """The right of one owner to do what ``name`` names, until it ends; as a `Lease` without a campaign."""

    ledger: Ledger
    name: str
    owner: str
    seconds: float = LEASE_SECONDS

    def renew(self) -> None:
        """Keep the turn; raises `LeaseLost` when another owner has it."""
        if not _take_over(self):
            raise LeaseLost(self.name)

    def give_back(self) -> None:
        """End the turn, so that the next run need not wait for it; no-op when it is another's."""
        mine = (turns.c.name == self.name) & (turns.c.owner == self.owner)
        with self.ledger.write() as connection:
            connection.execute(update(turns).where(mine).values(owner=None, held_until=None))


def take_turn(ledger: Ledger, name: str, owner: str, seconds: float = LEASE_SECONDS) -> Turn:
    """Take the turn, or take it over from an owner whose time has ended; raises `LeaseTaken`."""
    turn = Turn(ledger, name, owner, seconds)
    if _take_over(turn) or _begin(turn):
        return turn
    raise LeaseTaken(name)


def _take_over(turn: Turn) -> bool:
    now = turn.ledger.now()
    free_or_mine = or_(turns.c.owner.is_(None), turns.c.owner == turn.owner, turns.c.held_until <= now)
    taken = (
        update(turns)
        .where(turns.c.name == turn.name, free_or_mine)
        .values(owner=turn.owner, held_until=now + turn.seconds)
    )
    with turn.ledger.write() as connection:
        return connection.execute(taken).rowcount == 1


def _begin(turn: Turn) -> bool:
    first = insert(turns).values(name=turn.name, owner=turn.owner, held_until=turn.ledger.now() + turn.seconds)
    try:
        with turn.ledger.write() as connection:
            connection.execute(first)
    except IntegrityError:  # somebody has it
        return False
    return True
