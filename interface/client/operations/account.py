"""Keys (specification 4.3, details "keys")."""

from interface import calls
from interface.account import ApikeyMe, ApikeyUpdate, Success
from interface.client.operations.operation import Operation, Sent, operation, whole
from interface.keys import ApikeyAdd, ApikeyAdded, ApikeyChange, SubKey


def apikey_me() -> Operation[ApikeyMe]:
    """Return the calling key and its account."""
    return operation(calls.APIKEY_ME, Sent(), lambda answer: answer.me)


def apikey_update(settings: ApikeyUpdate) -> Operation[Success]:
    """Change the settings of the calling key; an empty string deletes a value (4.3)."""
    return operation(calls.APIKEY_UPDATE, Sent(body=settings), whole)


def apikey_add(wanted: ApikeyAdd) -> Operation[ApikeyAdded]:
    """Make a sub-key of the calling key; the same ``app_userid`` gets its key again. `Forbidden` at the 20th."""
    return operation(calls.APIKEY_ADD, Sent(body=wanted), whole)


def apikey_list() -> Operation[list[SubKey]]:
    """Return the sub-keys of the calling key, the oldest first."""
    return operation(calls.APIKEY_LIST, Sent(), lambda answer: answer.list_)


def apikey_change(change: ApikeyChange) -> Operation[Success]:
    """Change the scope of a sub-key, block it, or let it call again; `Forbidden` for any other key."""
    return operation(calls.APIKEY_CHANGE, Sent(body=change), whole)
