"""The codes of short links: nobody can guess one, and each is used once."""

import secrets
import string
from collections.abc import Callable

from sqlalchemy import Connection

from messaging_service.store import links

LENGTH = 8
"""62^8 is 2·10^14: among 10 million links a guess in 20 million hits one."""
_ALPHABET = string.digits + string.ascii_letters

NewCode = Callable[[], str]


def new_code() -> str:
    """Return a code by chance."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(LENGTH))


def fresh_codes(connection: Connection, count: int, draw: NewCode) -> list[str]:
    """Return codes that no link has."""
    fresh: dict[str, None] = {}
    while len(fresh) < count:
        drawn = dict.fromkeys(draw() for _ in range(count - len(fresh)))
        taken = links.taken(connection, drawn)
        fresh |= {code: None for code in drawn if code not in taken}
    return list(fresh)
