"""Follows the words STOP and START: the account's opt-out list says what the person last wanted."""

from enum import Enum, auto

from sqlalchemy import Connection

from messaging_service.channels.channel import Inbound
from messaging_service.clock import Milliseconds
from messaging_service.inbound.words import opts_in, opts_out
from messaging_service.store import suppressions
from messaging_service.store.suppressions import OPT_OUT, WHOLE_ACCOUNT


class Consent(Enum):
    """What an inbound message does to the opt-out of its sender."""

    UNTOUCHED = auto()  # it is no such word
    GIVEN = auto()  # START: the number is on the list no more
    WITHDRAWN = auto()  # the number is on the list from now on
    WITHDRAWN_AGAIN = auto()  # it was already


def follow_word(connection: Connection, account_id: int, inbound: Inbound, now: Milliseconds) -> Consent:
    """Put whoever wrote on the account's opt-out list, or take the number off it, as the text says."""
    number = inbound.phone_number
    if opts_in(inbound.body):
        suppressions.take_off(connection, account_id, OPT_OUT, number)
        return Consent.GIVEN
    if not opts_out(inbound.body, number):
        return Consent.UNTOUCHED
    entry = (account_id, OPT_OUT, number, WHOLE_ACCOUNT)
    if entry in suppressions.of_numbers(connection, [account_id], [number]):
        return Consent.WITHDRAWN_AGAIN
    names = ("account_id", "list", "phone_number", "subid")
    suppressions.add(connection, [dict(zip(names, entry, strict=True)) | {"created_at": now}])
    return Consent.WITHDRAWN
