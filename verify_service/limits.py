"""Limits per client address, in the store, so that they hold across processes and restarts.

Each client has an allowance that refills steadily (the generic cell rate algorithm): one moment a client and kind is
all that is kept, and one statement both asks and spends.
"""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_network
from math import ceil

from sqlalchemy import Connection, Double, Executable, Table, bindparam, case, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from verify_service.clients import Address
from verify_service.database import Clock, Store
from verify_service.problems import Problem
from verify_service.tables import allowances

HOUR = 3600.0
_IPV6_SITE = 64
"""One household or telephone has a whole network of this many bits: its addresses count as one."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """At most ``quota`` at once, refilled evenly over an hour; 0: no limit."""

    name: str
    quota: int


class Limits:
    """Spends allowances of clients."""

    def __init__(self, store: Store, now: Clock) -> None:
        self._store = store
        self._now = now

    def spend(self, allowance: Allowance, client: Address) -> None:
        """Count something that a client does. Raises Problem (``too-many-requests``)."""
        if not allowance.quota:
            return
        with self._store.at_once() as connection:
            wait = _spend(connection, f"{allowance.name} {subject_of(client)}", HOUR / allowance.quota, self._now())
        if wait > 0:
            raise Problem("too-many-requests", retry_after=ceil(wait))


def subject_of(client: Address) -> str:
    """Return what counts as one client: an IPv4 address, or the /64 of an IPv6 address."""
    if isinstance(client, IPv6Address):
        return str(ip_network((client, _IPV6_SITE), strict=False))
    return str(client)


def forget(connection: Connection, now: float) -> None:
    """Delete the allowances that are full again."""
    connection.execute(delete(allowances).where(allowances.c.even_at < now))


def _spend(connection: Connection, subject: str, price: float, now: float) -> float:
    """Spend ``price`` seconds of an allowance. Returns how many seconds are missing, nothing spent, or 0."""
    given = {"subject": subject, "even_at": now + price, "now": now, "price": price}
    if connection.execute(_STATEMENTS[connection.dialect.name], given).one_or_none() is not None:
        return 0.0
    ahead = connection.scalar(select(allowances.c.even_at).where(allowances.c.subject == subject)) or now
    return max(float(ahead) + price - now - HOUR, 0.001)


def _statement(insert: Callable[[Table], sqlite.Insert | postgresql.Insert]) -> Executable:
    even_at, now, price = allowances.c.even_at, bindparam("now", type_=Double), bindparam("price", type_=Double)
    spend = insert(allowances).values(subject=bindparam("subject"), even_at=bindparam("even_at"))
    return spend.on_conflict_do_update(
        index_elements=[allowances.c.subject],
        set_={"even_at": case((even_at > now, even_at), else_=now) + price},
        where=even_at <= now + HOUR - price,
    ).returning(even_at)


_STATEMENTS = {"sqlite": _statement(sqlite.insert), "postgresql": _statement(postgresql.insert)}
"""Built once: that costs more than running them."""
