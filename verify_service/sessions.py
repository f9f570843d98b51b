"""The questions and facts about sessions: each change is one conditional statement, so that processes can't differ."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, delete, insert, select, update

from verify_service.problems import Problem
from verify_service.tables import sessions, starts


@dataclass(frozen=True, slots=True)
class Session:
    """A session as the store has it; moments are Unix seconds, ``upstream_tokens`` the newest code first."""

    id: str
    phone_number: str = field(repr=False)
    purpose: str
    upstream_tokens: Sequence[str] = field(repr=False)
    sent_at: float
    expires_at: float
    guesses: int = 0
    resends: int = 0
    verified_at: str | None = None
    result_expires_at: float | None = None
    redeemed_at: float | None = None

    @property
    def masked_number(self) -> str:
        """The number as it may be shown and logged: its beginning and its last two digits."""
        return f"+{self.phone_number[:3]} ••• ••• ••{self.phone_number[-2:]}"


class Code(NamedTuple):
    """A code that was sent: the upstream's token for it, when, and until when it is good."""

    upstream_token: str
    sent_at: float
    expires_at: float


_mine = sessions.c.id == bindparam("session_id")
_columns = tuple(sessions.c[name] for name in Session.__slots__)
# Built once: that costs more than running them.
_find = select(*_columns).where(_mine)
_open = and_(_mine, sessions.c.verified_at.is_(None), sessions.c.expires_at > bindparam("ended"))
_count_guess = (
    update(sessions)
    .where(_open, sessions.c.guesses < bindparam("allowed"))
    .values(guesses=sessions.c.guesses + 1)
    .returning(*_columns)
)
_verify = update(sessions).where(_mine, sessions.c.verified_at.is_(None))
_verify = _verify.values(verified_at=bindparam("moment"), result_expires_at=bindparam("until"))


def add(connection: Connection, session: Session) -> None:
    """Write a new session."""
    row = {name: getattr(session, name) for name in Session.__slots__}
    connection.execute(insert(sessions), row | {"upstream_tokens": list(session.upstream_tokens)})


def find(connection: Connection, session_id: str) -> Session | None:
    """Return a session."""
    row = connection.execute(_find, {"session_id": session_id}).one_or_none()
    return Session(*row) if row else None


def find_open(connection: Connection, session_id: str, ended: float) -> Session:
    """Return a session that isn't over: neither verified nor ended by then. Raises Problem."""
    session = find(connection, session_id)
    if session is None:
        raise Problem("not-found")
    if session.verified_at is not None or session.expires_at <= ended:
        raise Problem("session-expired")
    return session


def count_guess(connection: Connection, session_id: str, allowed: int, ended: float) -> Session | None:
    """Count a guess before it is judged, and return the session so.

    None, and nothing counted: ``allowed`` are counted already, it is verified, its end isn't after ``ended``, or there
    is no such session.
    """
    given = {"session_id": session_id, "allowed": allowed, "ended": ended}
    row = connection.execute(_count_guess, given).one_or_none()
    return Session(*row) if row else None


def give_back_guess(connection: Connection, session_id: str) -> None:
    """Take back a guess that nobody judged."""
    mine = update(sessions).where(sessions.c.id == session_id, sessions.c.guesses > 0)
    connection.execute(mine.values(guesses=sessions.c.guesses - 1))


def claim_resend(connection: Connection, session: Session, now: float) -> bool:
    """Take the right to send the next code; false when somebody else just did, or it is verified."""
    mine = update(sessions).where(
        sessions.c.id == session.id, sessions.c.resends == session.resends, sessions.c.verified_at.is_(None)
    )
    return connection.execute(mine.values(resends=session.resends + 1, sent_at=now)).rowcount == 1


def give_back_resend(connection: Connection, session: Session, now: float) -> None:
    """Undo a claim made at ``now`` whose code wasn't sent."""
    mine = update(sessions).where(sessions.c.id == session.id, sessions.c.sent_at == now)
    connection.execute(mine.values(resends=session.resends, sent_at=session.sent_at))


def add_code(connection: Connection, session_id: str, code: Code) -> None:
    """Write the code that was sent under a claim. In a transaction: another may be written at the same time."""
    held = select(sessions.c.upstream_tokens).where(_mine).with_for_update()
    before = connection.execute(held, {"session_id": session_id}).scalar_one()
    mine = update(sessions).where(sessions.c.id == session_id)
    tokens = [code.upstream_token, *before]
    connection.execute(mine.values(upstream_tokens=tokens, sent_at=code.sent_at, expires_at=code.expires_at))


def verify(connection: Connection, session_id: str, verified_at: str, result_expires_at: float) -> bool:
    """Write that the right code was given; false when that is written already."""
    given = {"session_id": session_id, "moment": verified_at, "until": result_expires_at}
    return connection.execute(_verify, given).rowcount == 1


def redeem(connection: Connection, session_id: str, now: float) -> bool:
    """Use the result up; false when it was used already."""
    mine = update(sessions).where(
        sessions.c.id == session_id, sessions.c.verified_at.is_not(None), sessions.c.redeemed_at.is_(None)
    )
    return connection.execute(mine.values(redeemed_at=now)).rowcount == 1


def forget(connection: Connection, expired_before: float) -> None:
    """Delete sessions that ended a while ago, but for those that an ``Idempotency-Key`` still stands for."""
    keyed = select(starts.c.session_id).where(starts.c.session_id == sessions.c.id).exists()
    connection.execute(delete(sessions).where(sessions.c.expires_at < expired_before, ~keyed))
