"""Follows the words STOP and START: the opt-out list says what the person last wanted."""

from enum import Enum, auto

from sqlalchemy import Connection

from messaging_service.accounts.keys import Key
from messaging_service.accounts.submissions import own_list
from messaging_service.channels.channel import Inbound
from messaging_service.clock import Milliseconds
from messaging_service.inbound.words import opts_in, opts_out
from messaging_service.store import suppressions
from messaging_service.store.suppressions import OPT_OUT


class Consent(Enum):
    """What an inbound message does to the opt-out of its sender."""

    UNTOUCHED = auto()  # it is no such word
    GIVEN = auto()  # START: the number is on the list no more
    WITHDRAWN = auto()  # the number is on the list from now on
    WITHDRAWN_AGAIN = auto()  # it was already


def follow_word(connection: Connection, key: Key, inbound: Inbound, now: Milliseconds) -> Consent:
    """Put whoever wrote on the opt-out list of the key that they wrote to, or take them off it, as the text says.

    For most keys that is the account's list, and who opts in is off the lists of its sub-accounts, too.
    """
    number = inbound.phone_number
    listed = own_list(key, OPT_OUT)
    if opts_in(inbound.body):
        if key.is_separate:
            suppressions.remove(connection, listed, [number])
        else:
            suppressions.take_off(connection, key.account_id, OPT_OUT, number)
        return Consent.GIVEN
    if not opts_out(inbound.body, number):
        return Consent.UNTOUCHED
    entry = (key.account_id, OPT_OUT, number, listed.subid)
    if entry in suppressions.of_numbers(connection, [key.account_id], [number]):
        return Consent.WITHDRAWN_AGAIN
    names = ("account_id", "list", "phone_number", "subid")
    suppressions.add(connection, [dict(zip(names, entry, strict=True)) | {"created_at": now}])
    return Consent.WITHDRAWN
