"""Keys and lists (specification 4.3)."""

from collections.abc import Iterable

from interface import calls
from interface.account import ApikeyMe, ApikeyUpdate, ListResponse, ListSubmission, Success
from interface.client.operations.operation import Operation, Sent, operation, whole


def apikey_me() -> Operation[ApikeyMe]:
    """Return the calling key and its account."""
    return operation(calls.APIKEY_ME, Sent(), lambda answer: answer.me)


def apikey_update(settings: ApikeyUpdate) -> Operation[Success]:
    """Change the settings of the calling key; an empty string deletes a value (4.3)."""
    return operation(calls.APIKEY_UPDATE, Sent(body=settings), whole)


def opt_out(numbers: Iterable[str], *, subid: str = "default") -> Operation[ListResponse]:
    """Add numbers to the opt-out list, which blocks promotional messages (4.3)."""
    return operation(calls.OPT_OUT, Sent(body=ListSubmission(to="\n".join(numbers), subid=subid)), whole)


def blacklist(numbers: Iterable[str], *, subid: str = "default") -> Operation[ListResponse]:
    """Add numbers to the blacklist, which blocks all messages (4.3)."""
    return operation(calls.BLACKLIST, Sent(body=ListSubmission(to="\n".join(numbers), subid=subid)), whole)
