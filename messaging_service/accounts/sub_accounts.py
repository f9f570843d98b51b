"""Sub-accounts: the key whose messages, statistics or lists a call names by ``subid``."""

from sqlalchemy import Connection

from messaging_service.accounts.keys import Key
from messaging_service.accounts.opening import DEFAULT_SUBID
from messaging_service.store import keys


def key_named(connection: Connection, key: Key, subid: str) -> int | None:
    """Return the number of the key that ``subid`` means to the calling key.

    ``default``, like its own name, is the calling key itself; any other is a sub-key that it is the parent of. None for
    everything else, so that nobody can tell another's sub-account from one that doesn't exist.
    """
    if subid in {DEFAULT_SUBID, key.subid}:
        return key.id
    return keys.find_child(connection, key.account_id, key.id, subid)
